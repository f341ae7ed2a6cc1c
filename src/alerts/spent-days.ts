/** Days whose readings an enterprise has spent: its sensors are refused, so they only seem to be silent. */
import { spentDaysOf } from '../stores/postgres/alerts/spent-days.ts'
import type { Database } from '../stores/postgres/client.ts'
import type { JudgeInput } from './protocol.ts'
import type { WatchedRules } from './watch-files.ts'

/** Reads the spent days of enterprises with silence rules, at most once a second. */
export type SpentDays = (rules: WatchedRules) => Promise<JudgeInput['spentDays']>

/** Counts of readings are written every two seconds (ingest/reading-days.ts). */
const READ_MS = 1_000

export function createSpentDays(db: Database): SpentDays {
  let known: JudgeInput['spentDays'] = []
  let readMs = Number.NEGATIVE_INFINITY
  return async (rules) => {
    const silent = rules.values().filter(({ kind }) => kind === 'silence')
    const enterprises = new Set(silent.map(({ enterpriseId }) => enterpriseId))
    if (enterprises.size === 0) return []
    if (performance.now() < readMs + READ_MS) return known
    known = await spentDaysOf(db, [...enterprises])
    readMs = performance.now()
    return known
  }
}
