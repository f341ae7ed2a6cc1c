/** Rules: their sensors, and what they watch for. */
import { and, arrayContains, asc, count, eq, getTableColumns, gt, inArray, type SQL, sql } from 'drizzle-orm'
import { AppError, invalidField } from '../../../errors.ts'
import { fieldText } from '../../../field-texts/field-text.ts'
import { recordChange } from '../accounts/audit.ts'
import type { Database } from '../client.ts'
import { newId } from '../ids.ts'
import { layers } from '../layers/owned-schema.ts'
import { type Page, type PageQuery, pageOf } from '../page.ts'
import { rowsOf } from '../rows.ts'
import { enterprises, sensors } from '../schema.ts'
import { isJudged } from './alert-ends.ts'
import { type Crossing, type RuleKind, type RuleSchedule, zoneRuleSensors, zoneRules } from './rule-schema.ts'

type RuleRow = typeof zoneRules.$inferSelect
export type Rule = RuleRow & {
  /** Ordered ids; empty for a rule for all sensors. */
  sensorIds: string[]
  /** Whether its layer exists, belongs to the enterprise and consists of polygons; null for a rule without a layer. */
  layerUsable: boolean | null
}
export type RuleValues = Omit<RuleRow, 'id' | 'enterpriseId' | 'since' | 'createdAt' | 'updatedAt' | 'tags'> & {
  sensorIds: readonly string[]
  tags: readonly string[]
}
export type RuleFilter = {
  kind?: RuleKind | undefined
  enabled?: boolean | undefined
  /** Id of a sensor that the rule watches. */
  sensor?: string | undefined
  /** A tag that the rule names. */
  tag?: string | undefined
}

/** Maximum rules of one enterprise. */
export const MAX_RULES = 1_000

const usable = sql<boolean>`coalesce((SELECT NOT jsonb_path_exists(${layers.dimensions}, '$[*] ? (@ != 2)')
  FROM ${layers} WHERE ${layers.id} = ${zoneRules.layerId} AND ${layers.enterpriseId} = ${zoneRules.enterpriseId}), false)`
const columns = {
  ...getTableColumns(zoneRules),
  layerUsable: sql<boolean | null>`CASE WHEN ${zoneRules.layerId} IS NOT NULL THEN ${usable} END`,
}

async function withSensors(db: Database, rows: (RuleRow & { layerUsable: boolean | null })[]): Promise<Rule[]> {
  const ids = rows.map(({ id }) => id)
  const watched =
    ids.length === 0 ? [] : await db.select().from(zoneRuleSensors).where(inArray(zoneRuleSensors.ruleId, ids))
  const sensorsOf = Map.groupBy(watched, ({ ruleId }) => ruleId)
  return rows.map((row) => ({
    ...row,
    sensorIds: (sensorsOf.get(row.id) ?? []).map(({ sensorId }) => sensorId).sort(),
  }))
}

/** @throws AppError NOT_FOUND, also for another enterprise's rule */
export async function getRule(db: Database, enterpriseId: string, id: string): Promise<Rule> {
  const found = await db
    .select(columns)
    .from(zoneRules)
    .where(and(eq(zoneRules.id, id), eq(zoneRules.enterpriseId, enterpriseId)))
  const [rule] = await withSensors(db, found)
  if (rule === undefined) throw new AppError('NOT_FOUND', { message: fieldText('noSuchRule') })
  return rule
}

const watches = (enterpriseId: string, sensorId: string): SQL =>
  sql`EXISTS (SELECT FROM ${sensors} WHERE ${sensors.id} = ${sensorId} AND ${sensors.enterpriseId} = ${enterpriseId}
    AND (${zoneRules.allSensors} OR ${zoneRules.tags} && ${sensors.tags} OR EXISTS (SELECT FROM ${zoneRuleSensors}
      WHERE ${zoneRuleSensors.ruleId} = ${zoneRules.id} AND ${zoneRuleSensors.sensorId} = ${sensors.id})))`

export async function listRules(
  db: Database,
  enterpriseId: string,
  { limit, cursor }: PageQuery,
  { kind, enabled, sensor, tag }: RuleFilter,
): Promise<Page<Rule>> {
  const rows = await db
    .select(columns)
    .from(zoneRules)
    .where(
      and(
        eq(zoneRules.enterpriseId, enterpriseId),
        cursor === undefined ? undefined : gt(zoneRules.id, cursor),
        kind === undefined ? undefined : eq(zoneRules.kind, kind),
        enabled === undefined ? undefined : eq(zoneRules.enabled, enabled),
        sensor === undefined ? undefined : watches(enterpriseId, sensor),
        tag === undefined ? undefined : arrayContains(zoneRules.tags, [tag]),
      ),
    )
    .orderBy(asc(zoneRules.id))
    .limit(limit + 1)
  const page = pageOf(rows, limit)
  return { ...page, items: await withSensors(db, page.items) }
}

async function putSensors(db: Database, ruleId: string, sensorIds: readonly string[]): Promise<void> {
  await db.delete(zoneRuleSensors).where(eq(zoneRuleSensors.ruleId, ruleId))
  if (sensorIds.length > 0) await db.insert(zoneRuleSensors).values(sensorIds.map((sensorId) => ({ ruleId, sensorId })))
}

/** @throws AppError VALIDATION_FAILED if the enterprise has the maximum number of rules */
export async function createRule(
  db: Database,
  actor: string,
  enterpriseId: string,
  { sensorIds, tags, ...values }: RuleValues,
): Promise<Rule> {
  return db.transaction(async (tx) => {
    // serializes new rules of an enterprise
    await tx.select().from(enterprises).where(eq(enterprises.id, enterpriseId)).for('update')
    const [existing] = await tx
      .select({ rules: count() })
      .from(zoneRules)
      .where(eq(zoneRules.enterpriseId, enterpriseId))
    if ((existing?.rules ?? 0) >= MAX_RULES)
      throw invalidField('body', 'maxItems', fieldText('documentsAtMost', { most: MAX_RULES }))
    const id = newId('rul')
    await tx.insert(zoneRules).values({ ...values, tags: [...tags], id, enterpriseId, since: new Date() })
    await putSensors(tx, id, sensorIds)
    const rule = await getRule(tx, enterpriseId, id)
    await recordChange(tx, { actor, action: 'create', kind: 'zone-rule', id, before: null, after: rule })
    return rule
  })
}

/** @param since when the rule starts again, if it does */
export async function updateRule(
  db: Database,
  actor: string,
  before: Rule,
  { sensorIds, tags, ...values }: RuleValues,
  since: Date | undefined,
): Promise<Rule> {
  const { id, enterpriseId } = before
  return db.transaction(async (tx) => {
    await tx
      .update(zoneRules)
      .set({ ...values, tags: [...tags], ...(since && { since }), updatedAt: sql`now()` })
      .where(eq(zoneRules.id, id))
    await putSensors(tx, id, sensorIds)
    const after = await getRule(tx, enterpriseId, id)
    await recordChange(tx, { actor, action: 'update', kind: 'zone-rule', id, before, after })
    return after
  })
}

export async function deleteRule(db: Database, actor: string, before: Rule): Promise<void> {
  const { id } = before
  await db.transaction(async (tx) => {
    await tx.delete(zoneRules).where(eq(zoneRules.id, id))
    await recordChange(tx, { actor, action: 'delete', kind: 'zone-rule', id, before, after: null })
  })
}

/** A rule whose events the check of zones makes, with the data that it needs. */
export type CrossingRule = {
  id: string
  enterprise: number
  layerId: string
  event: Crossing
  schedule: RuleSchedule | undefined
  sinceMs: number
  /** Numbers of sensors; undefined for all. */
  sensors: ReadonlySet<number> | undefined
}

const isPlainCrossing = sql`EXISTS (SELECT FROM zone_rules r WHERE r.id = ${zoneRules.id} AND NOT ${isJudged})`

/** All enabled rules of plain crossings whose layers can be used, by enterprise number. */
export async function crossingRules(db: Database): Promise<Map<number, CrossingRule[]>> {
  const rows = await db
    .select({ ...columns, enterprise: enterprises.number })
    .from(zoneRules)
    .innerJoin(enterprises, eq(enterprises.id, zoneRules.enterpriseId))
    .where(and(eq(zoneRules.enabled, true), isPlainCrossing, usable))
    .orderBy(asc(zoneRules.id))
  const numbersOf = Map.groupBy(
    [...(await namedSensors(db)), ...(rows.some(({ tags }) => tags.length > 0) ? await taggedSensors(db) : [])],
    ({ ruleId }) => ruleId,
  )
  const rules = rows.map(({ id, enterprise, layerId, event, schedule, allSensors, since }): CrossingRule => {
    const own = new Set((numbersOf.get(id) ?? []).map(({ number }) => number))
    // a usable layer exists, and the query selects crossings
    const zone = { layerId: layerId as string, event: event as Crossing, schedule: schedule ?? undefined }
    return { id, enterprise, ...zone, sinceMs: since.getTime(), sensors: allSensors ? undefined : own }
  })
  return Map.groupBy(rules, ({ enterprise }) => enterprise)
}

type RuleSensor = { ruleId: string; number: number }

const namedSensors = (db: Database): Promise<RuleSensor[]> =>
  db
    .select({ ruleId: zoneRuleSensors.ruleId, number: sensors.number })
    .from(zoneRuleSensors)
    .innerJoin(sensors, eq(sensors.id, zoneRuleSensors.sensorId))

const taggedSensors = async (db: Database): Promise<RuleSensor[]> =>
  rowsOf<RuleSensor>(
    await db.execute(sql`
      SELECT zone_rules.id AS "ruleId", tagged.number
      FROM zone_rules CROSS JOIN unnest(zone_rules.tags) AS named (tag)
      JOIN (SELECT enterprise_id, number, unnest(tags) AS tag FROM sensors) AS tagged
        ON tagged.enterprise_id = zone_rules.enterprise_id AND tagged.tag = named.tag
      WHERE zone_rules.enabled AND ${isPlainCrossing}`),
  )
