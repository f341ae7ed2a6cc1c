/**
 * Deduplication for a single instance. Holds the times of each sensor's newest readings, and a floor below which only
 * ClickHouse knows. Sensors mostly send increasing times, so memory is enough for nearly every request; late or
 * repeated readings below the floor are looked up. Nothing here has to survive a restart.
 */
import { MAX_READINGS } from '../errors.ts'
import { createBatcher } from '../stores/batcher.ts'
import { createKeyedMutex } from '../stores/keyed-mutex.ts'
import { type Batch, OUTCOME } from './batch.ts'
import { type Dedup, type DedupSensor, NEWEST_TIMES_BATCH_MS, type StoredReadings } from './dedup.ts'

type SensorTimes = {
  /** All stored times above the floor are in `times`, ascending. */
  floor: number
  times: Float64Array
  count: number
  /** Rows at or below the floor are in ClickHouse once the log is loaded to this position. */
  coldPosition: number
  /** Extensions of the sensor's retention (batch.ts) when the times were recorded. */
  extensions: number
}

type MemoryStoredReadings = Pick<StoredReadings, 'loadedThrough' | 'newestTimes' | 'storedTimes'> &
  Partial<Pick<StoredReadings, 'allNewestTimes'>>

/** Four full batches, so that the repeat of a recent one needs no lookup. */
const MAX_TIMES = 2048
const FIRST_CAPACITY = 64

/**
 * @param maxBytes memory for the times; beyond it the least recently used sensors are dropped
 * @param startPosition the log's position at start; rows recovered before it may not be in ClickHouse yet
 */
export function createMemoryDedup(stored: MemoryStoredReadings, maxBytes: number, startPosition: number): Dedup {
  // Two generations approximate LRU: a used sensor moves to the young one; when that is full, the old one is dropped.
  let young = new Map<number, SensorTimes>()
  let old = new Map<number, SensorTimes>()
  let youngBytes = 0
  // Rows of sensors in neither generation are in ClickHouse once the log is loaded to this position.
  let unknownPosition = startPosition
  const sensorLocks = createKeyedMutex<number>()

  function known(sensor: number, walPosition: number): SensorTimes | undefined {
    const entry = young.get(sensor)
    if (entry !== undefined) return entry
    const older = old.get(sensor)
    if (older !== undefined) {
      old.delete(sensor)
      remember(sensor, older, walPosition)
    }
    return older
  }

  function remember(sensor: number, entry: SensorTimes, walPosition: number): void {
    young.set(sensor, entry)
    youngBytes += entry.times.byteLength + 200
    if (youngBytes > maxBytes / 2) {
      if (old.size > 0) lose(walPosition)
      old = young
      young = new Map()
      youngBytes = 0
    }
  }

  /**
   * Newest times of sensors that have not sent since the start, so that a fleet's first calls after a start cost one
   * query. They are valid until a sensor that has sent since then is evicted from memory.
   */
  let atStart: Promise<Map<number, number> | undefined> | undefined
  let hasForgotten = false

  /** Some sensor's times are no longer in memory. */
  function lose(walPosition: number): void {
    unknownPosition = walPosition
    hasForgotten = true
    atStart = undefined
  }

  async function loadAtStart(): Promise<Map<number, number> | undefined> {
    await stored.loadedThrough(startPosition)
    return stored.allNewestTimes?.()
  }

  async function floorOf(sensor: number): Promise<number> {
    if (!hasForgotten) {
      // the next sensor tries again if this fails
      atStart ??= loadAtStart().catch(() => {
        atStart = undefined
        return undefined
      })
      const newest = (await atStart)?.get(sensor)
      if (newest !== undefined && !hasForgotten) return newest
    }
    return (await newestTimes(sensor)).get(sensor) ?? Number.NEGATIVE_INFINITY
  }

  const newestTimes = createBatcher(NEWEST_TIMES_BATCH_MS, async (sensors: readonly number[]) => {
    await stored.loadedThrough(unknownPosition)
    return stored.newestTimes(sensors)
  })

  async function lookupCold(profile: DedupSensor, batch: Batch, walPosition: number): Promise<void> {
    const { sensor, extensions } = profile
    await sensorLocks.lock(sensor)
    let entry = known(sensor, walPosition)
    if (entry === undefined) {
      const floor = await floorOf(sensor)
      const times = new Float64Array(FIRST_CAPACITY)
      entry = { floor, times, count: 0, coldPosition: unknownPosition, extensions }
      remember(sensor, entry, walPosition)
    } else if (entry.extensions !== extensions) dropDeleted(entry, profile, walPosition)
    const cold = markFromMemory(entry, batch)
    if (cold.length === 0) return
    await stored.loadedThrough(entry.coldPosition)
    const found = await stored.storedTimes(profile, cold)
    for (let i = 0; i < batch.count; i++)
      if (batch.outcomes[i] === OUTCOME.NEW && found.has(batch.times[i] as number))
        batch.outcomes[i] = OUTCOME.STORED_BEFORE
  }

  return {
    // access/sensor-gate.ts counts requests
    // counted in access/sensor-gate.ts
    checkRate: () => undefined,
    countCall: () => undefined,

    lookup(profile, batch, walPosition) {
      const { sensor } = profile
      if (!sensorLocks.isLocked(sensor)) {
        const entry = known(sensor, walPosition)
        if (entry !== undefined && entry.extensions === profile.extensions) {
          if (isAllNewer(entry, batch)) return undefined
          if (isAllAbove(entry.floor, batch)) {
            markFromMemory(entry, batch)
            return undefined
          }
        }
      }
      return lookupCold(profile, batch, walPosition)
    },

    requireLookedUp: () => undefined,

    commit(sensor, batch, walPosition) {
      const entry = known(sensor, walPosition)
      // Dropped since it was marked: the next request looks it up in ClickHouse, once that has these rows.
      if (entry === undefined) lose(walPosition)
      else addTimes(entry, batch, walPosition, (grownBytes) => (youngBytes += grownBytes))
      sensorLocks.unlock(sensor)
      return undefined
    },

    release: sensorLocks.unlock,

    forget(sensor, walPosition) {
      young.delete(sensor)
      old.delete(sensor)
      lose(walPosition)
    },

    size: () => young.size + old.size,
  }
}

/** Drops times whose readings may have been deleted, so that ClickHouse is asked. */
function dropDeleted(entry: SensorTimes, { extensions, deletedBeforeMs }: DedupSensor, walPosition: number): void {
  entry.extensions = extensions
  if (entry.floor >= deletedBeforeMs) return
  const kept = entry.times.subarray(0, entry.count).filter((time) => time > deletedBeforeMs)
  entry.times.set(kept)
  entry.count = kept.length
  entry.floor = deletedBeforeMs
  entry.coldPosition = walPosition
}

function lastTime(entry: SensorTimes): number {
  return entry.count > 0 ? (entry.times[entry.count - 1] as number) : entry.floor
}

/** The usual case: nothing refused, times ascending and newer than all known ones. */
function isAllNewer(entry: SensorTimes, batch: Batch): boolean {
  let last = lastTime(entry)
  for (let i = 0; i < batch.count; i++) {
    const at = batch.times[i] as number
    if (!(at > last)) return false
    last = at
  }
  return true
}

function isAllAbove(floor: number, batch: Batch): boolean {
  for (let i = 0; i < batch.count; i++) if ((batch.times[i] as number) <= floor) return false
  return true
}

/** Marks the readings that are in memory; returns the times at or below the floor. */
function markFromMemory(entry: SensorTimes, batch: Batch): number[] {
  const cold: number[] = []
  for (let i = 0; i < batch.count; i++) {
    if (batch.outcomes[i] !== OUTCOME.NEW) continue
    const at = batch.times[i] as number
    if (at <= entry.floor) cold.push(at)
    else if (holds(entry, at)) batch.outcomes[i] = OUTCOME.STORED_BEFORE
  }
  return cold
}

function holds(entry: SensorTimes, at: number): boolean {
  let low = 0
  let high = entry.count
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((entry.times[middle] as number) < at) low = middle + 1
    else high = middle
  }
  return low < entry.count && entry.times[low] === at
}

// reused by every call of addTimes, which is synchronous
const fresh = new Float64Array(MAX_READINGS)

function addTimes(entry: SensorTimes, batch: Batch, walPosition: number, onGrown: (bytes: number) => void): void {
  let added = 0
  let ascending = true
  let last = lastTime(entry)
  for (let i = 0; i < batch.count; i++) {
    if (batch.outcomes[i] !== OUTCOME.NEW) continue
    const at = batch.times[i] as number
    if (at <= entry.floor) {
      entry.coldPosition = walPosition
      continue
    }
    if (at <= last) ascending = false
    last = at
    fresh[added++] = at
  }
  if (added === 0) return
  const needed = entry.count + added
  if (needed > entry.times.length && entry.times.length < MAX_TIMES) {
    const capacity = Math.min(MAX_TIMES, Math.max(needed, entry.times.length * 2))
    const times = new Float64Array(capacity)
    times.set(entry.times.subarray(0, entry.count))
    onGrown((capacity - entry.times.length) * 8)
    entry.times = times
  }
  if (needed > entry.times.length) {
    // the new times may be out of order: sort all, then keep the newest half
    const all = new Float64Array(needed)
    all.set(entry.times.subarray(0, entry.count))
    all.set(fresh.subarray(0, added), entry.count)
    if (!ascending) all.sort()
    const remaining = MAX_TIMES / 2
    entry.floor = all[needed - remaining - 1] as number
    entry.coldPosition = walPosition
    entry.times.set(all.subarray(needed - remaining))
    entry.count = remaining
    return
  }
  entry.times.set(fresh.subarray(0, added), entry.count)
  entry.count = needed
  if (!ascending) entry.times.subarray(0, needed).sort()
}
