--[[
  Changes a small value by how it stands. KEYS: the value. ARGV: ask, before, after.

  Invariant: asked again because its reply was lost, with the same `once`, it changes nothing and gives what it gave. What is changed
  keeps no earlier end: it is there for `ms`, or for good.
]]
local ask = cjson.decode(ARGV[1])
local call = redis.call
local memory = KEYS[1] .. ':once:' .. ask.once
local given = call('GET', memory)
if given then return given end

local function put(value)
  if ask.ms then call('SET', KEYS[1], value, 'PX', ask.ms) else call('SET', KEYS[1], value) end
end
local function said(answer)
  local text = cjson.encode(answer)
  call('SET', memory, text, 'PX', 30000)
  return text
end
-- The shortest text that is this number again.
local function textOf(number)
  for digits = 15, 17 do
    local text = string.format('%.' .. digits .. 'g', number)
    if tonumber(text) == number then return text end
  end
end

local value = call('GET', KEYS[1])
if ask.op == 'add' then
  local sum = textOf((tonumber(value or '0') or 0) + ask.by)
  put(sum)
  return said({ what = 'ok', value = sum })
end
local isAsSaid = (ask.isNew and not value) or (not ask.isNew and value == ARGV[2])
if isAsSaid then put(ARGV[3]) end
return said({ what = isAsSaid and 'ok' or 'other' })
