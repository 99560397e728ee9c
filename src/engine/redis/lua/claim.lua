--[[
  Gives a lane to whoever has its token.

  Invariants: only the job that bears the lane's newest token, and only the worker that holds that job's lock at this moment, becomes
  the owner. An owner whose job came back without its having handed the lane back has crashed: that is counted, and what was part
  of `maxCrashes` is handed out to be judged: it is given up, unless its answer is on its way. Each owner has a higher epoch than the one before.
  Asked again because its reply was lost, by the same holder, it says what it said and counts no crash.
]]
local name = ask.lane
if call('GET', ask.lock) ~= ask.holder then return reply({ what = 'stale' }) end
local is = call('HMGET', key('lane', name), 'state', 'token')
local isMine = tonumber(is[2] or '0') == ask.token
if not isMine or (is[1] ~= 'queued' and is[1] ~= 'owned') then return reply({ what = 'over' }) end

local function given()
  local items = {}
  for at, id in ipairs(call('ZRANGE', key('work', name), 0, -1)) do
    local about = call('HMGET', key('item', id), 'message', 'seq', 'attempts', 'at', 'seal')
    items[at] = { id = id, message = about[1], seq = about[2], attempts = tonumber(about[3]), at = tonumber(about[4]),
      seal = about[5] or nil, isStopped = isStopped(name, id) }
  end
  local answer = cjson.decode(lane(name, 'given'))
  answer.what, answer.epoch, answer.left, answer.items = 'got', tonumber(lane(name, 'epoch')), call('PTTL', ask.lock), items
  return reply(answer)
end
if is[1] == 'owned' and lane(name, 'holder') == ask.holder then return given() end

local fair = fairOf(name)
local dead = {}
if is[1] == 'owned' then
  for _, id in ipairs(call('ZRANGE', key('work', name), 0, -1)) do
    local attempts = call('HINCRBY', key('item', id), 'attempts', 1)
    if attempts >= ask.maxCrashes then dead[#dead + 1] = id
    elseif attempts == ask.maxCrashes - 1 then call('HSET', key('item', id), 'notBefore', now + ask.suspectMs) end
  end
  putBack(name)
  if fair then call('HINCRBY', key('fair', fair.name), 'work', -1) end
  call('HDEL', key('lane', name), 'epoch', 'process', 'holder', 'given', 'view')
  call('HSET', key('lane', name), 'state', 'queued')
end

local function later(at)
  unqueue(name, fair)
  call('HSET', key('lane', name), 'due', at)
  call('ZADD', P .. 'lanes', at, name)
  nextOf(fair)
  return reply({ what = 'later', at = at })
end

-- What is to be judged is handed out alone, with nothing to be done for it but that.
local ids = #dead > 0 and dead or headOf(name)
if #ids == 0 then
  unqueue(name, fair)
  call('DEL', key('lane', name), key('again', name), key('stopped', name))
  call('ZREM', P .. 'lanes', name)
  nextOf(fair)
  return reply({ what = 'over' })
end
local due = #dead > 0 and 0 or dueOf(name, ids)
if due > now then return later(due) end
if not ask.maySuspect then
  for _, id in ipairs(ids) do
    if tonumber(item(id, 'attempts')) >= ask.suspectFrom then return later(now + 250) end
  end
end
if fair and not fair.owner and ask.limit > 0 and is[1] == 'queued' then
  if tonumber(call('HGET', key('fair', fair.name), 'work') or '0') >= ask.limit then
    unqueue(name, fair)
    park(name, fair)
    return reply({ what = 'over' })
  end
end

local isAgain = call('EXISTS', key('again', name)) == 1
for _, id in ipairs(ids) do
  local pos = call('ZSCORE', key('wait', name), id)
  call('ZREM', key('wait', name), id)
  call('ZADD', key('work', name), pos, id)
  call('SADD', key('again', name), id)
end
-- Not below the clock: a server that has lost everything must not begin anew, since epochs stand in files too.
local epoch = math.max(tonumber(call('GET', P .. 'epoch') or '0') + 1, now)
call('SET', P .. 'epoch', string.format('%.0f', epoch))
call('HDEL', key('lane', name), 'retryAt')
call('HSET', key('lane', name), 'state', 'owned', 'epoch', string.format('%.0f', epoch), 'process', ask.process,
  'holder', ask.holder, 'given', cjson.encode({ isAgain = isAgain, isDead = #dead > 0 }))
unqueue(name, fair)
if fair then call('HINCRBY', key('fair', fair.name), 'work', 1) end
nextOf(fair)
return given()
