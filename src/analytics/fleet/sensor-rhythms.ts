/**
 * The usual interval of each sensor's calls: the median of the intervals between its last calls, by the newest reading
 * of each call, so that a sensor that sends a day's readings at once has the rhythm of a day. Noted in memory without
 * waiting, and written to ClickHouse for all instances after a significant change.
 *
 * With several instances each sees only some of a sensor's calls. Their median is still within about an interval of the
 * right one, since most calls of a sensor use one connection.
 */

import { inTurns } from '../../event-loop-yield.ts'
import type { ClickHouse } from '../../stores/clickhouse/client.ts'
import { type RhythmRow, writeRhythms } from '../../stores/clickhouse/sensor-activity.ts'
import { startWrites } from '../../stores/periodic-writes.ts'
import { INTERVALS, LATE_AFTER, SHORTEST_INTERVAL_MS, UNKNOWN_INTERVAL_MS } from './sensor-state.ts'

export type SensorRhythms = {
  /** Notes a call with accepted readings; `newestMs` is the time of the newest one. */
  note(enterprise: number, sensor: number, newestMs: number): void
  /** Whether this instance has got a reading of the sensor within its rhythm. */
  isSending(sensor: number, nowMs: number): boolean
  stop(): Promise<void>
}

const WRITE_INTERVAL_MS = 2_000
/** A smaller change of the interval is not written. */
const REAL_CHANGE = 1.25
/** Numbers of sensors are dense, so they are kept in pages of arrays instead of an object for each sensor. */
const PAGE = 1024
/** Memory of 70 MB; sensors beyond it start again. */
const MAX_PAGES = 1024

type Page = {
  enterprises: Uint32Array
  newestMs: Float64Array
  /** Intervals of sensor i are at i * INTERVALS, the next one at `counts[i] % INTERVALS`. */
  intervals: Float64Array
  counts: Uint32Array
  writtenMs: Float64Array
}

const emptyPage = (): Page => ({
  enterprises: new Uint32Array(PAGE),
  newestMs: new Float64Array(PAGE),
  intervals: new Float64Array(PAGE * INTERVALS),
  counts: new Uint32Array(PAGE),
  writtenMs: new Float64Array(PAGE),
})

/** The median of the intervals of sensor i; the lower one of two, because an interval is rarely too short. */
function medianOf({ intervals, counts }: Page, i: number): number {
  const known = Math.min(counts[i] as number, INTERVALS)
  const own = intervals.slice(i * INTERVALS, i * INTERVALS + known).sort()
  return own[(known - 1) >> 1] as number
}

export function startSensorRhythms(clickhouse: ClickHouse, onError: (error: unknown) => void): SensorRhythms {
  let pages = new Map<number, Page>()
  let changed = new Set<number>()

  function pageOf(number: number): Page {
    let page = pages.get(number)
    if (page === undefined) {
      if (pages.size >= MAX_PAGES) pages = new Map()
      page = emptyPage()
      pages.set(number, page)
    }
    return page
  }

  async function write(): Promise<void> {
    if (changed.size === 0) return
    const sensors = [...changed]
    changed = new Set()
    const rows: RhythmRow[] = []
    await inTurns(sensors.length, (n) => {
      const sensor = sensors[n] as number
      const page = pages.get(Math.floor(sensor / PAGE))
      const i = sensor % PAGE
      if (page === undefined || page.counts[i] === 0) return
      const intervalMs = medianOf(page, i)
      const writtenMs = page.writtenMs[i] as number
      if (intervalMs < writtenMs * REAL_CHANGE && intervalMs * REAL_CHANGE > writtenMs) return
      rows.push([page.enterprises[i] as number, sensor, intervalMs])
    })
    await writeRhythms(clickhouse, rows)
    for (const [, sensor, intervalMs] of rows) pageOf(Math.floor(sensor / PAGE)).writtenMs[sensor % PAGE] = intervalMs
  }
  // a rhythm that could not be written is written after the sensor's next call
  const { stop } = startWrites(WRITE_INTERVAL_MS, write, onError)

  return {
    note(enterprise, sensor, newestMs) {
      const page = pageOf(Math.floor(sensor / PAGE))
      const i = sensor % PAGE
      const beforeMs = page.newestMs[i] as number
      // late readings do not show the rhythm
      if (newestMs <= beforeMs) return
      page.newestMs[i] = newestMs
      page.enterprises[i] = enterprise
      if (beforeMs === 0) return
      const count = page.counts[i] as number
      page.intervals[i * INTERVALS + (count % INTERVALS)] = newestMs - beforeMs
      page.counts[i] = count + 1
      changed.add(sensor)
    },
    isSending(sensor, nowMs) {
      const page = pages.get(Math.floor(sensor / PAGE))
      const i = sensor % PAGE
      if (page === undefined || page.newestMs[i] === 0) return false
      const intervalMs = page.counts[i] === 0 ? UNKNOWN_INTERVAL_MS : medianOf(page, i)
      return nowMs - (page.newestMs[i] as number) < Math.max(intervalMs, SHORTEST_INTERVAL_MS) * LATE_AFTER
    },
    stop,
  }
}
