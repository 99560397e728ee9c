--[[
  Keeps what was given up, or may or may not have been delivered. ARGV: ask, what is kept.

  Invariant: with an epoch only the owner of the lane does; it leaves its lane by finish.lua alone.
]]
if ask.epoch and not owns(ask.lane, ask.epoch) then return reply({ what = 'lost' }) end
call('HSET', P .. ask.to, ask.id, ARGV[2])
call('SET', key('seen', ask.id), 1, 'PX', ask.seenMs)
return reply({ what = 'ok' })
