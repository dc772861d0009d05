-- Open the next game of a room that agreed on a rematch. Only when the finished game's cursor is its stream's end, so that
-- no entry falls between the two; asked again after the next commit otherwise. Where the finished game ended is kept, for
-- audits.
-- KEYS r, a (old game), a (new game), s, ready, m, queue, bell, due
-- ARGV tag, part, room, n (old), cursor (old), data of the Open entry, private, lease ms, seated player..
-- Returns the entry id, or false when the room stands elsewhere or has unread entries
-- include ids
-- include now
-- include wake
-- include noticed
-- include log
-- include sockets
local h = redis.call('HMGET', KEYS[1], 'n', 'cur', 'v', 'd', 'head')
if h[1] ~= ARGV[4] or h[2] ~= ARGV[5] then return false end
if #redis.call('XRANGE', KEYS[2], '(' .. h[2], '+', 'COUNT', 1) > 0 then return false end
-- ids go on rising over the games of a room, whatever the clock does
local id = math.max(now_ms(), ms_of(h[2]) + 1) .. '-0'
local entry = redis.call('XADD', KEYS[3], id, 'd', ARGV[6], 'p', ARGV[7])
redis.call('HSET', KEYS[1], 'n', h[1] + 1, 'v', '0', 'cur', '0-0', 'd', '0', 'a', '1', 'head', '', 'snap', '', 'chance', '', 'due', '',
  'turn', '0', 'tmo', '', 'base', h[2], 'past:' .. h[1], h[3] .. ' ' .. h[2] .. ' ' .. h[4] .. ' ' .. h[5])
redis.call('HDEL', KEYS[1], 'claims', 'by')
redis.call('ZREM', KEYS[9], ARGV[3])
redis.call('ZADD', KEYS[5], ms_of(entry), ARGV[3])
for k = 9, #ARGV do
  if redis.call('HEXISTS', KEYS[4], ARGV[k]) == 0 then
    append_system(ARGV[1], ARGV[3], '{"type":"disconnected","player":"' .. ARGV[k] .. '"}')
  end
end
wake(KEYS[6], KEYS[7], KEYS[8], ARGV[2], ms_of(entry), tonumber(ARGV[8]))
return entry
