-- One turn of a drain: commit the last batch, claim the next. All or nothing per room, every check before the first write
-- (scripts do not roll back). A worker whose epoch is over changes nothing.
-- A claimed room leaves `ready` and stands in m.claimed until it comes back committed, or failed, or for as long as the
-- worker holds it back. Counted are claims whose fold failed, and those of which it is sure that the worker was lost over them:
-- of several rooms that a lost epoch had claimed each is a suspect (claims 0), and whatever has claims is claimed by itself. It
-- gets a longer lease each time: a fold may use so much CPU time, which on a busy machine takes a multiple of it.
-- KEYS m, ready, due
-- ARGV tag, epoch, lease ms, rooms max (0: commit only), entries max, door of this worker, '1' to linger there when nothing is
--   ready ('' = release the partition), lease ms while rooms are folded, rooms that are
--   held back, rooms whose fold failed (each separated by spaces), then per room:
--   room, n, v0, cur0, v1, cur1, d1, head, snap, chance ('' unchanged), due ms ('' none), turn,
--   seated players (a space around each), ms after which the room is gone ('' never), publication ('' none), #events, event.., #rejects, (slot, value).., #parked, record..
-- Returns {status, refused commits, claim..}; status 1 claims follow, 2 nothing ready and lingering, 0 released, -2 epoch over
-- claim: {room, n, v, cur, d, head, claims, entries, g, snap, chance}, without the last three when this worker committed the
--   room last and has them
local m, ready, due, tag = KEYS[1], KEYS[2], KEYS[3], ARGV[1]
local state = redis.call('HMGET', m, 'epoch', 'claimed', 'turned')
if state[1] ~= ARGV[2] then return {-2} end
local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
local function set_of(rooms)
  local found, count = {}, 0
  for room in string.gmatch(rooms or '', '%S+') do found[room], count = true, count + 1 end
  return found, count
end
local open, opened = set_of(state[2])
local held, failed = set_of(ARGV[9]), set_of(ARGV[10])
local lost = state[3] ~= ARGV[2] -- by an earlier epoch
-- A room whose keys are damaged is set aside; nothing of the others depends on it (P7).
local function set_aside(room)
  redis.call('ZADD', tag .. ':stuck', now + 60000, room)
end
local refused = 0
local i = 11
while i < #ARGV do
  local room, n, v0 = ARGV[i], ARGV[i + 1], ARGV[i + 2]
  local r = tag .. ':r:' .. room
  local events = tonumber(ARGV[i + 15])
  local first_reject = i + 17 + events
  local rejects = tonumber(ARGV[first_reject - 1])
  local first_parked = first_reject + 2 * rejects + 1
  local parked = tonumber(ARGV[first_parked - 1])
  local h = redis.call('HMGET', r, 'n', 'v', 'cur', 'due', 'claims', 'turn', 'by', 'a', 'seated', 'asking')
  local good = h[1] == n and h[2] == v0 and h[3] == ARGV[i + 3] and v0 + events == tonumber(ARGV[i + 4])
  local log = tag .. ':e:' .. room .. '/' .. n
  -- The first write is the last check: an events stream that stands further on, or is none, refuses it.
  if good and events > 0 and type(redis.pcall('XADD', log, (v0 + 1) .. '-0', 'e', ARGV[i + 16])) == 'table' then
    good = false
    set_aside(room)
    open[room] = nil
  end
  if good then
    for k = 2, events do
      redis.call('XADD', log, (v0 + k) .. '-0', 'e', ARGV[i + 15 + k])
    end
    for k = 0, parked - 1 do
      redis.pcall('XADD', log, ARGV[i + 4] .. '-*', 'x', ARGV[first_parked + k])
    end
    local at = ARGV[i + 10]
    redis.call('HSET', r, 'v', ARGV[i + 4], 'cur', ARGV[i + 5], 'd', ARGV[i + 6], 'head', ARGV[i + 7], 'snap', ARGV[i + 8])
    if ARGV[i + 9] ~= '' then redis.call('HSET', r, 'chance', ARGV[i + 9]) end
    if h[7] ~= ARGV[6] then redis.call('HSET', r, 'by', ARGV[6]) end
    if h[5] then
      redis.call('HDEL', r, 'claims')
      redis.call('ZREM', tag .. ':stuck', room)
    end
    -- Only where its own id still stands: while many wait, a later id of the session may have taken the place.
    for k = first_reject, first_reject + 2 * rejects - 2, 2 do
      local place, outcome = redis.call('HGET', r, ARGV[k]), ARGV[k + 1]
      if place and string.sub(outcome, 1, #place) == place then redis.call('HSET', r, ARGV[k], outcome) end
    end
    if h[4] ~= at or (at ~= '' and h[6] ~= ARGV[i + 11]) then
      redis.call('HSET', r, 'due', at, 'turn', ARGV[i + 11])
    end
    -- set again even when it is the same: due.lua moves it on while its Timeout is unread
    if at ~= '' then
      redis.call('ZADD', due, at, room)
    elseif h[4] ~= '' then
      redis.call('ZREM', due, room)
    end
    if ARGV[i + 14] ~= '' then redis.call('PUBLISH', 'v:' .. room, ARGV[i + 14]) end
    -- a batch may end before its claim does, with the entry that killed a worker
    if (tonumber(h[8]) or 0) > tonumber(ARGV[i + 6]) then
      redis.call('ZADD', ready, 'NX', now, room)
    elseif h[10] then -- everybody who asked for a seat has an answer
      redis.call('HDEL', r, 'asking')
    end
    if h[9] ~= ARGV[i + 12] then
      redis.call('HSET', r, 'seated', ARGV[i + 12])
      -- include names
      -- include seat_names
      seat_names(tag, room, h[9] or ' ', ARGV[i + 12], n == '1')
    end
    if ARGV[i + 13] ~= '' then
      -- 'LT' also where there is no end yet: the first commit of a closed room counts, and keys that came later get their own
      for _, kind in ipairs({':r:', ':o:', ':n:', ':c:', ':l:', ':s:'}) do
        redis.call('PEXPIRE', tag .. kind .. room, ARGV[i + 13], 'LT')
      end
      redis.call('PEXPIRE', tag .. ':a:' .. room .. '/' .. n, ARGV[i + 13], 'LT')
      redis.call('PEXPIRE', log, ARGV[i + 13], 'LT')
    end
    open[room] = nil
  else
    refused = refused + 1
    failed[room] = true
  end
  i = first_parked + parked
end
local names = {}
for room in pairs(open) do
  local r, claims = tag .. ':r:' .. room, 0
  local gone = redis.call('EXISTS', r) == 0
  if held[room] then
    names[#names + 1] = room
  elseif not gone then
    if failed[room] or (lost and opened == 1) then
      claims = redis.call('HINCRBY', r, 'claims', 1)
    elseif lost then
      redis.call('HSETNX', r, 'claims', 0)
    end
  end
  if held[room] or gone then
    -- it stays claimed, or nobody needs it
  elseif claims < 6 then
    redis.call('ZADD', ready, 'NX', now, room)
  else -- no worker here can fold it (its game is not installed): try again later and later, not in a loop
    redis.call('ZADD', tag .. ':stuck', now + math.min(1000 * 2 ^ math.min(claims - 6, 6), 60000), room)
  end
end
local out = {1, refused}
local alone, hold = false, tonumber(ARGV[8])
local rooms = ARGV[4] == '0' and {} or redis.call('ZPOPMIN', ready, ARGV[4])
for k = 1, #rooms, 2 do
  local room = rooms[k]
  local r = tag .. ':r:' .. room
  local h = redis.call('HMGET', r, 'n', 'v', 'cur', 'd', 'head', 'claims', 'by')
  local entries = {}
  if held[room] then
    h = {} -- it comes back when it is not held any more
  elseif alone or (h[6] and #out > 2) then -- one that is suspected, or what came with it, waits for the next turn
    redis.call('ZADD', ready, 'NX', rooms[k + 1], room)
    h = {}
  end
  if h[1] then
    local whole = tonumber(h[1]) and tonumber(h[2]) and h[3] and tonumber(h[4])
    entries = whole and redis.pcall('XRANGE', tag .. ':a:' .. room .. '/' .. h[1], '(' .. h[3], '+', 'COUNT', ARGV[5])
    if not whole or entries.err then
      set_aside(room)
      entries = {}
    end
  end
  if #entries > 0 then
    local claim = {room, h[1], h[2], h[3], h[4], h[5], (h[6] or 0) + 1, entries}
    if h[7] ~= ARGV[6] then
      local more = redis.call('HMGET', r, 'g', 'snap', 'chance')
      claim[9], claim[10], claim[11] = more[1], more[2], more[3]
    end
    if not claim[9] and h[7] ~= ARGV[6] then
      set_aside(room)
    else
      if #entries == tonumber(ARGV[5]) then redis.call('ZADD', ready, now, room) end
      names[#names + 1] = room
      out[#out + 1] = claim
      if h[6] then
        alone, hold = true, hold * 2 ^ math.min(h[6] + 1, 4)
      end
    end
  end
end
if #out > 2 then
  redis.call('HSET', m, 'turned', ARGV[2], 'lease', now + hold, 'hold', hold, 'door', '', 'claimed', table.concat(names, ' '))
elseif ARGV[7] ~= '' then
  redis.call('HSET', m, 'turned', ARGV[2], 'lease', now + ARGV[3], 'hold', ARGV[8], 'door', ARGV[6], 'claimed', table.concat(names, ' '))
  out[1] = 2
else
  redis.call('HDEL', m, 'job', 'lease', 'door', 'claimed', 'hold')
  out[1] = 0
end
return out
