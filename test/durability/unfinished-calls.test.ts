/**
 * Claims in Redis of calls that did not end: an instance that was killed may have logged readings that it did not publish.
 * The repeat of its call by another instance must not accept them again, since they would count twice for the day.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { appendReading, createBatch, OUTCOME, resetBatch, sensorProfile } from '../../src/ingest/batch.ts'
import type { Dedup } from '../../src/ingest/dedup.ts'
import { createRedisDedup } from '../../src/ingest/redis-dedup.ts'
import { createClaimKeys } from '../../src/stores/redis/claims.ts'
import { openRedis, type RedisClient } from '../../src/stores/redis/client.ts'
import { fencedMemories } from '../../src/stores/redis/memories.ts'
import { type RedisServer, startRedis } from '../support/stores/redis.ts'
import { until } from '../support/until.ts'

const LEASE_MS = 400
const BUCKET_MS = 65_000
const START_MS = Math.floor(Date.now() / BUCKET_MS) * BUCKET_MS - 100 * BUCKET_MS

const onError = (error: unknown): void => void process.stderr.write(`${error}\n`)
let redis: RedisServer
const clients: Record<string, RedisClient> = {}
beforeAll(async () => {
  redis = await startRedis()
  const failingOver = await openRedis(redis.url, onError)
  const { memories, renewAll } = fencedMemories(failingOver.redis, 1, onError)
  await renewAll()
  const subscriber = { ...failingOver.subscriber, isSubscribed: () => true }
  clients['servers that fail over'] = { ...failingOver, subscriber, memories }
  clients['one server'] = await openRedis(redis.url, onError)
})
afterAll(async () => {
  for (const client of Object.values(clients)) await client.close()
  await redis.remove()
})

let sensors = 0

/** Instances of one sensor, and the logs that their calls write. */
function startFleet(servers: string) {
  const profile = sensorProfile(1, ++sensors, 90, [{ number: 1, name: 'a', measurement: 'number' }])
  const loaded = new Set<number>()
  const unloaded = new Map<string, number[]>()
  const missing = new Set<string>()
  function load(instance: string): void {
    for (const ms of unloaded.get(instance) ?? []) loaded.add(ms)
    unloaded.delete(instance)
  }
  async function loadedEverywhere(): Promise<void> {
    for (const instance of unloaded.keys()) if (!missing.has(instance)) load(instance)
  }
  const newest = (): number | undefined => [...loaded].toSorted((a, b) => b - a)[0]
  const join = (instanceId: string): Dedup =>
    createRedisDedup({
      instanceId,
      keys: createClaimKeys(clients[servers] as RedisClient, { ttlMs: 3_600_000, lockMs: LEASE_MS }),
      stored: {
        newestTimes: async () => new Map(newest() === undefined ? [] : [[profile.sensor, newest() as number]]),
        storedTimes: async (_, times) => new Set(times.filter((ms) => loaded.has(ms))),
        storedTimesBetween: async (_, fromMs, toMs) => [...loaded].filter((ms) => ms >= fromMs && ms < toMs),
        loadedEverywhere,
        async loadedByAll() {
          if (missing.size > 0) throw new Error('an instance is missing')
          await loadedEverywhere()
        },
        loadedBeforeMemory: loadedEverywhere,
      },
      callsPerMinute: 1_000,
      patienceMs: 50,
    })
  const batchOf = (times: readonly number[]) => {
    const batch = createBatch()
    resetBatch(batch, Date.now())
    for (const ms of times) appendReading(batch, profile, START_MS + ms, 0, 0, 0)
    return batch
  }
  const isNew = (batch: ReturnType<typeof batchOf>): boolean[] =>
    Array.from(batch.outcomes.subarray(0, batch.count), (outcome) => outcome === OUTCOME.NEW)

  /** A call, which ends after its readings were logged if `dies`. @returns which of its readings are new */
  async function call(name: string, dedup: Dedup, times: readonly number[], dies = false): Promise<boolean[]> {
    const batch = batchOf(times)
    try {
      await dedup.lookup(profile, batch, 0, Date.now(), true)
    } catch (error) {
      dedup.release(profile.sensor)
      throw error
    }
    const outcome = isNew(batch)
    const logged = times.filter((_, i) => outcome[i]).map((ms) => START_MS + ms)
    unloaded.set(name, [...(unloaded.get(name) ?? []), ...logged])
    if (!dies) await dedup.commit(profile.sensor, batch, 0)?.confirm()
    return outcome
  }
  return { batchOf, join, call, missing, profile }
}

const TWO_SETS = [BUCKET_MS - 10, BUCKET_MS, BUCKET_MS + 10]

describe.each(['one server', 'servers that fail over'])('%s', (servers) => {
  test.each([
    ['the same call', TWO_SETS],
    ['another call', [2 * BUCKET_MS]],
    ['an earlier call', [5]],
  ])('readings of a killed instance are duplicates after %s was sent to another one', async (_, next) => {
    const { join, call, missing } = startFleet(servers)
    const [killed, other] = [join('killed'), join('other')]
    expect(await call('killed', killed, [0, 10])).toEqual([true, true])
    expect(await call('killed', killed, TWO_SETS, true)).toEqual([true, true, true])
    missing.add('killed')

    await expect(call('other', other, next)).rejects.toThrow('holds its lock')
    await Bun.sleep(LEASE_MS)
    // its log could have any of the readings
    for (let i = 0; i < 2; i++) await expect(call('other', other, next)).rejects.toThrow('an instance is missing')

    missing.clear()
    expect(await call('other', other, next)).toEqual(next.map(() => next !== TWO_SETS))
    expect(await call('other', other, TWO_SETS)).toEqual([false, false, false])
    expect(await call('other', other, [0, 10, ...next])).toEqual([false, false, ...next.map(() => false)])
    expect(await call('other', other, [20, BUCKET_MS + 20, 3 * BUCKET_MS])).toEqual([true, true, true])
    expect(await call('other', join('other'), [20, BUCKET_MS + 20, 3 * BUCKET_MS])).toEqual([false, false, false])
  })

  test('an instance that is killed after it has taken over a claim leaves both', async () => {
    const { join, call } = startFleet(servers)
    await call('first', join('first'), [0])
    await call('first', join('first'), [10], true)
    await Bun.sleep(LEASE_MS)
    expect(await call('second', join('second'), [10, 2 * BUCKET_MS], true)).toEqual([false, true])
    await Bun.sleep(LEASE_MS)
    expect(await call('third', join('third'), [0, 10, 2 * BUCKET_MS])).toEqual([false, false, false])
  })

  test('a call without new readings leaves nothing to wait for', async () => {
    const { join, call, missing } = startFleet(servers)
    await call('killed', join('killed'), [0])
    await call('killed', join('killed'), [], true)
    missing.add('killed')
    await Bun.sleep(LEASE_MS)
    expect(await call('other', join('other'), [10])).toEqual([true])
  })

  test('an instance that starts again does not wait for its earlier process, and waits for others', async () => {
    const { join, call } = startFleet(servers)
    await call('one', join('one'), [0])
    await call('one', join('one'), [10], true)
    await expect(call('other', join('other'), [10])).rejects.toThrow('holds its lock')
    expect(await call('one', join('one'), [10, 20], true)).toEqual([false, true])
    await expect(call('other', join('other'), [20])).rejects.toThrow('holds its lock')
  })
})

test('a call that looked its readings up before Redis was killed does not log them afterwards', async () => {
  const { batchOf, join, profile } = startFleet('one server')
  const dedup = join('one')
  await dedup.lookup(profile, batchOf([0]), 0, Date.now(), true)
  expect(() => dedup.requireLookedUp(profile.sensor)).not.toThrow()
  await redis.kill()
  await redis.start()
  await until(async () => {
    try {
      await (clients['one server'] as RedisClient).ping()
      return true
    } catch {
      return false
    }
  }, 'the connection to Redis')
  expect(() => dedup.requireLookedUp(profile.sensor)).toThrow()
})
