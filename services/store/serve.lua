-- A gateway serves for so long, or ends to (0). When none did just before, that time gets a number: the house was away.
-- KEYS house ; ARGV generation, lease ms
-- Returns {number of the newest time away, 1 when it ended with this call}
-- include now
-- include sockets
local function whole(n) return string.format('%.0f', n) end
local house, mine, lease = KEYS[1], 'g:' .. ARGV[1], tonumber(ARGV[2])
local now = now_ms()
local all = redis.call('HGETALL', house)
local open, latest, hold = false, 0, 0
for k = 1, #all, 2 do
  if string.sub(all[k], 1, 2) == 'g:' then
    local ends, length = string.match(all[k + 1], '^(%d+) (%d+)$')
    ends, length = tonumber(ends) or 0, tonumber(length) or 0
    if ends > now + length then -- the clock was set back
      ends = now + length
      redis.call('HSET', house, all[k], gateway_lease(now, length))
    end
    if ends >= now then
      open = true
      if all[k] ~= mine then latest, hold = math.max(latest, ends), math.max(hold, length) end
    else
      redis.call('HDEL', house, all[k])
    end
  end
end
local last = redis.call('HMGET', house, 'until', 'n')
if lease == 0 then
  redis.call('HDEL', house, mine)
  if open then redis.call('HSET', house, 'until', whole(latest > 0 and latest or now - 1), 'hold', hold) end
  return {tonumber(last[2]) or 0, 0}
end
redis.call('HSET', house, mine, gateway_lease(now, lease), 'until', whole(math.max(latest, now + lease)), 'hold', math.max(hold, lease))
if open then return {tonumber(last[2]) or 0, 0} end
local n = redis.call('HINCRBY', house, 'n', 1)
redis.call('HSET', house, 'from', whole(math.min(tonumber(last[1]) or now, now)), 'to', whole(now))
return {n, 1}
