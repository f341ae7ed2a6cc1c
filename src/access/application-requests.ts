/** Counts requests with the key pairs of each application, and adds them to the database every second. */

import { type PeriodicWrites, startWrites } from '../stores/periodic-writes.ts'
import { type ApplicationDay, addApplicationDays } from '../stores/postgres/accounts/application-usage.ts'
import type { Database } from '../stores/postgres/client.ts'
import { dayOf } from '../stores/postgres/runs/api-requests.ts'

export type ApplicationRequests = PeriodicWrites & {
  add(applicationId: string, nowMs: number): void
}

const FLUSH_MS = 1_000
/** Rows of one statement. */
const BATCH = 1_000

export function startApplicationRequests(db: Database, onError: (error: unknown) => void): ApplicationRequests {
  let counted = new Map<string, ApplicationDay>()

  function count({ applicationId, day, requests }: ApplicationDay): void {
    const key = `${applicationId} ${day}`
    const known = counted.get(key)
    if (known === undefined) counted.set(key, { applicationId, day, requests })
    else known.requests += requests
  }

  async function write(): Promise<void> {
    const days = [...counted.values()]
    counted = new Map()
    for (let at = 0; at < days.length; at += BATCH)
      try {
        await addApplicationDays(db, days.slice(at, at + BATCH))
      } catch (error) {
        // counts that are not yet written wait for the next write
        days.slice(at).forEach(count)
        throw error
      }
  }

  return {
    add: (applicationId, nowMs) => count({ applicationId, day: dayOf(nowMs), requests: 1 }),
    ...startWrites(FLUSH_MS, write, onError),
  }
}
