/** Closes the lines of a file to polygons and measures them. */

import { Type } from '@sinclair/typebox'
import { unreadable } from '../../errors.ts'
import { fieldText } from '../../field-texts/field-text.ts'
import { sharingId } from '../../lib/geo/formats/feature-ids.ts'
import { loadGeos } from '../../lib/geo/geometry/geos.ts'
import { onGlobe } from '../../lib/geo/geometry/globe.ts'
import {
  figureNumbers,
  type PolygonFigures,
  type PolygonShape,
  withPlace,
} from '../../lib/geo/geometry/polygon-shape.ts'
import type { Wkb } from '../../lib/geo/geometry/wkb.ts'
import { type Feature, type Field, freeName, WGS84, withFeatures } from '../../lib/geo/layers/layer.ts'
import type { Row } from '../../lib/geo/layers/row-file.ts'
import { warning } from '../../warnings/warning.ts'
import { layerOutput, layerResult, readLayer, vectorFile } from '../layers.ts'
import { described } from '../params.ts'
import { shapeSchema } from '../polygon-shape.ts'
import { VECTOR_TOOL } from '../row-part.ts'
import { rowsOf, workOnRows } from '../shared-rows.ts'
import { defineTool } from '../tool.ts'

/** Polygons listed in the response; the file has all of them. */
const MAX_LISTED = 1000

const COLUMNS = [
  ['area_m2', 'real'],
  ['perimeter_m', 'real'],
  ['vertices', 'integer'],
  ['compactness', 'real'],
  ['is_valid', 'boolean'],
  ['is_convex', 'boolean'],
] as const

const valuesOf = (figures: PolygonFigures): unknown[] => [
  figures.areaM2,
  figures.perimeterM,
  figures.vertexCount,
  figures.compactness,
  figures.isValid,
  figures.isConvex,
]

export default defineTool({
  id: 'vector.line-to-polygon-file',
  route: '/line-to-polygon/file',
  version: '1.2.0',
  title: { en: 'Lines of a file to polygons', ar: 'خطوط ملف إلى مضلعات' },
  description: {
    en: 'Closes every line of a file to a polygon and returns the polygons as GeoJSON, with area and perimeter on the ellipsoid and measures of shape.',
    ar: 'يغلق كل خط في الملف ليصبح مضلعًا، ويعطي المضلعات بصيغة GeoJSON مع مساحاتها ومحيطاتها على الإهليلج وقياسات أشكالها.',
  },
  keywords: ['polygon', 'area', 'perimeter', 'close line'],
  credits: 1,
  ...VECTOR_TOOL,
  input: Type.Object({ file: vectorFile() }),
  output: Type.Object({
    ...layerOutput,
    stats: described(
      Type.Object({
        polygonCount: Type.Integer(),
        areaM2: Type.Number(),
        perimeterM: Type.Number(),
        polygons: Type.Array(shapeSchema),
      }),
      {
        en: 'Totals, and the measures of each of the first thousand polygons',
        ar: 'المجاميع، وقياسات كل مضلع من أول ألف مضلع',
      },
    ),
  }),
  examples: [{ name: 'two tracks', input: { file: 'tracks.geojson' } }],
  async run({ file }, context) {
    const layer = await readLayer(file, 'file', context, WGS84)
    const fields: Field[] = [...layer.fields]
    for (const [name, type] of COLUMNS) fields.push({ name: freeName(fields, name), type })
    const task = {
      operation: 'closeLines',
      options: {},
      field: 'file',
      warnings: layer.warnings,
      rows: rowsOf(layer.features),
    } as const
    const { rows, facts } = await workOnRows(task, context)
    const leftOut = (facts as number[]).reduce((sum, count) => sum + count, 0)
    const geos = await loadGeos()
    const features: Feature[] = []
    const polygons: PolygonShape[] = []
    let [areaM2, perimeterM] = [0, 0]
    const polygonCount = rows.length
    for (let at = 0; at < polygonCount; ) {
      const index = rows[at]?.values[0] as number
      const feature = layer.features[index] as Feature
      const made: Feature[] = []
      for (; rows[at]?.values[0] === index; at++) {
        const { values, geometry } = rows[at] as Row
        const figures = figureNumbers.from(values.slice(1))
        made.push({
          ...feature,
          values: [...feature.values, ...valuesOf(figures)],
          geometry: onGlobe(geos, geometry as Wkb),
        })
        areaM2 += figures.areaM2
        perimeterM += figures.perimeterM
        if (polygons.length < MAX_LISTED) polygons.push(withPlace(geos, geometry as Wkb, figures))
      }
      for (const one of sharingId(made)) features.push(one)
    }
    if (layer.features.length > 0 && polygonCount === 0) throw unreadable('file', 'lines', fieldText('linesOfThree'))
    const warnings = leftOut > 0 ? [...layer.warnings, warning('linesNotClosed', { n: leftOut })] : layer.warnings
    const out = { ...withFeatures(layer, features, fields), warnings }
    const stats = { polygonCount, areaM2, perimeterM, polygons }
    return layerResult(out, { target_format: 'geojson' }, file, 'polygons', context, { stats })
  },
})
