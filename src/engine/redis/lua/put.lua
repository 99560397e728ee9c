--[[
  Puts a message into its lane, once. ARGV: ask, message, raw.

  Invariants: what is known by its id, unfinished or finished, is put no second time; asked again because its reply was lost, with the
  same `once`, it says that it was accepted. A fence that is not owned any more puts nothing.
  A lane that nobody owns and nothing waits in is offered; for one that is offered already this changes only what has become due sooner.
]]
local name, id = ask.lane, ask.id
if ask.fence then
  local is = call('HMGET', ask.fence.key, 'state', 'epoch')
  if is[1] ~= 'owned' or tonumber(is[2]) ~= ask.fence.epoch then return reply({ what = 'lost' }) end
end
if call('EXISTS', key('item', id)) == 1 or call('EXISTS', key('seen', id)) == 1 then
  return reply({ what = call('GET', key('seen', id)) == ask.once and 'accepted' or 'duplicate' })
end
if ask.maxDepth and call('ZCARD', key('wait', name)) >= ask.maxDepth then return reply({ what = 'full' }) end

local micros = tonumber(clock[1]) * 1000000 + tonumber(clock[2])
local seq = math.max(micros, tonumber(call('GET', P .. 'seq') or '0') + 1)
call('SET', P .. 'seq', string.format('%.0f', seq))
call('HSET', key('lane', name), 'kind', ask.kind)
local pos = placeOf(name, ask.source, ask.order)
call('HSET', key('item', id), 'lane', name, 'message', ARGV[2], 'pos', pos, 'seq', string.format('%.0f', seq), 'attempts', 0,
  'at', now, 'class', ask.class, 'person', ask.person, 'notBefore', ask.notBefore or 0, 'dedupeId', ask.dedupeId)
if ask.seal then call('HSET', key('item', id), 'seal', ask.seal) end
if ask.group then call('HSET', key('item', id), 'group', ask.group) end
if ask.source then call('HSET', key('item', id), 'source', ask.source, 'order', ask.order) end
if ARGV[3] ~= '' then call('HSET', key('item', id), 'raw', ARGV[3]) end
call('ZADD', key('wait', name), pos, id)
call('ZADD', P .. 'open', now, id)
call('SET', key('seen', id), ask.once or 1, 'PX', ask.seenMs)

local state = lane(name, 'state')
local fair = fairOf(name)
if not state then
  offer(name)
elseif state == 'queued' and tonumber(lane(name, 'due')) > now and dueOf(name, headOf(name)) < tonumber(lane(name, 'due')) then
  offer(name)
elseif state ~= 'owned' and fair and fair.name ~= ask.kind .. ask.class .. ':' .. ask.person then
  -- It waits in the turn of somebody else: whoever's turn comes first takes it.
  local round = ask.kind .. ask.class
  local mine = { name = round .. ':' .. ask.person, round = round, owner = ask.class == 'o' }
  local isSooner = state == 'parked' or (mine.owner and not fair.owner)
  if isSooner and dueOf(name, headOf(name)) <= now and mayOffer(mine) then
    unqueue(name, fair)
    call('HSET', key('lane', name), 'class', ask.class, 'person', ask.person)
    queue(name, mine)
    giveToken(name, 0)
    nextOf(fair)
  end
end
return reply({ what = 'accepted', isNewKind = call('SADD', P .. 'kinds', ask.kind) == 1 })
