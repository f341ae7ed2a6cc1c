/** Overlays of a layer with polygons: what lies within, what lies outside, and both with their attributes. */
import type { GeometrySet } from './geometry-set.ts'
import { type Geos, loadGeos, type Pointer } from './geos.ts'
import { type Feature, type Field, freeName } from './layer.ts'
import { ofDimension, validOrRepaired } from './repair.ts'
import { dimensionOf, isEmpty, type Wkb } from './wkb.ts'

/** Valid geometries, without those that are empty; overlays of others are not defined. */
export async function validFeatures(features: readonly Feature[]): Promise<Feature[]> {
  const geos = await loadGeos()
  return features.map((feature) => {
    const { geometry } = feature
    if (geometry === null || isEmpty(geometry)) return { values: feature.values, geometry: null }
    if (dimensionOf(geometry) < 2) return feature
    return { values: feature.values, geometry: validOrRepaired(geos, geometry) }
  })
}

export type Progress = (share: number) => void

/** Parts of features within (`intersection`) or outside of (`difference`) polygons, with their own attributes. */
export async function clipOrEraseFeatures(
  features: readonly Feature[],
  polygons: GeometrySet,
  operation: 'intersection' | 'difference',
  progress: Progress,
): Promise<Feature[]> {
  const geos = await loadGeos()
  const results: Feature[] = []
  features.forEach(({ values, geometry }, i) => {
    if (i % 256 === 0) progress(i / features.length)
    const left = geometry === null ? null : clipOrEraseOne(geos, polygons, geometry, operation)
    if (left !== null) results.push({ values, geometry: left })
  })
  return results
}

function clipOrEraseOne(geos: Geos, set: GeometrySet, wkb: Wkb, operation: 'intersection' | 'difference'): Wkb | null {
  const isErase = operation === 'difference'
  const near = set.near(wkb)
  if (near.length === 0) return isErase ? wkb : null
  const geometry = geos.read(wkb)
  const prepared = geos.prepare(geometry)
  try {
    const met: number[] = []
    for (const ordinal of near) {
      if (!set.test('intersects', geometry, prepared, ordinal)) continue
      if (set.test('coveredBy', geometry, prepared, ordinal)) return isErase ? null : wkb
      met.push(ordinal)
    }
    if (met.length === 0) return isErase ? wkb : null
    const written = isErase ? withoutAll(geos, set, geometry, met) : withinAny(geos, set, geometry, met)
    return ofDimension(written, dimensionOf(wkb))
  } finally {
    geos.unprepare(prepared)
    geos.free(geometry)
  }
}

function withinAny(geos: Geos, set: GeometrySet, geometry: Pointer, met: readonly number[]): Wkb {
  const union = set.union(met)
  const result = geos.overlay('intersection', geometry, union.geometry)
  const written = geos.write(result)
  geos.free(result)
  union.free()
  return written
}

/** What of a geometry is in none of some polygons: one after the other, since what is left gets smaller. */
export function withoutAll(geos: Geos, set: GeometrySet, geometry: Pointer, met: readonly number[]): Wkb {
  let left = geometry
  for (const ordinal of met) {
    const less = geos.overlay('difference', left, set.geometry(ordinal))
    if (left !== geometry) geos.free(left)
    left = less
    if (geos.isEmpty(left)) break
  }
  const written = geos.write(left)
  geos.free(left)
  return written
}

/** Fields of one layer, then of another under names that are free. */
export function joinedFields(a: readonly Field[], b: readonly Field[]): Field[] {
  const fields = [...a]
  for (const field of b) fields.push({ ...field, name: freeName(fields, field.name) })
  return fields
}

/**
 * Every part that a feature has in common with a polygon, with the attributes of both.
 * @param valuesOf the attributes of the polygon at a place
 */
export async function intersectFeatures(
  features: readonly Feature[],
  polygons: GeometrySet,
  valuesOf: (ordinal: number) => unknown[],
  progress: Progress,
): Promise<Feature[]> {
  const geos = await loadGeos()
  const common: Feature[] = []
  features.forEach(({ values, geometry: wkb }, i) => {
    if (i % 256 === 0) progress(i / features.length)
    if (wkb === null) return
    const near = polygons.near(wkb)
    if (near.length === 0) return
    const dimension = dimensionOf(wkb)
    const geometry = geos.read(wkb)
    const prepared = geos.prepare(geometry)
    try {
      for (const ordinal of near) {
        // a tenth of what an overlay costs
        if (!polygons.test('intersects', geometry, prepared, ordinal)) continue
        // what is wholly within needs no cutting
        const isWhole = polygons.test('coveredBy', geometry, prepared, ordinal)
        const part = isWhole ? wkb : commonPart(geos, polygons, geometry, dimension, ordinal)
        if (part !== null) common.push({ values: [...values, ...valuesOf(ordinal)], geometry: part })
      }
    } finally {
      geos.unprepare(prepared)
      geos.free(geometry)
    }
  })
  return common
}

function commonPart(geos: Geos, set: GeometrySet, geometry: Pointer, dimension: number, ordinal: number): Wkb | null {
  const result = geos.overlay('intersection', geometry, set.geometry(ordinal))
  const written = geos.write(result)
  geos.free(result)
  return ofDimension(written, dimension)
}
