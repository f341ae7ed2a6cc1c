import { and, eq, gte, inArray, lt, sql } from 'drizzle-orm'
import type { Database } from '../client.ts'
import { newId } from '../ids.ts'
import { type Page, type PageQuery, pageOfTable } from '../page.ts'
import { rowsOf } from '../rows.ts'
import { audit } from '../schema.ts'

export const AUDIT_ACTIONS = [
  'create',
  'update',
  'delete',
  'revoke',
  'refuse',
  'download',
  'view',
  'upload',
  'sign-in',
  'sign-out',
  'use',
  'read-again',
] as const
export type AuditAction = (typeof AUDIT_ACTIONS)[number]

export const SUBJECT_KINDS = [
  'tier',
  'enterprise',
  'member',
  'person',
  'application',
  'application-key',
  'personal-key',
  'operator-token',
  'stored-file',
  'upload',
  'run',
  'job',
  'asset',
  'sensor',
  'sensor-key',
  'fleet-key',
  'fleet-key-secret',
  'pending-sensors',
  'readings',
  'layer',
  'file',
  'file-version',
  'data-export',
  'tool-api',
  'tool-api-key',
  'zone-rule',
  'dashboard',
  'view',
  'recipe',
  'share-link',
  'note',
  'alert',
  'alert-silence',
  'destination',
  'account',
  'password',
  'sign-in',
  'one-time-link',
  'audit',
] as const
export type SubjectKind = (typeof SUBJECT_KINDS)[number]

export type Change = {
  actor: string
  /**
   * `refuse` counts calls with invalid keys, `upload` readings that did not come from the sensor itself; `read-again` is
   * a secret that was shown again.
   */
  action: AuditAction
  kind: SubjectKind
  id: string
  before: object | null
  after: object | null
  /** The owner of the record, if neither state names it. */
  ownerId?: string | undefined
}

// secrets that must not appear in the audit table
const SECRET_FIELDS = new Set(['passwordHash', 'secretSha256', 'keySha256', 'tokenSha256'])

function withoutSecrets(record: object | null): Record<string, unknown> | null {
  if (record === null) return null
  return Object.fromEntries(Object.entries(record).filter(([field]) => !SECRET_FIELDS.has(field)))
}

/** The enterprise or person that owns the record. */
function ownerOf({ kind, id, before, after }: Change): string | null {
  if (kind === 'enterprise' || kind === 'person') return id
  const { ownerId, enterpriseId } = { ...before, ...after } as { ownerId?: string; enterpriseId?: string }
  return ownerId ?? enterpriseId ?? null
}

/** Records a change; call it in the transaction that makes the change. */
export const recordChange = (db: Database, change: Change): Promise<void> => recordChanges(db, [change])

/** Records changes, at least one, with one statement. */
export async function recordChanges(db: Database, changes: readonly Change[]): Promise<void> {
  await db.insert(audit).values(
    changes.map((change) => ({
      id: newId('aud'),
      actor: change.actor,
      action: change.action,
      subjectKind: change.kind,
      subjectId: change.id,
      before: withoutSecrets(change.before),
      after: withoutSecrets(change.after),
      ownerId: change.ownerId ?? ownerOf(change),
    })),
  )
}

/** Records that the secret of a key, token or link was shown again, whose creation is in the log. */
export async function recordSecretShown(db: Database, actor: string, id: string): Promise<void> {
  await db.execute(sql`
    INSERT INTO audit (id, actor, action, subject_kind, subject_id, owner_id)
    SELECT ${newId('aud')}, ${actor}, 'read-again', subject_kind, subject_id, owner_id
    FROM audit WHERE subject_id = ${id} AND action = 'create' LIMIT 1`)
}

export type AuditRecord = typeof audit.$inferSelect

/** Every filter that is set must match; without any, everything does. */
export type AuditFilter = {
  /** Changes of one record. */
  subjectId?: string | undefined
  /** Changes of all records of one owner. */
  ownerId?: string | undefined
  /** Changes by one of these actors. */
  actors?: readonly string[] | undefined
  action?: AuditAction | undefined
  kind?: SubjectKind | undefined
  /** The period: `from` is included, `to` is not. */
  from?: Date | undefined
  to?: Date | undefined
}

/** The prefix of an account's address: the role in which it acted. */
const ACTING_ROLES = ['operator', 'owner', 'admin', 'member', 'person', 'account']

/** Texts that identify an actor in the log. @param who an address, the id of an application, or a whole text */
export const actorsNamed = (who: string): string[] => [who, ...ACTING_ROLES.map((role) => `${role} ${who}`)]

/**
 * Ids begin with the time at which they were made, so a range of time is a range of ids. The database's clock, which
 * sets `at`, may differ from this process's clock, and a transaction may take a while.
 */
const CLOCKS_DIFFER_MS = 3_600_000
const idAt = (ms: number): string => `aud_${Math.max(0, ms).toString(16).padStart(12, '0')}`

/** Newest first. */
export async function listAudit(
  db: Database,
  query: PageQuery,
  { subjectId, ownerId, actors, action, kind, from, to }: AuditFilter,
): Promise<Page<AuditRecord>> {
  const where = and(
    subjectId === undefined ? undefined : eq(audit.subjectId, subjectId),
    ownerId === undefined ? undefined : eq(audit.ownerId, ownerId),
    actors === undefined ? undefined : inArray(audit.actor, [...actors]),
    action === undefined ? undefined : eq(audit.action, action),
    kind === undefined ? undefined : eq(audit.subjectKind, kind),
    from && and(gte(audit.at, from), gte(audit.id, idAt(from.getTime() - CLOCKS_DIFFER_MS))),
    to && and(lt(audit.at, to), lt(audit.id, idAt(to.getTime() + CLOCKS_DIFFER_MS))),
  )
  return pageOfTable(db, audit, where, query, 'desc')
}

const MAX_ACTORS = 1_000

/** All actors in an owner's part of the log. Each takes one index lookup, however often they acted. */
export async function auditActors(db: Database, ownerId: string): Promise<string[]> {
  const rows = rowsOf<{ actor: string }>(
    await db.execute(sql`
      WITH RECURSIVE found AS (
        (SELECT actor FROM audit WHERE owner_id = ${ownerId} ORDER BY actor LIMIT 1)
        UNION ALL
        SELECT (SELECT actor FROM audit WHERE owner_id = ${ownerId} AND actor > found.actor ORDER BY actor LIMIT 1)
        FROM found WHERE found.actor IS NOT NULL
      )
      SELECT actor FROM found WHERE actor IS NOT NULL LIMIT ${MAX_ACTORS}`),
  )
  return rows.map(({ actor }) => actor)
}
