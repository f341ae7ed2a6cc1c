/**
 * Records who downloads which file in the audit log. A program that reads a file in many ranges makes one record a
 * minute.
 */
import { recordChange } from '../stores/postgres/audit.ts'
import type { Database } from '../stores/postgres/client.ts'
import { isPerson } from '../stores/postgres/owners.ts'

export type Downloaded = {
  kind: 'stored-file' | 'file-version' | 'layer' | 'data-export'
  id: string
  filename: string
  bytes: number
}

export type DownloadAudit = {
  /** To be called before the content is sent. @param ownerId whose file it is */
  record(actor: string, ownerId: string, file: Downloaded): Promise<void>
}

const MINUTE_MS = 60_000
const MAX_REMEMBERED = 10_000

export function createDownloadAudit(db: Database, now: () => number = Date.now): DownloadAudit {
  let minute = 0
  const recorded = new Set<string>()
  return {
    async record(actor, ownerId, { kind, id, filename, bytes }) {
      const thisMinute = Math.floor(now() / MINUTE_MS)
      if (thisMinute !== minute || recorded.size >= MAX_REMEMBERED) {
        minute = thisMinute
        recorded.clear()
      }
      const key = `${actor} ${id}`
      if (recorded.has(key)) return
      const after = { filename, bytes, ...(!isPerson(ownerId) && { enterpriseId: ownerId }) }
      await recordChange(db, { actor, action: 'download', kind, id, before: null, after, ownerId })
      recorded.add(key)
    },
  }
}
