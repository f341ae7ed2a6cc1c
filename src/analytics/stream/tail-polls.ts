/**
 * New readings of watched sensors and new zone events, as ClickHouse gets them from all instances. Each poll overlaps
 * the previous one, because rows of other instances may become visible later than newer rows of this instance.
 */
import type { ClickHouse } from '../../stores/clickhouse/client.ts'
import { type EnterpriseEvent, newReadings, newZoneEvents } from '../../stores/clickhouse/queries/tail.ts'
import type { TailReading } from './reading-tail.ts'

const OVERLAP_MS = 10_000
/** Overlap for readings, by their own time: another instance may wait this long to load its segment. */
const READINGS_OVERLAP_MS = 60_000
/** Maximum number of rows of one poll; older ones are omitted. */
const MAX_READINGS = 5_000
const MAX_EVENTS = 500
/** An event of a reading that is older than this is listed, but not announced. */
const EVENTS_OF_MS = 86_400_000

export type ReadingPolls = {
  /** Whether the reading is new; records it. */
  isNew(reading: TailReading): boolean
  /** New readings of the sensors since the last poll; none at a sensor's first poll. */
  look(enterprise: number, sensors: ReadonlySet<number>, signal: AbortSignal): Promise<TailReading[]>
}

export function createReadingPolls(clickhouse: ClickHouse): ReadingPolls {
  /** Times that were sent, by sensor; only times that the next poll can return again. */
  const sent = new Map<number, Set<number>>()
  const newest = new Map<number, number>()

  function isNew({ sensor, ms }: TailReading): boolean {
    const times = sent.get(sensor) ?? new Set()
    sent.set(sensor, times)
    if (times.has(ms)) return false
    times.add(ms)
    const newestMs = Math.max(newest.get(sensor) ?? Number.NEGATIVE_INFINITY, ms)
    if (newest.has(sensor)) newest.set(sensor, newestMs)
    if (times.size > MAX_READINGS)
      for (const time of times) if (time < newestMs - READINGS_OVERLAP_MS) times.delete(time)
    return true
  }

  return {
    isNew,
    async look(enterprise, sensors, signal) {
      for (const known of newest.keys())
        if (!sensors.has(known)) {
          newest.delete(known)
          sent.delete(known)
        }
      const sinceMs = new Map([...sensors].map((sensor) => [sensor, newest.get(sensor)]))
      const found = await newReadings(
        clickhouse,
        { enterprise, sinceMs, overlapMs: READINGS_OVERLAP_MS, limit: MAX_READINGS },
        signal,
      )
      for (const [sensor, ms] of found.newest) if (!newest.has(sensor)) newest.set(sensor, ms)
      for (const sensor of sensors) if (!newest.has(sensor)) newest.set(sensor, Number.NEGATIVE_INFINITY)
      const fresh: TailReading[] = []
      for (const reading of found.readings) {
        // readings from before the watch began
        const isOld = sinceMs.get(reading.sensor) === undefined
        if (isNew(reading) && !isOld) fresh.push(reading)
      }
      return fresh
    },
  }
}

export type EventPolls = { look(enterprise: number, signal: AbortSignal): Promise<EnterpriseEvent[]> }

export function createEventPolls(clickhouse: ClickHouse): EventPolls {
  let sinceMs = Date.now()
  let sent = new Map<string, number>()
  return {
    async look(enterprise, signal) {
      const range = { detectedAfterMs: sinceMs - OVERLAP_MS, fromMs: Date.now() - EVENTS_OF_MS, limit: MAX_EVENTS }
      const rows = await newZoneEvents(clickhouse, enterprise, range, signal)
      const startMs = sinceMs
      const fresh = rows.filter((event) => {
        const [rule, sensor, ms] = event
        const detectedMs = event[9]
        const key = `${rule} ${sensor} ${ms}`
        sinceMs = Math.max(sinceMs, detectedMs)
        if (sent.has(key)) return false
        sent.set(key, detectedMs)
        return detectedMs >= startMs - OVERLAP_MS
      })
      sent = new Map([...sent].filter(([, detectedMs]) => detectedMs > sinceMs - 2 * OVERLAP_MS))
      return fresh
    },
  }
}
