/** Polygons that a caller sends, to be compared with points in a worker process. */
import { invalidField } from '../errors.ts'
import { inPlace } from '../field-texts/bilingual.ts'
import { fieldText } from '../field-texts/field-text.ts'
import { readStrictly } from '../lib/geo/formats/geojson/geojson-strict.ts'
import { loadGeos } from '../lib/geo/geometry/geos.ts'
import { dimensionsOf, type Wkb } from '../lib/geo/geometry/wkb.ts'
import { GeometrySet } from '../lib/geo/overlay/geometry-set.ts'
import { InputError } from '../lib/input-error.ts'

/** Finds the slots of the polygons around a point. */
export type PolygonSet = { holding(longitude: number, latitude: number, slots: number[]): void }

/** @throws AppError VALIDATION_FAILED naming the field, for anything but valid GeoJSON with polygons only */
export async function withGivenPolygons<T>(
  field: string,
  geojson: unknown,
  maxFeatures: number,
  work: (polygons: PolygonSet) => Promise<T>,
): Promise<T> {
  const geometries = readPolygons(field, geojson, maxFeatures)
  const set = new GeometrySet(await loadGeos(), (slot) => geometries[slot] ?? null, geometries.length, 'globe')
  try {
    return await work(set)
  } finally {
    set.free()
  }
}

function readPolygons(field: string, geojson: unknown, maxFeatures: number): Wkb[] {
  try {
    return readStrictly(geojson, maxFeatures).features.map(({ geometry }, i): Wkb => {
      if (geometry === null || dimensionsOf(geometry).join() !== '2')
        throw new InputError('polygons', inPlace({ feature: i }, fieldText('polygon')))
      return geometry
    })
  } catch (error) {
    if (error instanceof InputError) throw invalidField(field, error.rule, error.text)
    throw error
  }
}
