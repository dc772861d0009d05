-- Shared head of the scripts that write nicknames. `{p}:n:<room>`: player -> `<skeleton> LF <nickname>` of who has a seat or
-- had one in a game of this room. A skeleton is what a name looks like: two people at one table never look alike.
-- `{p}:w:<room>`: the same of those whose Join is not decided yet; what nobody took up goes by itself.
local WAITING_MAX, WAITING_MS = 200, 3600000

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

-- A seated player's name is changed at once, somebody else's waits until the Join is decided.
local function take_name(tag, room, player, value, seated)
  local names, waiting = tag .. ':n:' .. room, tag .. ':w:' .. room
  if seated then
    if redis.call('HGET', names, player) ~= value then write_name(names, room, player, value) end
    return
  end
  if redis.call('HEXISTS', waiting, player) == 0 and redis.call('HLEN', waiting) >= WAITING_MAX then
    redis.call('HDEL', waiting, redis.call('HRANDFIELD', waiting))
  end
  redis.call('HSET', waiting, player, value)
  redis.call('PEXPIRE', waiting, WAITING_MS)
end

-- The seats are others than before (each list has a space around each player). Who sat down has the name that they asked
-- for, with a number when somebody took one like it meanwhile. Who left the lobby of the first game took part in nothing.
local function seat_names(tag, room, before, seated, first)
  local names, waiting = tag .. ':n:' .. room, tag .. ':w:' .. room
  for player in string.gmatch(seated, '%S+') do
    if not string.find(before, ' ' .. player .. ' ', 1, true) then
      local value = redis.call('HGET', waiting, player)
      if value then
        redis.call('HDEL', waiting, player)
        local skeleton, nickname = string.match(value, '^(.-)\n(.*)$')
        local number = 1
        while looks_alike(names, player, number == 1 and skeleton or skeleton .. number) do number = number + 1 end
        if number > 1 then value = skeleton .. number .. '\n' .. nickname .. ' ' .. number end
        write_name(names, room, player, value)
      end
    end
  end
  if not first then return end
  for player in string.gmatch(before, '%S+') do
    if not string.find(seated, ' ' .. player .. ' ', 1, true) then redis.call('HDEL', names, player) end
  end
end
