/** Notes when keys were last used, and writes the times to the database periodically. */

import { startWrites } from '../../stores/periodic-writes.ts'
import { type KeyKind, noteKeyUse } from '../../stores/postgres/accounts/issued-keys.ts'
import type { Database } from '../../stores/postgres/client.ts'

export type KeyUse = {
  note(kind: KeyKind, keyId: string, nowMs: number): void
  /** Writes the pending uses of one kind, so that later queries include them. */
  flush(kind: KeyKind): Promise<void>
  stop(): Promise<void>
}

/** A key is noted once an hour, so most of these writes have nothing to do. */
const WRITE_INTERVAL_MS = 1_000
/** Keys in one statement, so that it is quick to build and run even when a fleet arrives. */
const BATCH = 1_000

export function startKeyUse(db: Database, onError: (error: unknown) => void): KeyUse {
  const usedOf: Record<KeyKind, Map<string, number>> = {
    'sensor-key': new Map(),
    'application-key': new Map(),
    'tool-api-key': new Map(),
    'personal-key': new Map(),
    'fleet-key-secret': new Map(),
  }

  async function writeKind(kind: KeyKind): Promise<void> {
    const used = usedOf[kind]
    while (used.size > 0) {
      const batch = new Map(used.entries().take(BATCH))
      await noteKeyUse(db, kind, batch)
      // unless the key was used again meanwhile
      for (const [keyId, ms] of batch) if (used.get(keyId) === ms) used.delete(keyId)
    }
  }
  async function write(): Promise<void> {
    for (const kind of Object.keys(usedOf) as KeyKind[]) await writeKind(kind)
  }
  const { stop } = startWrites(WRITE_INTERVAL_MS, write, onError)
  return {
    note: (kind, keyId, nowMs) => void usedOf[kind].set(keyId, nowMs),
    flush: (kind) => writeKind(kind).catch(onError),
    stop,
  }
}
