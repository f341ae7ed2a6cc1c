/**
 * Counts accepted and refused readings, with an example of each reason, and writes them to ClickHouse every two seconds
 * for all instances. Recording is a few operations in memory. Memory and storage are bounded however much is refused: a
 * sensor has one entry for each reason, there is a maximum of entries, and an example is stored once in ten minutes.
 */
import type { ClickHouse } from '../../stores/clickhouse/client.ts'
import { ACCEPTED, type ActivityRow, NO_SENSOR, writeActivity } from '../../stores/clickhouse/sensor-activity.ts'
import { startWrites } from '../../stores/periodic-writes.ts'

export type Sender = { enterprise: number; sensor: number }

export type Activity = {
  /** Notes the outcome of a call whose readings were validated. */
  accepted(sender: Sender, count: number, nowMs: number): void
  /**
   * @param example called if an example is needed
   * @param isWhole whether the whole call was refused
   */
  refused(sender: Sender, reason: string, count: number, nowMs: number, isWhole: boolean, example: () => string): void
  stop(): Promise<void>
}

const WRITE_INTERVAL_MS = 2_000
/** Maximum number of entries between two writes; 12 MB with their examples. */
const MAX_ENTRIES = 10_000
/**
 * Maximum number of examples stored between two writes, which bounds the storage that an attack on many sensors takes.
 */
const MAX_EXAMPLES = 200
const EXAMPLE_EVERY_MS = 600_000
/** Reasons of sensors whose examples are known to be stored. */
const MAX_KNOWN = 50_000
const PERIOD_S = 60
const ACCEPTED_PERIOD_S = 10

const periodOf = (nowMs: number, lengthS: number): number => Math.floor(nowMs / 1000 / lengthS) * lengthS

export function startActivity(clickhouse: ClickHouse, onError: (error: unknown) => void): Activity {
  let entries = new Map<string, ActivityRow>()
  /** Counts of the current period, by enterprise. */
  let acceptedCounts = new Map<number, ActivityRow>()
  let examples = 0
  /** When an example of a reason of a sensor was stored last. */
  let shown = new Map<string, number>()
  /** Sensors with a refused call and no accepted one since. */
  let refusedSensors = new Set<number>()

  function entryOf({ enterprise, sensor }: Sender, outcome: string, nowMs: number): ActivityRow | undefined {
    const period = periodOf(nowMs, PERIOD_S)
    const key = `${sensor} ${outcome} ${period}`
    let entry = entries.get(key)
    if (entry === undefined) {
      if (entries.size >= MAX_ENTRIES) return undefined
      entry = { enterprise, sensor, outcome, period, count: 0, lastMs: 0, callMs: 0, example: '' }
      entries.set(key, entry)
    }
    return entry
  }

  function needsExample(sensor: number, reason: string, nowMs: number): boolean {
    const key = `${sensor} ${reason}`
    if (examples >= MAX_EXAMPLES || nowMs - (shown.get(key) ?? 0) < EXAMPLE_EVERY_MS) return false
    if (shown.size >= MAX_KNOWN) shown = new Map()
    shown.set(key, nowMs)
    examples++
    return true
  }

  async function write(): Promise<void> {
    if (entries.size === 0 && acceptedCounts.size === 0) return
    const rows = [...entries.values(), ...acceptedCounts.values()]
    entries = new Map()
    acceptedCounts = new Map()
    examples = 0
    await writeActivity(clickhouse, rows)
  }
  // counts that could not be written are lost; keeping them while ClickHouse is unavailable is not worth the memory
  const { stop } = startWrites(WRITE_INTERVAL_MS, write, (error) => {
    shown = new Map()
    onError(error)
  })

  return {
    accepted(sender, count, nowMs) {
      const { enterprise, sensor } = sender
      const period = periodOf(nowMs, ACCEPTED_PERIOD_S)
      let row = acceptedCounts.get(enterprise)
      if (row === undefined || row.period !== period) {
        // the counts of a period that is over are written with the next ones
        if (row !== undefined) entries.set(`${NO_SENSOR} ${enterprise} ${row.period}`, row)
        row = {
          enterprise,
          sensor: NO_SENSOR,
          outcome: ACCEPTED,
          period,
          count: 0,
          lastMs: nowMs,
          callMs: 0,
          example: '',
        }
        acceptedCounts.set(enterprise, row)
      }
      row.count += count
      if (refusedSensors.size === 0 || !refusedSensors.delete(sensor)) return
      const recovered = entryOf(sender, ACCEPTED, nowMs)
      if (recovered !== undefined) recovered.lastMs = nowMs
    },

    refused(sender, reason, count, nowMs, isWhole, example) {
      const entry = entryOf(sender, reason, nowMs)
      // too many sensors are refused at once
      if (entry === undefined) return
      entry.count += count
      entry.lastMs = nowMs
      if (isWhole) {
        entry.callMs = nowMs
        if (refusedSensors.size >= MAX_KNOWN) refusedSensors = new Set()
        refusedSensors.add(sender.sensor)
      }
      if (entry.example === '' && needsExample(sender.sensor, reason, nowMs)) entry.example = example()
    },

    stop,
  }
}
