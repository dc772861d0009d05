-- Append a Timeout for every deadline that is over: one per turn while it is unread, so that idle workers cause no flood.
-- None while the house is closed, and none in a partition whose rooms were not told yet when it was away.
-- KEYS due, ready, m, queue, bell, house ; ARGV tag, part, limit, re-arm ms, lease ms
-- Returns {timeouts appended, ms of lateness of the oldest, more (1 when the limit was reached)}
-- include ids
-- include after
-- include now
-- include wake
-- include noticed
-- include log
-- include sockets
-- include house
local now = now_ms()
local tag = ARGV[1]
local open, number, from, to = house_state(KEYS[6], now)
if not open then return {0, 0, 0} end
if number and redis.call('HGET', KEYS[3], 'away') ~= number then
  local all, told = tell_away(tag, now, number, from, to, ARGV[3])
  if told > 0 then wake(KEYS[3], KEYS[4], KEYS[5], ARGV[2], now, tonumber(ARGV[5])) end
  return {0, 0, 1}
end
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
