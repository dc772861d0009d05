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
