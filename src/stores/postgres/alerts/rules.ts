/** Rules: their sensors, and what they watch for. */
import { and, asc, count, eq, gt, inArray, sql } from 'drizzle-orm'
import { AppError } from '../../../errors.ts'
import { recordChange } from '../accounts/audit.ts'
import type { Database } from '../client.ts'
import { newId } from '../ids.ts'
import { layers } from '../layers/owned-schema.ts'
import { type Page, type PageQuery, pageOf } from '../page.ts'
import { enterprises, sensors } from '../schema.ts'
import { type ZONE_EVENTS, zoneRuleSensors, zoneRules } from './rule-schema.ts'

export type ZoneEventKind = (typeof ZONE_EVENTS)[number]
export type ZoneRule = typeof zoneRules.$inferSelect & {
  /** Ordered ids; empty for a rule for all sensors. */
  sensorIds: string[]
  /** Whether its layer exists, belongs to the enterprise and consists of polygons. */
  layerUsable: boolean
}
export type ZoneRuleInput = {
  name: string
  layerId: string
  event: ZoneEventKind
  sensorIds: readonly string[] | 'all'
  enabled: boolean
}

/** Whether a rule can use a layer: it belongs to the enterprise and contains only polygons, or is empty. */
const layerUsable = sql<boolean>`coalesce((SELECT NOT jsonb_path_exists(${layers.dimensions}, '$[*] ? (@ != 2)')
  FROM ${layers} WHERE ${layers.id} = ${zoneRules.layerId} AND ${layers.enterpriseId} = ${zoneRules.enterpriseId}), false)`

async function withSensors(
  db: Database,
  rows: (typeof zoneRules.$inferSelect & { layerUsable: boolean })[],
): Promise<ZoneRule[]> {
  const ids = rows.map(({ id }) => id)
  const watched =
    ids.length === 0 ? [] : await db.select().from(zoneRuleSensors).where(inArray(zoneRuleSensors.ruleId, ids))
  const sensorsOf = Map.groupBy(watched, ({ ruleId }) => ruleId)
  return rows.map((row) => ({
    ...row,
    sensorIds: (sensorsOf.get(row.id) ?? []).map(({ sensorId }) => sensorId).sort(),
  }))
}

const columns = {
  id: zoneRules.id,
  enterpriseId: zoneRules.enterpriseId,
  kind: zoneRules.kind,
  name: zoneRules.name,
  note: zoneRules.note,
  severity: zoneRules.severity,
  layerId: zoneRules.layerId,
  event: zoneRules.event,
  allSensors: zoneRules.allSensors,
  tags: zoneRules.tags,
  schedule: zoneRules.schedule,
  definition: zoneRules.definition,
  enabled: zoneRules.enabled,
  since: zoneRules.since,
  createdAt: zoneRules.createdAt,
  updatedAt: zoneRules.updatedAt,
  layerUsable,
}

/** @throws AppError NOT_FOUND, also for another enterprise's rule */
export async function getZoneRule(db: Database, enterpriseId: string, id: string): Promise<ZoneRule> {
  const found = await db
    .select(columns)
    .from(zoneRules)
    .where(and(eq(zoneRules.id, id), eq(zoneRules.enterpriseId, enterpriseId)))
  const [rule] = await withSensors(db, found)
  if (rule === undefined) throw new AppError('NOT_FOUND', { message: 'There is no such rule.' })
  return rule
}

export async function listZoneRules(
  db: Database,
  enterpriseId: string,
  { limit, cursor }: PageQuery,
): Promise<Page<ZoneRule>> {
  const rows = await db
    .select(columns)
    .from(zoneRules)
    .where(and(eq(zoneRules.enterpriseId, enterpriseId), cursor === undefined ? undefined : gt(zoneRules.id, cursor)))
    .orderBy(asc(zoneRules.id))
    .limit(limit + 1)
  const page = pageOf(rows, limit)
  return { ...page, items: await withSensors(db, page.items) }
}

async function putSensors(db: Database, ruleId: string, sensorIds: ZoneRuleInput['sensorIds']): Promise<void> {
  await db.delete(zoneRuleSensors).where(eq(zoneRuleSensors.ruleId, ruleId))
  if (sensorIds === 'all') return
  await db.insert(zoneRuleSensors).values(sensorIds.map((sensorId) => ({ ruleId, sensorId })))
}

/** @throws AppError CONFLICT if the enterprise has `most` rules already */
export async function createZoneRule(
  db: Database,
  actor: string,
  enterpriseId: string,
  { sensorIds, ...input }: ZoneRuleInput,
  since: Date,
  most: number,
): Promise<ZoneRule> {
  return db.transaction(async (tx) => {
    // serializes new rules of an enterprise
    await tx.select().from(enterprises).where(eq(enterprises.id, enterpriseId)).for('update')
    const [existing] = await tx
      .select({ rules: count() })
      .from(zoneRules)
      .where(eq(zoneRules.enterpriseId, enterpriseId))
    if ((existing?.rules ?? 0) >= most)
      throw new AppError('CONFLICT', { message: `The enterprise has ${most} rules already, which is the maximum.` })
    const id = newId('rul')
    await tx.insert(zoneRules).values({ ...input, id, enterpriseId, allSensors: sensorIds === 'all', since })
    await putSensors(tx, id, sensorIds)
    const rule = await getZoneRule(tx, enterpriseId, id)
    await recordChange(tx, { actor, action: 'create', kind: 'zone-rule', id, before: null, after: rule })
    return rule
  })
}

export async function updateZoneRule(
  db: Database,
  actor: string,
  enterpriseId: string,
  id: string,
  { sensorIds, ...change }: Partial<ZoneRuleInput>,
  since: Date | undefined,
): Promise<ZoneRule> {
  return db.transaction(async (tx) => {
    const before = await getZoneRule(tx, enterpriseId, id)
    const values = {
      ...change,
      ...(sensorIds !== undefined && { allSensors: sensorIds === 'all' }),
      ...(since && { since }),
      updatedAt: sql`now()`,
    }
    await tx.update(zoneRules).set(values).where(eq(zoneRules.id, id))
    if (sensorIds !== undefined) await putSensors(tx, id, sensorIds)
    const after = await getZoneRule(tx, enterpriseId, id)
    await recordChange(tx, { actor, action: 'update', kind: 'zone-rule', id, before, after })
    return after
  })
}

export async function deleteZoneRule(db: Database, actor: string, enterpriseId: string, id: string): Promise<ZoneRule> {
  return db.transaction(async (tx) => {
    const before = await getZoneRule(tx, enterpriseId, id)
    await tx.delete(zoneRules).where(eq(zoneRules.id, id))
    await recordChange(tx, { actor, action: 'delete', kind: 'zone-rule', id, before, after: null })
    return before
  })
}

/** A rule with the data that a check needs. */
export type WatchedRule = {
  id: string
  enterprise: number
  layerId: string
  event: ZoneEventKind
  sinceMs: number
  /** Numbers of sensors; undefined for all. */
  sensors: ReadonlySet<number> | undefined
}

/** All enabled rules whose layers can be used, by enterprise number. */
export async function watchedRules(db: Database): Promise<Map<number, WatchedRule[]>> {
  const rows = await db
    .select({ ...columns, enterprise: enterprises.number })
    .from(zoneRules)
    .innerJoin(enterprises, eq(enterprises.id, zoneRules.enterpriseId))
    .where(and(eq(zoneRules.enabled, true), eq(zoneRules.kind, 'zone'), layerUsable))
    .orderBy(asc(zoneRules.id))
  const watched = await db
    .select({ ruleId: zoneRuleSensors.ruleId, number: sensors.number })
    .from(zoneRuleSensors)
    .innerJoin(sensors, eq(sensors.id, zoneRuleSensors.sensorId))
  const sensorsOf = Map.groupBy(watched, ({ ruleId }) => ruleId)
  const rules = rows.map(({ id, enterprise, layerId, event, allSensors, since }): WatchedRule => {
    const own = new Set((sensorsOf.get(id) ?? []).map((sensor) => sensor.number))
    // a usable layer exists, and zone rules have both
    const zone = { layerId: layerId as string, event: event as ZoneEventKind }
    return { id, enterprise, ...zone, sinceMs: since.getTime(), sensors: allSensors ? undefined : own }
  })
  return Map.groupBy(rules, ({ enterprise }) => enterprise)
}
