import { and, arrayContains, asc, eq, gt, ilike, inArray, isNull, or, sql } from 'drizzle-orm'
import { AppError } from '../../../errors.ts'
import { fieldText } from '../../../field-texts/field-text.ts'
import { largest } from '../../../lists.ts'
import { recordChange } from '../accounts/audit.ts'
import {
  type IssuedKey,
  insertKey,
  type KeyDigest,
  type KeyInput,
  keyColumnsOf,
  revokeKey,
} from '../accounts/issued-keys.ts'
import { endAlertsOfChangedSensor, endAlertsOfDeletedSensor } from '../alerts/alert-ends.ts'
import type { Database } from '../client.ts'
import { type Page, type PageQuery, pageOfTable } from '../page.ts'
import { assets, channels, enterprises, retentions, sensorKeys, sensors, tiers } from '../schema.ts'
import { throwOnUniqueViolation } from '../unique-violation.ts'
import { findAssetByName, insertAsset } from './assets.ts'
import { type Refills, refillsOf, requestPurge } from './reading-deletions.ts'

export type Measurement = 'number' | 'whole' | 'boolean'
export type ChannelInput = { name: string; measurement: Measurement; unit?: string }
export type ChannelRecord = {
  number: number
  name: string
  measurement: Measurement
  unit: string | null
  /** False if the channel was removed from the sensor; its readings remain. */
  active: boolean
}
export type Sensor = typeof sensors.$inferSelect & {
  assetName: string
  channels: ChannelRecord[]
  keys: IssuedKey[]
}
export type SensorInput = {
  channels: ChannelInput[]
  externalId?: string
  name?: string
  assetName?: string
  tags?: string[]
}
export type SensorChange = {
  enabled?: boolean
  held?: boolean
  heldReason?: string | null
  channels?: ChannelInput[]
  externalId?: string | null
  name?: string
  assetName?: string
  tags?: string[]
}
/** `q` is part of a name, an asset's name, an id or an external id, in any case. */
export type SensorFilter = { tag?: string | undefined; q?: string | undefined; externalId?: string | undefined }
const keyColumns = keyColumnsOf('sensor-key')

/** Adds assets, channels and keys to sensors, with three queries for any number of them. */
async function assemble(db: Database, rows: (typeof sensors.$inferSelect)[]): Promise<Sensor[]> {
  if (rows.length === 0) return []
  const ids = rows.map(({ id }) => id)
  const assetIds = [...new Set(rows.map(({ assetId }) => assetId))]
  const assetRows = await db.select().from(assets).where(inArray(assets.id, assetIds))
  const channelRows = await db
    .select()
    .from(channels)
    .where(inArray(channels.sensorId, ids))
    .orderBy(asc(channels.number))
  const keyRows = await db
    .select({ sensorId: sensorKeys.sensorId, ...keyColumns })
    .from(sensorKeys)
    .where(inArray(sensorKeys.sensorId, ids))
    .orderBy(asc(sensorKeys.id))
  const assetNames = new Map(assetRows.map(({ id, name }) => [id, name]))
  const channelsOf = Map.groupBy(channelRows, ({ sensorId }) => sensorId)
  const keysOf = Map.groupBy(keyRows, ({ sensorId }) => sensorId)
  return rows.map((row) => ({
    ...row,
    assetName: assetNames.get(row.assetId) ?? '',
    channels: (channelsOf.get(row.id) ?? []).map(({ sensorId: _, ...channel }) => channel),
    keys: (keysOf.get(row.id) ?? []).map(({ sensorId: _, ...key }) => key),
  }))
}

async function assetFor(tx: Database, actor: string, enterpriseId: string, name: string): Promise<string> {
  const asset = (await findAssetByName(tx, enterpriseId, name)) ?? (await insertAsset(tx, actor, enterpriseId, name))
  return asset.id
}

/**
 * Makes the given channels the active ones. A channel with a name and measurement that the sensor had before gets its
 * old number; any other gets a new one, so that a number never changes its meaning in ClickHouse.
 */
async function replaceChannels(db: Database, sensorId: string, requested: readonly ChannelInput[]): Promise<void> {
  const existing = await db.select().from(channels).where(eq(channels.sensorId, sensorId))
  await db.update(channels).set({ active: false }).where(eq(channels.sensorId, sensorId))
  let next = Math.max(0, largest(existing.map(({ number }) => number))) + 1
  for (const { name, measurement, unit } of requested) {
    const same = existing.find((channel) => channel.name === name && channel.measurement === measurement)
    const values = { sensorId, number: same?.number ?? next++, name, measurement, unit: unit ?? null, active: true }
    await db
      .insert(channels)
      .values(values)
      .onConflictDoUpdate({ target: [channels.sensorId, channels.number], set: { unit: values.unit, active: true } })
  }
}

export async function findSensor(db: Database, id: string): Promise<Sensor | undefined> {
  const [sensor] = await assemble(db, await db.select().from(sensors).where(eq(sensors.id, id)))
  return sensor
}

/** @throws AppError NOT_FOUND */
export async function getSensor(db: Database, id: string): Promise<Sensor> {
  const sensor = await findSensor(db, id)
  if (sensor === undefined) throw new AppError('NOT_FOUND', { message: fieldText('noSuchSensor') })
  return sensor
}

export async function listSensors(
  db: Database,
  enterpriseId: string,
  { tag, q, externalId, ...query }: PageQuery & SensorFilter,
): Promise<Page<Sensor>> {
  const assetsNamed = (pattern: string) => db.select({ id: assets.id }).from(assets).where(ilike(assets.name, pattern))
  const contains = q === undefined ? undefined : `%${q.replace(/[\\%_]/g, '\\$&')}%`
  const where = and(
    eq(sensors.enterpriseId, enterpriseId),
    tag === undefined ? undefined : arrayContains(sensors.tags, [tag]),
    externalId === undefined ? undefined : eq(sensors.externalId, externalId),
    contains === undefined
      ? undefined
      : or(
          ilike(sensors.name, contains),
          ilike(sensors.id, contains),
          ilike(sensors.externalId, contains),
          inArray(sensors.assetId, assetsNamed(contains)),
        ),
  )
  const page = await pageOfTable(db, sensors, where, query)
  return { ...page, items: await assemble(db, page.items) }
}

export async function updateSensor(db: Database, actor: string, id: string, change: SensorChange): Promise<Sensor> {
  return db.transaction(async (tx) => {
    const before = await getSensor(tx, id)
    const { channels: requested, assetName, ...columns } = change
    const assetId =
      assetName === undefined ? {} : { assetId: await assetFor(tx, actor, before.enterpriseId, assetName) }
    await throwOnUniqueViolation('body.externalId', async () =>
      tx
        .update(sensors)
        .set({ ...columns, ...assetId, updatedAt: sql`now()` })
        .where(eq(sensors.id, id)),
    )
    if (requested !== undefined) await replaceChannels(tx, id, requested)
    const after = await getSensor(tx, id)
    await endAlertsOfChangedSensor(tx, before, after)
    await recordChange(tx, { actor, action: 'update', kind: 'sensor', id, before, after })
    return after
  })
}

/** @returns the enterprise that it belonged to */
export async function deleteSensor(db: Database, actor: string, id: string): Promise<string> {
  return db.transaction(async (tx) => {
    const before = await getSensor(tx, id)
    await requestPurge(tx, actor, before.enterpriseId, before)
    await tx.delete(sensors).where(eq(sensors.id, id))
    await endAlertsOfDeletedSensor(tx, before.enterpriseId, id)
    await recordChange(tx, { actor, action: 'delete', kind: 'sensor', id, before, after: null })
    return before.enterpriseId
  })
}

export async function addSensorKey(
  db: Database,
  actor: string,
  id: string,
  digest: KeyDigest,
  input: KeyInput = {},
): Promise<IssuedKey> {
  return db.transaction(async (tx) => {
    const { enterpriseId: ownerId } = await getSensor(tx, id)
    return insertKey(tx, 'sensor-key', actor, { id, ownerId }, digest, input)
  })
}

/** @throws AppError NOT_FOUND if the sensor has no such active key */
export async function revokeSensorKey(db: Database, actor: string, id: string, keyId: string): Promise<void> {
  await db.transaction(async (tx) => {
    const { enterpriseId: ownerId } = await getSensor(tx, id)
    await revokeKey(tx, 'sensor-key', actor, { id, ownerId }, keyId)
  })
}

/** Which of these external ids sensors of an enterprise have, with the ids of the sensors. */
export async function sensorIdsByExternalId(
  db: Database,
  enterpriseId: string,
  externalIds: readonly string[],
): Promise<Map<string, string>> {
  const rows = await db
    .select({ id: sensors.id, externalId: sensors.externalId })
    .from(sensors)
    .where(and(eq(sensors.enterpriseId, enterpriseId), inArray(sensors.externalId, [...externalIds])))
  return new Map(rows.map(({ id, externalId }) => [externalId ?? '', id]))
}

/** An enterprise's sensors with the given ids, or all of them; ids of other enterprises are ignored. */
export async function findSensors(
  db: Database,
  enterpriseId: string,
  ids: readonly string[] | undefined,
  limit: number,
): Promise<Sensor[]> {
  const own = eq(sensors.enterpriseId, enterpriseId)
  const rows = await db
    .select()
    .from(sensors)
    .where(ids === undefined ? own : and(own, inArray(sensors.id, [...ids])))
    .orderBy(asc(sensors.id))
    .limit(limit)
  return assemble(db, rows)
}

/** The data of a sensor that ingestion needs: its enterprise and tier, its channels, its active keys. */
export type IngestRecord = {
  sensor: typeof sensors.$inferSelect
  enterprise: typeof enterprises.$inferSelect
  tier: typeof tiers.$inferSelect
  retention: typeof retentions.$inferSelect | null
  refills: Refills | undefined
  channels: ChannelRecord[]
  keys: { id: string; keySha256: string; expiresAt: Date | null; lastUsedAt: Date | null }[]
}

/** Ids of an enterprise's sensors that follow the given one in the order of ids. */
export async function sensorIdsAfter(
  db: Database,
  enterpriseId: string,
  after: string,
  limit: number,
): Promise<string[]> {
  const rows = await db
    .select({ id: sensors.id })
    .from(sensors)
    .where(and(eq(sensors.enterpriseId, enterpriseId), gt(sensors.id, after)))
    .orderBy(asc(sensors.id))
    .limit(limit)
  return rows.map(({ id }) => id)
}

/** Looks up several sensors at once, because a reconnecting fleet sends from all of them at the same time. */
export async function findSensorsForIngest(db: Database, ids: readonly string[]): Promise<Map<string, IngestRecord>> {
  const requested = [...ids]
  const rows = await db
    .select({ sensor: sensors, enterprise: enterprises, tier: tiers, retention: retentions })
    .from(sensors)
    .innerJoin(enterprises, eq(enterprises.id, sensors.enterpriseId))
    .innerJoin(tiers, eq(tiers.name, enterprises.tier))
    .leftJoin(retentions, eq(retentions.enterpriseId, enterprises.id))
    .where(inArray(sensors.id, requested))
  if (rows.length === 0) return new Map()
  const channelRows = await db
    .select()
    .from(channels)
    .where(and(inArray(channels.sensorId, requested), eq(channels.active, true)))
    .orderBy(asc(channels.number))
  const keyRows = await db
    .select({
      sensorId: sensorKeys.sensorId,
      id: sensorKeys.id,
      keySha256: sensorKeys.keySha256,
      expiresAt: sensorKeys.expiresAt,
      lastUsedAt: sensorKeys.lastUsedAt,
    })
    .from(sensorKeys)
    .where(and(inArray(sensorKeys.sensorId, requested), isNull(sensorKeys.revokedAt)))
  const refills = await refillsOf(db, requested)
  const channelsOf = Map.groupBy(channelRows, ({ sensorId }) => sensorId)
  const keysOf = Map.groupBy(keyRows, ({ sensorId }) => sensorId)
  return new Map(
    rows.map((row) => [
      row.sensor.id,
      {
        ...row,
        refills: refills.get(row.sensor.id),
        channels: channelsOf.get(row.sensor.id) ?? [],
        keys: keysOf.get(row.sensor.id) ?? [],
      },
    ]),
  )
}
