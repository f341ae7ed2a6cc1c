/** Measures of one polygon: its size on the ellipsoid, and its shape in a local plane. */

import { signedArea } from '../formats/geojson/geojson-write.ts'
import { isSurelyValid } from '../overlay/simple-overlay.ts'
import { measure } from './geodesic.ts'
import type { Geos } from './geos.ts'
import type { Pointer } from './geos-memory.ts'
import { fromPlane, middleMeridian, toPlane } from './local-plane.ts'
import { wrapped } from './longitude.ts'
import { type Envelope, envelopeOf, forEachRun, viewOf, type Wkb } from './wkb.ts'

/** Size and shape of a polygon. */
export type PolygonFigures = {
  areaM2: number
  /** Perimeter over all rings. */
  perimeterM: number
  /** Vertices of the outer ring. */
  vertexCount: number
  /** 4π · area / perimeter², 1 for a circle (Polsby and Popper). */
  compactness: number
  isValid: boolean
  isConvex: boolean
}

export type PolygonShape = PolygonFigures & {
  /** [longitude, latitude] of the centre of mass; null for a polygon without area. */
  centroid: [number, number] | null
  bbox: Envelope
  /** Direction of the outer ring, seen from above. */
  orientation: 'clockwise' | 'counterclockwise'
}

/** Relative difference from the area of the convex hull that still counts as convex, to allow for rounding. */
const CONVEX_TOLERANCE = 1e-9

/** @param wkb a polygon in degrees */
export function polygonFigures(geos: Geos, wkb: Wkb): PolygonFigures {
  const { areaM2, perimeterM } = measure(wkb)
  const plane = toPlane(wkb, middleMeridian([wkb]))
  const geometry = geos.read(plane)
  const isValid = isSurelyValid(plane) || geos.isValid(geometry)
  const isConvex = isValid && geos.area(geometry) >= hullArea(geos, geometry) * (1 - CONVEX_TOLERANCE)
  geos.free(geometry)
  return {
    areaM2,
    perimeterM,
    vertexCount: outerRing(plane).vertexCount,
    compactness: perimeterM === 0 ? 0 : (4 * Math.PI * areaM2) / perimeterM ** 2,
    isValid,
    isConvex,
  }
}

function hullArea(geos: Geos, geometry: Pointer): number {
  const hull = geos.convexHull(geometry)
  const area = geos.area(hull)
  geos.free(hull)
  return area
}

function outerRing(plane: Wkb): { vertexCount: number; area: number } {
  const outer = { vertexCount: 0, area: 0 }
  forEachRun(plane, (view, offset, count, stride, _role, ring) => {
    if (ring > 0) return
    outer.vertexCount = count - 1
    outer.area = signedArea(view, offset, count, stride)
  })
  return outer
}

/** Adds centroid, bounds and orientation to the figures of a polygon in degrees. */
export function withPlace(geos: Geos, wkb: Wkb, figures: PolygonFigures): PolygonShape {
  const meridian = middleMeridian([wkb])
  const plane = toPlane(wkb, meridian)
  const centre = geos.run(plane, (geometry) => geos.centroid(geometry))
  const view = viewOf(fromPlane(centre, meridian))
  const [longitude, latitude] = [view.getFloat64(5, true), view.getFloat64(13, true)]
  const { isValid, isConvex, ...size } = figures
  return {
    ...size,
    centroid: Number.isNaN(longitude) ? null : [((longitude + 540) % 360) - 180, latitude],
    bbox: wrappedBox(envelopeOf(wkb)),
    isValid,
    isConvex,
    orientation: outerRing(plane).area < 0 ? 'clockwise' : 'counterclockwise',
  }
}

/** West is greater than east across the antimeridian (RFC 7946, 5.2). */
const wrappedBox = ([west, south, east, north]: Envelope): Envelope =>
  west >= -180 && east <= 180 ? [west, south, east, north] : [wrapped(west), south, wrapped(east), north]

export const polygonShape = (geos: Geos, wkb: Wkb): PolygonShape => withPlace(geos, wkb, polygonFigures(geos, wkb))

/** Figures as numbers, for row-file.ts, and back. */
export const figureNumbers = {
  of: ({ areaM2, perimeterM, vertexCount, compactness, isValid, isConvex }: PolygonFigures): number[] => [
    areaM2,
    perimeterM,
    vertexCount,
    compactness,
    Number(isValid),
    Number(isConvex),
  ],
  from([areaM2, perimeterM, vertexCount, compactness, valid, convex]: readonly number[]): PolygonFigures {
    const [isValid, isConvex] = [valid === 1, convex === 1]
    return { areaM2, perimeterM, vertexCount, compactness, isValid, isConvex } as PolygonFigures
  },
}
