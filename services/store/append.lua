-- Append one command of a client, once per (session, action id).
-- KEYS r, a, ready, m, queue, bell, n, o
-- ARGV room, n, session, action id, data, private ('' none), part, lease ms, unread max, player, nickname ('' unchanged),
--   stranger ('' may have a seat, 'unless named' the gateway knows of none, 'surely' there can be none),
--   sessions max of an owner, of the room, ms for which a session that others would push out is kept, owner of the session
-- Returns {status, entry, code}: 0 new; 1 repeat (code '' while undecided); -1 no room; -2 game moved on; -3 too old; -4 overloaded;
--   -5 a stranger's
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
-- Everybody who ever asked for a seat here has a name, from the moment that their Join is in the log; while there is room for it.
if ARGV[12] == 'surely' then return {-5} end
if ARGV[12] ~= '' and redis.call('HEXISTS', KEYS[7], ARGV[10]) == 0 and redis.call('HLEN', KEYS[7]) < 200 then return {-5} end
if h[4] - h[3] >= tonumber(ARGV[9]) then return {-4} end

-- Room for the outcomes of one more session: that of an owner with too many which was silent longest goes, else of all that
-- were silent for long. None goes whose last entry is undecided, since its outcome would be written after it went.
local function make_room(who)
  local decided = h[4] == h[3] and math.huge or ms_of(h[2] == '0-0' and h[6] or h[2])
  local kept = now_ms() - ARGV[15]
  local all, mine, own, other = redis.call('ZRANGE', KEYS[8], 0, -1, 'WITHSCORES'), 0, nil, nil
  for k = 1, #all, 2 do
    local at = tonumber(all[k + 1])
    if string.sub(all[k], 1, #ARGV[16] + 1) == ARGV[16] .. ' ' then
      mine = mine + 1
      if not own and at < decided then own = all[k] end
    end
    if not other and at < decided and at < kept then other = all[k] end
  end
  local gone
  if mine >= tonumber(ARGV[13]) then gone = own
  elseif #all >= 2 * ARGV[14] then gone = other
  else return true end
  if not gone then return false end
  local fields, session = {}, string.match(gone, ' (.*)$')
  for k = 0, 63 do fields[k + 1] = '@' .. session .. ':' .. k end
  redis.call('HDEL', KEYS[1], unpack(fields))
  redis.call('ZREM', KEYS[8], gone)
  return true
end

local who = ARGV[16] .. ' ' .. ARGV[3]
if not redis.call('ZSCORE', KEYS[8], who) and not make_room(who) then return {-4} end
local entry
local origin = ARGV[3] .. ':' .. ARGV[4]
if ARGV[6] == '' then
  entry = redis.call('XADD', KEYS[2], '*', 'd', ARGV[5], 'o', origin)
else
  entry = redis.call('XADD', KEYS[2], '*', 'd', ARGV[5], 'o', origin, 'p', ARGV[6])
end
redis.call('HSET', KEYS[1], slot, ARGV[4] .. ' ' .. entry, 'a', h[4] + 1)
local now = ms_of(entry)
redis.call('ZADD', KEYS[8], now, who)
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
