/**
 * Which readings are stored already. Kept in the process: for each sensor the times of its newest readings, and a
 * floor below which only ClickHouse knows. A fleet's clock runs forward, so nearly every call is answered from memory;
 * a late or repeated reading below the floor is looked up, however old it is. Nothing here has to survive a restart.
 */
import { type Batch, FATE, MAX_READINGS } from './batch.ts'

/** Where claims ask about readings that they do not hold in memory. */
export type StoredReadings = {
  /** Resolves once every row logged before `position` is in ClickHouse. */
  loadedThrough(position: number): Promise<void>
  /** The newest stored time of each sensor that has one, milliseconds since 1970. */
  newestTimes(sensors: readonly number[]): Promise<Map<number, number>>
  /** Those of the given times at which the sensor has a stored reading. */
  storedTimes(sensor: number, timesMs: readonly number[]): Promise<Set<number>>
}

export type Claims = {
  /**
   * Marks the batch's readings that are stored already. Returns undefined when memory was enough; then `add` and
   * `release` must follow before anything else runs. Else calls of one sensor go one after the other until `release`.
   */
  mark(sensor: number, batch: Batch, logPosition: number): Promise<void> | undefined
  /** Adds the batch's new readings, logged up to `logPosition`. */
  add(sensor: number, batch: Batch, logPosition: number): void
  /** Lets the sensor's next call go; to be called after every `mark`, whatever came of it. */
  release(sensor: number): void
  /** Drops what is known of a sensor, after its rows could not be logged. */
  forget(sensor: number, logPosition: number): void
  /** How many sensors' times are held. */
  size(): number
}

type SensorTimes = {
  /** Every stored time above the floor is in `times`, ascending. */
  floor: number
  times: Float64Array
  count: number
  /** Rows at or below the floor are in ClickHouse once the log is loaded to here. */
  coldPosition: number
}

/** Four full calls, so that a repeat of a recent one is answered from memory. */
const MAX_TIMES = 2048
const FIRST_CAPACITY = 64

/**
 * @param maxBytes what the times may take; past it the sensors that called longest ago are dropped
 * @param startPosition the log's position at start: rows replayed before it may not be in ClickHouse yet
 */
export function createClaims(stored: StoredReadings, maxBytes: number, startPosition: number): Claims {
  // Two generations stand for an LRU: a touched sensor moves to the young one; when that is full the old one goes.
  let young = new Map<number, SensorTimes>()
  let old = new Map<number, SensorTimes>()
  let youngBytes = 0
  // Rows of sensors that are in neither are in ClickHouse once the log is loaded to here.
  let unknownPosition = startPosition
  const turns = new Map<number, Promise<void>>()
  const endTurn = new Map<number, () => void>()
  let asked: { sensors: Set<number>; answer: Promise<Map<number, number>> } | undefined

  function known(sensor: number, logPosition: number): SensorTimes | undefined {
    const entry = young.get(sensor)
    if (entry !== undefined) return entry
    const older = old.get(sensor)
    if (older !== undefined) {
      old.delete(sensor)
      keep(sensor, older, logPosition)
    }
    return older
  }

  function keep(sensor: number, entry: SensorTimes, logPosition: number): void {
    young.set(sensor, entry)
    youngBytes += entry.times.byteLength + 200
    if (youngBytes > maxBytes / 2) {
      if (old.size > 0) unknownPosition = logPosition
      old = young
      young = new Map()
      youngBytes = 0
    }
  }

  /** Sensors seen for the first time at about the same moment share one query. */
  async function newestTime(sensor: number): Promise<number> {
    if (asked === undefined) {
      const sensors = new Set<number>()
      const answer = (async () => {
        await Bun.sleep(2)
        asked = undefined
        await stored.loadedThrough(unknownPosition)
        return stored.newestTimes([...sensors])
      })()
      asked = { sensors, answer }
    }
    asked.sensors.add(sensor)
    const newest = await asked.answer
    return newest.get(sensor) ?? Number.NEGATIVE_INFINITY
  }

  async function markCold(sensor: number, batch: Batch, logPosition: number): Promise<void> {
    const previous = turns.get(sensor)
    const turn = Promise.withResolvers<void>()
    turns.set(sensor, turn.promise)
    await previous
    endTurn.set(sensor, () => {
      endTurn.delete(sensor)
      if (turns.get(sensor) === turn.promise) turns.delete(sensor)
      turn.resolve()
    })
    let entry = known(sensor, logPosition)
    if (entry === undefined) {
      const floor = await newestTime(sensor)
      entry = { floor, times: new Float64Array(FIRST_CAPACITY), count: 0, coldPosition: unknownPosition }
      keep(sensor, entry, logPosition)
    }
    const cold = markFromMemory(entry, batch)
    if (cold.length === 0) return
    await stored.loadedThrough(entry.coldPosition)
    const found = await stored.storedTimes(sensor, cold)
    for (let i = 0; i < batch.count; i++)
      if (batch.fates[i] === FATE.NEW && found.has(batch.times[i] as number)) batch.fates[i] = FATE.STORED_BEFORE
  }

  return {
    mark(sensor, batch, logPosition) {
      if (!turns.has(sensor)) {
        const entry = known(sensor, logPosition)
        if (entry !== undefined) {
          if (isAllNewer(entry, batch)) return undefined
          if (isAllAbove(entry.floor, batch)) {
            markFromMemory(entry, batch)
            return undefined
          }
        }
      }
      return markCold(sensor, batch, logPosition)
    },

    add(sensor, batch, logPosition) {
      const entry = known(sensor, logPosition)
      // Dropped since it was marked: the next call asks ClickHouse, which by then has these rows.
      if (entry === undefined) unknownPosition = logPosition
      else addTimes(entry, batch, logPosition, (grownBytes) => (youngBytes += grownBytes))
    },

    release(sensor) {
      endTurn.get(sensor)?.()
    },

    forget(sensor, logPosition) {
      young.delete(sensor)
      old.delete(sensor)
      unknownPosition = logPosition
    },

    size: () => young.size + old.size,
  }
}

function lastTime(entry: SensorTimes): number {
  return entry.count > 0 ? (entry.times[entry.count - 1] as number) : entry.floor
}

/** The usual case: nothing refused, ascending, and all after what is known. */
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

/** Marks what memory knows; returns the times at or below the floor. */
function markFromMemory(entry: SensorTimes, batch: Batch): number[] {
  const cold: number[] = []
  for (let i = 0; i < batch.count; i++) {
    if (batch.fates[i] !== FATE.NEW) continue
    const at = batch.times[i] as number
    if (at <= entry.floor) cold.push(at)
    else if (holds(entry, at)) batch.fates[i] = FATE.STORED_BEFORE
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

// of the batch at hand; addTimes runs in one go, so one will do
const fresh = new Float64Array(MAX_READINGS)

function addTimes(entry: SensorTimes, batch: Batch, logPosition: number, onGrown: (bytes: number) => void): void {
  let added = 0
  let ascending = true
  let last = lastTime(entry)
  for (let i = 0; i < batch.count; i++) {
    if (batch.fates[i] !== FATE.NEW) continue
    const at = batch.times[i] as number
    if (at <= entry.floor) {
      entry.coldPosition = logPosition
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
    // the new ones may be out of order: put all in order, then keep the newest half
    const all = new Float64Array(needed)
    all.set(entry.times.subarray(0, entry.count))
    all.set(fresh.subarray(0, added), entry.count)
    if (!ascending) all.sort()
    const kept = MAX_TIMES / 2
    entry.floor = all[needed - kept - 1] as number
    entry.coldPosition = logPosition
    entry.times.set(all.subarray(needed - kept))
    entry.count = kept
    return
  }
  entry.times.set(fresh.subarray(0, added), entry.count)
  entry.count = needed
  if (!ascending) entry.times.subarray(0, needed).sort()
}
