/** Readings of an enterprise that each instance has accepted or reserved on a UTC day. */
import type { RedisClient } from './client.ts'

// KEYS: the day's hash. ARGV: instance, total it requests, total it has used, limit.
const RESERVE = `
local others = 0
local all = redis.call('HGETALL', KEYS[1])
for i = 1, #all, 2 do
  if all[i] ~= ARGV[1] then others = others + tonumber(all[i + 1]) end
end
local mine = math.max(tonumber(ARGV[3]), math.min(tonumber(ARGV[2]), tonumber(ARGV[4]) - others))
redis.call('HSET', KEYS[1], ARGV[1], string.format('%.0f', mine))
redis.call('PEXPIRE', KEYS[1], 172800000)
return {string.format('%.0f', mine), string.format('%.0f', others)}
`

export type Reservation = { mine: number; others: number }

export type DayKeys = {
  reserve(enterprise: number, day: number, requested: number, used: number, limit: number): Promise<Reservation>
}

export function createDayKeys(client: RedisClient, instanceId: string): DayKeys {
  client.redis.defineCommand('gwReserve', { lua: RESERVE, numberOfKeys: 1 })
  const script = client.redis as unknown as {
    gwReserve(key: string, instance: string, requested: number, used: number, limit: number): Promise<[string, string]>
  }
  return {
    async reserve(enterprise, day, requested, used, limit) {
      const answer = await script.gwReserve(`gw:{e${enterprise}}:day:${day}`, instanceId, requested, used, limit)
      return { mine: Number(answer[0]), others: Number(answer[1]) }
    },
  }
}
