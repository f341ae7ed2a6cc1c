/**
 * A geometry that is compared with the members of a set: by the order of crossings (simple-overlay.ts) if possible,
 * otherwise in GEOS, into which it is read on first use.
 */

import type { Geos, Predicate } from '../geometry/geos.ts'
import type { Pointer } from '../geometry/geos-memory.ts'
import { repeated } from '../geometry/globe.ts'
import { ofDimension } from '../geometry/repair.ts'
import type { SimpleRing } from '../geometry/ring-crossings.ts'
import { dimensionOf, type Wkb } from '../geometry/wkb.ts'
import { type Area, overlayOf } from './area-overlay.ts'
import type { GeometrySet } from './geometry-set.ts'
import { polygonsOf, simpleIntersection, simpleRelation, simpleRing, simpleUnion } from './simple-overlay.ts'

/** An intersection with a member. */
export type Meeting = {
  ordinal: number
  /** Whether the member covers all of it. */
  isCovered: boolean
  /** Their intersection, if it was found without GEOS. */
  shared: Area | undefined
}

export class OverlaySubject {
  private readonly geos: Geos
  private readonly set: GeometrySet
  private readonly wkb: Wkb
  readonly dimension: number
  private readonly ring: SimpleRing | undefined
  private read: Pointer = 0
  /** The geometry used for predicates. */
  private tested: Pointer = 0
  private prepared: Pointer = 0

  /** @param set from `seenFrom` of this geometry. @param wkb must be valid */
  constructor(geos: Geos, set: GeometrySet, wkb: Wkb) {
    this.geos = geos
    this.set = set
    this.wkb = wkb
    this.dimension = dimensionOf(wkb)
    this.ring = simpleRing(wkb)
  }

  private get geometry(): Pointer {
    if (this.read === 0) this.read = this.geos.read(this.wkb)
    return this.read
  }

  /** @param ordinal of a member near it; undefined if they do not intersect */
  meet(ordinal: number): Meeting | undefined {
    const { set, ring } = this
    const other = ring && set.ring(ordinal)
    const shared = ring && other && simpleIntersection(ring, other)
    if (shared !== undefined)
      return shared.length === 0 ? undefined : { ordinal, isCovered: shared[0] === ring, shared }
    // a test costs a tenth of an overlay
    if (!this.test('intersects', ordinal)) return undefined
    return { ordinal, isCovered: this.test('coveredBy', ordinal), shared }
  }

  /** Whether a predicate holds for it and a member near it. */
  relates(predicate: Predicate, ordinal: number): boolean {
    const { set, ring } = this
    const other = ring && set.ring(ordinal)
    const relation = ring && other && simpleRelation(ring, other)
    if (relation === undefined) return this.test(predicate, ordinal)
    return predicate === relation || (predicate === 'intersects' && relation !== 'disjoint')
  }

  private test(relation: Predicate | 'coveredBy', ordinal: number): boolean {
    if (this.tested === 0)
      this.tested = this.set.place === 'both sides' ? this.geos.read(repeated(this.geos, this.wkb)) : this.geometry
    if (this.prepared === 0) this.prepared = this.geos.prepare(this.tested)
    return this.set.test(relation, this.tested, this.prepared, ordinal)
  }

  /** Its intersection with a member, in the lower of their dimensions. */
  common({ ordinal, isCovered, shared }: Meeting): Wkb | null {
    if (isCovered) return this.wkb
    if (shared !== undefined) return polygonsOf(shared)
    const lower = Math.min(this.dimension, this.set.dimension(ordinal))
    return ofDimension(this.intersection(this.set.geometry(ordinal)), lower)
  }

  /** Its intersection with the union of some members. */
  withinAny(meetings: readonly Meeting[]): Wkb | null {
    const [only] = meetings
    if (meetings.length === 1) return this.common(only as Meeting)
    const shared = this.simplyWithinAny(meetings)
    if (shared !== undefined) return polygonsOf(shared)
    const union = this.set.union(meetings.map(({ ordinal }) => ordinal))
    const within = this.intersection(union)
    this.geos.free(union)
    return ofDimension(within, this.dimension)
  }

  private intersection(other: Pointer): Wkb {
    const result = this.geos.overlay('intersection', this.geometry, other)
    const written = this.geos.write(result)
    this.geos.free(result)
    return written
  }

  /** The part outside some members. They are subtracted one by one, because the remainder shrinks. */
  withoutAll(meetings: readonly Meeting[]): Wkb | null {
    const { geos, set } = this
    const rest = this.simplyWithoutAll(meetings)
    if (rest !== undefined) return polygonsOf(rest)
    let remainder = this.geometry
    for (const { ordinal } of meetings) {
      const smaller = geos.overlay('difference', remainder, set.geometry(ordinal))
      if (remainder !== this.read) geos.free(remainder)
      remainder = smaller
      if (geos.isEmpty(remainder)) break
    }
    const written = geos.write(remainder)
    if (remainder !== this.read) geos.free(remainder)
    return ofDimension(written, this.dimension)
  }

  private simplyWithinAny(meetings: readonly Meeting[]): Area | undefined {
    const rings: SimpleRing[] = []
    for (const { ordinal } of meetings) {
      const ring = this.ring && this.set.ring(ordinal)
      if (ring === undefined) return undefined
      rings.push(ring)
    }
    const union = simpleUnion(rings)
    return this.ring && union && overlayOf([this.ring], union, 'intersection')
  }

  private simplyWithoutAll(meetings: readonly Meeting[]): Area | undefined {
    let rest: Area | undefined = this.ring && [this.ring]
    for (const { ordinal } of meetings) {
      const other = rest && this.set.ring(ordinal)
      rest = rest && other && overlayOf(rest, [other], 'difference')
      if (rest === undefined || rest.length === 0) break
    }
    return rest
  }

  free(): void {
    if (this.prepared !== 0) this.geos.unprepare(this.prepared)
    if (this.tested !== 0 && this.tested !== this.read) this.geos.free(this.tested)
    if (this.read !== 0) this.geos.free(this.read)
  }
}
