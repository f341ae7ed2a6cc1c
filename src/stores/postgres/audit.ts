import { and, desc, eq, lt } from 'drizzle-orm'
import type { Database } from './client.ts'
import { newId } from './ids.ts'
import { type Page, type PageQuery, pageOf } from './page.ts'
import { audit } from './schema.ts'

export type Change = {
  actor: string
  /** `refuse` counts calls with invalid keys, `upload` readings that did not come from the sensor itself. */
  action: 'create' | 'update' | 'delete' | 'revoke' | 'refuse' | 'download' | 'upload' | 'sign-in' | 'sign-out' | 'use'
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
  /** Whose record it is, if neither state says so. */
  ownerId?: string | undefined
}

// must not appear in the audit table
const SECRET_FIELDS = new Set(['passwordHash', 'secretSha256', 'keySha256', 'tokenSha256'])

function withoutSecrets(record: object | null): Record<string, unknown> | null {
  if (record === null) return null
  return Object.fromEntries(Object.entries(record).filter(([field]) => !SECRET_FIELDS.has(field)))
}

/** Whose record it is: an enterprise or a person. */
function ownerOf({ kind, id, before, after }: Change): string | null {
  if (kind === 'enterprise' || kind === 'person') return id
  const { ownerId, enterpriseId } = { ...before, ...after } as { ownerId?: string; enterpriseId?: string }
  return ownerId ?? enterpriseId ?? null
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
    ownerId: change.ownerId ?? ownerOf(change),
  })
}

export type AuditRecord = typeof audit.$inferSelect

/** Of one record, or of everything that an owner has; undefined for all. */
export type AuditFilter = { subjectId: string | undefined; ownerId: string | undefined }

/** Newest first. */
export async function listAudit(
  db: Database,
  { limit, cursor }: PageQuery,
  { subjectId, ownerId }: AuditFilter,
): Promise<Page<AuditRecord>> {
  const rows = await db
    .select()
    .from(audit)
    .where(
      and(
        subjectId === undefined ? undefined : eq(audit.subjectId, subjectId),
        ownerId === undefined ? undefined : eq(audit.ownerId, ownerId),
        cursor === undefined ? undefined : lt(audit.id, cursor),
      ),
    )
    .orderBy(desc(audit.id))
    .limit(limit + 1)
  return pageOf(rows, limit)
}
