import { PARTS, SPARE_PARTS } from '../common/gcra.js';

/** Milliseconds since 1970, on the server's clock. */
const NOW = `local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)`;

/**
 * Bucket.lease, on the hash KEYS[1]. Every number is a whole one below 2^53, which Lua holds exactly. The hash ends
 * when the bucket would be full, because a new one is.
 */
export const bucketScript = `${NOW}
local rate, capacity, need, want, back = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5])
local level = capacity
local saved = redis.call('HMGET', KEYS[1], 'level', 'at')
if saved[1] then
  level = tonumber(saved[1])
  local at = tonumber(saved[2])
  if at > now then now = at end
  if now - at >= (capacity - level) / rate then level = capacity else level = level + rate * (now - at) end
  level = math.min(capacity, level + back * ${PARTS})
end
local granted = 0
if need * ${PARTS} > capacity then
  if level >= capacity then granted = need end
else
  local there = math.floor(level / ${PARTS})
  granted = math.max(0, math.min(there, math.max(need, math.min(want, math.floor(there / ${SPARE_PARTS})))))
end
level = level - granted * ${PARTS}
local text = string.format('%.0f', level)
redis.call('HSET', KEYS[1], 'level', text, 'at', string.format('%.0f', now))
redis.call('PEXPIRE', KEYS[1], math.ceil((capacity - level) / rate) + 1000)
return {granted, text}`;

/** Places of the process ARGV[1] in the hash KEYS[1], which has places and their end by the id of each process. */
export const placesScript = `${NOW}
local node, limit, used, wanted, ttl = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5])
local others = 0
local saved = redis.call('HGETALL', KEYS[1])
for index = 1, #saved, 2 do
  local places, ends = string.match(saved[index + 1], '(%d+) (%d+)')
  if tonumber(ends) <= now then redis.call('HDEL', KEYS[1], saved[index])
  elseif saved[index] ~= node then others = others + tonumber(places) end
end
local granted = math.max(used, math.min(wanted, limit - others))
if granted > 0 then
  redis.call('HSET', KEYS[1], node, string.format('%.0f %.0f', granted, now + ttl))
  redis.call('PEXPIRE', KEYS[1], ttl)
else
  granted = 0
  redis.call('HDEL', KEYS[1], node)
end
return {granted, others}`;
