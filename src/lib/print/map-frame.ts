/** Derives scale, north direction and round grid coordinates from the extent and CRS of a map. */
import { fieldText } from '../../field-texts/field-text.ts'
import { type GdalModule, loadGdal, parseCrs, transformationBetween } from '../geo/formats/gdal/gdal.ts'
import { inverse } from '../geo/geometry/geodesic.ts'
import { type Crs, WGS84 } from '../geo/layers/layer.ts'
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
  /** Whether the scale is valid everywhere, within SCALE_TOLERANCE. */
  hasOneScale: boolean
  /** Whether the corners in degrees locate the map: beyond the border of a projection, they map to other positions. */
  isLocated: boolean
  /** Undefined for positions outside the area of the CRS. */
  toDegrees(x: number, y: number): Degrees | undefined
}

export type Degrees = [longitude: number, latitude: number]

const SCALE_TOLERANCE = 0.05
/** Rows near the edges of a map whose lengths are compared with the middle row's. */
const OUTER_ROWS = [0.05, 0.95]

/** Number of steps along a row or column, short enough that geodesics follow it, to 0.01 % around the earth. */
const STEPS = 128
const EQUATOR_M = 40_075_017
/** A share of the extent too small to go around the earth. */
const WIDTH_STEP_SHARE = 1e-9

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
    throw new InputError('crs', fieldText('crsUnknown', { crs: crsCode }), cause)
  }
  const [west, south, east, north] = extent
  if (!(east > west && north > south)) throw new InputError('extent', fieldText('mapExtent'))
  const toDegrees = transformOf(gdal, crs, WGS84)
  const fromDegrees = transformOf(gdal, WGS84, crs)
  const at = (x: number, y: number): Degrees => within(toDegrees, west + x * (east - west), south + y * (north - south))
  const corners = CORNERS.map(([x, y]): [number, number] => {
    const [longitude, latitude] = at(x, y)
    return [latitude, longitude]
  })
  const isLocated = CORNERS.every(([x, y]) => {
    const [foundX, foundY] = fromDegrees(...at(x, y)) ?? [Number.NaN, Number.NaN]
    const [shareX, shareY] = [(foundX - west) / (east - west), (foundY - south) / (north - south)]
    return Math.abs(shareX - x) < LOCATION_TOLERANCE && Math.abs(shareY - y) < LOCATION_TOLERANCE
  })
  const widthM = inverse(...at(0.5, 0.5), ...at(0.5 + WIDTH_STEP_SHARE, 0.5)).distanceM / WIDTH_STEP_SHARE
  const isWiderThanEarth = crs.geographic
    ? east - west > 360
    : !isLocated && widthM > EQUATOR_M * Math.cos((at(0.5, 0.5)[1] * Math.PI) / 180) * (1 + SCALE_TOLERANCE / 10)
  if (isWiderThanEarth) throw new InputError('extent', fieldText('extentWidth'))
  const lengthM = (position: (share: number) => Degrees): number => {
    let length = 0
    for (let i = 0; i < STEPS; i++) length += inverse(...position(i / STEPS), ...position((i + 1) / STEPS)).distanceM
    return length
  }
  const groundWidthM = lengthM((share) => at(share, 0.5))
  // ground metres for a unit of the map, along other rows and from south to north
  const others = OUTER_ROWS.map((row) => lengthM((share) => at(share, row)))
  others.push((lengthM((share) => at(0.5, share)) * (east - west)) / (north - south))
  const hasOneScale = others.every((length) => Math.abs(length / groundWidthM - 1) <= SCALE_TOLERANCE)
  // the azimuth of the CRS's y axis
  const [below, above] = [at(0.5, 0.499), at(0.5, 0.501)]
  const gridDegrees = inverse(...below, ...above).forwardDegrees
  const northDegrees = (((-gridDegrees - bearingDegrees) % 360) + 360) % 360
  return { extent, crs, groundWidthM, northDegrees, corners, hasOneScale, isLocated, toDegrees }
}

/** From the lower left, clockwise, as shares of the extent. */
const CORNERS = [
  [0, 0],
  [0, 1],
  [1, 1],
  [1, 0],
] as const
/** Less than a pixel of any picture. */
const LOCATION_TOLERANCE = 1e-5

function transformOf(gdal: GdalModule, from: Crs, to: Crs): (x: number, y: number) => Degrees | undefined {
  const transformation = transformationBetween(gdal, from, to)
  return (x, y) => {
    try {
      const position = transformation.transformPoint(x, y)
      if (Number.isFinite(position.x) && (!to.geographic || Math.abs(position.y) <= 90)) return [position.x, position.y]
    } catch {
      // PROJ throws for a position that it cannot project
    }
    return undefined
  }
}

/** @throws InputError `extent` for a position outside the area of the CRS */
function within(toDegrees: MapFrame['toDegrees'], x: number, y: number): Degrees {
  const degrees = toDegrees(x, y)
  if (degrees !== undefined) return degrees
  throw new InputError('extent', fieldText('extentInCrs', { x, y }))
}

/** The largest number of the form 1, 2 or 5 times a power of ten up to a value. */
export function roundBelow(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value))
  const [factor = 1] = [5, 2, 1].filter((step) => step * power <= value * (1 + 1e-9))
  return factor * power
}

/** Round steps in degrees, minutes or seconds. */
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

/** The smallest round step in degrees with at most `maxTicks` in a range. */
export const stepOf = (range: number, maxTicks: number): number =>
  DEGREE_STEPS.find((step) => step >= range / maxTicks) ?? 90

/** Round coordinates between two values, at most `maxTicks` of them. */
export function ticksBetween(from: number, to: number, maxTicks: number, geographic: boolean): number[] {
  const step = geographic ? stepOf(to - from, maxTicks) : nextRound((to - from) / maxTicks)
  const first = Math.ceil(from / step - 1e-9)
  const last = Math.floor(to / step + 1e-9)
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, i) => (first + i) * step)
}

const nextRound = (value: number): number => {
  const power = 10 ** Math.floor(Math.log10(value))
  return ([1, 2, 5, 10].find((step) => step * power >= value * (1 - 1e-9)) ?? 10) * power
}
