/** Sliding rate windows that all instances share, by the clock of Redis. */
import { AppError } from '../../errors.ts'
import type { RedisClient } from './client.ts'

// KEYS: the window. ARGV: amount, limit, slice in milliseconds, number of slices. Returns an empty list if the amount
// was taken; otherwise pairs of slice and count, the time, and the excess.
const TAKE = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local sliceMs, slices = tonumber(ARGV[3]), tonumber(ARGV[4])
local slice = math.floor(now / sliceMs)
local all = redis.call('HGETALL', KEYS[1])
local sum = 0
local live = {}
for i = 1, #all, 2 do
  if tonumber(all[i]) <= slice - slices - 1 then
    redis.call('HDEL', KEYS[1], all[i])
  else
    sum = sum + tonumber(all[i + 1])
    live[#live + 1] = all[i]
    live[#live + 1] = all[i + 1]
  end
end
local excess = sum + tonumber(ARGV[1]) - tonumber(ARGV[2])
if excess > 0 then
  live[#live + 1] = string.format('%.0f', now)
  live[#live + 1] = string.format('%.0f', excess)
  return live
end
redis.call('HINCRBY', KEYS[1], slice, ARGV[1])
redis.call('PEXPIRE', KEYS[1], sliceMs * (slices + 2))
return {}
`

export type RateWindowKeys = {
  /**
   * Undefined if the amount was taken; otherwise the counts of the slices, the time and the excess.
   * @throws AppError STORE_UNAVAILABLE
   */
  take(
    key: string,
    amount: number,
    limit: number,
    sliceMs: number,
    slices: number,
  ): Promise<{ counts: Map<number, number>; nowMs: number; excess: number } | undefined>
}

export function createRateWindowKeys({ redis }: RedisClient): RateWindowKeys {
  redis.defineCommand('gwTakeWindow', { lua: TAKE, numberOfKeys: 1 })
  const script = redis as unknown as { gwTakeWindow(key: string, ...args: number[]): Promise<string[]> }
  return {
    async take(key, amount, limit, sliceMs, slices) {
      const answer = await script
        .gwTakeWindow(`gw:{${key}}:window`, amount, limit, sliceMs, slices)
        // without a connection ioredis fails with an error that has no code
        .catch((cause) => Promise.reject(new AppError('STORE_UNAVAILABLE', { cause })))
      if (answer.length === 0) return undefined
      const [nowMs, excess] = answer.slice(-2).map(Number) as [number, number]
      const counts = new Map<number, number>()
      for (let i = 0; i < answer.length - 2; i += 2) counts.set(Number(answer[i]), Number(answer[i + 1]))
      return { counts, nowMs, excess }
    },
  }
}
