/**
 * Writes how many readings each enterprise had accepted on each day to the database. The counts are those of
 * day-counts.ts, which survive a kill, so what is written again replaces what was written before.
 */
import { type PeriodicWrites, startWrites } from '../stores/periodic-writes.ts'
import type { Database } from '../stores/postgres/client.ts'
import { setReadingDays } from '../stores/postgres/sensors/reading-days.ts'
import type { ChangedCount } from './day-counts.ts'
import { MS_PER_DAY } from './timestamp.ts'

const FLUSH_MS = 2_000
/** Rows of one statement. */
const BATCH = 1_000

/** @param takeChanged gives the counts that have changed since it was last called */
export function startReadingDays(
  db: Database,
  instanceId: string,
  takeChanged: (nowMs: number) => ChangedCount[],
  onError: (error: unknown) => void,
): PeriodicWrites {
  /** By enterprise and day, because a newer count replaces an older one. */
  const waiting = new Map<string, ChangedCount>()

  async function write(): Promise<void> {
    for (const changed of takeChanged(Date.now())) waiting.set(`${changed.enterprise} ${changed.day}`, changed)
    while (waiting.size > 0) {
      const batch = [...waiting.entries().take(BATCH)]
      const days = batch.map(([, { enterprise, day, readings }]) => ({
        ...{ enterprise, readings },
        day: new Date(day * MS_PER_DAY).toISOString().slice(0, 10),
      }))
      await setReadingDays(db, instanceId, days)
      for (const [key] of batch) waiting.delete(key)
    }
  }
  return startWrites(FLUSH_MS, write, onError)
}
