--[[
  Takes what has a name, or keeps it for longer. KEYS: the lock, the count of owners. ARGV: ask.

  Invariant: one holder at a time, for as long as it says that it lives, or until its process is gone for certain; each has a higher
  epoch than the one before.
  Asked again because its reply was lost, it gives the epoch that it gave.
]]
local ask = cjson.decode(ARGV[1])
local epochs = KEYS[1] .. ':epoch'
local holder = redis.call('GET', KEYS[1])
if holder == ask.holder then
  redis.call('PEXPIRE', KEYS[1], ask.ms)
  return cjson.encode({ what = 'ok', epoch = tonumber(redis.call('GET', epochs)) })
end
for _, name in ipairs(ask.gone or {}) do
  if holder and string.sub(holder, 1, #name + 1) == name .. '-' then holder = nil end
end
if holder or ask.isKept then return cjson.encode({ what = 'taken' }) end
redis.call('SET', KEYS[1], ask.holder, 'PX', ask.ms)
return cjson.encode({ what = 'ok', epoch = redis.call('INCR', epochs) })
