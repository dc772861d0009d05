-- Needs ids.
-- include bounds
-- include full
-- Append one entry of the system (Timeout, Connected, Disconnected, HouseAway) to the room's current game.
local function append_system(tag, room, data)
  local r = tag .. ':r:' .. room
  local h = redis.call('HMGET', r, 'n', 'full')
  local n, full = h[1], h[2]
  if not n or (full == n and not string.find(data, '"type":"timeout"', 1, true)) then return nil end
  local log = tag .. ':a:' .. room .. '/' .. n
  local id = redis.pcall('XADD', log, '*', 'd', data)
  if type(id) == 'table' then return nil end -- the key is damaged: this room's trouble alone
  local length = redis.call('HINCRBY', r, 'a', 1)
  redis.call('ZADD', tag .. ':ready', 'NX', ms_of(id), room)
  if full ~= n then end_if_full(r, log, n, length) end
  return id
end
