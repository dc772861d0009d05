-- A worker still folds: move the end of its lease. Nothing when its epoch is over.
-- KEYS m ; ARGV epoch, lease ms (no less than the partition is held for already)
-- include now
local m = redis.call('HMGET', KEYS[1], 'epoch', 'hold')
if m[1] ~= ARGV[1] then return 0 end
local hold = math.max(tonumber(m[2]) or 0, ARGV[2])
redis.call('HSET', KEYS[1], 'lease', now_ms() + hold, 'hold', hold)
return 1
