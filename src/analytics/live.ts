/** The live layer: current positions of the assets of an enterprise as GeoJSON. */
import { invalidField } from '../errors.ts'
import { formatTimestamp } from '../ingest/timestamp.ts'
import type { ClickHouse } from '../stores/clickhouse/client.ts'
import { type Box, type LatestPosition, latestPositions } from '../stores/clickhouse/positions.ts'
import type { SensorWithAsset } from '../stores/postgres/sensors.ts'
import type { Enterprise } from './readings.ts'
import type { SensorIndex } from './sensor-index.ts'
import { oldestVisibleMs } from './time-range.ts'

export type AssetPoint = {
  type: 'Feature'
  /** Id of the asset. */
  id: string
  geometry: { type: 'Point'; coordinates: [longitude: number, latitude: number] }
  properties: { assetName: string; sensorId: string; at: string }
}

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
    throw invalidField('query.bbox', 'bbox', 'must be four numbers in degrees: west,south,east,north')
  if (Math.abs(west) > 180 || Math.abs(east) > 180 || Math.abs(south) > 90 || Math.abs(north) > 90)
    throw invalidField('query.bbox', 'range', 'must lie within -180,-90,180,90')
  if (south > north) throw invalidField('query.bbox', 'order', 'must have a south that is not greater than its north')
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
export function newestByAsset(
  positions: readonly LatestPosition[],
  sensors: ReadonlyMap<number, SensorWithAsset>,
): Map<string, AssetPosition> {
  const newest = new Map<string, AssetPosition>()
  for (const position of positions) {
    const one = assetPositionOf(position, sensors)
    if (one === undefined) continue
    const known = newest.get(one.assetId)
    if (known === undefined || one.ms > known.ms) newest.set(one.assetId, one)
  }
  return newest
}

export const pointOf = ({ assetId, ms, longitude, latitude, sensor: withAsset }: AssetPosition): AssetPoint => ({
  type: 'Feature',
  id: assetId,
  geometry: { type: 'Point', coordinates: [longitude, latitude] },
  properties: { assetName: withAsset.assetName, sensorId: withAsset.sensorId, at: formatTimestamp(ms) },
})

/**
 * An asset with several sensors is at the newest position of all of them. If that position lies outside the box, the
 * asset is left out, even if an older position of another sensor lies inside.
 */
export async function livePoints(
  clickhouse: ClickHouse,
  enterprise: Enterprise,
  { sensors, isShared }: SensorIndex,
  box: Box | undefined,
  signal: AbortSignal,
): Promise<AssetPoint[]> {
  const request = { box: isShared ? undefined : box, sinceMs: oldestVisibleMs(enterprise), limit: MAX_POSITIONS }
  const positions = await latestPositions(clickhouse, enterprise.number, request, signal)
  if (!isShared)
    return positions.flatMap((position) => {
      const one = assetPositionOf(position, sensors)
      return one === undefined ? [] : [pointOf(one)]
    })
  const newest = [...newestByAsset(positions, sensors).values()]
  const inside =
    box === undefined ? newest : newest.filter(({ longitude, latitude }) => isInBox(box, longitude, latitude))
  return inside.map(pointOf)
}
