/** Overlays of a layer with polygons: what lies within, what lies outside, and both with their attributes. */
import { type Geos, loadGeos, type Pointer, type Predicate } from './geos.ts'
import { type Feature, freeName, type Layer } from './layer.ts'
import { ofDimension, validOrMended } from './repair.ts'
import { indexOf, type SpatialIndex } from './spatial-index.ts'
import { dimensionOf, envelopeOf, isEmpty, vertexCount, type Wkb } from './wkb.ts'

/** Vertices of a geometry that is prepared for good; one with fewer is cheaper to walk than to keep an index of. */
const WORTH_PREPARING = 100

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

/** Polygons that others are laid over, read once and prepared when they are first needed. */
export class PolygonSet {
  private readonly geos: Geos
  private readonly index: SpatialIndex
  private readonly features: readonly Feature[]
  private readonly geometries: (Pointer | undefined)[]
  private readonly prepared: (Pointer | undefined)[]
  private readonly large: (boolean | undefined)[]

  constructor(geos: Geos, features: readonly Feature[]) {
    this.geos = geos
    this.features = features
    this.index = indexOf(features)
    this.geometries = new Array(features.length)
    this.prepared = new Array(features.length)
    this.large = new Array(features.length)
  }

  near(wkb: Wkb): number[] {
    return this.index.search(envelopeOf(wkb))
  }

  geometry(place: number): Pointer {
    let geometry = this.geometries[place]
    if (geometry === undefined) {
      geometry = this.geos.read(this.features[place]?.geometry as Wkb)
      this.geometries[place] = geometry
    }
    return geometry
  }

  prepare(place: number): Pointer {
    let prepared = this.prepared[place]
    if (prepared === undefined) {
      prepared = this.geos.prepare(this.geometry(place))
      this.prepared[place] = prepared
    }
    return prepared
  }

  /** Whether a geometry stands so to one of the set, by whichever of the two it pays to have prepared. */
  test(relation: Relation, geometry: Pointer, prepared: Pointer, place: number): boolean {
    return this.isLarge(place)
      ? this.geos.testPrepared(CONVERSE[relation], this.prepare(place), geometry)
      : this.geos.testPrepared(relation, prepared, this.geometry(place))
  }

  private isLarge(place: number): boolean {
    this.large[place] ??= vertexCount(this.features[place]?.geometry as Wkb) > WORTH_PREPARING
    return this.large[place]
  }

  /** The union of some, to be freed by `free` when it is not one of the set's own. */
  union(places: readonly number[]): { geometry: Pointer; free(): void } {
    const [only] = places
    if (places.length === 1) return { geometry: this.geometry(only as number), free: () => undefined }
    const members = this.geos.collection(
      7,
      places.map((place) => this.geos.clone(this.geometry(place))),
    )
    const geometry = this.geos.unaryUnion(members)
    this.geos.free(members)
    return { geometry, free: () => this.geos.free(geometry) }
  }

  free(): void {
    for (const prepared of this.prepared) if (prepared !== undefined) this.geos.unprepare(prepared)
    for (const geometry of this.geometries) if (geometry !== undefined) this.geos.free(geometry)
  }
}

/** Valid geometries, without those that are empty; overlays of others are not defined. */
export async function validFeatures(features: readonly Feature[]): Promise<Feature[]> {
  const geos = await loadGeos()
  return features.map((feature) => {
    const { geometry } = feature
    if (geometry === null || isEmpty(geometry)) return { values: feature.values, geometry: null }
    if (dimensionOf(geometry) < 2) return feature
    return { values: feature.values, geometry: validOrMended(geos, geometry) }
  })
}

export type Progress = (share: number) => void

/** Parts of features within (`intersection`) or outside of (`difference`) polygons, with their own attributes. */
export async function cutFeatures(
  features: readonly Feature[],
  polygons: readonly Feature[],
  operation: 'intersection' | 'difference',
  progress: Progress,
): Promise<Feature[]> {
  const geos = await loadGeos()
  const set = new PolygonSet(geos, polygons)
  const cut: Feature[] = []
  try {
    features.forEach(({ values, geometry }, i) => {
      if (i % 256 === 0) progress(i / features.length)
      const left = geometry === null ? null : cutOne(geos, set, geometry, operation)
      if (left !== null) cut.push({ values, geometry: left })
    })
  } finally {
    set.free()
  }
  return cut
}

function cutOne(geos: Geos, set: PolygonSet, wkb: Wkb, operation: 'intersection' | 'difference'): Wkb | null {
  const keeps = operation === 'difference'
  const near = set.near(wkb)
  if (near.length === 0) return keeps ? wkb : null
  const geometry = geos.read(wkb)
  const prepared = geos.prepare(geometry)
  try {
    const met: number[] = []
    for (const place of near) {
      if (!set.test('intersects', geometry, prepared, place)) continue
      if (set.test('coveredBy', geometry, prepared, place)) return keeps ? null : wkb
      met.push(place)
    }
    if (met.length === 0) return keeps ? wkb : null
    const written = keeps ? withoutAll(geos, set, geometry, met) : withinAny(geos, set, geometry, met)
    return ofDimension(written, dimensionOf(wkb))
  } finally {
    geos.unprepare(prepared)
    geos.free(geometry)
  }
}

function withinAny(geos: Geos, set: PolygonSet, geometry: Pointer, met: readonly number[]): Wkb {
  const union = set.union(met)
  const result = geos.overlay('intersection', geometry, union.geometry)
  const written = geos.write(result)
  geos.free(result)
  union.free()
  return written
}

/** What of a geometry is in none of some polygons: one after the other, since what is left gets smaller. */
export function withoutAll(geos: Geos, set: PolygonSet, geometry: Pointer, met: readonly number[]): Wkb {
  let left = geometry
  for (const place of met) {
    const less = geos.overlay('difference', left, set.geometry(place))
    if (left !== geometry) geos.free(left)
    left = less
    if (geos.isEmpty(left)) break
  }
  const written = geos.write(left)
  geos.free(left)
  return written
}

/** Fields of one layer, then of another under names that are free. */
export function joinedFields(a: Layer, b: Layer): Layer['fields'] {
  const fields = [...a.fields]
  for (const field of b.fields) fields.push({ ...field, name: freeName(fields, field.name) })
  return fields
}

/** Every part that a feature has in common with a polygon, with the attributes of both. */
export async function intersectFeatures(
  features: readonly Feature[],
  polygons: readonly Feature[],
  progress: Progress,
): Promise<Feature[]> {
  const geos = await loadGeos()
  const set = new PolygonSet(geos, polygons)
  const common: Feature[] = []
  try {
    features.forEach(({ values, geometry: wkb }, i) => {
      if (i % 256 === 0) progress(i / features.length)
      if (wkb === null) return
      const near = set.near(wkb)
      if (near.length === 0) return
      const dimension = dimensionOf(wkb)
      const geometry = geos.read(wkb)
      const prepared = geos.prepare(geometry)
      try {
        for (const place of near) {
          // a tenth of what an overlay costs
          if (!set.test('intersects', geometry, prepared, place)) continue
          // what is wholly within needs no cutting
          const isWhole = set.test('coveredBy', geometry, prepared, place)
          const part = isWhole ? wkb : commonPart(geos, set, geometry, dimension, place)
          const other = polygons[place] as Feature
          if (part !== null) common.push({ values: [...values, ...other.values], geometry: part })
        }
      } finally {
        geos.unprepare(prepared)
        geos.free(geometry)
      }
    })
  } finally {
    set.free()
  }
  return common
}

function commonPart(geos: Geos, set: PolygonSet, geometry: Pointer, dimension: number, place: number): Wkb | null {
  const result = geos.overlay('intersection', geometry, set.geometry(place))
  const written = geos.write(result)
  geos.free(result)
  return ofDimension(written, dimension)
}
