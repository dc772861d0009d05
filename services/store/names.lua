-- Nicknames. `{p}:n:<room>`: player -> `<skeleton> LF <nickname>` of who has a seat or
-- had one in a game of this room. A skeleton is what a name looks like: two people at one table never look alike.
-- `{p}:w:<room>`: the same of those whose Join is not decided yet; what nobody took up goes by itself.
-- Whether somebody else carries a name that looks like this one.
local function looks_alike(names, player, skeleton)
  local all = redis.call('HGETALL', names)
  for k = 1, #all, 2 do
    if all[k] ~= player and string.match(all[k + 1], '^(.-)\n') == skeleton then return true end
  end
  return false
end

local function write_name(names, room, player, value)
  redis.call('HSET', names, player, value)
  redis.call('PUBLISH', 'v:' .. room, 'names ' .. player)
end
