-- Of a stream id `<ms>-<number>`.
local function ms_of(id)
  return tonumber(string.sub(id, 1, string.find(id, '-', 1, true) - 1))
end
