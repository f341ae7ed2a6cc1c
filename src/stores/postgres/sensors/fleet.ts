/** Sensors of an enterprise with the fields by which lists are filtered and sorted. */
import { and, asc, eq, gt, inArray, sql } from 'drizzle-orm'
import type { Database } from '../client.ts'
import { layers } from '../layers/owned-schema.ts'
import { assets, channels, sensors } from '../schema.ts'

export type FleetSensor = {
  id: string
  number: number
  name: string
  assetId: string
  assetName: string
  tags: string[]
  enabled: boolean
  held: boolean
  /** JSON of the active channels, each as number, name, measurement and unit. Many sensors have the same text. */
  channels: string
}

const columns = {
  id: sensors.id,
  number: sensors.number,
  name: sensors.name,
  assetId: sensors.assetId,
  assetName: assets.name,
  tags: sensors.tags,
  enabled: sensors.enabled,
  held: sensors.held,
  channels: sql<string>`(SELECT coalesce(json_agg(json_build_array(${channels.number}, ${channels.name},
    ${channels.measurement}, ${channels.unit}) ORDER BY ${channels.number}), '[]')::text
    FROM ${channels} WHERE ${channels.sensorId} = ${sensors.id} AND ${channels.active})`,
}

/** A page in the order of ids. It is small, because its rows are read in one piece on the thread that takes readings. */
export async function fleetPage(
  db: Database,
  enterpriseId: string,
  after: string,
  limit: number,
): Promise<FleetSensor[]> {
  return db
    .select(columns)
    .from(sensors)
    .innerJoin(assets, eq(assets.id, sensors.assetId))
    .where(and(eq(sensors.enterpriseId, enterpriseId), gt(sensors.id, after)))
    .orderBy(asc(sensors.id))
    .limit(limit)
}

export async function fleetSensors(db: Database, enterpriseId: string, ids: readonly string[]): Promise<FleetSensor[]> {
  return db
    .select(columns)
    .from(sensors)
    .innerJoin(assets, eq(assets.id, sensors.assetId))
    .where(and(eq(sensors.enterpriseId, enterpriseId), inArray(sensors.id, [...ids])))
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
