/** Second inputs: layers to overlay, read for one call, or bound to a saved tool and cached. */

import { type AppError, unreadable } from '../errors.ts'
import { fieldText } from '../field-texts/field-text.ts'
import { loadGeos } from '../lib/geo/geometry/geos.ts'
import { dimensionsOf } from '../lib/geo/geometry/wkb.ts'
import type { CachedLayer } from '../lib/geo/layers/cached-layer.ts'
import type { Crs, Feature, Field, Layer } from '../lib/geo/layers/layer.ts'
import { GeometrySet, placeOf } from '../lib/geo/overlay/geometry-set.ts'
import { withCachedLayer } from './cached-layers.ts'
import { notAll, readCompared } from './layers.ts'
import { type Cached, withCached } from './process-cache.ts'
import type { BoundItem, InputFile, RunContext } from './tool.ts'

export type Overlay = {
  fields: Field[]
  featureCount: number
  /** Geometries by ordinal; ordinals of deleted features are empty. */
  set: GeometrySet
  /** Values in the order of the fields. */
  valuesOf(ordinal: number): unknown[]
  features(): Feature[]
}

/** Reads the layer of a field and passes it on. @throws AppError INPUT_UNREADABLE or FILE_TOO_LARGE naming the field */
export async function withOverlay<T>(
  input: InputFile,
  field: string,
  context: RunContext,
  crs: Crs,
  work: (overlay: Overlay) => Promise<T>,
): Promise<T> {
  const { bound } = input
  if (bound !== undefined && bound !== 'missing') return withBound(input, bound, field, context, crs, work)
  const layer = await readCompared(input, field, context, crs)
  const overlay = await ofLayer(layer)
  return work(overlay).finally(() => overlay.set.free())
}

/** The same for a layer of polygons. @throws AppError INPUT_UNREADABLE `polygons` for other geometries */
export async function withPolygons<T>(
  input: InputFile,
  field: string,
  context: RunContext,
  crs: Crs,
  work: (overlay: Overlay) => Promise<T>,
): Promise<T> {
  return withMask(input, field, context, crs, 2, work)
}

/**
 * The same for a layer that cuts geometries of a dimension; geometries of a lower dimension cannot cut them.
 * @throws AppError INPUT_UNREADABLE `polygons` or `lines`
 */
export async function withMask<T>(
  input: InputFile,
  field: string,
  context: RunContext,
  crs: Crs,
  dimension: number,
  work: (overlay: Overlay) => Promise<T>,
): Promise<T> {
  // a map layer was checked when it was bound; a file is checked here, where it is read
  const isLayer = typeof input.bound === 'object' && input.bound.layer !== undefined
  return withOverlay(input, field, context, crs, (overlay) => {
    const lowest = isLayer ? undefined : lowestOf(overlay)
    if (lowest !== undefined && lowest.dimension < dimension) throw notOf(dimension, lowest, field)
    return work(overlay)
  })
}

type Lowest = { dimension: number; index: number }

const lowestOfSets = new WeakMap<GeometrySet, Lowest>()

/** The first of the features with the lowest dimension; the set of a file does not change. */
function lowestOf({ set, features }: Overlay): Lowest {
  const known = lowestOfSets.get(set)
  if (known !== undefined) return known
  const lowest: Lowest = { dimension: 2, index: -1 }
  for (const [index, { geometry }] of features().entries()) {
    const [dimension = 2] = geometry === null ? [] : dimensionsOf(geometry)
    if (dimension < lowest.dimension) Object.assign(lowest, { dimension, index })
  }
  lowestOfSets.set(set, lowest)
  return lowest
}

/**
 * Rejects mixed collections in a layer that cuts another layer, because each kind would have to be cut separately.
 * @throws AppError INPUT_UNREADABLE `collections`
 */
export function requireKinds({ set }: Overlay, field: string): void {
  const mixed = set.firstMixed()
  if (mixed >= 0) throw unreadable(field, 'collections', fieldText('mixedCollections', { index: mixed }))
}

/** The lowest dimension of the features, 2 when there are none. */
export const lowestDimension = (overlay: Overlay): number => lowestOf(overlay).dimension

function notOf(dimension: number, { index }: Lowest, field: string): AppError {
  if (dimension === 2) return notAll(field, 2, index)
  return unreadable(field, 'lines', fieldText('linesOrPolygons', { index }))
}

async function ofLayer({ fields, features, crs }: Layer): Promise<Overlay> {
  const geometryAt = (ordinal: number) => features[ordinal]?.geometry ?? null
  const set = new GeometrySet(await loadGeos(), geometryAt, features.length, placeOf(crs))
  return {
    fields,
    featureCount: features.length,
    set,
    valuesOf: (ordinal) => (features[ordinal] as Feature).values,
    features: () => features,
  }
}

async function withBound<T>(
  input: InputFile,
  bound: BoundItem,
  field: string,
  context: RunContext,
  crs: Crs,
  work: (overlay: Overlay) => Promise<T>,
): Promise<T> {
  const { layer, key, pick } = bound
  if (layer === undefined)
    return withCached(
      key,
      async (): Promise<Cached<Overlay>> => {
        const value = await ofLayer(await readCompared(input, field, context, crs))
        return { value, bytes: () => input.bytes, free: () => value.set.free() }
      },
      (overlay) => work(pick === undefined ? overlay : picked(overlay, pick)),
    )
  return withCachedLayer(key, { path: input.path, bytes: layer.bytes }, (cached) =>
    work(overlayOf(cached, pick ?? layer.fields)),
  )
}

function overlayOf(layer: CachedLayer, names: readonly string[]): Overlay {
  const valuesOf = (ordinal: number): unknown[] => {
    const properties = layer.propertiesOf(ordinal)
    return names.map((name) => (Object.hasOwn(properties, name) ? properties[name] : null))
  }
  return {
    fields: names.map((name) => ({ name, type: 'json' })),
    featureCount: layer.count,
    set: layer.set,
    valuesOf,
    features() {
      const features: Feature[] = []
      for (let ordinal = 0; ordinal < layer.count; ordinal++)
        if (layer.exists(ordinal)) features.push({ values: valuesOf(ordinal), geometry: layer.geometry(ordinal) })
      return features
    },
  }
}

/** The layer with only some fields. A field that it does not have is null everywhere. */
function picked(overlay: Overlay, names: readonly string[]): Overlay {
  const columns = names.map((name) => overlay.fields.findIndex((field) => field.name === name))
  const pick = (values: readonly unknown[]) => columns.map((column) => values[column] ?? null)
  return {
    ...overlay,
    fields: names.map((name, i) => overlay.fields[columns[i] as number] ?? { name, type: 'string' }),
    valuesOf: (ordinal) => pick(overlay.valuesOf(ordinal)),
    features: () => overlay.features().map(({ values, geometry }) => ({ values: pick(values), geometry })),
  }
}
