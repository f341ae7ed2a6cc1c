/** Notes when keys of sensors were last used, and writes that to the database now and then. */
import type { Database } from '../stores/postgres/client.ts'
import { noteKeyUse } from '../stores/postgres/sensors.ts'

export type KeyUse = {
  note(keyId: string, nowMs: number): void
  /** Writes what is still to be written. */
  stop(): Promise<void>
}

const WRITE_INTERVAL_MS = 30_000

export function startKeyUse(db: Database, onError: (error: unknown) => void): KeyUse {
  let used = new Map<string, number>()
  async function write(): Promise<void> {
    if (used.size === 0) return
    const writing = used
    used = new Map()
    try {
      await noteKeyUse(db, writing)
    } catch (error) {
      // later uses replace earlier ones
      used = new Map([...writing, ...used])
      onError(error)
    }
  }
  const timer = setInterval(() => void write(), WRITE_INTERVAL_MS)
  timer.unref()
  return {
    note: (keyId, nowMs) => void used.set(keyId, nowMs),
    async stop() {
      clearInterval(timer)
      await write()
    },
  }
}
