-- Shared head of the scripts that ask whether the house is open: whether any gateway serves. Nobody is played for while none does,
-- and before a room's clocks run again its log says from when to when the house was away.

-- Whether it is open; number, beginning and end of the newest time in which it was not.
local function house_state(house, now)
  local h = redis.call('HMGET', house, 'until', 'hold', 'n', 'from', 'to')
  local ends = tonumber(h[1]) or 0
  return ends >= now and ends <= now + (tonumber(h[2]) or 0), h[3], h[4], h[5]
end

-- Tell the rooms of a partition, at most once each: those with a deadline, so many in one call, and those with unread entries,
-- which may get one in the past. Returns whether all were told, how many now.
local function tell_away(tag, now, n, from, to, limit)
  local m, due, ready, told = tag .. ':m', tag .. ':due', tag .. ':ready', 0
  local data = '{"type":"house_away","from_ms":' .. from .. ',"to_ms":' .. to .. '}'
  local function tell(room)
    local r = tag .. ':r:' .. room
    local h = redis.call('HMGET', r, 'n', 'away')
    if not h[1] or h[2] == n then return end
    redis.call('HSET', r, 'away', n)
    if append_system(tag, room, data) then told = told + 1 end
    redis.call('ZADD', due, 'XX', 'GT', now + 3000, room) -- the commit says when it is
  end
  local number, cursor = string.match(redis.call('HGET', m, 'telling') or '', '^(%d+) (%d+)$')
  if number ~= n then
    cursor = '0'
    for _, room in ipairs(redis.call('ZRANGE', ready, 0, -1)) do tell(room) end
    for _, room in ipairs(redis.call('ZRANGE', tag .. ':stuck', 0, -1)) do tell(room) end
    for room in string.gmatch(redis.call('HGET', m, 'claimed') or '', '%S+') do tell(room) end
    -- Nobody could renew a lease meanwhile; whoever comes back soon was never gone.
    local gateways = redis.call('HGETALL', tag .. ':g')
    for k = 1, #gateways, 2 do
      local length = string.match(gateways[k + 1], ' (%d+)$')
      if length then redis.call('HSET', tag .. ':g', gateways[k], gateway_lease(now, length)) end
    end
  end
  local page = redis.call('ZSCAN', due, cursor, 'COUNT', limit)
  for k = 1, #page[2], 2 do tell(page[2][k]) end
  if page[1] == '0' then
    redis.call('HSET', m, 'away', n)
    redis.call('HDEL', m, 'telling')
    return true, told
  end
  redis.call('HSET', m, 'telling', n .. ' ' .. page[1])
  return false, told
end
