/** Encodes GeoJSON geometries (RFC 7946) as well-known binary and validates them on the way. */

import { inPlace, type Place } from '../../../../field-texts/bilingual.ts'
import { fieldText } from '../../../../field-texts/field-text.ts'
import { type Warning, warning } from '../../../../warnings/warning.ts'
import { InputError } from '../../../input-error.ts'
import { COORDINATES_RULE, isCoordinate } from '../../geometry/coordinate.ts'
import {
  COLLECTION,
  LINE,
  MULTI_LINE,
  MULTI_POINT,
  MULTI_POLYGON,
  POINT,
  POLYGON,
  TYPE_NAMES,
  viewOf,
  type Wkb,
} from '../../geometry/wkb.ts'
import { allocate } from '../../geometry/wkb-pool.ts'

const TYPES = new Map<unknown, number>(TYPE_NAMES.map((name, type) => [name, type]).slice(1) as [string, number][])
const MAX_DEPTH = 8

export type Encoded = {
  wkb: Wkb
  /** Rings that were open and have been closed. */
  closedRings: number
  /** Positions given the height 0, because other positions of the geometry have heights. */
  madeHeights: number
  /** Positions with values after the height, or a non-numeric height; the extra values are dropped. */
  cutPositions: number
}

/** First pass: validates the geometry and counts the bytes that it needs. */
class Measure {
  bytes = 0
  closedRings = 0
  cutPositions = 0
  private all = 0
  private high = 0

  get z(): boolean {
    return this.high > 0
  }

  get madeHeights(): number {
    return this.z ? this.all - this.high : 0
  }

  position(value: unknown, place: Place | undefined): asserts value is number[] {
    if (!Array.isArray(value) || value.length < 2)
      throw new InputError('position', inPlace(place, fieldText('position')))
    // JSON has no infinity, but JSON.parse turns 1e999 into one
    if (!isCoordinate(value[0]) || !isCoordinate(value[1]))
      throw new InputError('finite', inPlace(place, COORDINATES_RULE))
    this.all++
    if (value.length === 2) return
    if (Number.isFinite(value[2])) this.high++
    if (value.length > 3 || !Number.isFinite(value[2])) this.cutPositions++
  }

  positions(value: unknown, place: Place | undefined): unknown[] {
    if (!Array.isArray(value)) throw new InputError('coordinates', inPlace(place, fieldText('coordinatePositions')))
    for (const position of value) this.position(position, place)
    return value
  }

  list(value: unknown, place: Place | undefined): unknown[] {
    if (!Array.isArray(value)) throw new InputError('coordinates', inPlace(place, fieldText('coordinateList')))
    return value
  }

  polygon(value: unknown, place: Place | undefined): void {
    this.bytes += 9
    for (const ring of this.list(value, place)) {
      const positions = this.positions(ring, place)
      const open = isOpen(positions as number[][])
      if (open) this.closedRings++
      this.bytes += 4 + (positions.length + (open ? 1 : 0)) * 16
    }
  }

  geometry(value: unknown, place: Place | undefined, depth: number): void {
    const { type, coordinates, geometries } = (value ?? {}) as Record<string, unknown>
    switch (TYPES.get(type)) {
      case POINT:
        // RFC 7946 writes an empty point as an empty array
        if (!(Array.isArray(coordinates) && coordinates.length === 0)) this.position(coordinates, place)
        this.bytes += 21
        return
      case LINE:
        this.bytes += 9 + this.positions(coordinates, place).length * 16
        return
      case POLYGON:
        this.polygon(coordinates, place)
        return
      case MULTI_POINT:
        this.bytes += 9 + this.positions(coordinates, place).length * 21
        return
      case MULTI_LINE:
        this.bytes += 9
        for (const line of this.list(coordinates, place)) this.bytes += 9 + this.positions(line, place).length * 16
        return
      case MULTI_POLYGON:
        this.bytes += 9
        for (const polygon of this.list(coordinates, place)) this.polygon(polygon, place)
        return
      case COLLECTION:
        if (depth >= MAX_DEPTH)
          throw new InputError('depth', inPlace(place, fieldText('collectionDepth', { most: MAX_DEPTH })))
        if (!Array.isArray(geometries)) throw new InputError('geometries', inPlace(place, fieldText('geometryList')))
        this.bytes += 9
        for (const geometry of geometries) this.geometry(geometry, place, depth + 1)
        return
      default:
        throw new InputError(
          'type',
          inPlace(place, fieldText('typeOfGeometry', { types: TYPE_NAMES.slice(1).join(', ') })),
        )
    }
  }
}

function isOpen(ring: number[][]): boolean {
  const first = ring[0]
  const last = ring.at(-1)
  return first !== undefined && last !== undefined && (first[0] !== last[0] || first[1] !== last[1])
}

/** @param place of the geometry, for messages. @throws InputError */
export function encodeGeometry(geometry: unknown, place?: Place): Encoded {
  const measure = new Measure()
  measure.geometry(geometry, place, 0)
  const { z, closedRings, madeHeights, cutPositions } = measure
  const wkb = allocate(z ? zBytes(measure.bytes) : measure.bytes)
  const view = viewOf(wkb)
  let at = 0
  const extra = z ? 1000 : 0

  function head(type: number): void {
    wkb[at] = 1
    view.setUint32(at + 1, type + extra, true)
    at += 5
  }
  function count(n: number): void {
    view.setUint32(at, n, true)
    at += 4
  }
  function position(p: number[]): void {
    view.setFloat64(at, p[0] as number, true)
    view.setFloat64(at + 8, p[1] as number, true)
    at += 16
    if (!z) return
    view.setFloat64(at, Number.isFinite(p[2]) ? (p[2] as number) : 0, true)
    at += 8
  }
  function noPosition(): void {
    for (let axis = 0; axis < (z ? 3 : 2); axis++, at += 8) view.setFloat64(at, Number.NaN, true)
  }
  function positions(list: number[][]): void {
    for (const p of list) position(p)
  }
  function polygon(rings: number[][][]): void {
    head(POLYGON)
    count(rings.length)
    for (const ring of rings) {
      const open = isOpen(ring)
      count(ring.length + (open ? 1 : 0))
      positions(ring)
      if (open) position(ring[0] as number[])
    }
  }
  function line(list: number[][]): void {
    head(LINE)
    count(list.length)
    positions(list)
  }
  function write({ type, coordinates, geometries }: Record<string, unknown>): void {
    const kind = TYPES.get(type) as number
    if (kind === POINT) {
      head(POINT)
      const point = coordinates as number[]
      if (point.length === 0) noPosition()
      else position(point)
    } else if (kind === LINE) line(coordinates as number[][])
    else if (kind === POLYGON) polygon(coordinates as number[][][])
    else {
      head(kind)
      const parts = (kind === COLLECTION ? geometries : coordinates) as unknown[]
      count(parts.length)
      for (const part of parts)
        if (kind === MULTI_POINT) {
          head(POINT)
          position(part as number[])
        } else if (kind === MULTI_LINE) line(part as number[][])
        else if (kind === MULTI_POLYGON) polygon(part as number[][][])
        else write(part as Record<string, unknown>)
    }
  }
  write(geometry as Record<string, unknown>)
  return { wkb: z ? wkb.subarray(0, at) : wkb, closedRings, madeHeights, cutPositions }
}

/** For readers that repair nothing. @throws InputError */
export function requireHeights({ madeHeights }: Encoded, place: Place | undefined): void {
  if (madeHeights > 0) throw new InputError('position', inPlace(place, fieldText('heights')))
}

/** Heights that were added or values that were dropped in the positions of features. */
export class PositionLosses {
  private readonly madeHeights = { count: 0, first: -1 }
  private readonly cutPositions = { count: 0, first: -1 }

  add(encoded: Encoded, feature: number): void {
    for (const name of ['madeHeights', 'cutPositions'] as const) {
      const kind = this[name]
      if (encoded[name] > 0 && kind.count === 0) kind.first = feature
      kind.count += encoded[name]
    }
  }

  get warnings(): Warning[] {
    const { madeHeights: made, cutPositions: cut } = this
    const warnings: Warning[] = []
    if (made.count > 0) warnings.push(warning('positionsGivenHeight', { n: made.count, feature: made.first }))
    if (cut.count > 0) warnings.push(warning('positionsCut', { n: cut.count, feature: cut.first }))
    return warnings
  }
}

/** Upper bound for three dimensions, from the size in two: headers are scaled as if they were coordinates. */
const zBytes = (bytes: number): number => Math.ceil(bytes * 1.5) + 8
