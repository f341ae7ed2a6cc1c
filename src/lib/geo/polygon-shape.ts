/** Measures of one polygon: its size on the ellipsoid, and its shape in a local plane. */
import { measure } from './geodesic.ts'
import { signedArea } from './geojson-write.ts'
import type { Geos } from './geos.ts'
import { fromPlane, middleMeridian, toPlane } from './local-plane.ts'
import { type Envelope, envelopeOf, forEachRun, viewOf, type Wkb } from './wkb.ts'

export type PolygonShape = {
  areaM2: number
  /** Sum over all rings. */
  perimeterM: number
  /** Vertices of the outer ring. */
  vertexCount: number
  /** 4π · area / perimeter², 1 for a circle (Polsby and Popper). */
  compactness: number
  /** [longitude, latitude] of the centre of mass; null for a polygon without area. */
  centroid: [number, number] | null
  bbox: Envelope
  isValid: boolean
  isConvex: boolean
  /** Direction of the outer ring, seen from above. */
  orientation: 'clockwise' | 'counterclockwise'
}

/** Relative difference from the area of the convex hull that still counts as convex, to allow for rounding. */
const CONVEX_TOLERANCE = 1e-9

/** @param wkb a polygon in degrees */
export function polygonShape(geos: Geos, wkb: Wkb): PolygonShape {
  const { areaM2, lengthM } = measure(wkb)
  const meridian = middleMeridian([wkb])
  const plane = toPlane(wkb, meridian)
  let vertexCount = 0
  let outerSignedArea = 0
  forEachRun(plane, (view, offset, count, stride, _role, ring) => {
    if (ring > 0) return
    vertexCount = count - 1
    outerSignedArea = signedArea(view, offset, count, stride)
  })
  const geometry = geos.read(plane)
  const hull = geos.convexHull(geometry)
  const isValid = geos.isValid(geometry)
  const isConvex = isValid && geos.area(geometry) >= geos.area(hull) * (1 - CONVEX_TOLERANCE)
  const middle = geos.centroid(geometry)
  const centre = geos.write(middle)
  for (const made of [middle, hull, geometry]) geos.free(made)
  const view = viewOf(fromPlane(centre, meridian))
  const [longitude, latitude] = [view.getFloat64(5, true), view.getFloat64(13, true)]
  return {
    areaM2,
    perimeterM: lengthM,
    vertexCount,
    compactness: lengthM === 0 ? 0 : (4 * Math.PI * areaM2) / lengthM ** 2,
    centroid: Number.isNaN(longitude) ? null : [((longitude + 540) % 360) - 180, latitude],
    bbox: envelopeOf(wkb),
    isValid,
    isConvex,
    orientation: outerSignedArea < 0 ? 'clockwise' : 'counterclockwise',
  }
}

/** A shape as numbers, for row-file.ts, and back. */
export const shapeNumbers = {
  of: ({ centroid, bbox, orientation, ...shape }: PolygonShape): number[] => [
    ...[
      shape.areaM2,
      shape.perimeterM,
      shape.vertexCount,
      shape.compactness,
      ...(centroid ?? [Number.NaN, Number.NaN]),
    ],
    ...[...bbox, Number(shape.isValid), Number(shape.isConvex), Number(orientation === 'clockwise')],
  ],
  from(numbers: readonly number[]): PolygonShape {
    const [areaM2, perimeterM, vertexCount, compactness, longitude, latitude, minX, minY, maxX, maxY, ...flags] =
      numbers as [number, number, number, number, number, number, number, number, number, number, ...number[]]
    const [isValid, isConvex, isClockwise] = flags.map((flag) => flag === 1) as [boolean, boolean, boolean]
    return {
      ...{ areaM2, perimeterM, vertexCount, compactness },
      centroid: Number.isNaN(longitude) ? null : [longitude, latitude],
      bbox: [minX, minY, maxX, maxY],
      ...{ isValid, isConvex, orientation: isClockwise ? 'clockwise' : 'counterclockwise' },
    }
  },
}
