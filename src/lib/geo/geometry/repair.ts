/** Finds and repairs invalid geometries (validity as in OGC 06-103r4, 6.1.11.1). */

import { type Warning, warning } from '../../../warnings/warning.ts'
import type { Feature } from '../layers/layer.ts'
import { isSurelyValid } from '../overlay/simple-overlay.ts'
import { type Geos, loadGeos } from './geos.ts'
import type { RepairMethod } from './geos-memory.ts'
import { makeValid } from './make-valid.ts'
import {
  COLLECTION,
  collect,
  dimensionOf,
  dimensionsOf,
  isEmpty,
  MULTI_POINT,
  partsOf,
  typeOf,
  type Wkb,
} from './wkb.ts'

export type Repair<F> = {
  features: F[]
  /** Includes the geometries that became null. */
  repairedCount: number
  /** Indexes of features whose geometry, or one of its kinds, was lost. */
  lost: number[]
}

/** The warning about lost geometries; empty if none was lost. */
export const lostWarning = ([first, ...others]: readonly number[]): Warning[] =>
  first === undefined ? [] : [warning('invalidGeometriesLost', { n: others.length + 1, feature: first })]

/** Whether a geometry, or one kind of a collection's members, was lost. */
export const isLost = (before: Wkb | null, after: Wkb | null): boolean =>
  before !== null && dimensionsOf(before).length > (after === null ? 0 : dimensionsOf(after).length)

/** Repairs all features; one whose geometry collapses keeps its values and has no geometry. */
export async function repairFeatures<F extends Pick<Feature, 'geometry'>>(
  features: readonly F[],
  method?: RepairMethod,
): Promise<Repair<F>> {
  const geos = await loadGeos()
  let repairedCount = 0
  const lost: number[] = []
  const repaired = features.map((feature, i): F => {
    const { geometry } = feature
    if (geometry === null) return feature
    const valid = validOrRepaired(geos, geometry, method)
    if (valid === geometry) return feature
    repairedCount++
    if (isLost(geometry, valid)) lost.push(i)
    return { ...feature, geometry: valid }
  })
  return { features: repaired, repairedCount, lost }
}

/** The geometry itself when it is valid, otherwise a repaired one; null when nothing of its dimension remains. */
export function validOrRepaired(geos: Geos, wkb: Wkb, method?: RepairMethod): Wkb | null {
  if (isSurelyValid(wkb)) return wkb
  const kinds = kindsOf(wkb)
  if (kinds.length > 1) {
    const valid = kinds.map((kind) => validOrRepaired(geos, kind, method))
    return valid.every((kind, i) => kind === kinds[i]) ? wkb : gathered(valid.filter((kind) => kind !== null))
  }
  const geometry = geos.read(wkb)
  try {
    if (geos.isValid(geometry)) return wkb
    const valid = makeValid(geos, geometry, method)
    const repaired = geos.write(valid)
    geos.free(valid)
    return ofDimension(repaired, dimensionOf(wkb))
  } finally {
    geos.free(geometry)
  }
}

/** A geometry of one kind unchanged, a collection of several kinds as its points, its lines and its polygons. */
export function kindsOf(wkb: Wkb): Wkb[] {
  if (typeOf(wkb) !== COLLECTION) return [wkb]
  const dimensions = dimensionsOf(wkb)
  return dimensions.length < 2 ? [wkb] : dimensions.map((dimension) => ofDimension(wkb, dimension) as Wkb)
}

/** The opposite of `kindsOf`; null for nothing. */
export function gathered(kinds: readonly Wkb[]): Wkb | null {
  if (kinds.length < 2) return kinds[0] ?? null
  return collect(COLLECTION, kinds.flatMap(partsOf))
}

/** The parts of one dimension, collected into one geometry; null when there are none. */
export function ofDimension(wkb: Wkb, dimension: number): Wkb | null {
  if (isEmpty(wkb)) return null
  if (typeOf(wkb) < 7) return dimensionOf(wkb) === dimension ? wkb : null
  const parts: Wkb[] = []
  const collectParts = (geometry: Wkb): void => {
    for (const part of partsOf(geometry))
      if (typeOf(part) >= MULTI_POINT) collectParts(part)
      else if (!isEmpty(part) && dimensionOf(part) === dimension) parts.push(part)
  }
  collectParts(wkb)
  if (parts.length === 0) return null
  return parts.length === 1 ? (parts[0] as Wkb) : collect(MULTI_POINT + dimension, parts)
}
