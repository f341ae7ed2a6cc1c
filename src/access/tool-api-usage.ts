/** Buffers usage counters of Tool APIs and flushes them to the database every second. */
import { addToolApiDays, dayOf, type ToolApiDay } from '../stores/postgres/api-requests.ts'
import type { Database } from '../stores/postgres/client.ts'

export type ToolApiUsage = {
  add(toolApiId: string, startedMs: number, durationMs: number, failed: boolean): void
  /** Writes all buffered counters; later queries include them. */
  flush(): Promise<void>
  stop(): Promise<void>
}

const FLUSH_MS = 1_000

export function createToolApiUsage(db: Database, onError: (error: unknown) => void): ToolApiUsage {
  let gathered = new Map<string, ToolApiDay>()
  let writing = Promise.resolve()

  function gather({ toolApiId, day, calls, failures, durationMs }: ToolApiDay): void {
    const key = `${toolApiId} ${day}`
    const sum = gathered.get(key) ?? { toolApiId, day, calls: 0, failures: 0, durationMs: 0 }
    sum.calls += calls
    sum.failures += failures
    sum.durationMs += durationMs
    gathered.set(key, sum)
  }

  function flush(): Promise<void> {
    writing = writing.then(async () => {
      const days = [...gathered.values()]
      gathered = new Map()
      for (const [i, day] of days.entries())
        try {
          await addToolApiDays(db, [day])
        } catch (error) {
          // counters that are not written yet wait for the next flush
          days.slice(i).forEach(gather)
          onError(error)
          return
        }
    })
    return writing
  }

  const timer = setInterval(() => void flush(), FLUSH_MS)
  timer.unref()
  return {
    add(toolApiId, startedMs, durationMs, failed) {
      gather({ toolApiId, day: dayOf(startedMs), calls: 1, failures: failed ? 1 : 0, durationMs })
    },
    flush,
    async stop() {
      clearInterval(timer)
      await flush()
    },
  }
}
