/** Derives scale, north direction and round grid coordinates from the extent and CRS of a map. */
import { type GdalModule, loadGdal, parseCrs, transformationBetween } from '../geo/gdal.ts'
import { inverse } from '../geo/geodesic.ts'
import { type Crs, WGS84 } from '../geo/layer.ts'
import { InputError } from '../input-error.ts'

/** West, south, east, north in units of the CRS; longitude or easting first. */
export type Extent = readonly [number, number, number, number]

export type MapFrame = {
  extent: Extent
  crs: Crs
  /** Length of the middle row of the picture, on the ellipsoid. */
  groundWidthM: number
  /** Direction of true north at the centre, clockwise from the top of the picture. */
  northDegrees: number
  /** Corners from the lower left, clockwise, as latitude and longitude. */
  corners: [number, number][]
}

/** Longer steps could exceed half the circumference, where the shortest path no longer follows the row. */
const MAX_STEP_DEGREES = 60

/**
 * @param bearingDegrees the compass direction at the top of the picture
 * @throws InputError `crs`, `extent`
 */
export async function frameOf(extent: Extent, crsCode: string, bearingDegrees: number): Promise<MapFrame> {
  const gdal = await loadGdal()
  let crs: Crs
  try {
    crs = parseCrs(gdal, crsCode)
  } catch (cause) {
    throw new InputError('crs', `${crsCode} is not a known coordinate reference system`, cause)
  }
  const [west, south, east, north] = extent
  if (!(east > west && north > south))
    throw new InputError('extent', 'must be [west, south, east, north] with west < east and south < north')
  const project = toDegreesTransform(gdal, crs)
  const at = (x: number, y: number): [number, number] => project(west + x * (east - west), south + y * (north - south))
  const corners = [at(0, 0), at(0, 1), at(1, 1), at(1, 0)].map(([lon, lat]): [number, number] => [lat, lon])
  const steps = Math.max(8, Math.ceil(Math.abs(at(1, 0.5)[0] - at(0, 0.5)[0]) / MAX_STEP_DEGREES))
  let groundWidthM = 0
  for (let i = 0; i < steps; i++) {
    const [from, to] = [at(i / steps, 0.5), at((i + 1) / steps, 0.5)]
    groundWidthM += inverse(...from, ...to).distanceM
  }
  // the azimuth of the CRS's y axis
  const [below, above] = [at(0.5, 0.499), at(0.5, 0.501)]
  const gridDegrees = inverse(...below, ...above).forwardDegrees
  const northDegrees = (((-gridDegrees - bearingDegrees) % 360) + 360) % 360
  return { extent, crs, groundWidthM, northDegrees, corners }
}

/** Returns the transformation from the CRS to longitude and latitude. */
function toDegreesTransform(gdal: GdalModule, crs: Crs): (x: number, y: number) => [number, number] {
  const toDegrees = transformationBetween(gdal, crs, WGS84)
  return (x, y) => {
    let position: { x: number; y: number } | undefined
    try {
      position = toDegrees.transformPoint(x, y)
    } catch {
      // reported below
    }
    if (position === undefined || !Number.isFinite(position.x) || !(Math.abs(position.y) <= 90))
      throw new InputError('extent', `must lie in the area that the CRS covers; ${x}, ${y} does not`)
    return [position.x, position.y]
  }
}

/** The largest number of the form 1, 2 or 5 times a power of ten that is not above a value. */
export function roundBelow(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value))
  const [factor = 1] = [5, 2, 1].filter((step) => step * power <= value * (1 + 1e-9))
  return factor * power
}

/** Steps that are round in degrees, minutes or seconds. */
const DEGREE_STEPS = [
  1 / 3600,
  2 / 3600,
  5 / 3600,
  10 / 3600,
  15 / 3600,
  30 / 3600,
  1 / 60,
  2 / 60,
  5 / 60,
  10 / 60,
  15 / 60,
  30 / 60,
  1,
  2,
  5,
  10,
  15,
  30,
  45,
  60,
]

/** Round coordinates between two values, at most `maxTicks` of them. */
export function ticksBetween(from: number, to: number, maxTicks: number, geographic: boolean): number[] {
  const minStep = (to - from) / maxTicks
  const step = geographic ? (DEGREE_STEPS.find((one) => one >= minStep) ?? 90) : nextRound(minStep)
  const first = Math.ceil(from / step - 1e-9)
  const last = Math.floor(to / step + 1e-9)
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, i) => (first + i) * step)
}

const nextRound = (value: number): number => {
  const power = 10 ** Math.floor(Math.log10(value))
  return ([1, 2, 5, 10].find((step) => step * power >= value * (1 - 1e-9)) ?? 10) * power
}

/** Formats a coordinate for a map: 13°30′E, 412 000. */
export function labelOf(value: number, axis: 'x' | 'y', geographic: boolean): string {
  if (!geographic) return String(Math.round(value)).replace(/\B(?=(\d{3})+$)/g, '\u00A0')
  const total = Math.round(Math.abs(value) * 3600)
  const [degrees, minutes, seconds] = [Math.floor(total / 3600), Math.floor(total / 60) % 60, total % 60]
  const two = (part: number): string => String(part).padStart(2, '0')
  const parts = seconds > 0 ? `${two(minutes)}′${two(seconds)}″` : minutes > 0 ? `${two(minutes)}′` : ''
  const side = total === 0 ? '' : axis === 'x' ? (value < 0 ? 'W' : 'E') : value < 0 ? 'S' : 'N'
  return `${degrees}°${parts}${side}`
}
