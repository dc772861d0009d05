-- Something said at a table (chat, emote, suggestion): kept for those who come later, not in the game's log.
-- KEYS c, l, r ; ARGV room, player, message, kept, per window, window ms
-- Returns 1 said, 0 too often, -1 no room
-- include now
-- include often
if redis.call('EXISTS', KEYS[3]) == 0 then return -1 end
if too_often(KEYS[2], ARGV[2], tonumber(ARGV[5]), tonumber(ARGV[6])) then return 0 end
redis.call('RPUSH', KEYS[1], ARGV[3])
redis.call('LTRIM', KEYS[1], -ARGV[4], -1)
redis.call('EXPIRE', KEYS[1], 86400)
redis.call('PUBLISH', 'v:' .. ARGV[1], 'said ' .. ARGV[3])
return 1
