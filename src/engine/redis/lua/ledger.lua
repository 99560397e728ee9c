--[[
  What happens to a part of an answer: intent, sent, refused or unsure.

  Invariant: only the owner of the lane writes it; an intent without an outcome stays open. One that may or may not have arrived
  counts once, though it is written again because its reply was lost.
]]
if not owns(ask.lane, ask.epoch) then return reply({ what = 'lost' }) end
local parts = key('parts', ask.id)
local part = cjson.decode(call('HGET', parts, ask.part) or '{"unsure":0}')
if ask.event == 'unsure' and part.open then part.unsure = part.unsure + 1 end
part.open = ask.event == 'intent'
if ask.event == 'intent' or ask.event == 'unsure' then part.since = part.since or now end
if ask.event == 'refused' and part.unsure == 0 then part.since = nil end
if ask.event == 'sent' then part.sentId = ask.sentId or '' end
call('HSET', parts, ask.part, cjson.encode(part))
return reply({ what = 'ok' })
