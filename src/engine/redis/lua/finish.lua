--[[
  These messages leave their lane; with the last of those in work the lane is free.

  Invariant: only its owner finishes anything.
]]
local name = ask.lane
if not owns(name, ask.epoch) then return reply({ what = 'lost' }) end
for _, id in ipairs(ask.ids) do
  if call('ZREM', key('work', name), id) == 1 then done(name, id) end
end
local isFree = call('EXISTS', key('work', name)) == 0
if isFree then free(name) end
return reply({ what = 'ok', isFree = isFree })
