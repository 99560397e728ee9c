--[[
  Finds lanes whose token has no job: a crash came between the two, or a job was lost. ask: from, count, jobs (how the keys of jobs begin).

  Invariant: a lane with something in it has a token whose job exists, an owner, or a person in whose turn it waits.
]]
local names = call('ZRANGE', P .. 'lanes', ask.from, ask.from + ask.count - 1)
for _, name in ipairs(names) do
  local is = call('HMGET', key('lane', name), 'state', 'token', 'kind', 'class', 'due')
  local job = is[2] and is[3] and (ask.jobs .. is[3] .. '-' .. (is[4] or '') .. ':t' .. is[2])
  if not is[1] or isEmpty(name) then
    if isEmpty(name) then
      call('DEL', key('lane', name), key('again', name), key('stopped', name))
      call('ZREM', P .. 'lanes', name)
    else
      offer(name)
    end
  elseif is[1] == 'parked' then
    local fair = fairOf(name)
    for _, holder in ipairs(fair and call('SMEMBERS', key('queued', fair.name)) or {}) do
      if lane(holder, 'state') ~= 'queued' then unqueue(holder, fair) end
    end
    nextOf(fair)
  elseif call('EXISTS', job) == 0 then
    offers[#offers + 1] = { lane = name, token = tonumber(is[2]), delay = math.max(0, tonumber(is[5]) - now), kind = is[3], class = is[4] }
  end
end
return reply({ what = 'ok', seen = #names })
