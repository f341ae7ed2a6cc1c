/** Writes counts of calls with invalid keys to the audit log: one record a minute for each kind of key and address. */

import { startWrites } from '../../stores/periodic-writes.ts'
import { recordChange } from '../../stores/postgres/accounts/audit.ts'
import type { Database } from '../../stores/postgres/client.ts'
import type { KeyKind } from './key-failures.ts'

export type KeyFailureAudit = {
  count(kind: KeyKind, address: string): void
  stop(): Promise<void>
}

const FLUSH_MS = 60_000
/** Further addresses of a minute are recorded together. */
const MAX_RECORDS = 100
const OTHERS = 'others'

export function startKeyFailureAudit(db: Database, onError: (error: unknown) => void): KeyFailureAudit {
  let gathered = new Map<string, { kind: KeyKind; address: string; count: number }>()
  let sinceMs = Date.now()

  /** Counts that cannot be written are lost; the metrics have them too. */
  async function write(): Promise<void> {
    const entries = [...gathered.values()]
    const since = new Date(sinceMs).toISOString()
    gathered = new Map()
    sinceMs = Date.now()
    for (const { kind, address, count } of entries)
      await recordChange(db, {
        actor: address,
        action: 'refuse',
        kind,
        id: address,
        before: null,
        after: { count, since },
      })
  }

  const { stop } = startWrites(FLUSH_MS, write, onError)
  return {
    count(kind, address) {
      const isNew = !gathered.has(`${kind} ${address}`)
      const named = isNew && gathered.size >= MAX_RECORDS ? OTHERS : address
      const entry = gathered.get(`${kind} ${named}`) ?? { kind, address: named, count: 0 }
      entry.count++
      gathered.set(`${kind} ${named}`, entry)
    },
    stop,
  }
}
