/**
 * How much of each feature lies inside reference polygons. Areas and lengths are compared in Lambert's equal-area
 * projection centred on the feature, where their ratios are exact.
 */

import { largest } from '../../lists.ts'
import { type EqualArea, equalAreaAround } from './equal-area.ts'
import type { GeometrySet } from './geometry-set.ts'
import { type Geos, loadGeos } from './geos.ts'
import type { Feature } from './layer.ts'
import type { Progress } from './overlay.ts'
import { type Meeting, OverlaySubject } from './overlay-subject.ts'
import { dimensionOf, envelopeOf, forEachRun, partsOf, type Wkb } from './wkb.ts'

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

/** Percentage that rounding in overlays may account for. */
const NOISE = 1e-9

/** @param findReference whether to determine which reference overlaps most, which doubles the running time */
export async function insideOf(
  features: readonly Pick<Feature, 'geometry'>[],
  references: GeometrySet,
  findReference: boolean,
  progress: Progress,
): Promise<Inside[]> {
  const geos = await loadGeos()
  return features.map(({ geometry }, i) => {
    if (i % 256 === 0) progress(i / features.length)
    return geometry === null ? OUTSIDE : insideOne(geos, references, geometry, findReference)
  })
}

const OUTSIDE: Inside = { relation: 'outside', percentInside: 0, matchCount: 0, reference: undefined }

function insideOne(geos: Geos, set: GeometrySet, wkb: Wkb, findReference: boolean): Inside {
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

/** Compares areas or lengths in an equal-area projection centred on the feature. */
function partShares(subject: OverlaySubject, meetings: readonly Meeting[], wkb: Wkb, findReference: boolean): Shares {
  const project = equalAreaAround(...centreOf(wkb))
  const sizeOf = (part: Wkb | null): number => (part === null ? 0 : sizeIn(project, part, subject.dimension))
  return {
    whole: sizeOf(wkb),
    outside: sizeOf(subject.withoutAll(meetings)),
    each: findReference ? meetings.map((meeting) => sizeOf(subject.common(meeting))) : undefined,
  }
}

/** The middle of the envelope; for features wider than 180 degrees, the mean direction of the vertices. */
function centreOf(wkb: Wkb): [longitude: number, latitude: number] {
  const [minX, minY, maxX, maxY] = envelopeOf(wkb)
  if (maxX - minX <= 180) return [(minX + maxX) / 2, (minY + maxY) / 2]
  let [x, y, z] = [0, 0, 0]
  forEachRun(wkb, (view, offset, count, stride) => {
    for (let i = 0, at = offset; i < count; i++, at += stride) {
      const longitude = view.getFloat64(at, true) * RADIANS
      const latitude = view.getFloat64(at + 8, true) * RADIANS
      x += Math.cos(latitude) * Math.cos(longitude)
      y += Math.cos(latitude) * Math.sin(longitude)
      z += Math.sin(latitude)
    }
  })
  return [Math.atan2(y, x) / RADIANS, Math.atan2(z, Math.hypot(x, y)) / RADIANS]
}

const RADIANS = Math.PI / 180
/** Edges are straight in longitude and latitude (RFC 7946, 3.1.1), so long ones are split to follow that line. */
const MAX_STEP_DEGREES = 0.1

/** Square metres of polygons or metres of lines in the plane; parts of another dimension count as 0. */
function sizeIn(project: EqualArea, wkb: Wkb, dimension: number): number {
  const out = new Float64Array(2)
  let size = 0
  forEachRun(wkb, (view, offset, count, stride, role, ring) => {
    if (role !== dimension) return
    let [longitude, latitude] = [view.getFloat64(offset, true), view.getFloat64(offset + 8, true)]
    project(longitude, latitude, out)
    const [x0, y0] = out as unknown as [number, number]
    let [x, y, twiceArea, length] = [x0, y0, 0, 0]
    for (let i = 1, at = offset + stride; i < count; i++, at += stride) {
      const [nextLongitude, nextLatitude] = [view.getFloat64(at, true), view.getFloat64(at + 8, true)]
      const [dx, dy] = [nextLongitude - longitude, nextLatitude - latitude]
      const steps = Math.max(1, Math.ceil(Math.max(Math.abs(dx), Math.abs(dy)) / MAX_STEP_DEGREES))
      for (let step = 1; step <= steps; step++) {
        if (step === steps) project(nextLongitude, nextLatitude, out)
        else project(longitude + (dx * step) / steps, latitude + (dy * step) / steps, out)
        const [nextX, nextY] = out as unknown as [number, number]
        twiceArea += (x - x0) * (nextY - y0) - (nextX - x0) * (y - y0)
        length += Math.hypot(nextX - x, nextY - y)
        x = nextX
        y = nextY
      }
      longitude = nextLongitude
      latitude = nextLatitude
    }
    size += role === 1 ? length : ((ring === 0 ? 1 : -1) * Math.abs(twiceArea)) / 2
  })
  return size
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
