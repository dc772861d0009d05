-- Give the partition to whichever worker comes next, by scheduling the next epoch. Nothing when this epoch is already over.
-- KEYS m, queue, bell ; ARGV part, epoch, lease ms
-- include now
-- include wake
if redis.call('HGET', KEYS[1], 'epoch') ~= ARGV[2] or not redis.call('HGET', KEYS[1], 'job') then return 0 end
schedule(KEYS[1], KEYS[2], KEYS[3], ARGV[1], now_ms(), tonumber(ARGV[3]))
return 1
