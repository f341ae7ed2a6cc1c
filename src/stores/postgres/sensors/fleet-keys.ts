/** Fleet keys (sql/postgres/0058-fleet-keys.sql): their settings and their secrets. */
import { and, asc, eq, gt, inArray, isNull, or, sql } from 'drizzle-orm'
import { bigint, integer, pgTable, text } from 'drizzle-orm/pg-core'
import { AppError, invalidField } from '../../../errors.ts'
import { fieldText } from '../../../field-texts/field-text.ts'
import { largest } from '../../../lists.ts'
import { recordChange } from '../accounts/audit.ts'
import { type IssuedKey, insertKey, type KeyDigest, type KeyInput, keyColumnsOf } from '../accounts/issued-keys.ts'
import type { Database } from '../client.ts'
import { createdAt, jsonb, revokedAt, updatedAt } from '../columns.ts'
import { newId } from '../ids.ts'
import { type Page, type PageQuery, pageOfTable } from '../page.ts'
import { lockRecord } from '../record-lock.ts'
import { rowsOf } from '../rows.ts'
import { enterprises, fleetKeySecrets } from '../schema.ts'
import type { ChannelInput } from './sensors.ts'

/** What a fleet key gives to sensors that are made for it. */
export type FleetTemplate = { channels?: ChannelInput[]; tags?: string[] }

/** Of a sensor. */
export const MAX_TAGS = 20

/** Tags of a sensor that keys make. Tags of the keys come first: without them, the keys could not send for the sensor. */
export const tagsOfMade = (ofKeys: readonly string[], template: FleetTemplate | null): string[] =>
  [...new Set([...ofKeys, ...(template?.tags ?? [])])].slice(0, MAX_TAGS)

export const CHANNEL_NAMES = ['field', 'measurement.field'] as const
export const UNKNOWN_CHANNELS = ['refuse', 'ignore'] as const
export const AUTO_CREATE = ['off', 'pending', 'on'] as const

const fleetKeys = pgTable('fleet_keys', {
  id: text('id').primaryKey(),
  enterpriseId: text('enterprise_id').notNull(),
  name: text('name').notNull(),
  tags: text('tags').array().notNull().default([]),
  autoCreate: text('auto_create', { enum: AUTO_CREATE }).notNull().default('off'),
  template: jsonb('template').$type<FleetTemplate>(),
  sensorTag: text('sensor_tag'),
  sensor: text('sensor'),
  channelNames: text('channel_names', { enum: CHANNEL_NAMES }).notNull().default('field'),
  channelTags: text('channel_tags').array().notNull().default([]),
  unknownChannels: text('unknown_channels', { enum: UNKNOWN_CHANNELS }).notNull().default('refuse'),
  calls: bigint('calls', { mode: 'number' }).notNull().default(0),
  refused: bigint('refused', { mode: 'number' }).notNull().default(0),
  madeOn: text('made_on'),
  made: integer('made').notNull().default(0),
  createdAt: createdAt(),
  updatedAt: updatedAt(),
  revokedAt: revokedAt(),
})

type Row = typeof fleetKeys.$inferSelect
export type FleetKey = Omit<Row, 'madeOn' | 'made'> & {
  keys: IssuedKey[]
  /** To the hour. */
  lastUsedAt: Date | null
  /** Devices that wait for approval. */
  pending: number
}
type Setting =
  | 'name'
  | 'tags'
  | 'autoCreate'
  | 'template'
  | 'sensorTag'
  | 'sensor'
  | 'channelNames'
  | 'channelTags'
  | 'unknownChannels'
export type FleetKeyChange = Partial<Pick<Row, Setting>>
export type FleetKeyInput = FleetKeyChange & { name: string }

/** Keys that are not revoked. */
export const MAX_FLEET_KEYS = 100
/** How long the earlier keys stay valid after a rotation. */
export const OVERLAP_HOURS = 24

async function withSecrets(db: Database, rows: Row[]): Promise<FleetKey[]> {
  const ids = rows.map(({ id }) => id)
  const secrets = await db
    .select({ fleetKeyId: fleetKeySecrets.fleetKeyId, ...keyColumnsOf('fleet-key-secret') })
    .from(fleetKeySecrets)
    .where(inArray(fleetKeySecrets.fleetKeyId, ids))
    .orderBy(asc(fleetKeySecrets.id))
  const waiting = rowsOf<{ id: string; count: number }>(
    await db.execute(sql`
      SELECT fleet_key_id AS id, count(*)::integer AS count FROM pending_sensors
      WHERE fleet_key_id = ANY(${sql.param(ids)}::text[]) GROUP BY 1`),
  )
  const pendingOf = new Map(waiting.map(({ id, count }) => [id, count]))
  const byKey = Map.groupBy(secrets, ({ fleetKeyId }) => fleetKeyId)
  return rows.map(({ madeOn: _, made: _made, ...row }) => {
    const keys: IssuedKey[] = (byKey.get(row.id) ?? []).map(({ fleetKeyId: _, ...key }) => key)
    const used = keys.flatMap(({ lastUsedAt }) => lastUsedAt?.getTime() ?? [])
    const lastUsedAt = used.length === 0 ? null : new Date(largest(used))
    return { ...row, keys, lastUsedAt, pending: pendingOf.get(row.id) ?? 0 }
  })
}

/** Without what the use of the key changes: what the audit log has, and what two people may edit at once. */
export function settingsOf(key: FleetKey) {
  const { calls: _calls, refused: _refused, lastUsedAt: _used, pending: _pending, keys: _keys, ...settings } = key
  return settings
}

/** @throws AppError NOT_FOUND */
export async function getFleetKey(db: Database, id: string): Promise<FleetKey> {
  const rows = await db.select().from(fleetKeys).where(eq(fleetKeys.id, id))
  const [found] = await withSecrets(db, rows)
  if (found === undefined) throw new AppError('NOT_FOUND', { message: fieldText('noSuchFleetKey') })
  return found
}

export async function listFleetKeys(db: Database, enterpriseId: string, query: PageQuery): Promise<Page<FleetKey>> {
  const page = await pageOfTable(db, fleetKeys, eq(fleetKeys.enterpriseId, enterpriseId), query)
  return { ...page, items: await withSecrets(db, page.items) }
}

/** @throws AppError VALIDATION_FAILED */
function checkNaming({ sensorTag, sensor }: FleetKeyChange): void {
  if (typeof sensorTag === 'string' && typeof sensor === 'string')
    throw invalidField('body.sensor', 'combination', fieldText('notTogether', { field: 'sensorTag' }))
}

/** @throws AppError VALIDATION_FAILED, also for too many keys */
export async function createFleetKey(
  tx: Database,
  actor: string,
  enterpriseId: string,
  input: FleetKeyInput,
  digest: KeyDigest,
  secret: KeyInput,
): Promise<FleetKey> {
  // serializes new keys of an enterprise
  await tx.select().from(enterprises).where(eq(enterprises.id, enterpriseId)).for('update')
  const own = and(eq(fleetKeys.enterpriseId, enterpriseId), isNull(fleetKeys.revokedAt))
  if ((await tx.$count(fleetKeys, own)) >= MAX_FLEET_KEYS)
    throw invalidField('body', 'maxItems', fieldText('fleetKeysAtMost', { most: MAX_FLEET_KEYS }))
  checkNaming(input)
  const id = newId('fky')
  await tx.insert(fleetKeys).values({ ...input, id, enterpriseId })
  const after = settingsOf(await getFleetKey(tx, id))
  await recordChange(tx, { actor, action: 'create', kind: 'fleet-key', id, before: null, after })
  await insertKey(tx, 'fleet-key-secret', actor, { id, ownerId: enterpriseId }, digest, secret)
  return getFleetKey(tx, id)
}

export async function updateFleetKey(
  db: Database,
  actor: string,
  id: string,
  change: FleetKeyChange,
): Promise<FleetKey> {
  return db.transaction(async (tx) => {
    await lockRecord(tx, 'fleet-key', id)
    const before = await getFleetKey(tx, id)
    checkNaming({ ...before, ...change })
    await tx
      .update(fleetKeys)
      .set({ ...change, updatedAt: sql`now()` })
      .where(eq(fleetKeys.id, id))
    const after = await getFleetKey(tx, id)
    await recordChange(tx, {
      actor,
      action: 'update',
      kind: 'fleet-key',
      id,
      before: settingsOf(before),
      after: settingsOf(after),
    })
    return after
  })
}

/**
 * Adds a secret; the earlier ones end after 24 hours.
 * @throws AppError NOT_FOUND, CONFLICT for a key that was revoked
 */
export async function rotateFleetKey(
  tx: Database,
  actor: string,
  id: string,
  digest: KeyDigest,
  input: KeyInput,
): Promise<IssuedKey> {
  const { enterpriseId, revokedAt } = await getFleetKey(tx, id)
  if (revokedAt !== null) throw new AppError('CONFLICT', { message: fieldText('fleetKeyRevoked') })
  const overlapEnd = sql`now() + make_interval(hours => ${OVERLAP_HOURS}::integer)`
  await tx
    .update(fleetKeySecrets)
    .set({ expiresAt: overlapEnd })
    .where(
      and(
        eq(fleetKeySecrets.fleetKeyId, id),
        isNull(fleetKeySecrets.revokedAt),
        or(isNull(fleetKeySecrets.expiresAt), gt(fleetKeySecrets.expiresAt, overlapEnd)),
      ),
    )
  return insertKey(tx, 'fleet-key-secret', actor, { id, ownerId: enterpriseId }, digest, input)
}

/** Ends a key. Its record stays, with its refusals; what waits for approval goes. */
export async function revokeFleetKey(db: Database, actor: string, id: string): Promise<string> {
  return db.transaction(async (tx) => {
    const before = await getFleetKey(tx, id)
    if (before.revokedAt !== null) throw new AppError('NOT_FOUND', { message: fieldText('noSuchActiveFleetKey') })
    await tx.update(fleetKeys).set({ revokedAt: sql`now()` }).where(eq(fleetKeys.id, id))
    await tx
      .update(fleetKeySecrets)
      .set({ revokedAt: sql`now()` })
      .where(and(eq(fleetKeySecrets.fleetKeyId, id), isNull(fleetKeySecrets.revokedAt)))
    await tx.execute(sql`DELETE FROM pending_sensors WHERE fleet_key_id = ${id}`)
    const after = await getFleetKey(tx, id)
    await recordChange(tx, {
      actor,
      action: 'revoke',
      kind: 'fleet-key',
      id,
      before: settingsOf(before),
      after: settingsOf(after),
    })
    return after.enterpriseId
  })
}
