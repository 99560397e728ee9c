--[[
  What every script of lanes is made of. P: the prefix of one side of one shard, as {viber:0}:in:, so that all keys are of one slot.

  Invariants: a lane is in one state: none (nothing waits), parked (waits for its person's turn), queued (its token waits in
  the engine's queue) or owned. A person has one lane queued at a time while others have some too, so that the queue is a round of people, else a few,
  and at most `limit` queued or owned.
  What a script wants queued it returns as offers: each becomes one job, whose number alone may claim the lane.
]]
local P = KEYS[1]
local ask = cjson.decode(ARGV[1])
local call = redis.call
local clock = call('TIME')
local now = tonumber(clock[1]) * 1000 + math.floor(tonumber(clock[2]) / 1000)
local offers = {}

local function key(kind, name) return P .. kind .. ':' .. name end
local function lane(name, field) return call('HGET', key('lane', name), field) end
local function item(id, field) return call('HGET', key('item', id), field) end
local function reply(answer)
  if #offers > 0 then answer.offers = offers end
  return cjson.encode(answer)
end

local function fairOf(name)
  local who = call('HMGET', key('lane', name), 'kind', 'class', 'person')
  if not who[3] or who[3] == '' then return nil end
  return { name = who[1] .. who[2] .. ':' .. who[3], round = who[1] .. who[2], owner = who[2] == 'o' }
end

-- Lanes of one person that are queued while nobody else has any: whoever comes then waits for no more than these.
local AHEAD = 8

local function mayOffer(fair)
  local queued = call('SCARD', key('queued', fair.name))
  if queued >= AHEAD or (queued > 0 and call('SCARD', key('people', fair.round)) > 1) then return false end
  if fair.owner or ask.limit == 0 then return true end
  return queued + tonumber(call('HGET', key('fair', fair.name), 'work') or '0') < ask.limit
end

local function queue(name, fair)
  call('SADD', key('queued', fair.name), name)
  call('SADD', key('people', fair.round), fair.name)
end

local function giveToken(name, delay)
  local token = call('INCR', P .. 'tokens')
  call('HSET', key('lane', name), 'state', 'queued', 'token', token, 'due', now + delay)
  call('ZADD', P .. 'lanes', now + delay, name)
  local about = call('HMGET', key('lane', name), 'kind', 'class')
  offers[#offers + 1] = { lane = name, token = token, delay = delay, kind = about[1], class = about[2] }
end

-- The next lane of a person that is parked gets its token, when the person may have one.
local function nextOf(fair)
  while fair and mayOffer(fair) do
    local name = call('LPOP', key('parked', fair.name))
    if not name then return end
    local is = fairOf(name)
    if lane(name, 'state') == 'parked' and is and is.name == fair.name then
      queue(name, fair)
      giveToken(name, 0)
    end
  end
end

local function unqueue(name, fair)
  if not fair then return end
  call('SREM', key('queued', fair.name), name)
  if call('EXISTS', key('queued', fair.name)) == 0 then call('SREM', key('people', fair.round), fair.name) end
end

-- Its first message, with the neighbours of the same group.
local function headOf(name)
  local ids = call('ZRANGE', key('wait', name), 0, 0)
  local group = ids[1] and item(ids[1], 'group')
  local at = 1
  while group do
    local id = call('ZRANGE', key('wait', name), at, at)[1]
    if not id or item(id, 'group') ~= group then break end
    at = at + 1
    ids[at] = id
  end
  return ids
end

local function dueOf(name, ids)
  local due = tonumber(lane(name, 'retryAt') or '0')
  for _, id in ipairs(ids) do due = math.max(due, tonumber(item(id, 'notBefore') or '0')) end
  return due
end

local function park(name, fair)
  call('HSET', key('lane', name), 'state', 'parked')
  call('RPUSH', key('parked', fair.name), name)
  call('ZADD', P .. 'lanes', now, name)
end

-- A lane that nobody owns gets its token, now or when it is due, or waits for its person's turn.
local function offer(name)
  local ids = headOf(name)
  local who = call('HMGET', key('item', ids[1]), 'class', 'person')
  call('HSET', key('lane', name), 'class', who[1], 'person', who[2])
  local fair = fairOf(name)
  local due = dueOf(name, ids)
  if due > now then return giveToken(name, due - now) end
  if fair and not mayOffer(fair) then return park(name, fair) end
  if fair then queue(name, fair) end
  giveToken(name, 0)
end

-- A place between two that are there, if there is one left.
local function between(name, before, after)
  local at = string.format('(%.17g', after)
  local working = call('ZREVRANGEBYSCORE', key('work', name), at, '-inf', 'WITHSCORES', 'LIMIT', 0, 1)
  before = math.max(before, tonumber(working[2] or '0'))
  if after - before > 1e-6 then return (before + after) / 2 end
  return nil
end

-- Gives all of a lane new places, in their order: there was none left between two.
local function renumber(name)
  for _, kind in ipairs({ 'work', 'wait' }) do
    for _, id in ipairs(call('ZRANGE', key(kind, name), 0, -1)) do
      local pos = call('HINCRBY', key('lane', name), 'pos', 1)
      call('ZADD', key(kind, name), pos, id)
      call('HSET', key('item', id), 'pos', pos)
    end
  end
end

-- The place of a message: behind all, but before what its source sent after it. Whoever only appends pays for no look.
local function placeOf(name, source, at)
  local last = source and tonumber(lane(name, 'last:' .. source) or '')
  if source and (not last or at > last) then call('HSET', key('lane', name), 'last:' .. source, at) end
  if not last or at >= last then return call('HINCRBY', key('lane', name), 'pos', 1) end
  local before = 0
  for _, id in ipairs(call('ZRANGE', key('wait', name), 0, -1)) do
    local pos = tonumber(item(id, 'pos'))
    local other = call('HMGET', key('item', id), 'source', 'order')
    if other[1] == source and tonumber(other[2]) > at then
      local place = between(name, before, pos)
      if place then return place end
      renumber(name)
      return placeOf(name, source, at)
    end
    before = pos
  end
  return call('HINCRBY', key('lane', name), 'pos', 1)
end

-- What was in work waits again, each in its place.
local function putBack(name)
  for _, id in ipairs(call('ZRANGE', key('work', name), 0, -1)) do
    call('ZADD', key('wait', name), item(id, 'pos'), id)
  end
  call('DEL', key('work', name))
end

-- True or nothing, so that an answer is no longer for what nobody has stopped.
local function isStopped(name, id)
  return call('SISMEMBER', key('stopped', name), id) == 1 or nil
end

local function isEmpty(name) return call('EXISTS', key('wait', name)) == 0 and call('EXISTS', key('work', name)) == 0 end

-- Nobody owns it any more: its person has a place again, and what waits in it, or of its person, is offered.
local function free(name)
  local fair = fairOf(name)
  if fair and call('HINCRBY', key('fair', fair.name), 'work', -1) <= 0 then call('HDEL', key('fair', fair.name), 'work') end
  call('HDEL', key('lane', name), 'state', 'token', 'epoch', 'process', 'holder', 'given', 'view')
  if isEmpty(name) then
    call('DEL', key('lane', name), key('again', name), key('stopped', name))
    call('ZREM', P .. 'lanes', name)
  else
    offer(name)
  end
  nextOf(fair)
end

-- It is finished: its name stays known, and its words for those who ask for them.
local function done(name, id)
  call('SREM', key('again', name), id)
  call('SREM', key('stopped', name), id)
  call('ZREM', P .. 'open', id)
  call('HDEL', key('item', id), 'raw')
  call('DEL', key('parts', id))
  call('PEXPIRE', key('item', id), ask.keepMs)
  call('SET', key('seen', id), 1, 'PX', ask.seenMs)
end

local function owns(name, epoch)
  local is = call('HMGET', key('lane', name), 'state', 'epoch')
  return is[1] == 'owned' and tonumber(is[2]) == epoch
end
