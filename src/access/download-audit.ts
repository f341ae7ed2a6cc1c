/**
 * Records downloads and views of files in the audit log. Viewing a file reveals its content, so views are recorded too.
 * A program that reads a file in many ranges makes one record a minute.
 */
import { type AuditAction, recordChange } from '../stores/postgres/accounts/audit.ts'
import { isPerson } from '../stores/postgres/accounts/owners.ts'
import type { Database } from '../stores/postgres/client.ts'

export type Downloaded = {
  kind: 'stored-file' | 'file-version' | 'layer' | 'data-export'
  id: string
  filename: string
  bytes: number
}

export type Purpose = Extract<AuditAction, 'download' | 'view'>

export type DownloadAudit = {
  /** To be called before the content is sent. @param ownerId the owner of the file */
  record(actor: string, ownerId: string, file: Downloaded, purpose?: Purpose): Promise<void>
}

/**
 * A view only if the request's headers show that a page of this server loads the content for itself. Pages cannot set
 * these headers, and a link that is opened or saved is a navigation. Requests without these headers are downloads, as
 * are calls with a key and requests of browsers without TLS, which do not send them.
 */
export function purposeOf(headers: Headers, isSession: boolean): Purpose {
  const mode = headers.get('sec-fetch-mode')
  const isOfPage = mode === 'cors' || mode === 'no-cors' || mode === 'same-origin'
  return isSession && isOfPage && headers.get('sec-fetch-site') === 'same-origin' ? 'view' : 'download'
}

const MINUTE_MS = 60_000
const MAX_REMEMBERED = 10_000

export function createDownloadAudit(db: Database, now: () => number = Date.now): DownloadAudit {
  let minute = 0
  const recorded = new Set<string>()
  return {
    async record(actor, ownerId, { kind, id, filename, bytes }, purpose = 'download') {
      const thisMinute = Math.floor(now() / MINUTE_MS)
      if (thisMinute !== minute || recorded.size >= MAX_REMEMBERED) {
        minute = thisMinute
        recorded.clear()
      }
      const key = `${purpose} ${actor} ${id}`
      if (recorded.has(key)) return
      const after = { filename, bytes, ...(!isPerson(ownerId) && { enterpriseId: ownerId }) }
      await recordChange(db, { actor, action: purpose, kind, id, before: null, after, ownerId })
      recorded.add(key)
    },
  }
}
