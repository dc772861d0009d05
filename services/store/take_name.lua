local WAITING_MAX, WAITING_MS = 200, 3600000

-- A seated player's name is changed at once, somebody else's waits until the Join is decided.
local function take_name(tag, room, player, value, seated)
  local names, waiting = tag .. ':n:' .. room, tag .. ':w:' .. room
  if seated then
    if redis.call('HGET', names, player) ~= value then write_name(names, room, player, value) end
    return
  end
  if redis.call('HEXISTS', waiting, player) == 0 and redis.call('HLEN', waiting) >= WAITING_MAX then
    redis.call('HDEL', waiting, redis.call('HRANDFIELD', waiting))
  end
  redis.call('HSET', waiting, player, value)
  redis.call('PEXPIRE', waiting, WAITING_MS)
end
