/** Rules and sensors for the judging process. Sensors are written as text: there may be very many. */
import { and, asc, eq, type SQL, sql } from 'drizzle-orm'
import { inTurns } from '../../../event-loop-yield.ts'
import type { Database } from '../client.ts'
import { layers } from '../layers/owned-schema.ts'
import { rowsOf } from '../rows.ts'
import { enterprises } from '../schema.ts'
import { isJudged, namedChannels } from './alert-ends.ts'
import { zoneRules } from './rule-schema.ts'

export type JudgedRule = typeof zoneRules.$inferSelect & {
  /** The enterprise's number. */
  enterprise: number
  /** Changes with the sensors that the rule watches. */
  targets: string
  /** The channels that the rule names. */
  named: (string | null)[]
}

/** Enabled rules whose layer exists, belongs to the enterprise and consists of polygons; rules without a layer too. */
const isUsable = sql`r.enabled AND ${isJudged} AND (r.layer_id IS NULL OR EXISTS (SELECT FROM ${layers} l
  WHERE l.id = r.layer_id AND l.enterprise_id = r.enterprise_id AND NOT jsonb_path_exists(l.dimensions, '$[*] ? (@ != 2)')))`

/** All rules that the judging process watches. */
export async function judgedRules(db: Database): Promise<JudgedRule[]> {
  const rows = await db
    .select({
      rule: zoneRules,
      enterprise: enterprises.number,
      named: sql<(string | null)[]>`(SELECT ${namedChannels} FROM zone_rules r WHERE r.id = zone_rules.id)`,
      targets: sql<string>`jsonb_build_array(all_sensors, tags, (SELECT md5(string_agg(w.sensor_id, ',' ORDER BY w.sensor_id))
        FROM zone_rule_sensors w WHERE w.rule_id = zone_rules.id))::text`,
    })
    .from(zoneRules)
    .innerJoin(enterprises, eq(enterprises.id, zoneRules.enterpriseId))
    .where(and(sql`zone_rules.id IN (SELECT r.id FROM zone_rules r WHERE ${isUsable})`))
    .orderBy(asc(zoneRules.id))
  return rows.map(({ rule, ...more }) => ({ ...rule, ...more }))
}

/** Which sensors to write. `byRules`: those that rules with these ids name, or that have one of the tags. */
export type SensorSelection =
  | 'all'
  | { sensorIds: string[] }
  | { enterpriseIds: string[] }
  | { byRules: { enterpriseId: string; ruleIds: string[]; tags: string[] } }

const list = (values: readonly string[]): SQL => sql`${sql.param(values)}::text[]`

function isSelected(selection: SensorSelection, named: SQL): SQL {
  if (selection === 'all') return sql`${named} ? s.enterprise_id`
  if ('sensorIds' in selection) return sql`s.id = ANY(${list(selection.sensorIds)})`
  if ('enterpriseIds' in selection) return sql`s.enterprise_id = ANY(${list(selection.enterpriseIds)})`
  const { enterpriseId, ruleIds, tags } = selection.byRules
  return sql`s.enterprise_id = ${enterpriseId} AND (s.tags && ${list(tags)} OR s.id = ANY(ARRAY(
    SELECT w.sensor_id FROM zone_rule_sensors w WHERE w.rule_id = ANY(${list(ruleIds)}))))`
}

const CHUNK = 1_000

/** The usual intervals of the sensors, by their numbers: 0 while one is unknown. Sensors that never sent anything are left out. */
export type UsualIntervals = (
  enterprises: readonly number[],
  sensors: readonly number[],
) => Promise<Map<number, number>>

type SensorRow = {
  number: number
  enterprise: number
  enterprise_id: string
  /** JSON texts. `listed`: rules that name the sensor. */
  tags: string
  listed: string | null
  channels: string | null
  quiet_since: number | null
  active_since: number | null
}

/**
 * Writes sensors as lines of JSON (WatchedSensor in alerts/protocol.ts), some thousand at a time. Of all sensors, those
 * that no rule watches are left out; of others they are written, because a rule may have watched them before.
 * @param rules all that the judging process watches
 * @param usualIntervals asked for where the enterprise has rules about silence
 */
export async function* watchedSensors(
  db: Database,
  rules: ReadonlyMap<string, JudgedRule>,
  selection: SensorSelection,
  usualIntervals: UsualIntervals,
): AsyncGenerator<string> {
  const own = Map.groupBy(rules.values(), ({ enterpriseId }) => enterpriseId)
  const names = [...own].map(([id, list]) => [id, [...new Set(list.flatMap(({ named }) => named))]])
  // read once in each statement
  const named = sql`(SELECT ${JSON.stringify(Object.fromEntries(names))}::text::jsonb)`
  const rulesOf = rulesOfSensors(rules)
  const silent = new Set(rules.values().flatMap(({ kind, enterprise }) => (kind === 'silence' ? [enterprise] : [])))
  for (let after = 0; ; ) {
    const rows = rowsOf<SensorRow>(
      await db.execute(sql`
        SELECT s.number, e.number AS enterprise, s.enterprise_id, array_to_json(s.tags)::text AS tags,
          (SELECT json_agg(w.rule_id)::text FROM zone_rule_sensors w WHERE w.sensor_id = s.id) AS listed,
          (SELECT json_object_agg(c.name, c.number)::text FROM channels c
            WHERE c.sensor_id = s.id AND c.active AND (${named} -> s.enterprise_id) ? c.name) AS channels,
          ${toMs(sql`least(s.quiet_since, e.quiet_since)`)} AS quiet_since,
          ${toMs(sql`greatest(s.active_since, e.active_since)`)} AS active_since
        FROM (SELECT * FROM sensors s WHERE s.number > ${after} AND ${isSelected(selection, named)}
          ORDER BY s.number LIMIT ${CHUNK}) AS s
        JOIN enterprises e ON e.id = s.enterprise_id ORDER BY s.number`),
    )
    const silenced = rows.filter(({ enterprise }) => silent.has(enterprise)).map(({ number }) => number)
    const usual = silenced.length === 0 ? undefined : await usualIntervals([...silent], silenced)
    let lines = ''
    await inTurns(rows.length, (i) => {
      const row = rows[i] as SensorRow
      const watching = rulesOf(row)
      if (selection === 'all' && watching === '[]') return
      lines += `{"number":${row.number},"enterprise":${row.enterprise},"channels":${row.channels ?? '{}'},"rules":${watching},"quietSinceMs":${row.quiet_since},"activeSinceMs":${row.active_since},"usualMs":${usual?.get(row.number) ?? null}}\n`
    })
    if (lines !== '') yield lines
    if (rows.length < CHUNK) return
    after = (rows.at(-1) as SensorRow).number
  }
}

/** The rules of a sensor, as JSON. Most sensors have the same tags as others. */
function rulesOfSensors(rules: ReadonlyMap<string, JudgedRule>): (sensor: SensorRow) => string {
  const byTag = new Map<string, string[]>()
  const keyOf = (enterpriseId: string, tag: string | undefined): string => JSON.stringify([enterpriseId, tag])
  for (const { id, enterpriseId, allSensors, tags } of rules.values())
    for (const tag of allSensors ? [undefined] : tags) {
      const key = keyOf(enterpriseId, tag)
      const ids = byTag.get(key)
      if (ids === undefined) byTag.set(key, [id])
      else ids.push(id)
    }
  let known = new Map<string, string>()
  return ({ enterprise_id, tags, listed }) => {
    const key = `${enterprise_id} ${tags} ${listed}`
    let text = known.get(key)
    if (text === undefined) {
      if (known.size >= CHUNK) known = new Map()
      const own = [undefined, ...(JSON.parse(tags) as string[])].flatMap(
        (tag) => byTag.get(keyOf(enterprise_id, tag)) ?? [],
      )
      const named = (JSON.parse(listed ?? '[]') as string[]).filter((id) => rules.has(id))
      text = JSON.stringify([...new Set([...own, ...named])].sort())
      known.set(key, text)
    }
    return text
  }
}

const toMs = (at: SQL): SQL => sql`floor(extract(epoch FROM ${at}) * 1000)::float8`
