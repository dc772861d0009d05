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

-- Append one entry of the system (Timeout, Connected, Disconnected) to the room's current game.
local function append_system(tag, room, data)
  local n = redis.call('HGET', tag .. ':r:' .. room, 'n')
  if not n then return nil end
  local id = redis.pcall('XADD', tag .. ':a:' .. room .. '/' .. n, '*', 'd', data)
  if type(id) == 'table' then return nil end -- the key is damaged: this room's trouble alone
  redis.call('HINCRBY', tag .. ':r:' .. room, 'a', 1)
  redis.call('ZADD', tag .. ':ready', 'NX', ms_of(id), room)
  return id
end
