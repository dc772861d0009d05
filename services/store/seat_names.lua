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
