/** How much of features lies inside of reference polygons, in an equal-area projection centred on each. */
import { type EqualArea, equalAreaAround } from './equal-area.ts'
import { signedArea } from './geojson-write.ts'
import { type Geos, loadGeos } from './geos.ts'
import type { Feature } from './layer.ts'
import { PolygonSet, type Progress, withoutAll } from './overlay.ts'
import { dimensionOf, envelopeOf, forEachRun, mapPositions, partsOf, type Wkb } from './wkb.ts'

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

/** @param findReference whether it is to be told which reference overlaps most, which takes as long again */
export async function insideOf(
  features: readonly Feature[],
  references: readonly Feature[],
  findReference: boolean,
  progress: Progress,
): Promise<Inside[]> {
  const geos = await loadGeos()
  const set = new PolygonSet(geos, references)
  try {
    return features.map(({ geometry }, i) => {
      if (i % 256 === 0) progress(i / features.length)
      return geometry === null ? OUTSIDE : insideOne(geos, set, geometry, findReference)
    })
  } finally {
    set.free()
  }
}

const OUTSIDE: Inside = { relation: 'outside', percentInside: 0, matchCount: 0, reference: undefined }

function insideOne(geos: Geos, set: PolygonSet, wkb: Wkb, findReference: boolean): Inside {
  const near = set.near(wkb)
  if (near.length === 0) return OUTSIDE
  const geometry = geos.read(wkb)
  const prepared = geos.prepare(geometry)
  let met: number[]
  let covering: number | undefined
  try {
    met = near.filter((place) => set.test('intersects', geometry, prepared, place))
    covering = met.find((place) => set.test('coveredBy', geometry, prepared, place))
  } finally {
    geos.unprepare(prepared)
    geos.free(geometry)
  }
  const matchCount = met.length
  if (matchCount === 0) return OUTSIDE
  // nothing overlaps more than all of it, and the first that does is the one
  if (covering !== undefined) return { relation: 'inside', percentInside: 100, matchCount, reference: covering }
  return { ...shares(geos, set, met, wkb, findReference), matchCount }
}

/** Of what is met but not covered by one reference. */
function shares(
  geos: Geos,
  set: PolygonSet,
  met: readonly number[],
  wkb: Wkb,
  findReference: boolean,
): Pick<Inside, 'relation' | 'percentInside' | 'reference'> {
  const measured =
    dimensionOf(wkb) === 0 ? pointShares(geos, set, met, wkb) : partShares(geos, set, met, wkb, findReference)
  const { outside, each, whole } = measured
  const reference = each === undefined ? undefined : (met[each.indexOf(Math.max(...each))] as number)
  const percentInside = whole === 0 ? 0 : Math.max(0, (100 * (whole - outside)) / whole)
  // a touch of the boundary is inside, though it has no size
  return { relation: percentInside >= ALL_INSIDE ? 'inside' : 'partial', percentInside, reference }
}

type Shares = {
  whole: number
  /** Of what is in none of the references, so that what is in several counts once. */
  outside: number
  /** What is common with each; undefined when it was not asked for. */
  each: number[] | undefined
}

/** Areas or lengths, in an equal-area projection centred on the feature. */
function partShares(geos: Geos, set: PolygonSet, met: readonly number[], wkb: Wkb, findReference: boolean): Shares {
  const [minX, minY, maxX, maxY] = envelopeOf(wkb)
  const project = equalAreaAround((minX + maxX) / 2, (minY + maxY) / 2)
  const dimension = dimensionOf(wkb)
  const feature = geos.read(wkb)
  try {
    const outside = sizeIn(project, withoutAll(geos, set, feature, met), dimension)
    const common = (place: number): number => {
      const part = geos.overlay('intersection', feature, set.geometry(place))
      const size = sizeIn(project, geos.write(part), dimension)
      geos.free(part)
      return size
    }
    const each = findReference ? met.map(common) : undefined
    return { whole: sizeIn(project, wkb, dimension), outside, each }
  } finally {
    geos.free(feature)
  }
}

/** Square metres of polygons, or metres of lines, in a plane; what is of another dimension has no size. */
function sizeIn(project: EqualArea, wkb: Wkb, dimension: number): number {
  let size = 0
  forEachRun(mapPositions(wkb, project), (view, offset, count, stride, role, ring) => {
    if (role !== dimension) return
    if (role === 2) size += ((ring === 0 ? 1 : -1) * Math.abs(signedArea(view, offset, count, stride))) / 2
    else
      for (let i = 1, at = offset + stride; i < count; i++, at += stride)
        size += Math.hypot(
          view.getFloat64(at, true) - view.getFloat64(at - stride, true),
          view.getFloat64(at + 8, true) - view.getFloat64(at - stride + 8, true),
        )
  })
  return size
}

/** Points one by one: of two at one place each counts. */
function pointShares(geos: Geos, set: PolygonSet, met: readonly number[], wkb: Wkb): Shares {
  const points = partsOf(wkb)
  const each = met.map(() => 0)
  let outside = 0
  for (const part of points) {
    const point = geos.read(part)
    let inside = false
    met.forEach((place, i) => {
      if (!geos.testPrepared('covers', set.prepare(place), point)) return
      each[i] = (each[i] as number) + 1
      inside = true
    })
    geos.free(point)
    if (!inside) outside++
  }
  return { whole: points.length, outside, each }
}
