import { and, desc, eq, lt } from 'drizzle-orm'
import type { Database } from './client.ts'
import { newId } from './ids.ts'
import { type Page, type PageQuery, pageOf } from './page.ts'
import { audit } from './schema.ts'

export type Change = {
  actor: string
  /** `refuse` counts calls with invalid keys. */
  action: 'create' | 'update' | 'delete' | 'revoke' | 'refuse' | 'download' | 'sign-in' | 'sign-out' | 'use'
  kind:
    | 'tier'
    | 'enterprise'
    | 'member'
    | 'person'
    | 'application'
    | 'application-key'
    | 'operator-token'
    | 'stored-file'
    | 'asset'
    | 'sensor'
    | 'sensor-key'
    | 'layer'
    | 'file'
    | 'file-version'
    | 'tool-api'
    | 'tool-api-key'
    | 'zone-rule'
    | 'account'
    | 'password'
    | 'sign-in'
    | 'one-time-link'
  id: string
  before: object | null
  after: object | null
}

// must not appear in the audit table
const SECRET_FIELDS = new Set(['passwordHash', 'secretSha256', 'keySha256', 'tokenSha256'])

function withoutSecrets(record: object | null): Record<string, unknown> | null {
  if (record === null) return null
  return Object.fromEntries(Object.entries(record).filter(([field]) => !SECRET_FIELDS.has(field)))
}

/** Records a change; call it in the transaction that makes the change. */
export async function recordChange(db: Database, change: Change): Promise<void> {
  await db.insert(audit).values({
    id: newId('aud'),
    actor: change.actor,
    action: change.action,
    subjectKind: change.kind,
    subjectId: change.id,
    before: withoutSecrets(change.before),
    after: withoutSecrets(change.after),
  })
}

export type AuditRecord = typeof audit.$inferSelect

/** Newest first; all entries, or those of one subject. */
export async function listAudit(
  db: Database,
  { limit, cursor }: PageQuery,
  subjectId: string | undefined,
): Promise<Page<AuditRecord>> {
  const rows = await db
    .select()
    .from(audit)
    .where(
      and(
        subjectId === undefined ? undefined : eq(audit.subjectId, subjectId),
        cursor === undefined ? undefined : lt(audit.id, cursor),
      ),
    )
    .orderBy(desc(audit.id))
    .limit(limit + 1)
  return pageOf(rows, limit)
}
