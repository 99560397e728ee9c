--[[
  Frees the locks of jobs whose process is gone for certain, as if they had ended; ask: process, from, count, jobs (how the keys of jobs
  begin). BullMQ, which is told that they may be without an owner, gives them to another at its next look.

  Invariant: the lanes stay as they are, so that whoever claims one next counts the crash.
]]
local names = call('ZRANGE', P .. 'lanes', ask.from, ask.from + ask.count - 1)
for _, name in ipairs(names) do
  local is = call('HMGET', key('lane', name), 'state', 'process', 'token', 'kind', 'class')
  if is[1] == 'owned' and is[2] == ask.process and is[3] and is[4] then
    local queue = ask.jobs .. is[4] .. '-' .. (is[5] or '')
    call('DEL', queue .. ':t' .. is[3] .. ':lock')
    call('SADD', queue .. ':stalled', 't' .. is[3])
  end
end
return reply({ what = 'ok', seen = #names })
