/**
 * The second input of an overlay or spatial join: an indexed set of geometries. Each geometry is made valid, read into
 * GEOS and prepared on first use, and stays in the memory of GEOS for later calls.
 */
import type { Geos, Predicate } from '../geometry/geos.ts'
import type { Pointer } from '../geometry/geos-memory.ts'
import { repeated } from '../geometry/globe.ts'
import { isOnAntimeridian } from '../geometry/longitude.ts'
import { kindsOf, validOrRepaired } from '../geometry/repair.ts'
import type { SimpleRing } from '../geometry/ring-crossings.ts'
import { indexOf, type SpatialIndex } from '../geometry/spatial-index.ts'
import { dimensionOf, vertexCount, type Wkb } from '../geometry/wkb.ts'
import { simpleRing } from './simple-overlay.ts'

/** Vertices above which a geometry is always prepared; testing a smaller one directly is faster than indexing it. */
const PREPARE_ABOVE_VERTICES = 100
/** Vertices in the memory of GEOS above which it is freed before the next call; each geometry adds a fixed share. */
const MAX_HELD_VERTICES = 2_000_000
const VERTICES_PER_GEOMETRY = 16

/** The same relation with both sides swapped. */
const CONVERSE = {
  intersects: 'intersects',
  within: 'contains',
  contains: 'within',
  crosses: 'crosses',
  touches: 'touches',
  overlaps: 'overlaps',
  coveredBy: 'covers',
} as const satisfies Record<Relation, string>

type Relation = Predicate | 'coveredBy'

/** A valid member; the pointers are 0 until GEOS is needed. */
type Member = {
  geometry: Pointer
  prepared: Pointer
  dimension: number
  isLarge: boolean
  /** The repaired geometry, null if it collapsed; undefined if the input was valid. */
  repaired: Wkb | null | undefined
}

/**
 * Coordinate space: a plane; degrees within ±180; or degrees with geometries at the antimeridian repeated on both
 * sides.
 */
export type Place = 'plane' | 'globe' | 'both sides'

export const placeOf = ({ geographic }: { geographic: boolean }): Place => (geographic ? 'globe' : 'plane')

export class GeometrySet {
  private readonly geos: Geos
  readonly geometryAt: (index: number) => Wkb | null
  count: number
  private members = new Map<number, Member>()
  private heldVertices = 0
  private spatialIndex: SpatialIndex
  private mixed: number | undefined
  readonly place: Place
  /** The same members for geometries on the antimeridian, repeated on both sides. */
  private around: GeometrySet | undefined
  /** Indexes of requested members that are invalid and collapsed on repair. */
  private lost = new Set<number>()

  /**
   * @param geometryAt the geometry at an index below `count`; a null or empty one is never found
   */
  constructor(geos: Geos, geometryAt: (index: number) => Wkb | null, count: number, place: Place) {
    this.geos = geos
    this.geometryAt = geometryAt
    this.count = count
    this.place = place
    this.spatialIndex = indexOf(geometryAt, count)
  }

  /** Call this after geometries at some indexes have changed; `count` is the new number of geometries. */
  invalidate(changed: readonly number[], count: number): void {
    for (const index of changed) {
      const member = this.members.get(index)
      if (member === undefined) continue
      this.release(member)
      this.members.delete(index)
    }
    this.count = count
    this.spatialIndex = indexOf(this.geometryAt, count)
    this.mixed = undefined
    this.around?.free()
    this.around = undefined
  }

  /** The first index with a collection of points, lines and polygons, -1 without one. Found once for each change. */
  firstMixed(): number {
    if (this.mixed !== undefined) return this.mixed
    let index = 0
    const isMixed = (wkb: Wkb | null): boolean => wkb !== null && kindsOf(wkb).length > 1
    while (index < this.count && !isMixed(this.geometryAt(index))) index++
    this.mixed = index < this.count ? index : -1
    return this.mixed
  }

  /** The set to compare a geometry with: on the antimeridian, the set with members on both sides. */
  seenFrom(wkb: Wkb): GeometrySet {
    return this.place === 'globe' && isOnAntimeridian(wkb) ? this.onBothSides() : this
  }

  private onBothSides(): GeometrySet {
    this.around ??= new GeometrySet(this.geos, onBothSides(this.geos, this.geometryAt), this.count, 'both sides')
    return this.around
  }

  /** Indexes of the members that were lost since the last call, ascending. */
  takeLost(): number[] {
    const lost = [...this.lost, ...(this.around?.takeLost() ?? [])]
    this.lost.clear()
    return [...new Set(lost)].sort((a, b) => a - b)
  }

  /** Ascending indexes whose envelopes intersect the geometry's. Invalidates pointers from earlier calls. */
  near(wkb: Wkb): number[] {
    if (this.heldVertices > MAX_HELD_VERTICES) this.free()
    return this.spatialIndex.near(wkb).filter((index) => this.remains(index))
  }

  /** Appends to `found` the ascending indexes of the geometries that contain a point or touch it. */
  holding(x: number, y: number, found: number[]): void {
    if (this.heldVertices > MAX_HELD_VERTICES) this.free()
    if (this.place === 'globe' && Math.abs(x) === 180) {
      this.onBothSides().holding(x, y, found)
      return
    }
    for (const index of this.spatialIndex.at(x, y))
      if (this.remains(index) && this.geos.holds(this.prepare(index), x, y)) found.push(index)
  }

  /** Ascending indexes of the geometries whose envelopes intersect a box. Invalidates pointers from earlier calls. */
  inBox(minX: number, minY: number, maxX: number, maxY: number): number[] {
    if (this.heldVertices > MAX_HELD_VERTICES) this.free()
    return this.spatialIndex.inBox(minX, minY, maxX, maxY).filter((index) => this.remains(index))
  }

  /** Whether a geometry contains a point or touches it. The index must come from `inBox`. */
  holds(index: number, x: number, y: number): boolean {
    if (this.heldVertices > MAX_HELD_VERTICES) this.free()
    return this.geos.holds(this.prepare(index), x, y)
  }

  /** The geometry at an index from `inBox`, repaired if it is invalid. */
  validAt(index: number): Wkb {
    return this.member(index).repaired ?? (this.geometryAt(index) as Wkb)
  }

  private remains(index: number): boolean {
    const isLost = this.member(index).repaired === null
    if (isLost) this.lost.add(index)
    return !isLost
  }

  private member(index: number): Member {
    let member = this.members.get(index)
    if (member === undefined) {
      const wkb = this.geometryAt(index) as Wkb
      const vertices = vertexCount(wkb)
      const dimension = dimensionOf(wkb)
      // overlays of invalid geometries are undefined
      const valid = dimension < 2 ? wkb : validOrRepaired(this.geos, wkb)
      const repaired = valid === wkb ? undefined : valid
      member = { geometry: 0, prepared: 0, dimension, isLarge: vertices > PREPARE_ABOVE_VERTICES, repaired }
      this.members.set(index, member)
      this.heldVertices += vertices + VERTICES_PER_GEOMETRY
    }
    return member
  }

  /** The index must come from `near`. */
  geometry(index: number): Pointer {
    const member = this.member(index)
    if (member.geometry === 0) member.geometry = this.geos.read(member.repaired ?? (this.geometryAt(index) as Wkb))
    return member.geometry
  }

  /**
   * The ring of a member that needed no repair, if it is simple (simple-overlay.ts). Not cached: computing it is cheap
   * compared with the memory.
   */
  ring(index: number): SimpleRing | undefined {
    return this.place !== 'both sides' && this.member(index).repaired === undefined
      ? simpleRing(this.geometryAt(index) as Wkb)
      : undefined
  }

  /** 0 for points, 1 for lines, 2 for polygons. */
  dimension(index: number): number {
    return this.member(index).dimension
  }

  prepare(index: number): Pointer {
    const member = this.member(index)
    if (member.prepared === 0) member.prepared = this.geos.prepare(this.geometry(index))
    return member.prepared
  }

  /**
   * Whether `geometry relation member` holds; uses the prepared form of the member or of `prepared`, whichever is
   * faster.
   */
  test(relation: Relation, geometry: Pointer, prepared: Pointer, index: number): boolean {
    const other = this.geometry(index)
    return this.member(index).isLarge
      ? this.geos.testPrepared(CONVERSE[relation], other, this.prepare(index), geometry)
      : this.geos.testPrepared(relation, geometry, prepared, other)
  }

  /** The union of some members, which the caller frees. */
  union(indexes: readonly number[]): Pointer {
    const members = this.geos.collection(
      7,
      indexes.map((index) => this.geos.clone(this.geometry(index))),
    )
    const geometry = this.geos.unaryUnion(members)
    this.geos.free(members)
    return geometry
  }

  private release({ geometry, prepared }: Member): void {
    if (prepared !== 0) this.geos.unprepare(prepared)
    if (geometry !== 0) this.geos.free(geometry)
  }

  /** Frees all memory in GEOS; geometries are read again on demand. */
  free(): void {
    for (const member of this.members.values()) this.release(member)
    this.members = new Map()
    this.heldVertices = 0
    this.around?.free()
  }
}

/** Repeats the geometries that reach the antimeridian on its other side. */
function onBothSides(geos: Geos, geometryAt: (index: number) => Wkb | null): (index: number) => Wkb | null {
  const known = new Map<number, Wkb>()
  return (index) => {
    const geometry = geometryAt(index)
    if (geometry === null || !isOnAntimeridian(geometry)) return geometry
    const both = known.get(index) ?? repeated(geos, geometry)
    known.set(index, both)
    return both
  }
}
