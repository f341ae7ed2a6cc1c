/**
 * Whether positions lie in the area where a change of CRS is valid. PROJ returns numbers for many positions outside a
 * projection's area: -100, 40 in the Swiss grid gets the coordinates of another place. The inverse transformation
 * reveals it.
 */
import type * as Gdal from 'gdal-async'
import { inPlace } from '../../../field-texts/bilingual.ts'
import { fieldText } from '../../../field-texts/field-text.ts'
import { InputError } from '../../input-error.ts'
import { type GdalModule, transformationBetween } from '../formats/gdal/gdal.ts'
import { forEachRun } from '../geometry/wkb.ts'
import type { Crs, Feature } from '../layers/layer.ts'

/** Tolerance: some datum shifts are only approximate in one direction. */
const TOLERANCE = { degrees: 0.01, units: 1_000 }

export type Move = (x: number, y: number) => [x: number, y: number] | undefined

const cache = new Map<string, Move>()
const MAX_CACHED = 64

/** The returned function returns undefined for a position outside the area of either CRS. */
export function moveBetween(gdal: GdalModule, from: Crs, to: Crs): Move {
  const key = `${from.wkt}|${to.wkt}`
  const cached = cache.get(key)
  if (cached !== undefined) return cached
  const created = createMove(gdal, from, to)
  if (cache.size >= MAX_CACHED) cache.clear()
  cache.set(key, created)
  return created
}

function createMove(gdal: GdalModule, from: Crs, to: Crs): Move {
  const forward = pointwise(transformationBetween(gdal, from, to))
  if (from.geographic && to.geographic) return forward
  const back = pointwise(transformationBetween(gdal, to, from))
  const isNear = from.geographic ? areNearInDegrees : areNearInUnits
  return (x, y) => {
    const moved = forward(x, y)
    const again = moved && back(...moved)
    return again && isNear(again[0] - x, again[1] - y, y) ? moved : undefined
  }
}

const pointwise =
  (transformation: Gdal.CoordinateTransformation): Move =>
  (x, y) => {
    try {
      const moved = transformation.transformPoint(x, y)
      return Number.isFinite(moved.x) && Number.isFinite(moved.y) ? [moved.x, moved.y] : undefined
    } catch {
      // PROJ throws for a position that it cannot project
      return undefined
    }
  }

const areNearInUnits = (dx: number, dy: number): boolean => Math.hypot(dx, dy) < TOLERANCE.units

/** Longitudes repeat every 360 degrees, and are meaningless at a pole. */
function areNearInDegrees(dx: number, dy: number, latitude: number): boolean {
  const turn = Math.abs(dx - 360 * Math.round(dx / 360)) * Math.cos((latitude * Math.PI) / 180)
  return turn < TOLERANCE.degrees && Math.abs(dy) < TOLERANCE.degrees
}

/** Directions of the outermost positions. */
const DIRECTIONS = [
  [1, 0],
  [1, 1],
  [0, 1],
  [-1, 1],
  [-1, 0],
  [-1, -1],
  [0, -1],
  [1, -1],
] as const

/** Checks the outermost positions of a layer in eight directions; the others lie between them. @throws InputError */
export function requireReach(gdal: GdalModule, features: readonly Feature[], from: Crs, to: Crs): void {
  const farthest = DIRECTIONS.map(() => Number.NEGATIVE_INFINITY)
  const outermost = DIRECTIONS.map(() => ({ x: 0, y: 0, index: 0 }))
  features.forEach(({ geometry }, index) => {
    if (geometry === null) return
    forEachRun(geometry, (view, offset, count, stride) => {
      for (let at = offset; at < offset + count * stride; at += stride) {
        const x = view.getFloat64(at, true)
        const y = view.getFloat64(at + 8, true)
        for (let i = 0; i < DIRECTIONS.length; i++) {
          const [towardsX, towardsY] = DIRECTIONS[i] as (typeof DIRECTIONS)[number]
          const distance = towardsX * x + towardsY * y
          if (distance <= (farthest[i] as number)) continue
          farthest[i] = distance
          outermost[i] = { x, y, index }
        }
      }
    })
  })
  if (farthest[0] === Number.NEGATIVE_INFINITY) return
  const move = moveBetween(gdal, from, to)
  for (const { x, y, index } of outermost)
    if (move(x, y) === undefined)
      throw new InputError('reprojection', inPlace({ feature: index }, fieldText('outsideCrs')))
}
