/** A grid of square cells over the extent of a layer. */

import { Type } from '@sinclair/typebox'
import { invalidField, unreadable } from '../../errors.ts'
import { fieldText } from '../../field-texts/field-text.ts'
import { degreesFor, densified, lengthFor, piecesUpTo } from '../../lib/geo/geometry/densify.ts'
import { loadGeos } from '../../lib/geo/geometry/geos.ts'
import { boxWkb, polygonToGlobe } from '../../lib/geo/geometry/globe.ts'
import { middleMeridian, planeEnvelope } from '../../lib/geo/geometry/local-plane.ts'
import { nearestTurn, unrolled } from '../../lib/geo/geometry/longitude.ts'
import { forEachRun, type Wkb } from '../../lib/geo/geometry/wkb.ts'
import { type Feature, type Field, WGS84, withFeatures } from '../../lib/geo/layers/layer.ts'
import { warning } from '../../warnings/warning.ts'
import { inputFeatureCount, layerOutput, layerResult, readLayer, vectorFile, vectorOutput } from '../layers.ts'
import { flag, integerResult, number, numberResult } from '../params.ts'
import { VECTOR_TOOL } from '../row-part.ts'
import { defineTool } from '../tool.ts'

/**
 * Whether a polygon contains a place 90 degrees of longitude from the meridian, less than 30 degrees from the equator. Its
 * border may be close to the meridian, because the plane turns around there.
 */
function surroundsSide(wkb: Wkb, meridian: number): boolean {
  let found = false
  forEachRun(wkb, (view, offset, count, stride, role) => {
    if (role !== 2) return
    let [west, east, south, north] = [Infinity, -Infinity, Infinity, -Infinity]
    for (let i = 0, at = offset; i < count; i++, at += stride) {
      const [longitude, latitude] = [view.getFloat64(at, true), view.getFloat64(at + 8, true)]
      west = Math.min(west, longitude)
      east = Math.max(east, longitude)
      south = Math.min(south, latitude)
      north = Math.max(north, latitude)
    }
    const middle = nearestTurn(meridian, (west + east) / 2)
    if ((west < middle - 90 || east > middle + 90) && south < 30 && north > -30) found = true
  })
  return found
}

/** Maximum deviation of an edge from its course, as a share of a cell. */
const DEVIATION_SHARE = 0.001
const LEAST_DEVIATION_M = 0.1
const EARTH_M = 6_371_008
/** Distance in the plane of a point 60 degrees from its meridian, where lengths are twice those on the ground. */
const MAX_REACH_M = EARTH_M * Math.acosh(2)
const NOTED_SHRINKING = 0.01

export default defineTool({
  id: 'vector.grid',
  route: '/grid',
  version: '1.2.0',
  title: { en: 'Grid', ar: 'شبكة' },
  description: {
    en: 'Creates a grid of square cells over the extent of a layer, with a size in metres in a projection centred on the layer. Cells are numbered by row and column from the south-west.',
    ar: 'ينشئ شبكة من خلايا مربعة فوق امتداد الطبقة، بحجم بالأمتار في إسقاط مركزه وسط الطبقة. تُرقّم الخلايا بالصف والعمود من الجنوب الغربي.',
  },
  keywords: ['grid', 'fishnet', 'cells', 'tessellation'],
  credits: 1,
  ...VECTOR_TOOL,
  saved: {},
  input: Type.Object({
    file: vectorFile(),
    ...vectorOutput(),
    cell_size_m: number(
      {
        title: { en: 'Cell size in metres', ar: 'حجم الخلية بالأمتار' },
        en: 'Side of a cell in metres',
        ar: 'طول ضلع الخلية بالأمتار',
      },
      { minimum: 1, maximum: 10_000_000, default: 1000 },
    ),
    clip_to_extent: flag(
      {
        title: { en: 'Clip to extent', ar: 'القص عند الامتداد' },
        en: 'Clip the last row and column at the extent',
        ar: 'قص آخر صف وعمود عند حدود الامتداد',
      },
      false,
    ),
  }),
  output: Type.Object({
    ...layerOutput,
    inputFeatureCount,
    rows: integerResult('Rows', 'عدد الصفوف'),
    cols: integerResult('Columns', 'عدد الأعمدة'),
    cellSizeM: numberResult('Side of a cell in metres', 'طول ضلع الخلية بالأمتار'),
  }),
  examples: [
    {
      name: 'twenty kilometres over districts',
      input: { file: 'districts.geojson', target_format: 'geojson', cell_size_m: 20_000 },
    },
  ],
  async run({ file, cell_size_m: size, clip_to_extent, ...output }, context) {
    const layer = await readLayer(file, 'file', context, WGS84, true)
    const tolerance = Math.max(LEAST_DEVIATION_M, size * DEVIATION_SHARE)
    const follow = piecesUpTo(degreesFor(tolerance))
    const geometries = layer.features
      .map(({ geometry }) => geometry)
      .filter((wkb): wkb is Wkb => wkb !== null)
      .map((wkb) => densified(unrolled(wkb), follow))
    const meridian = middleMeridian(geometries)
    const extent = planeEnvelope(geometries, meridian)
    const [minX, minY, maxX, maxY] = extent ?? [0, 0, 0, 0]
    const reach = Math.max(-minX, maxX)
    // also catches NaN
    if (!(reach <= MAX_REACH_M) || geometries.some((wkb) => surroundsSide(wkb, meridian)))
      throw unreadable('file', 'extent', fieldText('gridWidth'))
    const count = (length: number): number => (extent === undefined ? 0 : Math.max(1, Math.ceil(length / size - 1e-9)))
    const [rows, cols] = [count(maxY - minY), count(maxX - minX)]
    if (rows * cols > context.limits.maxFeatures)
      throw invalidField(
        'cell_size_m',
        'maxCells',
        fieldText('gridCells', { count: rows * cols, most: context.limits.maxFeatures }),
      )
    const geos = await loadGeos()
    const fields: Field[] = ['id', 'row', 'col'].map((name) => ({ name, type: 'integer' }))
    const features: Feature[] = []
    for (let row = 0; row < rows; row++) {
      context.progress(row / rows)
      for (let col = 0; col < cols; col++) {
        const x = minX + col * size
        const y = minY + row * size
        const right = clip_to_extent ? Math.max(x, Math.min(x + size, maxX)) : x + size
        const top = clip_to_extent ? Math.max(y, Math.min(y + size, maxY)) : y + size
        const cell = densified(boxWkb(x, y, right, top), piecesUpTo(lengthFor(tolerance)))
        const geometry = polygonToGlobe(geos, cell, meridian)
        features.push({ values: [row * cols + col, row, col], geometry })
      }
    }
    const shrinking = 1 - 1 / Math.cosh(reach / EARTH_M)
    const warnings =
      shrinking < NOTED_SHRINKING
        ? layer.warnings
        : [...layer.warnings, warning('gridCellsShorter', { percent: Math.ceil(shrinking * 100) })]
    const out = { ...withFeatures(layer, features, fields), warnings }
    const data = { inputFeatureCount: layer.features.length, rows, cols, cellSizeM: size }
    return layerResult(out, output, file, 'grid', context, data)
  },
})
