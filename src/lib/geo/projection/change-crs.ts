/**
 * The only code that reprojects geometries. PROJ moves the vertices. This module handles the course of long edges, the
 * way across the antimeridian, and poles inside polygons.
 */
import type * as Gdal from 'gdal-async'
import { inPlace } from '../../../field-texts/bilingual.ts'
import { fieldText } from '../../../field-texts/field-text.ts'
import { InputError } from '../../input-error.ts'
import { loadGdal, transformationBetween } from '../formats/gdal/gdal.ts'
import { degreesFor, densified, lengthFor, type PiecesOf, piecesUpTo } from '../geometry/densify.ts'
import { type Geos, loadGeos } from '../geometry/geos.ts'
import { cutAtAntimeridian, onGlobe, polygonsOf, polygonWkb, ringsOf } from '../geometry/globe.ts'
import { nearestTurn, unrolled } from '../geometry/longitude.ts'
import { validOrRepaired } from '../geometry/repair.ts'
import {
  collect,
  envelopeOf,
  forEachRun,
  hasOnlyCoordinates,
  MULTI_POLYGON,
  POLYGON,
  partsOf,
  typeOf,
  type Wkb,
} from '../geometry/wkb.ts'
import type { Crs } from '../layers/layer.ts'

/** Maximum deviation of a long edge from its course in the other CRS. */
const DEVIATION_M = 0.1
const MAX_PIECES = 2_000
/** Number of pieces of an edge for finding its way around the earth. */
const PROBE_PIECES = 64
/** An edge of at most 20 km that becomes longer has been torn apart at the border of a plane. */
const TORN_M = 1e6

export type CrsChange = {
  /** @throws InputError `reprojection` naming the feature */
  move(wkb: Wkb, index: number): Wkb
}

/**
 * @param plain moves the vertices of a geometry. It throws for vertices outside the area of the CRS.
 * @param followsEdges whether long edges get positions in between, for geometries that are compared with others
 */
export async function crsChange(
  from: Crs,
  to: Crs,
  plain: (wkb: Wkb, transformation: Gdal.CoordinateTransformation) => Wkb,
  followsEdges: boolean,
): Promise<CrsChange> {
  const gdal = await loadGdal()
  const geos = await loadGeos()
  const transformation = transformationBetween(gdal, from, to)
  const edges = piecesUpTo(from.geographic ? degreesFor(DEVIATION_M) : lengthFor(DEVIATION_M), MAX_PIECES)
  const isBetweenDegrees = from.geographic && to.geographic
  const moveVertices = (wkb: Wkb, index: number): Wkb => {
    let moved: Wkb
    try {
      moved = plain(wkb, transformation)
    } catch (cause) {
      if (cause instanceof InputError) throw cause
      throw outside(index, cause)
    }
    if (!hasOnlyCoordinates(moved)) throw outside(index)
    return moved
  }
  let poles: Pole[] | undefined
  return {
    move(wkb, index) {
      if (from.geographic && !to.geographic && followsEdges) {
        // cut at the antimeridian only if the plane is, because a raster cell may lie on the cut
        const whole = moveVertices(densified(unrolled(wkb), edges), index)
        if (!isTorn(whole)) return whole
      }
      const drawn = from.geographic ? onGlobe(geos, wkb) : wkb
      if (isBetweenDegrees) return moveVertices(drawn, index)
      const dense = followsEdges ? densified(drawn, edges) : drawn
      const moved = moveVertices(dense, index)
      if (!to.geographic) {
        if (followsEdges && isTorn(moved))
          throw new InputError('reprojection', inPlace({ feature: index }, fieldText('crossesPlane')))
        return moved
      }
      const [minX, , maxX] = envelopeOf(moved)
      if (maxX - minX <= 180) return moved
      poles ??= polesIn(transformationBetween(gdal, to, from))
      return aroundEarth(geos, dense, moved, (part) => moveVertices(part, index), poles)
    },
  }
}

const outside = (index: number, cause?: unknown): InputError =>
  new InputError('reprojection', inPlace({ feature: index }, fieldText('outsideCrs')), cause)

/** Whether an edge is far longer than the pieces that edges were divided into. */
function isTorn(wkb: Wkb): boolean {
  const [minX, minY, maxX, maxY] = envelopeOf(wkb)
  if (Math.max(maxX - minX, maxY - minY) <= TORN_M) return false
  let torn = false
  forEachRun(wkb, (view, offset, count, stride, role) => {
    if (role === 0) return
    for (let i = 1, at = offset + stride; i < count; i++, at += stride) {
      const dx = view.getFloat64(at, true) - view.getFloat64(at - stride, true)
      const dy = view.getFloat64(at + 8, true) - view.getFloat64(at - stride + 8, true)
      if (Math.hypot(dx, dy) > TORN_M) torn = true
    }
  })
  return torn
}

/** A pole, with its position in the other CRS. */
export type Pole = { latitude: 90 | -90; x: number; y: number }

export function polesIn(fromDegrees: Gdal.CoordinateTransformation): Pole[] {
  return ([90, -90] as const).flatMap((latitude) => {
    try {
      const { x, y } = fromDegrees.transformPoint(0, latitude)
      return Number.isFinite(x) && Number.isFinite(y) ? [{ latitude, x, y }] : []
    } catch {
      // this pole has no position in the plane
      return []
    }
  })
}

/** Polygons whose vertices are more than 180 degrees apart: they cross the antimeridian, or they really are that wide. */
function aroundEarth(geos: Geos, source: Wkb, moved: Wkb, move: (wkb: Wkb) => Wkb, poles: readonly Pole[]): Wkb {
  if (typeOf(moved) > POLYGON) {
    const [from, to] = [partsOf(source), partsOf(moved)]
    const parts = to.map((part, i) => {
      const [minX, , maxX] = envelopeOf(part)
      return maxX - minX <= 180 ? part : aroundEarth(geos, from[i] as Wkb, part, move, poles)
    })
    if (parts.every((part, i) => part === to[i])) return moved
    return collect(typeOf(moved), typeOf(moved) === MULTI_POLYGON ? parts.flatMap(polygonsOf) : parts)
  }
  if (typeOf(moved) < POLYGON) return moved
  const probe: PiecesOf = () => PROBE_PIECES
  const finely = densified(source, probe)
  const rings = ringsOf(move(finely)).map(unrolledRing)
  const goesAcross = rings.some((ring) => ring.some((value, i) => i % 2 === 0 && Math.abs(value) > 180.000001))
  if (!goesAcross && rings.every((ring) => Math.abs((ring.at(-2) as number) - (ring[0] as number)) < 180)) return moved
  const sourceRings = ringsOf(finely)
  const [shell, ...holes] = rings.map((ring, i) => {
    const polygon = polygonWkb([aroundPole(ring, sourceRings[i] as number[], poles)])
    return cutAtAntimeridian(geos, validOrRepaired(geos, polygon) ?? polygon)
  })
  return holes.reduce((rest, hole) => {
    const other = geos.read(hole)
    const without = geos.run(rest, (geometry) => geos.overlay('difference', geometry, other))
    geos.free(other)
    return without
  }, shell as Wkb)
}

/** Its vertices are close to each other, so each takes the longitude nearest to the previous one. */
function unrolledRing(ring: readonly number[]): number[] {
  let before = ring[0] as number
  return ring.map((value, i) => {
    if (i % 2 === 1) return value
    before = nearestTurn(value, before)
    return before
  })
}

/** A ring that ends 360 degrees from its start contains a pole, and gets an edge along it. */
function aroundPole(ring: readonly number[], source: readonly number[], poles: readonly Pole[]): number[] {
  const [first, last] = [ring[0] as number, ring.at(-2) as number]
  if (Math.abs(last - first) < 180) return [...ring]
  const pole = poles.find(({ x, y }) => isInside(source, x, y))
  if (pole === undefined) throw new InputError('reprojection', fieldText('poleOutside'))
  return [...ring, last, pole.latitude, first, pole.latitude, first, ring[1] as number]
}

function isInside(ring: readonly number[], x: number, y: number): boolean {
  let inside = false
  for (let i = 2; i < ring.length; i += 2) {
    const [x1, y1, x2, y2] = ring.slice(i - 2, i + 2) as [number, number, number, number]
    if (y1 > y !== y2 > y && x < x1 + ((y - y1) / (y2 - y1)) * (x2 - x1)) inside = !inside
  }
  return inside
}
