-- Is stream id a after stream id b?
local function after(a, b)
  local am, bm = ms_of(a), ms_of(b)
  if am ~= bm then return am > bm end
  return tonumber(string.sub(a, string.find(a, '-', 1, true) + 1)) > tonumber(string.sub(b, string.find(b, '-', 1, true) + 1))
end
