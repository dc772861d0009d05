-- Append one command of a client, once per (session, action id).
-- KEYS r, queue, bell
-- ARGV n, session, action id, data, private ('' none), lease ms, unread max, owner of the session, then perhaps
--   player (the owner when missing), nickname ('' no Join), stranger ('' may have a seat; 'unless noticed' the gateway knows of none; 'when long' the
--   gateway believes that the Join would be refused; 'surely' there can be no seat), skeleton of the nickname
-- Returns {status, entry, code}: 0 new; 1 repeat (code '' while undecided); -1 no room; -2 game moved on; -3 too old; -4 overloaded;
--   -5 refused: the sender has no seat; -6 somebody here has a name that looks the same; -7 too many Joins; -8 the log is full
-- Ids of one session share 64 slots, so a slot that holds a later id says that this one is too old to be remembered.
-- include ids
-- include now
-- include wake
-- include bounds
local SESSIONS_MAX, ROOM_SESSIONS_MAX, KEPT_MS = 16, 256, 600000 -- as in write.py, which says why
local TOUCH = 16 -- entries of a session between two notes of its last use
local LONG = 512 -- entries of a log that is longer than that of a game that nobody disturbs before it begins
local JOINS_MAX, JOINS_MS = 10, 10000 -- per player: one a second, some at once
local r, n, session, private = KEYS[1], ARGV[1], ARGV[2], ARGV[5]
local tag, part, room = string.sub(r, 1, 5), string.sub(r, 2, 4), string.sub(r, 9) -- {p07}:r:K7Q2MX
local id = tonumber(ARGV[3])
local ring = '@' .. session .. ':'
local slot = ring .. (id % 64)
local h = redis.call('HMGET', r, 'n', 'cur', 'd', 'a', slot, 'base', ring .. ((id - 1) % 64))
if not h[1] then return {-1} end
if h[5] then
  local seen, entry, code = string.match(h[5], '^(%d+) (%S+) ?(.*)$')
  seen = tonumber(seen)
  if seen == id then
    -- include after
    -- decided in this game, or in an earlier one of the room
    if code == '' and (not after(entry, h[2]) or (h[6] and not after(entry, h[6]))) then
      code = 'ok'
    elseif code == '' and not redis.call('ZSCORE', tag .. ':stuck', room) then
      -- It waits, and whoever asks again waits too: a wake-up that was lost, with whatever keys, is made up for.
      redis.call('ZADD', tag .. ':ready', 'NX', ms_of(entry), room)
      wake(tag .. ':m', KEYS[2], KEYS[3], part, now_ms(), tonumber(ARGV[6]))
    end
    return {1, entry, code}
  end
  if seen > id then return {-3} end
end
if h[1] ~= n then return {-2} end
local player, nickname, stranger = ARGV[9] or ARGV[8], ARGV[10] or '', ARGV[11] or ''
local length = tonumber(h[4])
local seated, asking, has_seat = ' ', ' ', false
if nickname ~= '' or length >= LONG then
  local s = redis.call('HMGET', r, 'seated', 'asking')
  seated, asking = s[1] or ' ', s[2] or ' '
  has_seat = string.find(seated, ' ' .. player .. ' ', 1, true) ~= nil
end
if stranger == 'surely' then return {-5} end
if stranger == 'when long' and length >= LONG and not has_seat then return {-5} end
if stranger == 'unless noticed' then
  -- include noticed
  if not noticed(r, player) then return {-5} end
end
-- A game's log is bounded: near its end only those who play may write, at its end the game is over by a rule.
if length >= LOG_SEATED and (not has_seat or redis.call('HGET', r, 'full') == n) then return {-8} end
if h[4] - h[3] >= tonumber(ARGV[7]) then return {-4} end
if nickname ~= '' then
  -- include names
  -- include often
  if looks_alike(tag .. ':n:' .. room, player, ARGV[12]) then return {-6} end
  if not has_seat and too_often(tag .. ':l:' .. room, 'join:' .. player, JOINS_MAX, JOINS_MS) then return {-7} end
end

-- A session whose ring has this place or the one before is known.
local known = h[5] or h[7]
if not known or id % TOUCH == 0 then
  local o, owner = tag .. ':o:' .. room, ARGV[8] .. ' '
  known = known or redis.call('ZSCORE', o, owner .. session)
  if not known then
    -- Room for the outcomes of one more session: that of an owner with too many which was silent longest goes; else of those
    -- whose owners have no seat; else of all that were silent for long. So people without a seat keep nobody out who has one.
    -- None goes whose last entry is undecided, since its outcome would be written after it went.
    local function make_room(o, owner)
      local all, from = redis.call('ZRANGE', o, 0, -1), {}
      for k = 1, #all do
        if string.sub(all[k], 1, #owner) == owner then from[#from + 1] = all[k] end
      end
      local limit = h[4] == h[3] and math.huge or ms_of(h[2] == '0-0' and h[6] or h[2])
      if #from < SESSIONS_MAX then
        if #all < ROOM_SESSIONS_MAX then return true end
        from = {}
        local s = redis.call('HMGET', r, 'seated', 'asking')
        local here = (s[1] or ' ') .. (s[2] or ' ')
        for k = 1, #all do
          local other = string.match(all[k], '^(%S+) ')
          if other and not string.find(here, ' ' .. other .. ' ', 1, true) then from[#from + 1] = all[k] end
        end
        if #from == 0 then
          from, limit = all, math.min(limit, now_ms() - KEPT_MS)
        end
      end
      local gone, ring_of_gone
      for k = 1, math.min(#from, SESSIONS_MAX) do
        -- times in `o` may be some entries old: the ring itself tells
        local ring, last, other = {}, 0, string.match(from[k], ' (.*)$')
        for place = 0, 63 do ring[place + 1] = '@' .. other .. ':' .. place end
        for _, seen in ipairs(redis.call('HMGET', r, unpack(ring))) do
          local entry = seen and string.match(seen, '^%d+ (%S+)')
          if entry then last = math.max(last, ms_of(entry)) end
        end
        redis.call('ZADD', o, last, from[k])
        if last < limit then
          gone, ring_of_gone, limit = from[k], ring, last
        end
      end
      if not gone then return false end
      redis.call('HDEL', r, unpack(ring_of_gone))
      redis.call('ZREM', o, gone)
      return true
    end
    if not make_room(o, owner) then return {-4} end
  end
  redis.call('ZADD', o, now_ms(), owner .. session)
end
local entry
local origin = session .. ':' .. ARGV[3]
local log = tag .. ':a:' .. room .. '/' .. n
if private == '' then
  entry = redis.call('XADD', log, '*', 'd', ARGV[4], 'o', origin)
else
  entry = redis.call('XADD', log, '*', 'd', ARGV[4], 'o', origin, 'p', private)
end
redis.call('HSET', r, slot, ARGV[3] .. ' ' .. entry, 'a', h[4] + 1)
if length + 1 >= LOG_MAX then
  -- include full
  end_if_full(r, log, n, length + 1)
end
local now = ms_of(entry)
if nickname ~= '' then -- only a Join brings one
  if not has_seat and not string.find(asking, ' ' .. player .. ' ', 1, true) then
    redis.call('HSET', r, 'asking', asking .. player .. ' ')
  end
  -- include names
  -- include take_name
  take_name(tag, room, player, ARGV[12] .. '\n' .. nickname, has_seat)
end
local m = tag .. ':m'
local drain = redis.call('HMGET', m, 'job', 'door', 'hold', 'claimed')
local hold = tonumber(drain[3])
if hold and h[2] and h[3] == h[4] and drain[2] and drain[2] ~= '' then
  -- A worker lingers here. If it knows the room, the doorbell brings the entry along and the room counts as claimed, which
  -- saves it the way to ask. When nobody hears it, or it is lost on the way, the next turn or the sweep finds the claim.
  -- The entry is in the log by now: a field that is damaged must lead to `ready` and not to an error.
  local at = redis.call('HMGET', r, 'by', 'claims', 'v', 'head')
  -- the stream says whether this is the only entry to decide; the counts are there to be shown
  if at[1] == drain[2] and not at[2] and at[3] and at[4] and #redis.pcall('XRANGE', log, '(' .. h[2], '+', 'COUNT', 2) == 1 then
    local line = { part, room, n, at[3], h[2], h[3], #at[4], entry, origin, private }
    if redis.call('PUBLISH', drain[2], table.concat(line, ' ') .. '\n' .. at[4] .. ARGV[4]) > 0 then
      local claimed = drain[4] and drain[4] ~= '' and drain[4] .. ' ' or '' -- what is held back there
      redis.call('HSET', m, 'door', '', 'lease', now_ms() + hold, 'claimed', claimed .. room)
      return {0, entry, ''}
    end
  end
end
redis.call('ZADD', tag .. ':ready', 'NX', now, room)
wake(m, KEYS[2], KEYS[3], part, now, tonumber(ARGV[6]), drain)
return {0, entry, ''}
