/** Geometries that others are laid over: indexed, made valid and prepared when first needed, and kept for the next. */
import type { Geos, Pointer, Predicate } from './geos.ts'
import { validOrRepaired } from './repair.ts'
import { indexOf, type SpatialIndex } from './spatial-index.ts'
import { dimensionOf, vertexCount, type Wkb } from './wkb.ts'

/** Vertices of a geometry that is prepared for good; one with fewer is cheaper to walk than to keep an index of. */
const WORTH_PREPARING = 100
/** Vertices that may lie in GEOS' memory between two features; a geometry counts as some by itself. */
const MAX_HELD_VERTICES = 2_000_000
const VERTICES_EACH = 16

/** The same relation with the sides changed. */
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

/** What is in GEOS' memory of a member; its pointer is 0 when nothing is left of it once it is made valid. */
type Member = { geometry: Pointer; prepared: Pointer; isLarge: boolean }

export class GeometrySet {
  private readonly geos: Geos
  private readonly geometryAt: (index: number) => Wkb | null
  private members = new Map<number, Member>()
  private heldVertices = 0
  private spatialIndex: SpatialIndex

  /** @param geometryAt the geometry at a place below `count`; one that is null or empty is never near anything */
  constructor(geos: Geos, geometryAt: (index: number) => Wkb | null, count: number) {
    this.geos = geos
    this.geometryAt = geometryAt
    this.spatialIndex = indexOf(geometryAt, count)
  }

  /** Takes note that there are others at some indexes, and how many there are now. */
  renew(changed: readonly number[], count: number): void {
    for (const index of changed) {
      const member = this.members.get(index)
      if (member === undefined) continue
      this.release(member)
      this.members.delete(index)
    }
    this.spatialIndex = indexOf(this.geometryAt, count)
  }

  /** Indexes of those whose envelopes meet that of a geometry, in ascending order. No pointer from before outlives it. */
  near(wkb: Wkb): number[] {
    if (this.heldVertices > MAX_HELD_VERTICES) this.free()
    return this.spatialIndex.near(wkb).filter((index) => this.member(index).geometry !== 0)
  }

  /** Indexes of those that a point lies in or on the edge of, in ascending order; added to `found`. */
  holding(x: number, y: number, found: number[]): void {
    if (this.heldVertices > MAX_HELD_VERTICES) this.free()
    for (const index of this.spatialIndex.at(x, y))
      if (this.member(index).geometry !== 0 && this.geos.holds(this.prepare(index), x, y)) found.push(index)
  }

  private member(index: number): Member {
    let member = this.members.get(index)
    if (member === undefined) {
      const wkb = this.geometryAt(index) as Wkb
      const vertices = vertexCount(wkb)
      member = { geometry: this.readValid(wkb), prepared: 0, isLarge: vertices > WORTH_PREPARING }
      this.members.set(index, member)
      this.heldVertices += vertices + VERTICES_EACH
    }
    return member
  }

  /** Overlays of what is not valid are not defined. */
  private readValid(wkb: Wkb): Pointer {
    const geometry = this.geos.read(wkb)
    if (dimensionOf(wkb) < 2 || this.geos.isValid(geometry)) return geometry
    this.geos.free(geometry)
    const mended = validOrRepaired(this.geos, wkb)
    return mended === null ? 0 : this.geos.read(mended)
  }

  /** Of a place that was near. */
  geometry(index: number): Pointer {
    return this.member(index).geometry
  }

  prepare(index: number): Pointer {
    const member = this.member(index)
    if (member.prepared === 0) member.prepared = this.geos.prepare(member.geometry)
    return member.prepared
  }

  /** Whether a geometry stands so to one of the set, by whichever of the two it pays to have prepared. */
  test(relation: Relation, geometry: Pointer, prepared: Pointer, index: number): boolean {
    return this.member(index).isLarge
      ? this.geos.testPrepared(CONVERSE[relation], this.prepare(index), geometry)
      : this.geos.testPrepared(relation, prepared, this.geometry(index))
  }

  /** The union of some, to be freed by `free` when it is not one of the set's own. */
  union(indexes: readonly number[]): { geometry: Pointer; free(): void } {
    const [only] = indexes
    if (indexes.length === 1) return { geometry: this.geometry(only as number), free: () => undefined }
    const members = this.geos.collection(
      7,
      indexes.map((index) => this.geos.clone(this.geometry(index))),
    )
    const geometry = this.geos.unaryUnion(members)
    this.geos.free(members)
    return { geometry, free: () => this.geos.free(geometry) }
  }

  private release({ geometry, prepared }: Member): void {
    if (prepared !== 0) this.geos.unprepare(prepared)
    if (geometry !== 0) this.geos.free(geometry)
  }

  /** Gives back what lies in GEOS' memory; it is read again when it is needed. */
  free(): void {
    for (const member of this.members.values()) this.release(member)
    this.members = new Map()
    this.heldVertices = 0
  }
}
