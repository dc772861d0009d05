-- Create a room: its code is free exactly when its hash does not exist.
-- KEYS r, a (of game 1), ready, m, queue, bell
-- ARGV room, game name, data of the Open entry, private, part, lease ms
-- Returns the entry id, or false when the code is taken
-- include ids
-- include wake
if redis.call('EXISTS', KEYS[1]) == 1 then return false end
redis.call('HSET', KEYS[1], 'n', '1', 'g', ARGV[2], 'v', '0', 'cur', '0-0', 'd', '0', 'a', '1', 'head', '', 'snap', '', 'chance', '', 'due', '', 'seated', ' ')
local entry = redis.call('XADD', KEYS[2], '*', 'd', ARGV[3], 'p', ARGV[4])
redis.call('ZADD', KEYS[3], 'NX', ms_of(entry), ARGV[1])
wake(KEYS[4], KEYS[5], KEYS[6], ARGV[5], ms_of(entry), tonumber(ARGV[6]))
return entry
