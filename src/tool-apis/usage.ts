/**
 * Counts calls of Tool APIs in memory, and writes the counts every second with one statement, never while a call waits.
 * Statements add to the stored counts, so several instances count together. A server that stops writes its counts
 * first; a killed server loses the counts of its last second. The owner's daily allowance is counted elsewhere, and
 * exactly.
 */
import { CODES, type Code } from '../errors.ts'
import { type PeriodicWrites, startWrites } from '../stores/periodic-writes.ts'
import type { Database } from '../stores/postgres/client.ts'
import {
  deleteStatisticsBefore,
  type RefusalRow,
  type StatisticsRow,
  writeToolApiCounts,
} from '../stores/postgres/runs/tool-api-statistics.ts'
import { addCounts, countDuration } from './latency.ts'

/** A call of a Tool API that exists, however it ended. */
export type ToolApiCall = {
  toolApiId: string
  atMs: number
  durationMs: number
  /** Number of features in the result. */
  features: number
  /** Whether it is a trial call from the portal. */
  isTrial: boolean
  /** Whether the call was counted against the allowance, so that the tool ran. */
  wasAdmitted: boolean
  code: Code
  /** The refusal or failure of a call without a result. */
  refusal?: { message: string; requestId: string }
}

export type ToolApiUsage = PeriodicWrites & {
  add(call: ToolApiCall): void
}

export const KEPT_HOURS = 48
export const KEPT_DAYS = 90

const FLUSH_MS = 1_000
const HOUR_MS = 3_600_000
const DAY_MS = 86_400_000
const SECOND_MS = 1_000

export function createToolApiUsage(db: Database, onError: (error: unknown) => void): ToolApiUsage {
  let counts = new Map<string, StatisticsRow>()
  let refusals = new Map<string, RefusalRow>()
  let deletedAtMs = 0

  function gather(row: StatisticsRow): void {
    const key = `${row.toolApiId} ${row.isTrial} ${row.wasAdmitted} ${row.hourMs} ${row.code}`
    const sum = counts.get(key)
    if (sum === undefined) {
      counts.set(key, row)
      return
    }
    sum.calls += row.calls
    sum.features += row.features
    sum.durationMs += row.durationMs
    sum.longestMs = Math.max(sum.longestMs, row.longestMs)
    sum.lastMs = Math.max(sum.lastMs, row.lastMs)
    addCounts(sum.durations, row.durations)
  }

  function gatherRefusal(row: RefusalRow): void {
    const key = `${row.toolApiId} ${row.code}`
    if ((refusals.get(key)?.atMs ?? 0) <= row.atMs) refusals.set(key, row)
  }

  async function write(): Promise<void> {
    if (counts.size === 0) return
    const [rows, examples] = [[...counts.values()], [...refusals.values()]]
    counts = new Map()
    refusals = new Map()
    try {
      await writeToolApiCounts(db, rows, examples)
    } catch (error) {
      // the statement wrote all of them or none
      rows.forEach(gather)
      examples.forEach(gatherRefusal)
      throw error
    }
    await deleteOld()
  }

  async function deleteOld(): Promise<void> {
    const nowMs = Date.now()
    if (nowMs - deletedAtMs < HOUR_MS) return
    deletedAtMs = nowMs
    // an hour or a day that has begun counts as a whole
    const hoursMs = nowMs - (KEPT_HOURS + 1) * HOUR_MS
    await deleteStatisticsBefore(db, hoursMs, nowMs - (KEPT_DAYS + 1) * DAY_MS)
  }

  return {
    add({ toolApiId, atMs, durationMs, features, isTrial, wasAdmitted, code, refusal }) {
      const durations: number[] = []
      // the duration of a refusal is unrelated to the tool
      const hasResult = CODES[code].status < 400
      if (hasResult) countDuration(durations, durationMs)
      gather({
        toolApiId,
        isTrial,
        wasAdmitted,
        code,
        features,
        durations,
        durationMs,
        calls: 1,
        hourMs: atMs - (atMs % HOUR_MS),
        longestMs: hasResult ? durationMs : 0,
        lastMs: atMs,
      })
      if (refusal !== undefined)
        gatherRefusal({ toolApiId, isTrial, code, atMs: atMs - (atMs % SECOND_MS), ...refusal })
    },
    ...startWrites(FLUSH_MS, write, onError),
  }
}
