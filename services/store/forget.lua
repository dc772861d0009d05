-- Remove a room that no worker has opened yet: whoever made it was told that there is none.
-- KEYS r, a (of game 1), ready, stuck ; ARGV room
-- Returns 1 removed, 0 it is open by now, or gone
if redis.call('HGET', KEYS[1], 'v') ~= '0' or redis.call('HGET', KEYS[1], 'n') ~= '1' then return 0 end
redis.call('DEL', KEYS[1], KEYS[2])
redis.call('ZREM', KEYS[3], ARGV[1])
redis.call('ZREM', KEYS[4], ARGV[1])
return 1
