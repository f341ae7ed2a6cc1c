/**
 * The inside verdict: the share of each feature that lies inside reference polygons, and whether it passes a rule. Areas
 * are compared in Lambert's equal-area projection centred on the feature, where their ratios are exact; lengths on the
 * ellipsoid, because no plane keeps both.
 */

import { largest } from '../../../lists.ts'
import { edgeLengthM } from '../geometry/geodesic.ts'
import { type Geos, loadGeos } from '../geometry/geos.ts'
import { kindsOf } from '../geometry/repair.ts'
import { dimensionOf, envelopeOf, forEachRun, partsOf, type Wkb } from '../geometry/wkb.ts'
import type { Feature } from '../layers/layer.ts'
import { cylindricalEqualArea, type EqualArea, equalAreaAround } from '../projection/equal-area.ts'
import type { GeometrySet } from './geometry-set.ts'
import type { Progress } from './overlay.ts'
import { type Meeting, OverlaySubject } from './overlay-subject.ts'

export type Relation = 'inside' | 'partial' | 'outside'

export type Inside = {
  relation: Relation
  /** Not rounded. */
  percentInside: number
  /** Number of reference features that intersect it. */
  matchCount: number
  /** Index of the reference with the largest overlap, the first of equals; undefined when there is none. */
  reference: number | undefined
}

/** Tolerance in per cent for rounding in overlays. */
const NOISE = 1e-9

/**
 * Whether a feature passes the rule of an owner. Decided by the exact percentage, not by the rounded one in the response,
 * with a tolerance for rounding errors.
 */
export function passes(relation: Relation, percentInside: number, rule: string, percent = 0): boolean {
  if (rule === 'inside') return relation === 'inside'
  return rule === 'partly' ? relation !== 'outside' : percentInside >= percent - NOISE
}

/** @param findReference whether to find the reference with the largest overlap, which doubles the running time */
export async function insideOf(
  features: readonly Pick<Feature, 'geometry'>[],
  references: GeometrySet,
  findReference: boolean,
  progress: Progress,
): Promise<Inside[]> {
  const geos = await loadGeos()
  return features.map(({ geometry }, i) => {
    if (i % 256 === 0) progress(i / features.length)
    // in a mixed collection, only the parts of the highest dimension count
    const kind = geometry === null ? undefined : kindsOf(geometry).at(-1)
    return kind === undefined ? OUTSIDE : insideOne(geos, references, kind, findReference)
  })
}

const OUTSIDE: Inside = { relation: 'outside', percentInside: 0, matchCount: 0, reference: undefined }

function insideOne(geos: Geos, references: GeometrySet, wkb: Wkb, findReference: boolean): Inside {
  const set = references.seenFrom(wkb)
  const near = set.near(wkb)
  if (near.length === 0) return OUTSIDE
  const subject = new OverlaySubject(geos, set, wkb)
  try {
    const meetings = near.flatMap((ordinal) => subject.meet(ordinal) ?? [])
    const matchCount = meetings.length
    if (matchCount === 0) return OUTSIDE
    // no overlap is larger than full coverage, so the first covering reference is the answer
    const covering = meetings.find(({ isCovered }) => isCovered)
    if (covering !== undefined)
      return { relation: 'inside', percentInside: 100, matchCount, reference: covering.ordinal }
    const shares =
      dimensionOf(wkb) === 0 ? pointShares(geos, set, meetings, wkb) : partShares(subject, meetings, wkb, findReference)
    return { ...insideBy(shares, meetings), matchCount }
  } finally {
    subject.free()
  }
}

/** For a feature that intersects references but is not covered by a single one. */
function insideBy(
  { outside, each, whole }: Shares,
  meetings: readonly Meeting[],
): Pick<Inside, 'relation' | 'percentInside' | 'reference'> {
  const percentInside = whole === 0 ? 0 : (100 * (whole - outside)) / whole
  // a polygon or line that is only touched has no area or length inside
  if (percentInside < NOISE) return { relation: 'outside', percentInside: 0, reference: undefined }
  const reference = each === undefined ? undefined : meetings[each.indexOf(largest(each))]?.ordinal
  return { relation: percentInside >= 100 - NOISE ? 'inside' : 'partial', percentInside, reference }
}

type Shares = {
  whole: number
  /** The part outside all references; parts inside several references therefore count once. */
  outside: number
  /** The overlap with each reference; undefined when `findReference` is false. */
  each: number[] | undefined
}

/** Compares areas or lengths. */
function partShares(subject: OverlaySubject, meetings: readonly Meeting[], wkb: Wkb, findReference: boolean): Shares {
  const { dimension } = subject
  const project = projectionFor(wkb)
  const sizeOf = (part: Wkb | null): number =>
    part === null ? 0 : dimension === 1 ? lengthOf(part) : areaIn(project, part)
  return {
    whole: sizeOf(wkb),
    outside: sizeOf(subject.withoutAll(meetings)),
    each: findReference ? meetings.map((meeting) => sizeOf(subject.common(meeting))) : undefined,
  }
}

/** Centred on the middle of the envelope. The azimuthal projection does not hold for features wider than a hemisphere. */
function projectionFor(wkb: Wkb): EqualArea {
  const [minX, minY, maxX, maxY] = envelopeOf(wkb)
  return maxX - minX <= 180 ? equalAreaAround((minX + maxX) / 2, (minY + maxY) / 2) : cylindricalEqualArea()
}

/**
 * Edges are straight in longitude and latitude (RFC 7946, 3.1.1), and curved in the plane. Pieces of half a degree are
 * approximated by the parabola through their ends and middle, which is exact to 1e-9; pieces up to 200 m are treated as
 * straight.
 */
const PIECE_DEGREES = 0.5
const STRAIGHT_DEGREES = 0.002

/** Square metres of polygons in the plane; lines and points have none. */
function areaIn(project: EqualArea, wkb: Wkb): number {
  const out = new Float64Array(2)
  let size = 0
  forEachRun(wkb, (view, offset, count, stride, role, ring) => {
    if (role !== 2) return
    let [longitude, latitude] = [view.getFloat64(offset, true), view.getFloat64(offset + 8, true)]
    project(longitude, latitude, out)
    const [x0, y0] = out as unknown as [number, number]
    let [x, y, twiceArea] = [0, 0, 0]
    for (let i = 1, at = offset + stride; i < count; i++, at += stride) {
      const [nextLongitude, nextLatitude] = [view.getFloat64(at, true), view.getFloat64(at + 8, true)]
      const [dx, dy] = [nextLongitude - longitude, nextLatitude - latitude]
      const extent = Math.max(Math.abs(dx), Math.abs(dy))
      const pieces = Math.max(1, Math.ceil(extent / PIECE_DEGREES))
      for (let piece = 1; piece <= pieces; piece++) {
        const [share, middle] = [piece / pieces, (piece - 0.5) / pieces]
        project(longitude + dx * share, latitude + dy * share, out)
        const [nextX, nextY] = [(out[0] as number) - x0, (out[1] as number) - y0]
        const chord = x * nextY - nextX * y
        twiceArea += chord
        if (extent > STRAIGHT_DEGREES) {
          project(longitude + dx * middle, latitude + dy * middle, out)
          const [middleX, middleY] = [(out[0] as number) - x0, (out[1] as number) - y0]
          twiceArea += (4 / 3) * (x * middleY - middleX * y + middleX * nextY - nextX * middleY - chord)
        }
        x = nextX
        y = nextY
      }
      longitude = nextLongitude
      latitude = nextLatitude
    }
    size += ((ring === 0 ? 1 : -1) * Math.abs(twiceArea)) / 2
  })
  return size
}

/** Metres of lines along their drawn edges: a geodesic is shorter, so its shares would not be shares of the edge. */
function lengthOf(wkb: Wkb): number {
  let length = 0
  forEachRun(wkb, (view, offset, count, stride, role) => {
    if (role !== 1) return
    for (let i = 1, at = offset + stride; i < count; i++, at += stride) {
      const [x, y] = [view.getFloat64(at - stride, true), view.getFloat64(at - stride + 8, true)]
      const [dx, dy] = [view.getFloat64(at, true) - x, view.getFloat64(at + 8, true) - y]
      const pieces = Math.max(1, Math.ceil(Math.max(Math.abs(dx), Math.abs(dy)) / PIECE_DEGREES))
      const [stepX, stepY] = [dx / pieces, dy / pieces]
      for (let piece = 0; piece < pieces; piece++) {
        const [fromX, fromY] = [x + piece * stepX, y + piece * stepY]
        length += edgeLengthM(fromX, fromY, fromX + stepX, fromY + stepY)
      }
    }
  })
  return length
}

/** Counts points one by one; coincident points count separately. */
function pointShares(geos: Geos, set: GeometrySet, meetings: readonly Meeting[], wkb: Wkb): Shares {
  const points = partsOf(wkb)
  const each = meetings.map(() => 0)
  let outside = 0
  for (const part of points) {
    const point = geos.read(part)
    let inside = false
    meetings.forEach(({ ordinal }, i) => {
      if (!geos.testPrepared('covers', set.geometry(ordinal), set.prepare(ordinal), point)) return
      each[i] = (each[i] as number) + 1
      inside = true
    })
    geos.free(point)
    if (!inside) outside++
  }
  return { whole: points.length, outside, each }
}
