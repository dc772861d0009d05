-- Something said at a table (chat, emote, suggestion): kept for those who come later, not in the game's log.
-- KEYS c, l, r ; ARGV room, player, message, kept, per window, window ms
-- Returns 1 said, 0 too often, -1 no room
if redis.call('EXISTS', KEYS[3]) == 0 then return -1 end
local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
local count, since = string.match(redis.call('HGET', KEYS[2], ARGV[2]) or '', '^(%d+) (%d+)$')
if not count or now - since > tonumber(ARGV[6]) or now - since < 0 then
  count, since = 0, now
end
if tonumber(count) >= tonumber(ARGV[5]) then return 0 end
redis.call('HSET', KEYS[2], ARGV[2], (count + 1) .. ' ' .. string.format('%.0f', since))
redis.call('PEXPIRE', KEYS[2], ARGV[6])
redis.call('RPUSH', KEYS[1], ARGV[3])
redis.call('LTRIM', KEYS[1], -ARGV[4], -1)
redis.call('EXPIRE', KEYS[1], 86400)
redis.call('PUBLISH', 'v:' .. ARGV[1], 'said ' .. ARGV[3])
return 1
