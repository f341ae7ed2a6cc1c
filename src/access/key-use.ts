/** Notes when keys of sensors were last used, and writes that to the database now and then. */
import type { Database } from '../stores/postgres/client.ts'
import { noteKeyUse } from '../stores/postgres/sensors.ts'

export type KeyUse = {
  note(keyId: string, nowMs: number): void
  /** Writes what is still to be written. */
  stop(): Promise<void>
}

const WRITE_INTERVAL_MS = 30_000
/** Keys in one statement, so that neither building nor running it takes long when a fleet arrives. */
const BATCH = 1_000

export function startKeyUse(db: Database, onError: (error: unknown) => void): KeyUse {
  const used = new Map<string, number>()
  let writing: Promise<void> | undefined

  async function write(): Promise<void> {
    while (used.size > 0) {
      const batch = new Map(used.entries().take(BATCH))
      await noteKeyUse(db, batch)
      // unless it was used again meanwhile
      for (const [keyId, ms] of batch) if (used.get(keyId) === ms) used.delete(keyId)
    }
  }
  function writeOnce(): Promise<void> {
    writing ??= write()
      .catch(onError)
      .finally(() => {
        writing = undefined
      })
    return writing
  }
  const timer = setInterval(() => void writeOnce(), WRITE_INTERVAL_MS)
  timer.unref()
  return {
    note: (keyId, nowMs) => void used.set(keyId, nowMs),
    async stop() {
      clearInterval(timer)
      await writing
      await writeOnce()
    },
  }
}
