/** The live layer: current positions of the assets of an enterprise as GeoJSON. */

import { invalidField } from '../errors.ts'
import { inTurns, TextInTurns } from '../event-loop-yield.ts'
import { fieldText } from '../field-texts/field-text.ts'
import { formatTimestamp } from '../ingest/timestamp.ts'
import { jsonString } from '../json-text.ts'
import type { ClickHouse } from '../stores/clickhouse/client.ts'
import { type Box, type LatestPosition, latestPositions } from '../stores/clickhouse/queries/positions.ts'
import type { SensorIndex, SensorWithAsset } from './fleet/sensor-index.ts'
import type { Enterprise } from './readings.ts'
import { oldestVisibleMs } from './time-range.ts'

export type AssetPosition = {
  assetId: string
  ms: number
  longitude: number
  latitude: number
  sensor: SensorWithAsset
}

const MAX_POSITIONS = 1_000_000

/** `west,south,east,north` in degrees (RFC 7946, 5); a box with west > east crosses the antimeridian. */
export function boxOf(text: string | undefined): Box | undefined {
  if (text === undefined) return undefined
  const numbers = text.split(',').map((part) => (part.trim() === '' ? Number.NaN : Number(part)))
  const [west, south, east, north] = numbers as unknown as Box
  if (numbers.length !== 4 || numbers.some((number) => !Number.isFinite(number)))
    throw invalidField('query.bbox', 'bbox', fieldText('bboxNumbers'))
  if (Math.abs(west) > 180 || Math.abs(east) > 180 || Math.abs(south) > 90 || Math.abs(north) > 90)
    throw invalidField('query.bbox', 'range', fieldText('bboxRange'))
  if (south > north) throw invalidField('query.bbox', 'order', fieldText('bboxOrder'))
  // the antimeridian has two longitudes, and a box that ends there includes both
  if (east === 180 && west > -180) return [west, south, -180, north]
  if (west === -180 && east < 180) return [180, south, east, north]
  return [west, south, east, north]
}

export function isInBox([west, south, east, north]: Box, longitude: number, latitude: number): boolean {
  if (latitude < south || latitude > north) return false
  return west <= east ? longitude >= west && longitude <= east : longitude >= west || longitude <= east
}

function assetPositionOf(
  [sensor, ms, longitude, latitude]: LatestPosition,
  sensors: SensorIndex['sensors'],
): AssetPosition | undefined {
  const withAsset = sensors.get(sensor)
  // a deleted sensor has no asset
  return withAsset && { assetId: withAsset.assetId, ms, longitude, latitude, sensor: withAsset }
}

/** For each asset, the newest position of its sensors. */
export async function newestByAsset(
  positions: readonly LatestPosition[],
  sensors: ReadonlyMap<number, SensorWithAsset>,
): Promise<Map<string, AssetPosition>> {
  const newest = new Map<string, AssetPosition>()
  await inTurns(positions.length, (i) => {
    const one = assetPositionOf(positions[i] as LatestPosition, sensors)
    if (one === undefined) return
    const known = newest.get(one.assetId)
    if (known === undefined || one.ms > known.ms) newest.set(one.assetId, one)
  })
  return newest
}

/** A GeoJSON feature: a point with the id of the asset. Written directly, in half the time of JSON.stringify. */
function featureText({ assetId, ms, longitude, latitude, sensor: { assetName, id } }: AssetPosition): string {
  const properties = `{"assetName":${jsonString(assetName)},"sensorId":${jsonString(id)},"at":"${formatTimestamp(ms)}"}`
  return `{"type":"Feature","id":${jsonString(assetId)},"geometry":{"type":"Point","coordinates":[${longitude},${latitude}]},"properties":${properties}}`
}

/**
 * The current position of each asset. An asset with several sensors is at the newest position of all of them. If that
 * position lies outside the box, the asset is left out, even if an older position of another sensor lies inside.
 */
export async function livePositions(
  clickhouse: ClickHouse,
  enterprise: Enterprise,
  { sensors, isShared }: SensorIndex,
  box: Box | undefined,
  signal: AbortSignal,
): Promise<AssetPosition[]> {
  const request = { box: isShared ? undefined : box, sinceMs: oldestVisibleMs(enterprise), limit: MAX_POSITIONS }
  const positions = await latestPositions(clickhouse, enterprise.number, request, signal)
  const found = isShared ? [...(await newestByAsset(positions, sensors)).values()] : []
  if (!isShared)
    await inTurns(positions.length, (i) => {
      const one = assetPositionOf(positions[i] as LatestPosition, sensors)
      if (one !== undefined) found.push(one)
    })
  return box === undefined || !isShared
    ? found
    : found.filter(({ longitude, latitude }) => isInBox(box, longitude, latitude))
}

/** A FeatureCollection as JSON text, in pieces: there may be a million assets. */
export async function featuresText(
  positions: readonly AssetPosition[],
  more: Record<string, unknown> = {},
): Promise<Buffer[]> {
  const text = new TextInTurns()
  text.add('{"type":"FeatureCollection","features":[')
  await text.addList(positions.length, (i) => featureText(positions[i] as AssetPosition))
  text.add(`]${Object.entries(more).map(([name, value]) => `,"${name}":${JSON.stringify(value)}`)}}`)
  return text.end()
}
