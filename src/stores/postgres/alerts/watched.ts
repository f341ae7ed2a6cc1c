/** Rules and sensors for the judging process. Sensors are written as text: there may be very many. */
import { and, asc, eq, type SQL, sql } from 'drizzle-orm'
import type { Database } from '../client.ts'
import { layers } from '../layers/owned-schema.ts'
import { rowsOf } from '../rows.ts'
import { enterprises } from '../schema.ts'
import { isWatched } from './alert-changes.ts'
import { isJudged, namedChannels } from './alert-ends.ts'
import { zoneRules } from './rule-schema.ts'

export type JudgedRule = typeof zoneRules.$inferSelect & {
  /** The enterprise's number. */
  enterprise: number
  /** Changes with the sensors that the rule watches. */
  targets: string
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
      targets: sql<string>`jsonb_build_array(all_sensors, tags, (SELECT md5(string_agg(w.sensor_id, ',' ORDER BY w.sensor_id))
        FROM zone_rule_sensors w WHERE w.rule_id = zone_rules.id))::text`,
    })
    .from(zoneRules)
    .innerJoin(enterprises, eq(enterprises.id, zoneRules.enterpriseId))
    .where(and(sql`zone_rules.id IN (SELECT r.id FROM zone_rules r WHERE ${isUsable})`))
    .orderBy(asc(zoneRules.id))
  return rows.map(({ rule, enterprise, targets }) => ({ ...rule, enterprise, targets }))
}

/** Which sensors to write. */
export type SensorSelection = 'all' | { sensorIds: string[] } | { enterpriseIds: string[] } | { ruleIds: string[] }

const list = (values: readonly string[]): SQL => sql`${sql.param(values)}::text[]`

function isSelected(selection: SensorSelection): SQL {
  if (selection === 'all') return sql`s.enterprise_id IN (SELECT enterprise_id FROM rules)`
  if ('sensorIds' in selection) return sql`s.id = ANY(${list(selection.sensorIds)})`
  if ('enterpriseIds' in selection) return sql`s.enterprise_id = ANY(${list(selection.enterpriseIds)})`
  return sql`EXISTS (SELECT FROM zone_rules r
    WHERE r.id = ANY(${list(selection.ruleIds)}) AND r.enterprise_id = s.enterprise_id AND ${isWatched})`
}

const CHUNK = 5_000

/**
 * Writes sensors as lines of JSON (WatchedSensor in alerts/protocol.ts), some thousand at a time. Of all sensors, those
 * that no rule watches are left out; of others they are written, because a rule may have watched them before.
 */
export async function* watchedSensors(db: Database, selection: SensorSelection): AsyncGenerator<string> {
  for (let after = 0; ; ) {
    const [chunk] = rowsOf<{ last: number | null; lines: string | null }>(
      await db.execute(sql`
        WITH rules AS (
          SELECT r.* FROM zone_rules r WHERE ${isUsable}
        ), named AS (
          SELECT r.enterprise_id, array_agg(DISTINCT channel) AS names
          FROM rules r, jsonb_array_elements_text(${namedChannels}) AS channel
          WHERE channel IS NOT NULL GROUP BY r.enterprise_id
        ), chosen AS MATERIALIZED (
          SELECT s.id, s.number, s.enterprise_id, s.tags, e.number AS enterprise,
            least(s.quiet_since, e.quiet_since) AS quiet_since, greatest(s.active_since, e.active_since) AS active_since
          FROM sensors s JOIN enterprises e ON e.id = s.enterprise_id
          WHERE s.number > ${after} AND ${isSelected(selection)} ORDER BY s.number LIMIT ${CHUNK}
        ), pairs AS (
          SELECT s.id, r.id AS rule FROM chosen s JOIN rules r ON r.enterprise_id = s.enterprise_id AND r.all_sensors
          UNION
          SELECT s.id, r.id FROM (SELECT id, enterprise_id, unnest(tags) AS tag FROM chosen) s
          JOIN (SELECT id, enterprise_id, unnest(tags) AS tag FROM rules) r USING (enterprise_id, tag)
          UNION
          SELECT s.id, r.id FROM chosen s JOIN zone_rule_sensors w ON w.sensor_id = s.id JOIN rules r ON r.id = w.rule_id
        ), watched AS (
          SELECT id, json_agg(rule ORDER BY rule COLLATE "C") AS rules FROM pairs GROUP BY id
        ), numbered AS (
          SELECT s.id, json_object_agg(c.name, c.number) AS channels
          FROM chosen s JOIN named USING (enterprise_id)
          JOIN channels c ON c.sensor_id = s.id AND c.active AND c.name = ANY(names)
          GROUP BY s.id
        )
        SELECT max(s.number) AS last, string_agg(json_build_object(
            'number', s.number, 'enterprise', s.enterprise, 'channels', coalesce(channels, '{}'),
            'rules', coalesce(watched.rules, '[]'), 'quietSinceMs', ${toMs(sql`quiet_since`)},
            'activeSinceMs', ${toMs(sql`active_since`)})::text || chr(10), '' ORDER BY s.number)
          FILTER (WHERE ${selection !== 'all'} OR watched.id IS NOT NULL) AS lines
        FROM chosen s LEFT JOIN watched ON watched.id = s.id LEFT JOIN numbered ON numbered.id = s.id`),
    )
    if (chunk?.last == null) return
    if (chunk.lines !== null) yield chunk.lines
    after = chunk.last
  }
}

const toMs = (at: SQL): SQL => sql`floor(extract(epoch FROM ${at}) * 1000)::bigint`
