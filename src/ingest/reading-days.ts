/**
 * Writes each enterprise's daily count of accepted readings to the database. The counts come from day-counts.ts and
 * survive a kill, so a later write replaces the earlier value.
 */
import { type PeriodicWrites, startWrites } from '../stores/periodic-writes.ts'
import type { Database } from '../stores/postgres/client.ts'
import { setReadingDays } from '../stores/postgres/sensors/reading-days.ts'
import type { ChangedCount } from './day-counts.ts'
import { MS_PER_DAY } from './timestamp.ts'

const FLUSH_MS = 2_000
/** Rows of one statement. */
const BATCH = 1_000

/** @param takeChanged returns the counts that changed since its last call */
export function startReadingDays(
  db: Database,
  instanceId: string,
  takeChanged: (nowMs: number) => ChangedCount[],
  onError: (error: unknown) => void,
): PeriodicWrites {
  /** Counts to write, keyed by enterprise and day, because a newer count replaces an older one. */
  const waiting = new Map<string, ChangedCount>()

  async function write(): Promise<void> {
    for (const changed of takeChanged(Date.now())) waiting.set(`${changed.enterprise} ${changed.day}`, changed)
    while (waiting.size > 0) {
      const batch = [...waiting.entries().take(BATCH)]
      const days = batch.map(([, { enterprise, day, readings }]) => ({
        enterprise,
        readings,
        day: new Date(day * MS_PER_DAY).toISOString().slice(0, 10),
      }))
      await setReadingDays(db, instanceId, days)
      for (const [key] of batch) waiting.delete(key)
    }
  }
  return startWrites(FLUSH_MS, write, onError)
}
