/**
 * Dedup that several instances share in Redis. One round trip before the append locks the sensor and returns which
 * readings are stored; one after it publishes the new readings and releases the lock. Readings are published only once
 * they are durable, so a request that dies in between leaves nothing that would make its repeat a duplicate.
 *
 * Redis is never the source of truth. Times missing in Redis (it was restarted, a key expired, a time is older than its
 * window) are looked up in ClickHouse, after every instance has loaded its log.
 */
import type { AppError } from '../errors.ts'
import { createBatcher } from '../stores/batcher.ts'
import { createKeyedMutex } from '../stores/keyed-mutex.ts'
import { BUCKET_MS, type Bucket, bucketOf, type Claim, type ClaimKeys } from '../stores/redis/claims.ts'
import { clockMinuteOf, sensorRateLimited } from '../stores/sensor-rate.ts'
import { type Batch, OUTCOME } from './batch.ts'
import { type Dedup, type DedupSensor, NEWEST_TIMES_BATCH_MS, type StoredReadings } from './dedup.ts'

export type RedisDedupOptions = {
  /** Stays the same when the instance starts again. */
  instanceId: string
  keys: ClaimKeys
  stored: Omit<StoredReadings, 'loadedThrough' | 'allNewestTimes'> & {
    /** Resolves once every row of a sensor that any instance had logged when it was called is in ClickHouse. */
    loadedEverywhere(sensor: number): Promise<void>
    /** As `loadedEverywhere`, and fails while an instance is missing. */
    loadedByAll(sensor: number): Promise<void>
    /** Resolves once every row that was logged before Redis lost its memory of the sensors is in ClickHouse. */
    loadedBeforeMemory(sensors: readonly number[]): Promise<void>
  }
  callsPerMinute: number
  /** How long a request waits for another request of the same sensor. */
  patienceMs: number
}

/**
 * Maximum number of buckets that one request loads completely from ClickHouse; beyond it only its own times are looked
 * up.
 */
const MAX_WARMED = 32
const NOTHING_STORED = -8_640_000_000_000_000

type Held = {
  token: string
  profile: DedupSensor
  storedTopMs: number
  warmed: Map<number, number[]>
  /** Of Redis, when the sensor was locked. */
  memory: string
}

export function createRedisDedup(options: RedisDedupOptions): Dedup {
  const { keys, stored } = options
  const owner = `${options.instanceId}/${Bun.randomUUIDv7('base64url')}`
  const sensorLocks = createKeyedMutex<number>()
  const held = new Map<number, Held>()
  const newestTimes = createBatcher(NEWEST_TIMES_BATCH_MS, async (sensors: readonly number[]) => {
    await stored.loadedBeforeMemory(sensors)
    return stored.newestTimes(sensors)
  })

  /**
   * Sensors that Redis refused in the current minute: Redis counts requests with their claims, and a claim needs the
   * body.
   */
  const full = { minute: 0, sensors: new Set<number>() }

  function rateLimited(sensor: number, nowMs: number): AppError {
    if (clockMinuteOf(nowMs) === full.minute) full.sensors.add(sensor)
    return sensorRateLimited(nowMs)
  }

  async function openSensor(profile: DedupSensor, batch: Batch, nowMs: number, isUncounted: boolean): Promise<void> {
    const { sensor } = profile
    const { times, indexes } = newTimes(batch)
    const token = `${owner}/${Bun.randomUUIDv7('base64url')}`
    const call = {
      minute: clockMinuteOf(nowMs),
      limit: isUncounted ? 0 : options.callsPerMinute,
      token,
      held: false,
      firstMs: times[0] ?? Number.MAX_SAFE_INTEGER,
      claim: claimOf(times),
    }
    // also while it is opened: the answer may be late, and the lock set
    const mine: Held = { token, profile, storedTopMs: NOTHING_STORED, warmed: new Map(), memory: '' }
    held.set(sensor, mine)
    let answer = await keys.open(profile, call, [])
    // counted once, however often it retries
    call.limit = 0
    for (const deadline = performance.now() + options.patienceMs; answer.state === 'busy'; ) {
      if (performance.now() > deadline) throw new Error('another request of the sensor holds its lock')
      await Bun.sleep(5 + Math.random() * 20)
      answer = await keys.open(profile, call, [])
    }
    mine.memory = keys.memory(sensor)
    if (answer.state === 'rate') throw rateLimited(sensor, nowMs)
    if (answer.state === 'left') {
      // the request of an instance that was killed, which may have logged readings and published none
      await stored.loadedByAll(sensor)
      if (!(await keys.settle(profile, call, answer.claim))) throw new Error('the lock of the sensor was lost')
      call.held = true
      answer = await keys.open(profile, call, [])
    }
    if (answer.state === 'times') {
      call.held = true
      answer = await keys.open(profile, call, bucketsOf(times))
    }
    let cold: number[] = []
    if (answer.state === 'outcomes') {
      for (const [i, outcome] of answer.outcomes.entries()) {
        if (outcome === '1') batch.outcomes[indexes[i] as number] = OUTCOME.STORED_BEFORE
        else if (outcome === 'c') cold.push(times[i] as number)
      }
    } else if (answer.state === 'unknown') {
      mine.storedTopMs = (await newestTimes(sensor)).get(sensor) ?? NOTHING_STORED
      cold = times.filter((ms) => ms <= mine.storedTopMs)
      if (cold.length === 0) return
    } else if (answer.state !== 'new') throw new Error(`the sensor's lock was ${answer.state}`)
    if (cold.length === 0) return
    await stored.loadedEverywhere(sensor)
    const storedTimes = await findStored(profile, cold, mine)
    for (const [i, ms] of times.entries())
      if (storedTimes.has(ms)) batch.outcomes[indexes[i] as number] = OUTCOME.STORED_BEFORE
  }

  async function findStored(profile: DedupSensor, cold: number[], mine: Held): Promise<Set<number>> {
    const numbers = [...new Set(cold.map(bucketOf))]
    if (numbers.length > MAX_WARMED) return stored.storedTimes(profile, cold)
    const storedTimes = new Set<number>()
    for (const number of numbers) {
      const times = await stored.storedTimesBetween(profile, number * BUCKET_MS, (number + 1) * BUCKET_MS)
      mine.warmed.set(number, times)
      for (const ms of times) storedTimes.add(ms)
    }
    return storedTimes
  }

  function releaseSensor(sensor: number): void {
    const mine = held.get(sensor)
    held.delete(sensor)
    sensorLocks.unlock(sensor)
    // if this fails, the next request finds what this one left
    if (mine !== undefined) keys.unlock(sensor, mine.token).catch(() => undefined)
  }

  return {
    checkRate(sensor, nowMs) {
      const minute = clockMinuteOf(nowMs)
      if (minute !== full.minute) {
        full.minute = minute
        full.sensors.clear()
      }
      if (full.sensors.has(sensor)) throw rateLimited(sensor, nowMs)
    },

    async countCall(sensor, nowMs) {
      const may = await keys.countCall(sensor, clockMinuteOf(nowMs), options.callsPerMinute)
      if (!may) throw rateLimited(sensor, nowMs)
    },

    async lookup(profile, batch, _walPosition, nowMs, isUncounted) {
      await sensorLocks.lock(profile.sensor)
      await openSensor(profile, batch, nowMs, isUncounted)
    },

    requireLookedUp(sensor) {
      // those who wait for the logs of calls under an earlier memory may have done so already
      if (keys.memory(sensor) !== held.get(sensor)?.memory) throw new Error('Redis lost the lock of the sensor')
    },

    commit(sensor, batch) {
      const mine = held.get(sensor)
      if (mine === undefined) throw new Error('readings were committed without a look-up')
      const { times } = newTimes(batch)
      const newestMs = times.at(-1) ?? NOTHING_STORED
      const buckets = bucketsOf(times)
      for (const [number, known] of mine.warmed) {
        const bucket = buckets.find((other) => other.number === number)
        if (bucket === undefined) buckets.push({ number, timesMs: known, whole: true })
        else Object.assign(bucket, { timesMs: [...known, ...bucket.timesMs], whole: true })
      }
      return {
        async confirm() {
          const { token, profile, storedTopMs } = mine
          const call = { token, newestMs, storedTopMs }
          let known = false
          try {
            known = await keys.close(profile, call, buckets)
          } finally {
            held.delete(sensor)
            sensorLocks.unlock(sensor)
          }
          if (!known) throw new Error('another request locked the sensor before its readings were published')
        },
        rollback: () => releaseSensor(sensor),
      }
    },

    release: releaseSensor,
    // nothing was published
    forget: () => undefined,
    size: () => held.size,
  }
}

/** The times of the batch's new readings in ascending order, and their indexes in the batch. */
function newTimes(batch: Batch): { times: number[]; indexes: number[] } {
  const indexes: number[] = []
  const times: number[] = []
  let ascending = true
  let last = Number.NEGATIVE_INFINITY
  for (let i = 0; i < batch.count; i++) {
    if (batch.outcomes[i] !== OUTCOME.NEW) continue
    const ms = batch.times[i] as number
    if (ms < last) ascending = false
    last = ms
    indexes.push(i)
    times.push(ms)
  }
  // true for nearly every batch
  if (ascending) return { times, indexes }
  const timeAt = (i: number): number => batch.times[i] as number
  indexes.sort((a, b) => timeAt(a) - timeAt(b))
  return { times: indexes.map(timeAt), indexes }
}

function claimOf(times: readonly number[]): Claim | undefined {
  const newestMs = times.at(-1)
  return newestMs === undefined ? undefined : { newestMs, buckets: [...new Set(times.map(bucketOf))] }
}

function bucketsOf(times: readonly number[]): Bucket[] {
  const buckets: Bucket[] = []
  for (const ms of times) {
    const number = bucketOf(ms)
    const last = buckets.at(-1)
    if (last?.number === number) last.timesMs.push(ms)
    else buckets.push({ number, timesMs: [ms], whole: false })
  }
  return buckets
}
