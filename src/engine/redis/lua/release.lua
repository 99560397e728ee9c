--[[
  The owner hands its lane back with what is in work, to be given again at once or later.

  Invariant: whoever does not own it changes nothing.
]]
local name = ask.lane
if not owns(name, ask.epoch) then return reply({ what = 'lost' }) end
putBack(name)
if ask.retryAt then call('HSET', key('lane', name), 'retryAt', ask.retryAt) end
free(name)
return reply({ what = 'ok', isFree = true })
