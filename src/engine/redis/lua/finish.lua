--[[
  These messages leave their lane; with the last of those in work the lane is free.

  Invariants: only its owner finishes anything. Asked again because its reply was lost, by whom these freed their lane, it changes
  nothing and says what it said; what that made of other lanes is found by the sweep.
]]
local name = ask.lane
local byMe = string.format('finished by %.0f', ask.epoch)
if not owns(name, ask.epoch) then
  local isMine = #ask.ids > 0
  for _, id in ipairs(ask.ids) do isMine = isMine and call('GET', key('seen', id)) == byMe end
  return reply(isMine and { what = 'ok', isFree = true } or { what = 'lost' })
end
for _, id in ipairs(ask.ids) do
  if call('ZREM', key('work', name), id) == 1 then done(name, id) end
end
local isFree = call('EXISTS', key('work', name)) == 0
if isFree then
  for _, id in ipairs(ask.ids) do call('SET', key('seen', id), byMe, 'PX', ask.seenMs) end
  free(name)
end
return reply({ what = 'ok', isFree = isFree })
