-- Needs bounds.
local function end_if_full(r, log, n, length)
  if length < LOG_MAX then return end
  redis.call('XADD', log, '*', 'd', '{"type":"log_full"}')
  redis.call('HSET', r, 'full', n, 'a', length + 1)
end
