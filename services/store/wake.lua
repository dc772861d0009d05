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
