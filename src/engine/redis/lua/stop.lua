--[[
  The next owner of a lane that waits is to stop at once.

  Invariant: a lane in which nothing waits, or that has an owner, stays as it is, but for an owner that nobody hears of (isForced).
]]
local isWaiting = call('EXISTS', key('wait', ask.lane)) == 1 and lane(ask.lane, 'state') ~= 'owned'
if ask.isForced and lane(ask.lane, 'state') then isWaiting = true end
if isWaiting then call('HSET', key('lane', ask.lane), 'stop', 1) end
return reply({ what = isWaiting and 'ok' or 'none' })
