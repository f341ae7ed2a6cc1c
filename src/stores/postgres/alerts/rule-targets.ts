/** The sensors that a rule watches, and their channels. */
import { type SQL, sql } from 'drizzle-orm'
import type { Database } from '../client.ts'
import { rowsOf } from '../rows.ts'
import type { Measurement } from '../sensors/sensors.ts'

export type Targets = { allSensors: boolean; sensorIds: readonly string[]; tags: readonly string[] }

const list = (values: readonly string[]): SQL => sql`${sql.param(values)}::text[]`
const isTarget = (enterpriseId: string, { allSensors, sensorIds, tags }: Targets): SQL =>
  allSensors
    ? sql`s.enterprise_id = ${enterpriseId}`
    : sql`s.enterprise_id = ${enterpriseId} AND (s.id = ANY(${list(sensorIds)}) OR s.tags && ${list(tags)})`

export async function hasTargets(db: Database, enterpriseId: string, targets: Targets): Promise<boolean> {
  const [found] = rowsOf<{ exists: boolean }>(
    await db.execute(sql`SELECT EXISTS (SELECT FROM sensors s WHERE ${isTarget(enterpriseId, targets)})`),
  )
  return found?.exists === true
}

/** What the channels with these names measure, which may differ between sensors. */
export async function measurementsOf(
  db: Database,
  enterpriseId: string,
  targets: Targets,
  names: readonly string[],
): Promise<{ name: string; measurement: Measurement }[]> {
  return rowsOf(
    await db.execute(sql`
      SELECT DISTINCT c.name, c.measurement FROM sensors s JOIN channels c ON c.sensor_id = s.id AND c.active
      WHERE ${isTarget(enterpriseId, targets)} AND c.name = ANY(${list(names)})`),
  )
}

/** The first names of channels, in their order. */
export async function someChannels(
  db: Database,
  enterpriseId: string,
  targets: Targets,
  limit: number,
): Promise<string[]> {
  const rows = rowsOf<{ name: string }>(
    await db.execute(sql`
      SELECT DISTINCT c.name FROM sensors s JOIN channels c ON c.sensor_id = s.id AND c.active
      WHERE ${isTarget(enterpriseId, targets)} ORDER BY c.name LIMIT ${limit}::integer`),
  )
  return rows.map(({ name }) => name)
}

/** The tags that sensors have. */
export async function tagsInUse(db: Database, enterpriseId: string, tags: readonly string[]): Promise<string[]> {
  const rows = rowsOf<{ tag: string }>(
    await db.execute(sql`
      SELECT tag FROM unnest(${list(tags)}) AS tag
      WHERE EXISTS (SELECT FROM sensors s WHERE s.enterprise_id = ${enterpriseId} AND s.tags @> ARRAY[tag])`),
  )
  return rows.map(({ tag }) => tag)
}
