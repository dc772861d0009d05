-- Append one command of a client, once per (session, action id).
-- KEYS r, a, o, ready, m, queue, bell, n
-- ARGV room, n, session, action id, data, private ('' none), part, lease ms, unread max, player, nickname ('' unchanged)
-- Returns {status, entry, code}: 0 new; 1 repeat (code '' while undecided); -1 no room; -2 game moved on; -3 too old; -4 overloaded
local h = redis.call('HMGET', KEYS[1], 'n', 'cur', 'd')
if not h[1] then return {-1} end
local session, id = ARGV[3], tonumber(ARGV[4])
local slot = session .. ':' .. (id % 64)
local o = redis.call('HMGET', KEYS[3], session, slot)
if o[2] then
  local seen, entry, code = string.match(o[2], '^(%d+) (%S+) ?(.*)$')
  if tonumber(seen) == id then
    if code == '' and not after(entry, h[2]) then code = 'ok' end
    return {1, entry, code}
  end
end
local top = tonumber(o[1] or '0')
if id <= top - 64 then return {-3} end
if h[1] ~= ARGV[2] then return {-2} end
if redis.call('XLEN', KEYS[2]) - tonumber(h[3]) >= tonumber(ARGV[9]) then return {-4} end
local entry
local origin = session .. ':' .. ARGV[4]
if ARGV[6] == '' then
  entry = redis.call('XADD', KEYS[2], '*', 'd', ARGV[5], 'o', origin)
else
  entry = redis.call('XADD', KEYS[2], '*', 'd', ARGV[5], 'o', origin, 'p', ARGV[6])
end
if id > top then
  redis.call('HSET', KEYS[3], session, ARGV[4], slot, ARGV[4] .. ' ' .. entry)
else
  redis.call('HSET', KEYS[3], slot, ARGV[4] .. ' ' .. entry)
end
local now = ms_of(entry)
redis.call('ZADD', KEYS[4], 'NX', now, ARGV[1])
if ARGV[11] ~= '' then
  redis.call('HSET', KEYS[8], ARGV[10], ARGV[11])
  redis.call('PUBLISH', 'v:' .. ARGV[1], 'names')
end
wake(KEYS[5], KEYS[6], KEYS[7], ARGV[7], now, tonumber(ARGV[8]))
return {0, entry, ''}
