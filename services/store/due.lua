-- Append a Timeout for every deadline that is over: one per turn while it is unread, so that idle workers cause no flood.
-- KEYS due, ready, m, queue, bell ; ARGV tag, part, limit, re-arm ms, lease ms
-- Returns {timeouts appended, ms of lateness of the oldest, more (1 when the limit was reached)}
local now = now_ms()
local tag = ARGV[1]
local rooms = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', now, 'WITHSCORES', 'LIMIT', 0, ARGV[3])
local appended, late = 0, 0
for k = 1, #rooms, 2 do
  local room, at = rooms[k], tonumber(rooms[k + 1])
  local r = tag .. ':r:' .. room
  local h = redis.call('HMGET', r, 'due', 'turn', 'cur', 'tmo')
  local id
  if not h[1] or h[1] == '' or not tonumber(h[2]) or not string.match(h[3] or '', '^%d+%-%d+$') then
    redis.call('ZREM', KEYS[1], room) -- no deadline, or a damaged room, which must not keep the others' from coming
  else
    local turn, entry = string.match(h[4] or '', '^(%d+) (%d+%-%d+)$')
    if turn ~= h[2] or not after(entry, h[3]) then
      id = append_system(tag, room, '{"type":"timeout","turn":' .. h[2] .. '}')
      if id then
        redis.call('HSET', r, 'tmo', h[2] .. ' ' .. id)
        appended = appended + 1
        if now - at > late then late = now - at end
      end
    end
    redis.call('ZADD', KEYS[1], now + ARGV[4], room)
  end
end
if appended > 0 then wake(KEYS[3], KEYS[4], KEYS[5], ARGV[2], now, tonumber(ARGV[5])) end
return {appended, late, #rooms >= 2 * ARGV[3] and 1 or 0}
