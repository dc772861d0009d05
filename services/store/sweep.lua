-- The backstop: a partition whose drain died or was never scheduled gets one; sockets of dead gateways are taken off.
-- KEYS m, ready, queue, bell, g, house ; ARGV tag, part, lease ms, limit
-- The clock may have been set back. A partition's lease that ends later than one can that begins now is over; a gateway's is
-- cut to its length, so that one that lives renews it and its players are not told to be gone. While the house is away, or was
-- and the rooms do not know it yet, nobody is.
-- Returns {1 when a drain was scheduled, sockets removed}
-- include ids
-- include now
-- include wake
-- include noticed
-- include log
-- include sockets
-- include house
local GATEWAY_MS, STUCK_MS = 6000, 60000
local now = now_ms()
local tag = ARGV[1]
local removed = 0
local open, number = house_state(KEYS[6], now)
open = open and (not number or redis.call('HGET', KEYS[1], 'away') == number)
local gateways = redis.call('HGETALL', KEYS[5])
for k = 1, #gateways, 2 do
  local ends, length = string.match(gateways[k + 1], '^(%d+) ?(%d*)$')
  ends, length = tonumber(ends) or 0, tonumber(length) or GATEWAY_MS
  if ends > now + length then
    redis.call('HSET', KEYS[5], gateways[k], gateway_lease(now, length))
  elseif ends < now and open then
    local held = tag .. ':gr:' .. gateways[k]
    for _, pair in ipairs(redis.call('SRANDMEMBER', held, ARGV[4])) do
      local room, player = string.match(pair, '^(%S+) (%S+)$')
      redis.call('SREM', held, pair)
      removed = removed + leave_socket(tag, room, player, gateways[k])
      redis.call('PUBLISH', 'v:' .. room, 'people ' .. redis.call('HLEN', tag .. ':s:' .. room))
    end
    if redis.call('EXISTS', held) == 0 then redis.call('HDEL', KEYS[5], gateways[k]) end
  end
end
local function try_again(from, to)
  for _, room in ipairs(redis.call('ZRANGEBYSCORE', tag .. ':stuck', from, to, 'LIMIT', 0, ARGV[4])) do
    redis.call('ZREM', tag .. ':stuck', room)
    redis.call('ZADD', KEYS[2], 'NX', now, room)
  end
end
try_again('-inf', now)
try_again(now + STUCK_MS + 1, '+inf')
if removed > 0 then wake(KEYS[1], KEYS[3], KEYS[4], ARGV[2], now, tonumber(ARGV[3])) end
local h = redis.call('HMGET', KEYS[1], 'job', 'lease', 'claimed', 'hold')
local waiting = redis.call('ZCARD', KEYS[2]) > 0 or (h[3] and h[3] ~= '')
local scheduled = 0
local ends = tonumber(h[2] or '0') or 0
if h[1] and (ends < now or ends > now + (tonumber(h[4]) or ARGV[3])) then
  if waiting then
    schedule(KEYS[1], KEYS[3], KEYS[4], ARGV[2], now, tonumber(ARGV[3]))
    scheduled = 1
  else
    redis.call('ZREM', KEYS[3], h[1])
    redis.call('DEL', 'arq:job:' .. h[1])
    redis.call('HINCRBY', KEYS[1], 'epoch', 1)
    redis.call('HDEL', KEYS[1], 'job', 'lease', 'door', 'hold')
  end
elseif waiting and not h[1] then
  schedule(KEYS[1], KEYS[3], KEYS[4], ARGV[2], now, tonumber(ARGV[3]))
  scheduled = 1
end
return {scheduled, removed}
