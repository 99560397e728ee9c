--[[
  Takes more of an owned lane into work.

  Invariant: only its owner does, and only what still waits.
]]
local name = ask.lane
if not owns(name, ask.epoch) then return reply({ what = 'lost' }) end
for _, id in ipairs(ask.ids) do
  local pos = call('ZSCORE', key('wait', name), id)
  if pos then
    call('ZREM', key('wait', name), id)
    call('ZADD', key('work', name), pos, id)
    call('SADD', key('again', name), id)
  end
end
return reply({ what = 'ok' })
