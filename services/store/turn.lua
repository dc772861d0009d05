-- One turn of a drain: commit the last batch, claim the next. All or nothing per room, every check before the first write
-- (scripts do not roll back). A worker whose epoch is over changes nothing.
-- KEYS m, ready, due
-- ARGV tag, epoch, lease ms, rooms max (0: commit only), entries max, door ('' = release the partition when nothing is ready), then per room:
--   room, n, v0, cur0, v1, cur1, d1, head, snap, chance ('' unchanged), due ms ('' none), turn, publication ('' none),
--   #events, event.., #rejects, (slot, value).., #parked, record..
-- Returns {status, refused commits, claim..}; status 1 claims follow, 2 nothing ready and lingering, 0 released, -2 epoch over
-- claim: {room, n, g, v, cur, d, head, snap, chance, claims, entries}
local m, ready, due, tag = KEYS[1], KEYS[2], KEYS[3], ARGV[1]
if redis.call('HGET', m, 'epoch') ~= ARGV[2] then return {-2} end
local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
local refused = 0
local i = 7
while i < #ARGV do
  local room, n, v0 = ARGV[i], ARGV[i + 1], ARGV[i + 2]
  local r = tag .. ':r:' .. room
  local events = tonumber(ARGV[i + 13])
  local first_reject = i + 15 + events
  local rejects = tonumber(ARGV[first_reject - 1])
  local first_parked = first_reject + 2 * rejects + 1
  local parked = tonumber(ARGV[first_parked - 1])
  local h = redis.call('HMGET', r, 'n', 'v', 'cur')
  if h[1] == n and h[2] == v0 and h[3] == ARGV[i + 3] and v0 + events == tonumber(ARGV[i + 4]) then
    local game = room .. '/' .. n
    local log = tag .. ':e:' .. game
    for k = 1, events do
      redis.call('XADD', log, (v0 + k) .. '-0', 'e', ARGV[i + 13 + k])
    end
    for k = 0, parked - 1 do
      redis.call('XADD', log, ARGV[i + 4] .. '-*', 'x', ARGV[first_parked + k])
    end
    redis.call('HSET', r, 'v', ARGV[i + 4], 'cur', ARGV[i + 5], 'd', ARGV[i + 6], 'head', ARGV[i + 7], 'snap', ARGV[i + 8],
      'due', ARGV[i + 10], 'turn', ARGV[i + 11], 'claims', '0')
    if ARGV[i + 9] ~= '' then redis.call('HSET', r, 'chance', ARGV[i + 9]) end
    for k = 0, rejects - 1 do
      redis.call('HSET', tag .. ':o:' .. room, ARGV[first_reject + 2 * k], ARGV[first_reject + 2 * k + 1])
    end
    if ARGV[i + 10] ~= '' then redis.call('ZADD', due, ARGV[i + 10], room) else redis.call('ZREM', due, room) end
    local rest = redis.call('XRANGE', tag .. ':a:' .. game, '(' .. ARGV[i + 5], '+', 'COUNT', 1)
    if #rest == 0 then redis.call('ZREM', ready, room) else redis.call('ZADD', ready, now, room) end
    if ARGV[i + 12] ~= '' then redis.call('PUBLISH', 'v:' .. room, ARGV[i + 12]) end
  else
    refused = refused + 1
  end
  i = first_parked + parked
end
local out = {1, refused}
local rooms = ARGV[4] == '0' and {} or redis.call('ZRANGE', ready, 0, ARGV[4] - 1)
for _, room in ipairs(rooms) do
  local r = tag .. ':r:' .. room
  local h = redis.call('HMGET', r, 'n', 'g', 'v', 'cur', 'd', 'head', 'snap', 'chance')
  local entries = h[1] and redis.call('XRANGE', tag .. ':a:' .. room .. '/' .. h[1], '(' .. h[4], '+', 'COUNT', ARGV[5]) or {}
  if #entries == 0 then
    redis.call('ZREM', ready, room)
  else
    out[#out + 1] = {room, h[1], h[2], h[3], h[4], h[5], h[6], h[7], h[8], redis.call('HINCRBY', r, 'claims', 1), entries}
  end
end
if #out > 2 then
  redis.call('HSET', m, 'lease', now + ARGV[3], 'door', '')
elseif ARGV[6] ~= '' then
  redis.call('HSET', m, 'lease', now + ARGV[3], 'door', ARGV[6])
  out[1] = 2
else
  redis.call('HDEL', m, 'job', 'lease', 'door')
  out[1] = 0
end
return out
