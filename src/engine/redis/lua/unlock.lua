--[[
  Gives back what has a name. KEYS: the lock. ARGV: ask.

  Invariant: whoever does not hold it changes nothing.
]]
local ask = cjson.decode(ARGV[1])
if redis.call('GET', KEYS[1]) ~= ask.holder then return cjson.encode({ what = 'lost' }) end
redis.call('DEL', KEYS[1])
return cjson.encode({ what = 'ok' })
