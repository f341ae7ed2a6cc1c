/** Writes counts of readings that people uploaded to the audit log: one record for each upload to a sensor. */

import { startWrites } from '../stores/periodic-writes.ts'
import { recordChange } from '../stores/postgres/accounts/audit.ts'
import type { Database } from '../stores/postgres/client.ts'

export type UploadCounts = { accepted: number; duplicates: number; refused: number }

export type UploadAudit = {
  count(actor: string, sensorId: string, counts: UploadCounts): void
  stop(): Promise<void>
}

/** A file of many readings is sent in many calls, which are recorded together. */
const FLUSH_MS = 15_000
/** Maximum number of uploads collected in memory; further ones are recorded at once. */
const MAX_GATHERED = 1_000

type Entry = UploadCounts & { actor: string; sensorId: string; calls: number; since: string }

export function startUploadAudit(db: Database, onError: (error: unknown) => void): UploadAudit {
  let gathered = new Map<string, Entry>()

  async function write(): Promise<void> {
    const entries = [...gathered.values()]
    gathered = new Map()
    for (const { actor, sensorId, ...after } of entries)
      try {
        await recordChange(db, { actor, action: 'upload', kind: 'sensor', id: sensorId, before: null, after })
      } catch (error) {
        onError(error)
      }
  }
  const { flush, stop } = startWrites(FLUSH_MS, write, onError)

  return {
    count(actor, sensorId, { accepted, duplicates, refused }) {
      const key = `${actor} ${sensorId}`
      let entry = gathered.get(key)
      if (entry === undefined) {
        if (gathered.size >= MAX_GATHERED) void flush()
        const since = new Date().toISOString()
        entry = { actor, sensorId, calls: 0, accepted: 0, duplicates: 0, refused: 0, since }
        gathered.set(key, entry)
      }
      entry.calls++
      entry.accepted += accepted
      entry.duplicates += duplicates
      entry.refused += refused
    },
    stop,
  }
}
