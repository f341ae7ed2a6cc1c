/** Counts requests with the key pairs of each application, and adds them to the database every second. */
import { dayOf } from '../stores/postgres/api-requests.ts'
import { type ApplicationDay, addApplicationDays } from '../stores/postgres/application-usage.ts'
import type { Database } from '../stores/postgres/client.ts'

export type ApplicationRequests = {
  add(applicationId: string, nowMs: number): void
  /** Writes what was counted; later queries include it. */
  flush(): Promise<void>
  stop(): Promise<void>
}

const FLUSH_MS = 1_000
/** Rows of one statement. */
const BATCH = 1_000

export function startApplicationRequests(db: Database, onError: (error: unknown) => void): ApplicationRequests {
  let counted = new Map<string, ApplicationDay>()
  let writing = Promise.resolve()

  function count({ applicationId, day, requests }: ApplicationDay): void {
    const key = `${applicationId} ${day}`
    const known = counted.get(key)
    if (known === undefined) counted.set(key, { applicationId, day, requests })
    else known.requests += requests
  }

  function flush(): Promise<void> {
    writing = writing.then(async () => {
      const days = [...counted.values()]
      counted = new Map()
      for (let at = 0; at < days.length; at += BATCH)
        try {
          await addApplicationDays(db, days.slice(at, at + BATCH))
        } catch (error) {
          // what is not written yet waits for the next flush
          days.slice(at).forEach(count)
          onError(error)
          return
        }
    })
    return writing
  }

  const timer = setInterval(() => void flush(), FLUSH_MS)
  timer.unref()
  return {
    add: (applicationId, nowMs) => count({ applicationId, day: dayOf(nowMs), requests: 1 }),
    flush,
    async stop() {
      clearInterval(timer)
      await flush()
    },
  }
}
