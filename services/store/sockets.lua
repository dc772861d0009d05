-- Shared head of the scripts about presence. A player is connected while any gateway generation holds a socket of theirs;
-- Connected / Disconnected reach the log only on the change between none and some, and only for people who are noticed.

-- A gateway's lease as it is kept: `<end> <length>`, both in ms.
local function gateway_lease(now, ms)
  return string.format('%.0f', now + ms) .. ' ' .. ms
end

local function appended(tag, room, player, kind)
  if not noticed(tag .. ':r:' .. room, player) then return 0 end
  return append_system(tag, room, '{"type":"' .. kind .. '","player":"' .. player .. '"}') and 1 or 0
end

local function enter_socket(tag, room, player, generation)
  local s = tag .. ':s:' .. room
  local held = redis.call('HGET', s, player)
  if held and string.find(' ' .. held .. ' ', ' ' .. generation .. ' ', 1, true) then return 0 end
  redis.call('HSET', s, player, held and (held .. ' ' .. generation) or generation)
  if held then return 0 end
  return appended(tag, room, player, 'connected')
end

local function leave_socket(tag, room, player, generation)
  local s = tag .. ':s:' .. room
  local held = redis.call('HGET', s, player)
  if not held then return 0 end
  local rest = {}
  for other in string.gmatch(held, '%S+') do
    if other ~= generation then rest[#rest + 1] = other end
  end
  if #rest > 0 then
    redis.call('HSET', s, player, table.concat(rest, ' '))
    return 0
  end
  redis.call('HDEL', s, player)
  return appended(tag, room, player, 'disconnected')
end
