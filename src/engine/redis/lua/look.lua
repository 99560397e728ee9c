--[[
  How a lane stands. Changes nothing.
]]
local is = call('HMGET', key('lane', ask.lane), 'state', 'stop', 'process', 'epoch', 'view')
local depth = call('ZCARD', key('wait', ask.lane))
local isOwned = is[1] == 'owned'
return reply({ what = 'ok', depth = is[2] == '1' and depth - 1 or depth, busy = isOwned,
  process = isOwned and is[3] or nil, epoch = isOwned and tonumber(is[4]) or nil, view = isOwned and is[5] or nil })
