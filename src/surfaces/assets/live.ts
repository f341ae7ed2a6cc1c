/** The live layer: where the assets of an enterprise are, as GeoJSON, and as it changes. */
import { invalidField } from '../../errors.ts'
import { formatTimestamp } from '../../ingest/timestamp.ts'
import type { ClickHouse } from '../../stores/clickhouse/client.ts'
import { type Box, type LatestPosition, latestPositions } from '../../stores/clickhouse/positions.ts'
import type { SensorPlace } from '../../stores/postgres/sensors.ts'
import type { Places } from './directory.ts'
import type { Enterprise } from './readings.ts'
import { oldestVisibleMs } from './time-range.ts'

export type AssetPoint = {
  type: 'Feature'
  /** Of the asset. */
  id: string
  geometry: { type: 'Point'; coordinates: [longitude: number, latitude: number] }
  properties: { assetName: string; sensorId: string; at: string }
}

export type Placed = { assetId: string; ms: number; longitude: number; latitude: number; place: SensorPlace }

const MAX_POSITIONS = 1_000_000

/** `west,south,east,north` in degrees (RFC 7946, 5); west of more than east reaches across the antimeridian. */
export function boxOf(text: string | undefined): Box | undefined {
  if (text === undefined) return undefined
  const numbers = text.split(',').map((part) => (part.trim() === '' ? Number.NaN : Number(part)))
  const [west, south, east, north] = numbers as unknown as Box
  if (numbers.length !== 4 || numbers.some((number) => !Number.isFinite(number)))
    throw invalidField('query.bbox', 'bbox', 'must be four numbers, west,south,east,north in degrees')
  if (Math.abs(west) > 180 || Math.abs(east) > 180 || Math.abs(south) > 90 || Math.abs(north) > 90)
    throw invalidField('query.bbox', 'range', 'must lie within -180,-90,180,90')
  if (south > north) throw invalidField('query.bbox', 'order', 'its south must not be more than its north')
  return [west, south, east, north]
}

export function isIn([west, south, east, north]: Box, longitude: number, latitude: number): boolean {
  if (latitude < south || latitude > north) return false
  return west <= east ? longitude >= west && longitude <= east : longitude >= west || longitude <= east
}

function placed([sensor, ms, longitude, latitude]: LatestPosition, places: Places['places']): Placed | undefined {
  const place = places.get(sensor)
  // a sensor that was deleted has no asset
  return place && { assetId: place.assetId, ms, longitude, latitude, place }
}

/** Of each asset the newest point of its sensors. */
export function newestOfAssets(
  positions: readonly LatestPosition[],
  places: ReadonlyMap<number, SensorPlace>,
): Map<string, Placed> {
  const newest = new Map<string, Placed>()
  for (const position of positions) {
    const one = placed(position, places)
    if (one === undefined) continue
    const known = newest.get(one.assetId)
    if (known === undefined || one.ms > known.ms) newest.set(one.assetId, one)
  }
  return newest
}

export const pointOf = ({ assetId, ms, longitude, latitude, place }: Placed): AssetPoint => ({
  type: 'Feature',
  id: assetId,
  geometry: { type: 'Point', coordinates: [longitude, latitude] },
  properties: { assetName: place.assetName, sensorId: place.sensorId, at: formatTimestamp(ms) },
})

/**
 * An asset with several sensors is where the newest of them says. One whose newest point lies outside of the box is not
 * in it, though another of its sensors may have been there before.
 */
export async function livePoints(
  clickhouse: ClickHouse,
  enterprise: Enterprise,
  { places, isShared }: Places,
  box: Box | undefined,
  signal: AbortSignal,
): Promise<AssetPoint[]> {
  const wanted = { box: isShared ? undefined : box, sinceMs: oldestVisibleMs(enterprise), limit: MAX_POSITIONS }
  const positions = await latestPositions(clickhouse, enterprise.number, wanted, signal)
  if (!isShared)
    return positions.flatMap((position) => {
      const one = placed(position, places)
      return one === undefined ? [] : [pointOf(one)]
    })
  const newest = [...newestOfAssets(positions, places).values()]
  const inside = box === undefined ? newest : newest.filter(({ longitude, latitude }) => isIn(box, longitude, latitude))
  return inside.map(pointOf)
}
