--[[
  What waits in an owned lane and is due, in order; a group is when all of it is.

  Invariant: it is told to its owner alone.
]]
local name = ask.lane
if not owns(name, ask.epoch) then return reply({ what = 'lost' }) end
local all = call('ZRANGE', key('wait', name), 0, -1)
local early = {}
for _, id in ipairs(all) do
  local is = call('HMGET', key('item', id), 'notBefore', 'group')
  if tonumber(is[1]) > now then
    early['id ' .. id] = true
    if is[2] then early['group ' .. is[2]] = true end
  end
end
local items = {}
for _, id in ipairs(all) do
  local is = call('HMGET', key('item', id), 'group', 'message', 'seq', 'attempts', 'at', 'seal')
  local isEarly = early['id ' .. id] or (is[1] and early['group ' .. is[1]])
  if not isEarly and (ask.maySuspect or tonumber(is[4]) < ask.suspectFrom) then
    items[#items + 1] = { id = id, message = is[2], seq = is[3], attempts = tonumber(is[4]), at = tonumber(is[5]),
      seal = is[6] or nil, isStopped = isStopped(name, id) }
  end
end
return reply({ what = 'ok', items = #items > 0 and items or nil })
