--[[
  How a lane stands. Changes nothing.
]]
local is = call('HMGET', key('lane', ask.lane), 'state', 'process', 'epoch', 'view')
local stopped = 0
for _, id in ipairs(call('SMEMBERS', key('stopped', ask.lane))) do
  if call('ZSCORE', key('wait', ask.lane), id) then stopped = stopped + 1 end
end
local isOwned = is[1] == 'owned'
return reply({ what = 'ok', depth = call('ZCARD', key('wait', ask.lane)) - stopped, stopped = stopped, busy = isOwned,
  process = isOwned and is[2] or nil, epoch = isOwned and tonumber(is[3]) or nil, view = isOwned and is[4] or nil })
