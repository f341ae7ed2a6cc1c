/**
 * A plane in metres around a place: the transverse Mercator projection, as in UTM, but with its central meridian in the
 * middle of the geometry. Poles and the antimeridian are ordinary places in it.
 */

import { fromMercator, toMercator } from '../projection/transverse-mercator.ts'
import { wrapped } from './longitude.ts'
import { type Envelope, emptyEnvelope, forEachRun, mapPositions, type Wkb, widen } from './wkb.ts'

const RADIANS = Math.PI / 180

/**
 * The mean longitude of the vertices, computed from directions so that ±180 needs no special case; for polygons that
 * span more than half of the earth, the middle of their span, because their vertices may lie on the other side.
 */
export function middleMeridian(wkbs: Iterable<Wkb>): number {
  let [x, y] = [0, 0]
  let [west, east] = [Infinity, -Infinity]
  for (const wkb of wkbs)
    forEachRun(wkb, (view, offset, count, stride, role) => {
      let [from, to] = [Infinity, -Infinity]
      for (let i = 0, at = offset; i < count; i++, at += stride) {
        const degrees = view.getFloat64(at, true)
        if (degrees < from) from = degrees
        if (degrees > to) to = degrees
        const longitude = degrees * RADIANS
        const radius = Math.cos(view.getFloat64(at + 8, true) * RADIANS)
        x += radius * Math.cos(longitude)
        y += radius * Math.sin(longitude)
      }
      if (role === 2 && to - from > 180) [west, east] = [Math.min(west, from), Math.max(east, to)]
    })
  const meridian = east >= west ? wrapped((west + east) / 2) : Math.atan2(y, x) / RADIANS
  // exact for a single point, and free of rounding noise for a line along a meridian
  return Math.round(meridian * 1e9) / 1e9
}

export function toPlane(wkb: Wkb, meridian: number): Wkb {
  return mapPositions(wkb, (longitude, latitude, out) => toMercator(longitude, latitude, meridian, out))
}

/** Returns longitudes within 180 degrees of the meridian; they may be beyond ±180. */
export function fromPlane(wkb: Wkb, meridian: number): Wkb {
  return mapPositions(wkb, (x, y, out) => fromMercator(x, y, meridian, out))
}

/** The envelope in the plane of geometries in degrees; undefined when they are empty. */
export function planeEnvelope(wkbs: Iterable<Wkb>, meridian: number): Envelope | undefined {
  const envelope = emptyEnvelope()
  for (const wkb of wkbs) widen(envelope, toPlane(wkb, meridian))
  return envelope[0] <= envelope[2] ? envelope : undefined
}

/** Y of the north pole in the plane, on x = 0. */
export const POLE_Y = (() => {
  const out = new Float64Array(2)
  toMercator(0, 90, 0, out)
  return out[1] as number
})()
