/**
 * Overlays of two layers: intersection, difference, and intersection with the attributes of both. The common part of two
 * geometries has the lower of their dimensions: a polygon and a line share a line, not a polygon.
 */

import { type Geos, loadGeos } from '../geometry/geos.ts'
import { gathered, kindsOf, validOrRepaired } from '../geometry/repair.ts'
import { dimensionOf, flattened, hasZ, isEmpty, type Wkb } from '../geometry/wkb.ts'
import { distinctNames, type Feature, type Field } from '../layers/layer.ts'
import type { GeometrySet } from './geometry-set.ts'
import { type Meeting, OverlaySubject } from './overlay-subject.ts'

/** Anything with a geometry, such as a feature. */
type Shape = Pick<Feature, 'geometry'>

/** Makes geometries valid, since overlays of invalid ones are undefined; empty geometries become null. */
export async function validFeatures<F extends Shape>(features: readonly F[]): Promise<F[]> {
  const geos = await loadGeos()
  return features.map((feature) => {
    const { geometry } = feature
    if (geometry === null || isEmpty(geometry)) return { ...feature, geometry: null }
    if (dimensionOf(geometry) < 2) return feature
    return { ...feature, geometry: validOrRepaired(geos, geometry) }
  })
}

export type Progress = (share: number) => void

/**
 * The parts of features within (`intersection`) or outside (`difference`) the geometries of a mask, with the features'
 * attributes. Mask geometries of a lower dimension than a feature neither contain nor remove any part of it.
 */
export async function clipOrEraseFeatures<F extends Shape>(
  features: readonly F[],
  mask: GeometrySet,
  operation: 'intersection' | 'difference',
  progress: Progress,
): Promise<F[]> {
  const geos = await loadGeos()
  const results: F[] = []
  features.forEach((feature, i) => {
    const { geometry } = feature
    if (i % 256 === 0) progress(i / features.length)
    const parts = geometry === null ? [] : kindsOf(geometry).map((kind) => clipOrEraseOne(geos, mask, kind, operation))
    const remainder = gathered(parts.filter((part) => part !== null))
    if (remainder !== null) results.push({ ...feature, geometry: remainder })
  })
  return results
}

function clipOrEraseOne(geos: Geos, mask: GeometrySet, wkb: Wkb, operation: 'intersection' | 'difference'): Wkb | null {
  const set = mask.seenFrom(wkb)
  const isErase = operation === 'difference'
  const dimension = dimensionOf(wkb)
  const near = set.near(wkb).filter((ordinal) => set.dimension(ordinal) >= dimension)
  if (near.length === 0) return isErase ? wkb : null
  const subject = new OverlaySubject(geos, set, wkb)
  try {
    const meetings: Meeting[] = []
    for (const ordinal of near) {
      const meeting = subject.meet(ordinal)
      if (meeting === undefined) continue
      if (meeting.isCovered) return isErase ? null : wkb
      meetings.push(meeting)
    }
    if (meetings.length === 0) return isErase ? wkb : null
    return withItsAxes(wkb, isErase ? subject.withoutAll(meetings) : subject.withinAny(meetings))
  } finally {
    subject.free()
  }
}

/** A part of a geometry, without heights that come only from the other layer. */
const withItsAxes = (whole: Wkb, part: Wkb | null): Wkb | null =>
  part === null || hasZ(whole) ? part : flattened(part)

/** The fields of both layers; duplicate names of the second are numbered. */
export function joinedFields(a: readonly Field[], b: readonly Field[]): Field[] {
  const distinct = distinctNames({ taken: a.map(({ name }) => name) })
  return [...a, ...b.map((field) => ({ ...field, name: distinct(field.name) }))]
}

/**
 * Intersects every feature with every member of a set; each result has the attributes of both.
 * @param valuesOf the attributes of the member at an index
 * @param remainderValues for a union: the attributes appended to a feature's own for its parts that no member covers.
 *   These parts follow the common parts of the feature; without this parameter they are omitted
 */
export async function intersectFeatures<Value>(
  features: readonly { values: Value[]; geometry: Wkb | null }[],
  others: GeometrySet,
  valuesOf: (ordinal: number) => Value[],
  progress: Progress,
  remainderValues?: Value[],
): Promise<{ values: Value[]; geometry: Wkb }[]> {
  const geos = await loadGeos()
  const results: { values: Value[]; geometry: Wkb }[] = []
  features.forEach(({ values, geometry }, i) => {
    if (i % 256 === 0) progress(i / features.length)
    if (geometry === null) return
    for (const kind of kindsOf(geometry)) {
      const remainder = takeCommonParts(geos, others, kind, remainderValues !== undefined, (ordinal, part) => {
        results.push({ values: [...values, ...valuesOf(ordinal)], geometry: part })
      })
      if (remainder !== null && remainderValues !== undefined)
        results.push({ values: [...values, ...remainderValues], geometry: remainder })
    }
  })
  return results
}

/** @returns the part that no member covers, if requested and not empty */
function takeCommonParts(
  geos: Geos,
  others: GeometrySet,
  wkb: Wkb,
  wantsRemainder: boolean,
  take: (ordinal: number, part: Wkb) => void,
): Wkb | null {
  const set = others.seenFrom(wkb)
  const near = set.near(wkb)
  if (near.length === 0) return wkb
  const subject = new OverlaySubject(geos, set, wkb)
  const removing: Meeting[] = []
  let isCovered = false
  try {
    for (const ordinal of near) {
      const meeting = subject.meet(ordinal)
      if (meeting === undefined) continue
      const part = subject.common(meeting)
      if (part !== null) take(ordinal, part)
      // geometries of a lower dimension remove nothing
      if (set.dimension(ordinal) >= subject.dimension) {
        removing.push(meeting)
        isCovered ||= meeting.isCovered
      }
    }
    if (isCovered || !wantsRemainder) return null
    return removing.length === 0 ? wkb : withItsAxes(wkb, subject.withoutAll(removing))
  } finally {
    subject.free()
  }
}
