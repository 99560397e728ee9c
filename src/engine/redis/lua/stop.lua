--[[
  What waits in a lane is stopped, of that what came in before `before` where it is given; with isForced also what is in work, whose owner has not begun or is not heard of.

  Invariant: what is stopped stays so until it is finished; what is put later is not. A lane that has an owner stays as it is, unless isForced.
]]
if lane(ask.lane, 'state') == 'owned' and not ask.isForced then return reply({ what = 'none' }) end
local function isMeant(id)
  if not ask.before then return true end
  local is = call('HMGET', key('item', id), 'seq', 'source', 'order')
  if ask.before.source and is[2] == ask.before.source then return tonumber(is[3]) < ask.before.order end
  return tonumber(is[1]) < ask.before.seq
end
local found = false
for _, kind in ipairs({ 'work', 'wait' }) do
  for _, id in ipairs(call('ZRANGE', key(kind, ask.lane), 0, -1)) do
    if isMeant(id) then
      call('SADD', key('stopped', ask.lane), id)
      found = true
    end
  end
end
return reply({ what = found and 'ok' or 'none' })
