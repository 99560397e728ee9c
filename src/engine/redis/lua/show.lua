--[[
  What others may see of a lane in work. ARGV: ask, view.

  Invariant: only its owner shows anything, and it is gone with the ownership.
]]
if not owns(ask.lane, ask.epoch) then return reply({ what = 'lost' }) end
call('HSET', key('lane', ask.lane), 'view', ARGV[2])
return reply({ what = 'ok' })
