-- A worker still folds: move the end of its lease. Nothing when its epoch is over.
-- KEYS m ; ARGV epoch, lease ms
if redis.call('HGET', KEYS[1], 'epoch') ~= ARGV[1] then return 0 end
redis.call('HSET', KEYS[1], 'lease', now_ms() + ARGV[2], 'hold', ARGV[2])
return 1
