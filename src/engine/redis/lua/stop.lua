--[[
  What waits in a lane is stopped; with isForced also what is in work, whose owner has not begun or is not heard of.

  Invariant: what is stopped stays so until it is finished; what is put later is not. A lane that has an owner stays as it is, unless isForced.
]]
if lane(ask.lane, 'state') == 'owned' and not ask.isForced then return reply({ what = 'none' }) end
local found = false
for _, kind in ipairs({ 'work', 'wait' }) do
  for _, id in ipairs(call('ZRANGE', key(kind, ask.lane), 0, -1)) do
    call('SADD', key('stopped', ask.lane), id)
    found = true
  end
end
return reply({ what = found and 'ok' or 'none' })
