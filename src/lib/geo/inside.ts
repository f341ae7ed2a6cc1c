/** How much of features lies inside of reference polygons, in an equal-area projection centred on each. */
import { equalAreaAround } from './equal-area.ts'
import { type Geos, loadGeos, type Pointer } from './geos.ts'
import type { Feature } from './layer.ts'
import { PolygonSet, type Progress } from './overlay.ts'
import { COLLECTION, dimensionOf, envelopeOf, mapPositions, partsOf, typeOf, type Wkb } from './wkb.ts'

export type Relation = 'inside' | 'partial' | 'outside'

export type Inside = {
  relation: Relation
  /** Not rounded. */
  percentInside: number
  /** Reference features that it meets. */
  matchCount: number
  /** The one with the largest overlap, ties to the first; undefined when there is none. */
  reference: number | undefined
}

const ALL_INSIDE = 100 - 1e-9

export async function insideOf(
  features: readonly Feature[],
  references: readonly Feature[],
  progress: Progress,
): Promise<Inside[]> {
  const geos = await loadGeos()
  const set = new PolygonSet(geos, references)
  try {
    return features.map(({ geometry }, i) => {
      if (i % 256 === 0) progress(i / features.length)
      return geometry === null ? OUTSIDE : insideOne(geos, set, references, geometry)
    })
  } finally {
    set.free()
  }
}

const OUTSIDE: Inside = { relation: 'outside', percentInside: 0, matchCount: 0, reference: undefined }

function insideOne(geos: Geos, set: PolygonSet, references: readonly Feature[], wkb: Wkb): Inside {
  const near = set.near(wkb)
  if (near.length === 0) return OUTSIDE
  const geometry = geos.read(wkb)
  let met: number[]
  let covering: number | undefined
  try {
    met = near.filter((place) => geos.testPrepared('intersects', set.prepare(place), geometry))
    covering = met.find((place) => geos.testPrepared('covers', set.prepare(place), geometry))
  } finally {
    geos.free(geometry)
  }
  const matchCount = met.length
  if (matchCount === 0) return OUTSIDE
  // nothing overlaps more than all of it, and the first that does is the one
  if (covering !== undefined) return { relation: 'inside', percentInside: 100, matchCount, reference: covering }
  return { ...shares(geos, references, met, wkb), matchCount }
}

/** Of what is met but not covered by one reference: measured against their union, and against each. */
function shares(
  geos: Geos,
  references: readonly Feature[],
  met: readonly number[],
  wkb: Wkb,
): Pick<Inside, 'relation' | 'percentInside' | 'reference'> {
  const [minX, minY, maxX, maxY] = envelopeOf(wkb)
  const project = equalAreaAround((minX + maxX) / 2, (minY + maxY) / 2)
  const inPlane = (geometry: Wkb): Wkb => mapPositions(geometry, project)
  const feature = geos.read(inPlane(wkb))
  const pieces = met.map((place) => geos.read(inPlane(references[place]?.geometry as Wkb)))
  const dimension = dimensionOf(wkb)
  const whole = sizeOf(geos, feature, wkb, dimension)
  try {
    let largest = -1
    let reference = met[0] as number
    met.forEach((place, i) => {
      const size = commonSize(geos, feature, pieces[i] as Pointer, dimension)
      if (size > largest) {
        largest = size
        reference = place
      }
    })
    let common = largest
    if (met.length > 1) {
      const all = geos.collection(
        COLLECTION,
        pieces.map((piece) => geos.clone(piece)),
      )
      const union = geos.unaryUnion(all)
      common = commonSize(geos, feature, union, dimension)
      geos.free(union)
      geos.free(all)
    }
    const percentInside = whole === 0 ? 0 : Math.min(100, (100 * common) / whole)
    // a touch of the boundary is inside, though it has no size
    const relation: Relation = percentInside >= ALL_INSIDE ? 'inside' : 'partial'
    return { relation, percentInside, reference }
  } finally {
    for (const piece of pieces) geos.free(piece)
    geos.free(feature)
  }
}

/** Area, length or number of points, by what the feature is. */
function sizeOf(geos: Geos, geometry: Pointer, wkb: Wkb, dimension: number): number {
  if (dimension === 2) return geos.area(geometry)
  return dimension === 1 ? geos.length(geometry) : pointsOf(wkb)
}

const pointsOf = (wkb: Wkb): number => (typeOf(wkb) < 4 ? 1 : partsOf(wkb).length)

function commonSize(geos: Geos, feature: Pointer, piece: Pointer, dimension: number): number {
  const common = geos.overlay('intersection', feature, piece)
  try {
    if (geos.isEmpty(common)) return 0
    return sizeOf(geos, common, dimension === 0 ? geos.write(common) : new Uint8Array(0), dimension)
  } finally {
    geos.free(common)
  }
}
