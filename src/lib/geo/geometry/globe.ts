/** Maps polygons from a local plane back to longitude and latitude, around poles and across the antimeridian. */
import { append } from '../../../lists.ts'
import { fromMercator } from '../projection/transverse-mercator.ts'
import type { Geos } from './geos.ts'
import { fromPlane, POLE_Y } from './local-plane.ts'
import { hasLongEdge, unrolled, wrapped } from './longitude.ts'
import { gathered, kindsOf, validOrRepaired } from './repair.ts'
import {
  COLLECTION,
  collect,
  envelopeOf,
  forEachRun,
  hasZ,
  isEmpty,
  LINE,
  MULTI_POINT,
  mapPositions,
  multiOf,
  POLYGON,
  partsOf,
  typeOf,
  viewOf,
  type Wkb,
} from './wkb.ts'

/** A coordinate beyond the reach of any polygon in the plane. */
const FAR = 5e7
/** Distance in metres within which a vertex counts as lying on the plane's central meridian. */
const ON_SEAM = 1e-6
/** Distance in metres within which a vertex counts as the pole. */
const AT_POLE = 1e-3

/**
 * Maps a polygon or multipolygon from the plane of a meridian to degrees within ±180 and ±90. Splits it at the
 * antimeridian and, when it contains a pole, along the meridians that lead to the pole.
 */
export function polygonToGlobe(geos: Geos, plane: Wkb, meridian: number): Wkb {
  const [, minY, , maxY] = envelopeOf(plane)
  const reachesPole = maxY >= POLE_Y || minY <= -POLE_Y
  const unrolled = reachesPole ? quarters(geos, plane, meridian) : fromPlane(plane, meridian)
  return cutAtAntimeridian(geos, unrolled)
}

/**
 * Splits a polygon into quarters that meet at the pole and maps each; its corner at the pole becomes an edge along ±90.
 */
function quarters(geos: Geos, plane: Wkb, meridian: number): Wkb {
  const mapped: Wkb[] = []
  const pole = envelopeOf(plane)[3] >= POLE_Y ? POLE_Y : -POLE_Y
  for (const [x1, x2] of [
    [-FAR, 0],
    [0, FAR],
  ] as const)
    for (const [y1, y2] of [
      [-FAR, pole],
      [pole, FAR],
    ] as const) {
      const box = geos.read(boxWkb(x1, y1, x2, y2))
      const part = geos.run(plane, (geometry) => geos.overlay('intersection', geometry, box))
      geos.free(box)
      const side = x1 === 0 ? 1 : -1
      for (const polygon of polygonsOf(part)) mapped.push(quarterToGlobe(polygon, meridian, pole, side))
    }
  return geos.unionOf(mapped)
}

function quarterToGlobe(polygon: Wkb, meridian: number, pole: number, side: number): Wkb {
  const view = viewOf(polygon)
  const rings: number[][] = []
  const out = new Float64Array(2)
  let at = 9
  for (let remaining = view.getUint32(5, true); remaining > 0; remaining--) {
    const count = view.getUint32(at, true)
    at += 4
    const stride = view.getUint32(1, true) >= 1000 ? 24 : 16
    const points: { longitude: number; latitude: number; atPole: boolean }[] = []
    // the last point repeats the first
    for (let i = 0; i < count - 1; i++, at += stride) {
      const x = view.getFloat64(at, true)
      const y = view.getFloat64(at + 8, true)
      fromMercator(x, y, meridian, out)
      const [mapped, latitude] = [out[0] as number, out[1] as number]
      // both quarters beside a seam must get the same longitude for a vertex on it
      const beyond = pole > 0 ? y > pole : y < pole
      const longitude = Math.abs(x) > ON_SEAM ? mapped : beyond ? meridian + side * 180 : meridian
      points.push({ longitude, latitude, atPole: Math.hypot(x, y - pole) < AT_POLE })
    }
    at += stride
    const ring: number[] = []
    points.forEach((point, i) => {
      if (!point.atPole) {
        ring.push(point.longitude, point.latitude)
        return
      }
      const before = points[(i + points.length - 1) % points.length]
      const after = points[(i + 1) % points.length]
      const latitude = pole > 0 ? 90 : -90
      ring.push(before?.longitude ?? 0, latitude, after?.longitude ?? 0, latitude)
    })
    ring.push(ring[0] as number, ring[1] as number)
    rings.push(ring)
  }
  return polygonWkb(rings)
}

/** Moves the parts beyond ±180 to the opposite side. */
export function cutAtAntimeridian(geos: Geos, wkb: Wkb): Wkb {
  if (isEmpty(wkb)) return wkb
  const [minX, , maxX] = envelopeOf(wkb)
  if (minX >= -180 && maxX <= 180) return wkb
  const pieces: Wkb[] = []
  for (let turn = Math.floor((minX + 180) / 360); turn * 360 - 180 < maxX; turn++) {
    const box = geos.read(boxWkb(turn * 360 - 180, -91, turn * 360 + 180, 91))
    const piece = geos.run(wkb, (geometry) => geos.overlay('intersection', geometry, box))
    geos.free(box)
    for (const polygon of polygonsOf(piece))
      pieces.push(
        mapPositions(polygon, (x, y, out) => {
          out[0] = Math.min(180, Math.max(-180, x - turn * 360))
          out[1] = y
        }),
      )
  }
  // pieces from different turns may touch along the cut
  return pieces.length === 1 ? (pieces[0] as Wkb) : geos.unionOf(pieces)
}

/**
 * A geometry in degrees within ±180, as RFC 7946 asks (3.1.9): positions beyond move to the opposite side, and a line
 * takes the short way. A geometry within ±180 is returned unchanged.
 */
export function onGlobe(geos: Geos, wkb: Wkb): Wkb {
  const [minX, , maxX] = envelopeOf(wkb)
  const isWithin = !(minX < -180 || maxX > 180)
  if (isWithin && (maxX - minX <= 180 || !hasLongEdge(wkb))) return wkb
  const parts: Wkb[] = []
  for (const part of simplePartsOf(wkb)) {
    const valid = typeOf(part) === POLYGON ? validOrRepaired(geos, part) : null
    if (typeOf(part) === LINE) append(parts, lineParts(unrolled(part)))
    else if (valid !== null) append(parts, polygonsOf(cutAtAntimeridian(geos, valid)))
    else {
      // points, and collapsed polygons, unchanged so that warnings can name them
      const turn = wrapped(envelopeOf(part)[0]) - envelopeOf(part)[0]
      parts.push(turned(part, turn))
    }
  }
  return together(parts)
}

/** Cuts a line where it crosses the antimeridian, and moves the parts within ±180. */
function lineParts(line: Wkb): Wkb[] {
  const view = viewOf(line)
  const size = hasZ(line) ? 3 : 2
  const count = view.getUint32(5, true)
  const parts: number[][] = []
  const positionAt = (i: number): number[] =>
    Array.from({ length: size }, (_, axis) => view.getFloat64(9 + (i * size + axis) * 8, true))
  let current: number[] | undefined
  let turnOfCurrent = 0
  const add = (from: number[], to: number[]): void => {
    const turn = Math.round(((from[0] as number) + (to[0] as number)) / 720)
    if (current === undefined || turn !== turnOfCurrent) {
      current = [(from[0] as number) - 360 * turn, ...from.slice(1)]
      parts.push(current)
      turnOfCurrent = turn
    }
    current.push((to[0] as number) - 360 * turn, ...to.slice(1))
  }
  for (let i = 1; i < count; i++) {
    let from = positionAt(i - 1)
    const end = positionAt(i)
    const [x1, x2] = [from[0] as number, end[0] as number]
    const start = from
    const step = x2 > x1 ? 360 : -360
    // the next of …, −180, 180, 540, … that lies strictly between the ends
    let cut = step > 0 ? Math.floor((x1 + 180) / 360) * 360 + 180 : Math.ceil((x1 - 180) / 360) * 360 - 180
    for (; (cut - x2) * step < 0; cut += step) {
      const share = (cut - x1) / (x2 - x1)
      const at = start.map((value, axis) => (axis === 0 ? cut : value + ((end[axis] as number) - value) * share))
      add(from, at)
      from = at
    }
    add(from, end)
  }
  return parts.map((positions) => lineWkb(positions, size === 3))
}

/**
 * A geometry within ±180 with its copies one turn to the west and to the east, up to half a turn away: a geometry that
 * meets another one across the antimeridian meets one of its copies.
 */
export function repeated(geos: Geos, wkb: Wkb): Wkb {
  const window = geos.read(boxWkb(-360, -91, 360, 91))
  const kinds = kindsOf(wkb).map((kind) => {
    const valid = validOrRepaired(geos, kind)
    if (valid === null) return kind
    const copies = geos.unionOf([-360, 0, 360].map((turn) => turned(valid, turn)))
    return geos.run(copies, (all) => geos.overlay('intersection', all, window))
  })
  geos.free(window)
  return gathered(kinds) ?? wkb
}

const turned = (wkb: Wkb, degrees: number): Wkb =>
  mapPositions(wkb, (x, y, out) => {
    out[0] = x + degrees
    out[1] = y
  })

const simplePartsOf = (wkb: Wkb): Wkb[] => (typeOf(wkb) < MULTI_POINT ? [wkb] : partsOf(wkb).flatMap(simplePartsOf))

/** One part, or several as the multi type of their kind, or as a collection. */
function together(parts: readonly Wkb[]): Wkb {
  const [first] = parts
  if (parts.length === 1) return first as Wkb
  const types = new Set(parts.map(typeOf))
  return collect(types.size === 1 ? multiOf(typeOf(first as Wkb)) : COLLECTION, parts)
}

export function polygonsOf(wkb: Wkb): Wkb[] {
  if (isEmpty(wkb)) return []
  const type = typeOf(wkb)
  if (type === POLYGON) return [wkb]
  return type < MULTI_POINT ? [] : partsOf(wkb).flatMap(polygonsOf)
}

/** @returns the rings of a polygon as [x, y, x, y, …], without heights */
export function ringsOf(polygon: Wkb): number[][] {
  const rings: number[][] = []
  forEachRun(polygon, (view, offset, count, stride) => {
    const ring: number[] = []
    for (let i = 0, at = offset; i < count; i++, at += stride)
      ring.push(view.getFloat64(at, true), view.getFloat64(at + 8, true))
    rings.push(ring)
  })
  return rings
}

/** @param rings as [x, y, x, y, …], each closed */
export function polygonWkb(rings: readonly (readonly number[])[]): Wkb {
  const wkb = new Uint8Array(9 + rings.reduce((sum, ring) => sum + 4 + ring.length * 8, 0))
  const view = viewOf(wkb)
  wkb[0] = 1
  view.setUint32(1, POLYGON, true)
  view.setUint32(5, rings.length, true)
  let at = 9
  for (const ring of rings) {
    view.setUint32(at, ring.length / 2, true)
    at += 4
    for (const value of ring) {
      view.setFloat64(at, value, true)
      at += 8
    }
  }
  return wkb
}

export function lineWkb(positions: readonly number[], z = false): Wkb {
  const wkb = new Uint8Array(9 + positions.length * 8)
  const view = viewOf(wkb)
  wkb[0] = 1
  view.setUint32(1, z ? LINE + 1000 : LINE, true)
  view.setUint32(5, positions.length / (z ? 3 : 2), true)
  for (let i = 0; i < positions.length; i++) view.setFloat64(9 + i * 8, positions[i] as number, true)
  return wkb
}

export const boxWkb = (x1: number, y1: number, x2: number, y2: number): Wkb =>
  polygonWkb([[x1, y1, x2, y1, x2, y2, x1, y2, x1, y1]])
