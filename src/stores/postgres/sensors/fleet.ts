/** Sensors of an enterprise with the fields by which lists are filtered and sorted. */
import { and, eq, inArray, sql } from 'drizzle-orm'
import type { Database } from '../client.ts'
import { layers } from '../layers/owned-schema.ts'
import { rowsOf } from '../rows.ts'
import { assets, channels, sensors } from '../schema.ts'

export type FleetSensor = {
  id: string
  number: number
  externalId: string | null
  name: string
  assetId: string
  assetName: string
  tags: string[]
  enabled: boolean
  held: boolean
  /** JSON of the active channels, each as number, name, measurement and unit, in any order. Many sensors have the same text. */
  channels: string
}

/** Without an order of the channels: a sort of each sensor's few rows takes a quarter of the time of the statement. */
const columns = sql`s.id, s.number, s.external_id AS "externalId", s.name, s.asset_id AS "assetId", a.name AS "assetName", s.tags, s.enabled, s.held,
  (SELECT coalesce(json_agg(json_build_array(c.number, c.name, c.measurement, c.unit)), '[]')::text
   FROM ${channels} AS c WHERE c.sensor_id = s.id AND c.active) AS channels
  FROM ${sensors} AS s JOIN ${assets} AS a ON a.id = s.asset_id`

/** From the first id, or from the last one. */
export type FleetOrder = 'up' | 'down'

/**
 * A page in the order of ids. It is small, because its rows are read in one piece on the thread that takes readings.
 * @param after the last id of the page before; undefined for the first page
 */
export async function fleetPage(
  db: Database,
  enterpriseId: string,
  order: FleetOrder,
  after: string | undefined,
  limit: number,
): Promise<FleetSensor[]> {
  const isUp = order === 'up'
  const rest = after === undefined ? sql`` : isUp ? sql`AND s.id > ${after}` : sql`AND s.id < ${after}`
  const found = await db.execute(
    sql`SELECT ${columns} WHERE s.enterprise_id = ${enterpriseId} ${rest} ORDER BY s.id ${isUp ? sql`` : sql`DESC`} LIMIT ${limit}`,
  )
  return rowsOf(found)
}

export async function fleetSensors(db: Database, enterpriseId: string, ids: readonly string[]): Promise<FleetSensor[]> {
  return rowsOf(
    await db.execute(
      sql`SELECT ${columns} WHERE s.enterprise_id = ${enterpriseId} AND ${inArray(sql`s.id`, [...ids])}`,
    ),
  )
}

/** Names of layers of an enterprise that still exist. */
export async function layerNames(
  db: Database,
  enterpriseId: string,
  ids: readonly string[],
): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map()
  const rows = await db
    .select({ id: layers.id, name: layers.name })
    .from(layers)
    .where(and(eq(layers.enterpriseId, enterpriseId), inArray(layers.id, [...ids])))
  return new Map(rows.map(({ id, name }) => [id, name]))
}
