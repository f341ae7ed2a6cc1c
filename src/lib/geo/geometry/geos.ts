/** Planar geometry with GEOS, in the units of its input. An operation that fails is repeated on a grid. */
import { type GeosExports, GeosMemory, type GeosModule, type Pointer } from './geos-memory.ts'
import { onGrid, robust } from './robust.ts'
import type { Wkb } from './wkb.ts'

export const CAP_STYLES = { round: 1, flat: 2, square: 3 } as const
export type CapStyle = keyof typeof CAP_STYLES

/** Return value of a failed predicate. */
const FAILED = 2

export const PREDICATES = ['intersects', 'within', 'contains', 'crosses', 'touches', 'overlaps'] as const
export type Predicate = (typeof PREDICATES)[number]

type Cover = 'covers' | 'coveredBy'

const PREDICATE_NAMES: Record<Predicate | Cover, string> = {
  intersects: 'Intersects',
  within: 'Within',
  contains: 'Contains',
  crosses: 'Crosses',
  touches: 'Touches',
  overlaps: 'Overlaps',
  covers: 'Covers',
  coveredBy: 'CoveredBy',
}

const OPERATIONS = { intersection: 'GEOSIntersection', union: 'GEOSUnion', difference: 'GEOSDifference' } as const
export type Overlay = keyof typeof OPERATIONS

export class Geos extends GeosMemory {
  /** The result of a predicate; a failed predicate is repeated on a grid. */
  private relate(predicate: Predicate | Cover, a: Pointer, b: Pointer, first: number): boolean {
    if (first !== FAILED) return first === 1
    return onGrid(this, { operation: predicate, inputs: [a, b], reason: this.lastMessage }, (rounded) => {
      const answer = this.call(`GEOS${PREDICATE_NAMES[predicate]}_r`, ...rounded)
      return answer === FAILED ? undefined : answer === 1
    })
  }

  private toBoolean(answer: number, operation: string): boolean {
    if (answer === FAILED) throw new Error(`${operation} failed: ${this.lastMessage}`)
    return answer === 1
  }

  isEmpty(geometry: Pointer): boolean {
    return this.toBoolean(this.call('GEOSisEmpty_r', geometry), 'isEmpty')
  }

  buffer(geometry: Pointer, distance: number, cap: CapStyle, quadrantSegments: number): Pointer {
    const params = this.call('GEOSBufferParams_create_r')
    this.call('GEOSBufferParams_setEndCapStyle_r', params, CAP_STYLES[cap])
    this.call('GEOSBufferParams_setQuadrantSegments_r', params, quadrantSegments)
    try {
      return robust(this, 'buffer', [geometry], (g) => this.call('GEOSBufferWithParams_r', ...g, params, distance))
    } finally {
      this.call('GEOSBufferParams_destroy_r', params)
    }
  }

  simplify(geometry: Pointer, tolerance: number, preserveTopology: boolean): Pointer {
    const name = preserveTopology ? 'GEOSTopologyPreserveSimplify_r' : 'GEOSSimplify_r'
    return robust(this, 'simplify', [geometry], (g) => this.call(name, ...g, tolerance))
  }

  convexHull(geometry: Pointer): Pointer {
    return robust(this, 'convex hull', [geometry], (g) => this.call('GEOSConvexHull_r', ...g))
  }

  centroid(geometry: Pointer): Pointer {
    return robust(this, 'centroid', [geometry], (g) => this.call('GEOSGetCentroid_r', ...g))
  }

  pointOnSurface(geometry: Pointer): Pointer {
    return robust(this, 'point on surface', [geometry], (g) => this.call('GEOSPointOnSurface_r', ...g))
  }

  overlay(operation: Overlay, a: Pointer, b: Pointer): Pointer {
    const name = OPERATIONS[operation]
    return robust(this, operation, [a, b], (inputs, cell) =>
      cell === 0 ? this.call(`${name}_r`, ...inputs) : this.call(`${name}Prec_r`, ...inputs, cell),
    )
  }

  area(geometry: Pointer): number {
    this.call('GEOSArea_r', geometry, this.size)
    return this.module.HEAPF64[this.size >> 3] as number
  }

  length(geometry: Pointer): number {
    this.call('GEOSLength_r', geometry, this.size)
    return this.module.HEAPF64[this.size >> 3] as number
  }

  test(predicate: Predicate, a: Pointer, b: Pointer): boolean {
    return this.relate(predicate, a, b, this.call(`GEOS${PREDICATE_NAMES[predicate]}_r`, a, b))
  }

  /** Prepares a geometry for many tests against others; free it with `unprepare` before the geometry itself. */
  prepare(geometry: Pointer): Pointer {
    return this.checked(this.call('GEOSPrepare_r', geometry), 'preparing a geometry')
  }

  unprepare(prepared: Pointer): void {
    this.call('GEOSPreparedGeom_destroy_r', prepared)
  }

  /** @param geometry the prepared geometry */
  testPrepared(predicate: Predicate | Cover, geometry: Pointer, prepared: Pointer, other: Pointer): boolean {
    const answer = this.call(`GEOSPrepared${PREDICATE_NAMES[predicate]}_r`, prepared, other)
    return this.relate(predicate, geometry, other, answer)
  }

  /** Whether a prepared geometry is within a distance of another one. */
  isNear(prepared: Pointer, other: Pointer, distance: number): boolean {
    return this.toBoolean(this.call('GEOSPreparedDistanceWithin_r', prepared, other, distance), 'distance')
  }

  /** Whether a prepared geometry intersects a point. */
  holds(prepared: Pointer, x: number, y: number): boolean {
    return this.toBoolean(this.call('GEOSPreparedIntersectsXY_r', prepared, x, y), 'intersects')
  }

  /** The collection owns its members: freeing it frees them. */
  collection(type: number, members: readonly Pointer[]): Pointer {
    const list = this.module._malloc(Math.max(4, members.length * 4))
    this.module.HEAPU32.set(members, list >> 2)
    const created = this.call('GEOSGeom_createCollection_r', type, list, members.length)
    this.module._free(list)
    return this.checked(created, 'collecting geometries')
  }

  unaryUnion(geometry: Pointer): Pointer {
    return robust(this, 'union', [geometry], (input, cell) =>
      cell === 0 ? this.call('GEOSUnaryUnion_r', ...input) : this.call('GEOSUnaryUnionPrec_r', ...input, cell),
    )
  }

  clone(geometry: Pointer): Pointer {
    return this.checked(this.call('GEOSGeom_clone_r', geometry), 'copy')
  }

  /** The union of any number of geometries. */
  unionOf(wkbs: readonly Wkb[]): Wkb {
    const members: Pointer[] = []
    for (const wkb of wkbs) members.push(this.read(wkb))
    const all = this.collection(7, members)
    let union = 0
    try {
      union = this.unaryUnion(all)
      return this.write(union)
    } finally {
      if (union !== 0) this.free(union)
      this.free(all)
    }
  }
}

let loading: Promise<Geos> | undefined

export function loadGeos(): Promise<Geos> {
  loading ??= import('geos-wasm').then(async ({ default: init }) => {
    const geos = (await init()) as unknown as GeosExports & { Module: GeosModule; _ctx: number }
    return new Geos(geos, geos.Module, geos._ctx)
  })
  return loading
}
