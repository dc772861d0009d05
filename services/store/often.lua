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
