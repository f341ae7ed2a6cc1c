/**
 * Keys of sensors, fleets, applications, Tool APIs and people. Each of these has any number of keys at once, so that a caller can
 * rotate keys without downtime; a key has a name, and may have an end.
 */

import { and, eq, isNull, sql } from 'drizzle-orm'
import type { AnyPgColumn } from 'drizzle-orm/pg-core'
import { AppError } from '../../../errors.ts'
import { fieldText } from '../../../field-texts/field-text.ts'
import type { Database } from '../client.ts'
import { newId } from '../ids.ts'
import { toolApiKeys } from '../layers/owned-schema.ts'
import { applicationKeys, fleetKeySecrets, personalKeys, sensorKeys } from '../schema.ts'
import { recordChange } from './audit.ts'

export type IssuedKey = {
  id: string
  name: string
  lastFour: string
  createdAt: Date
  expiresAt: Date | null
  /** To the hour. */
  lastUsedAt: Date | null
  revokedAt: Date | null
}
export type KeyInput = { name?: string; expiresAt?: Date }
/** The stored form of a key. */
export type KeyDigest = { keySha256: string; lastFour: string }

/** The kinds of keys, by their name in the audit log. */
const KINDS = {
  'sensor-key': { table: sensorKeys, holder: 'sensorId' },
  'application-key': { table: applicationKeys, holder: 'applicationId' },
  'tool-api-key': { table: toolApiKeys, holder: 'toolApiId' },
  'personal-key': { table: personalKeys, holder: 'personId' },
  'fleet-key-secret': { table: fleetKeySecrets, holder: 'fleetKeyId' },
} as const
export type KeyKind = keyof typeof KINDS

// the tables have these columns in common, but drizzle types a statement by one table
const tableOf = (kind: KeyKind) => KINDS[kind].table as unknown as typeof sensorKeys
const holderOf = (kind: KeyKind): AnyPgColumn =>
  (KINDS[kind].table as unknown as Record<string, AnyPgColumn>)[KINDS[kind].holder] as AnyPgColumn

export function keyColumnsOf(kind: KeyKind) {
  const { id, name, lastFour, createdAt, expiresAt, lastUsedAt, revokedAt } = tableOf(kind)
  return { id, name, lastFour, createdAt, expiresAt, lastUsedAt, revokedAt }
}

/** The holder of a key (a sensor, an application, a Tool API or a person) and the holder's owner. */
export type KeyHolder = { id: string; ownerId: string }

/** @param stored the kind's own columns: the digest, and the public half of a pair */
export async function insertKey<S extends { lastFour: string }>(
  tx: Database,
  kind: KeyKind,
  actor: string,
  holder: KeyHolder,
  stored: S,
  input: KeyInput = {},
): Promise<IssuedKey> {
  const table = tableOf(kind)
  const values = { id: newId('key'), [KINDS[kind].holder]: holder.id, ...stored, ...input }
  const [created] = await tx
    .insert(table)
    .values(values as unknown as typeof sensorKeys.$inferInsert)
    .returning(keyColumnsOf(kind))
  const key = created as IssuedKey
  const held = { [KINDS[kind].holder]: holder.id, ...key }
  const shown = 'publicKey' in stored ? { ...held, publicKey: stored.publicKey } : held
  await recordChange(tx, {
    actor,
    action: 'create',
    kind,
    id: key.id,
    before: null,
    after: shown,
    ownerId: holder.ownerId,
  })
  return key
}

/** @throws AppError NOT_FOUND if the holder has no such active key */
export async function revokeKey(
  tx: Database,
  kind: KeyKind,
  actor: string,
  holder: KeyHolder,
  keyId: string,
): Promise<void> {
  const table = tableOf(kind)
  const [revoked] = await tx
    .update(table)
    .set({ revokedAt: sql`now()` })
    .where(and(eq(holderOf(kind), holder.id), eq(table.id, keyId), isNull(table.revokedAt)))
    .returning(keyColumnsOf(kind))
  if (revoked === undefined) throw new AppError('NOT_FOUND', { message: fieldText('noSuchActiveKey') })
  const after = { [KINDS[kind].holder]: holder.id, ...revoked }
  const before = { ...after, revokedAt: null }
  await recordChange(tx, {
    actor,
    action: 'revoke',
    kind,
    id: keyId,
    before,
    after,
    ownerId: holder.ownerId,
  })
}

/** Notes when keys of a kind were last used. Keys that no longer exist are ignored. */
export async function noteKeyUse(db: Database, kind: KeyKind, usedAtMs: ReadonlyMap<string, number>): Promise<void> {
  const used = sql`unnest(${sql.param([...usedAtMs.keys()])}::text[], ${sql.param([...usedAtMs.values()])}::float8[])`
  await db.execute(sql`
    UPDATE ${tableOf(kind)} AS stored SET last_used_at = greatest(last_used_at, to_timestamp(used.ms / 1000))
    FROM ${used} AS used (id, ms) WHERE stored.id = used.id`)
}
