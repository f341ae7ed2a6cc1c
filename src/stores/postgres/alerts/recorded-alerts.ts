/** Alerts of rules and sensors whose late readings are judged again. */
import { sql } from 'drizzle-orm'
import type { Database } from '../client.ts'
import { rowsOf } from '../rows.ts'

export type RecordedOf = { rule: string; sensor: number; fromMs: number; toMs: number }
export type RecordedAlert = {
  /** The index in the list that was asked for. */
  index: number
  polygon: string | null
  startedMs: number
  resolvedMs: number | null
}

/** Alerts that overlap a period. @param wanted sensors by number */
export async function recordedAlerts(db: Database, wanted: readonly RecordedOf[]): Promise<RecordedAlert[]> {
  const of = <T>(pick: (one: RecordedOf) => T) => sql.param(wanted.map(pick))
  return rowsOf<RecordedAlert>(
    await db.execute(sql`
      SELECT (w.index - 1)::integer AS index, a.polygon,
        (extract(epoch FROM a.started_at) * 1000)::float8 AS "startedMs",
        (extract(epoch FROM a.resolved_at) * 1000)::float8 AS "resolvedMs"
      FROM unnest(${of(({ rule }) => rule)}::text[], ${of(({ sensor }) => sensor)}::integer[],
        ${of(({ fromMs }) => fromMs)}::float8[], ${of(({ toMs }) => toMs)}::float8[])
        WITH ORDINALITY AS w (rule, sensor, from_ms, to_ms, index)
      JOIN sensors s ON s.number = w.sensor
      JOIN alerts a ON a.sensor_id = s.id AND a.rule_id = w.rule
      WHERE a.started_at < to_timestamp(w.to_ms / 1000)
        AND (a.resolved_at IS NULL OR a.resolved_at >= to_timestamp(w.from_ms / 1000))`),
  )
}

/** Layers of the rules. */
export async function layersOfRules(db: Database, rules: readonly string[]): Promise<string[]> {
  const rows = rowsOf<{ id: string }>(
    await db.execute(sql`
      SELECT DISTINCT layer_id AS id FROM zone_rules WHERE id = ANY(${sql.param(rules)}::text[]) AND layer_id IS NOT NULL`),
  )
  return rows.map(({ id }) => id)
}
