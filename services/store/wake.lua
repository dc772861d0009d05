-- Shared head of the scripts that append or schedule (put before them when they are loaded).
-- A partition has at most one drain job; its arq id `<pNN>:<epoch>` is never used twice, so arq can never hold it back.
-- The job payload is constant: the id says everything. arq compares scores with the clock of the worker's machine, which may
-- be any: a job is due (a score that is over by every clock; not 0, which arq takes for none) or parked (bell.py).
local DUE_NOW = 1

local function schedule(m, queue, bell, part, now, lease)
  local old = redis.call('HGET', m, 'job')
  if old then
    redis.call('ZREM', queue, old)
    redis.call('DEL', 'arq:job:' .. old)
  end
  local job = part .. ':' .. redis.call('HINCRBY', m, 'epoch', 1)
  redis.call('HSET', m, 'job', job, 'lease', now + lease, 'hold', lease, 'door', '')
  redis.call('SET', 'arq:job:' .. job, 'drain', 'PX', 86400000)
  redis.call('ZADD', queue, DUE_NOW, job)
  if redis.call('LLEN', bell) < 64 then redis.call('RPUSH', bell, '1') end
end

-- A drain of this partition is coming: schedule one if none is, ring the doorbell if its worker lingers.
-- h: job and door, when they were read already.
local function wake(m, queue, bell, part, now, lease, h)
  h = h or redis.call('HMGET', m, 'job', 'door')
  if not h[1] then
    schedule(m, queue, bell, part, now, lease)
  elseif h[2] and h[2] ~= '' then
    redis.call('HSET', m, 'door', '')
    redis.call('PUBLISH', h[2], part)
  end
end

local function ms_of(id)
  return tonumber(string.sub(id, 1, string.find(id, '-', 1, true) - 1))
end

-- Is stream id a after stream id b?
local function after(a, b)
  local am, bm = ms_of(a), ms_of(b)
  if am ~= bm then return am > bm end
  return tonumber(string.sub(a, string.find(a, '-', 1, true) + 1)) > tonumber(string.sub(b, string.find(b, '-', 1, true) + 1))
end

local function now_ms()
  local t = redis.call('TIME')
  return t[1] * 1000 + math.floor(t[2] / 1000)
end

-- Whether it is noticed that a player comes or goes: who has a seat in the room's current game (turn.lua), and who asked for
-- one and is not decided yet (append.lua).
local function noticed(r, player)
  local h = redis.call('HMGET', r, 'seated', 'asking')
  if not h[1] then -- a room that nobody committed since it was not written yet
    return redis.call('HEXISTS', (string.gsub(r, ':r:', ':n:', 1)), player) == 1
  end
  player = ' ' .. player .. ' '
  return string.find(h[1] .. (h[2] or ''), player, 1, true) ~= nil
end

-- How often somebody may do something: `most` times in `window` ms, counted in a field of hash `l`, which expires.
local function too_often(l, field, most, window)
  local now = now_ms()
  local count, since = string.match(redis.call('HGET', l, field) or '', '^(%d+) (%d+)$')
  if not count or now - since > window or now < tonumber(since) then
    count, since = 0, now
  end
  if tonumber(count) >= most then return true end
  redis.call('HSET', l, field, (count + 1) .. ' ' .. string.format('%.0f', since))
  redis.call('PEXPIRE', l, window)
  return false
end

-- Entries of a game's log: from LOG_SEATED on only people with a seat and the system may write. The one that reaches LOG_MAX
-- is followed by `log_full`, which ends the game (docs/rules.md); after that only timeouts are written.
local LOG_SEATED, LOG_MAX = 16000, 20000

local function end_if_full(r, log, n, length)
  if length < LOG_MAX then return end
  redis.call('XADD', log, '*', 'd', '{"type":"log_full"}')
  redis.call('HSET', r, 'full', n, 'a', length + 1)
end

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
