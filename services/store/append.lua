-- Append one command of a client, once per (session, action id).
-- KEYS r, a, ready, m, queue, bell, n
-- ARGV room, n, session, action id, data, private ('' none), part, lease ms, unread max, player, nickname ('' unchanged)
-- Returns {status, entry, code}: 0 new; 1 repeat (code '' while undecided); -1 no room; -2 game moved on; -3 too old; -4 overloaded
-- Ids of one session share 64 slots, so a slot that holds a later id says that this one is too old to be remembered.
local id = tonumber(ARGV[4])
local slot = '@' .. ARGV[3] .. ':' .. (id % 64)
local h = redis.call('HMGET', KEYS[1], 'n', 'cur', 'd', 'a', slot, 'base')
if not h[1] then return {-1} end
if h[5] then
  local seen, entry, code = string.match(h[5], '^(%d+) (%S+) ?(.*)$')
  seen = tonumber(seen)
  if seen == id then
    -- decided in this game, or in an earlier one of the room
    if code == '' and (not after(entry, h[2]) or (h[6] and not after(entry, h[6]))) then code = 'ok' end
    return {1, entry, code}
  end
  if seen > id then return {-3} end
end
if h[1] ~= ARGV[2] then return {-2} end
if h[4] - h[3] >= tonumber(ARGV[9]) then return {-4} end
local entry
local origin = ARGV[3] .. ':' .. ARGV[4]
if ARGV[6] == '' then
  entry = redis.call('XADD', KEYS[2], '*', 'd', ARGV[5], 'o', origin)
else
  entry = redis.call('XADD', KEYS[2], '*', 'd', ARGV[5], 'o', origin, 'p', ARGV[6])
end
redis.call('HSET', KEYS[1], slot, ARGV[4] .. ' ' .. entry, 'a', h[4] + 1)
local now = ms_of(entry)
redis.call('ZADD', KEYS[3], 'NX', now, ARGV[1])
if ARGV[11] ~= '' then
  -- Strangers who are refused leave a name too: so many fit, and an unchanged one is no news.
  local name = redis.call('HGET', KEYS[7], ARGV[10])
  if name ~= ARGV[11] and (name or redis.call('HLEN', KEYS[7]) < 200) then
    redis.call('HSET', KEYS[7], ARGV[10], ARGV[11])
    redis.call('PUBLISH', 'v:' .. ARGV[1], 'names')
  end
end
wake(KEYS[4], KEYS[5], KEYS[6], ARGV[7], now, tonumber(ARGV[8]))
return {0, entry, ''}
