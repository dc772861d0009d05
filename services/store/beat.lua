-- Renew a gateway's lease on a partition. Returns 0 when the sweep already took its sockets off: it must register them again.
-- KEYS g ; ARGV generation, lease ms
-- include now
-- include sockets
if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 0 then return 0 end
redis.call('HSET', KEYS[1], ARGV[1], gateway_lease(now_ms(), ARGV[2]))
return 1
