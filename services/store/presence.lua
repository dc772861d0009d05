-- A gateway's first socket of a player in a room opened (present '1') or its last one closed ('0').
-- KEYS s, g, ready, m, queue, bell ; ARGV tag, part, room, player, generation, present, gateway lease ms, drain lease ms
-- Returns 1 when an entry was appended
-- include ids
-- include now
-- include wake
-- include noticed
-- include log
-- include sockets
local now = now_ms()
local tag, room, player, generation = ARGV[1], ARGV[3], ARGV[4], ARGV[5]
local held = tag .. ':gr:' .. generation
local changed
if ARGV[6] == '1' then
  redis.call('HSET', KEYS[2], generation, gateway_lease(now, ARGV[7]))
  redis.call('SADD', held, room .. ' ' .. player)
  changed = enter_socket(tag, room, player, generation)
else
  redis.call('SREM', held, room .. ' ' .. player)
  changed = leave_socket(tag, room, player, generation)
end
redis.call('PUBLISH', 'v:' .. room, 'people ' .. redis.call('HLEN', KEYS[1]))
if changed == 1 then wake(KEYS[4], KEYS[5], KEYS[6], ARGV[2], now, tonumber(ARGV[8])) end
return changed
