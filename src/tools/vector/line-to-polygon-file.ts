/** Closes the lines of a file to polygons and measures them. */
import { Type } from '@sinclair/typebox'
import { unreadable } from '../../errors.ts'
import { sharingId } from '../../lib/geo/feature-ids.ts'
import { type Feature, type Field, freeName, WGS84, withFeatures } from '../../lib/geo/layer.ts'
import { lineToPolygon } from '../../lib/geo/lines.ts'
import { type PolygonShape, polygonShape } from '../../lib/geo/polygon-shape.ts'
import { LINE, MULTI_LINE, partsOf, typeOf } from '../../lib/geo/wkb.ts'
import { layerOutput, layerResult, readLayer, vectorFile } from '../layers.ts'
import { described } from '../params.ts'
import { shapeSchema } from '../polygon-shape.ts'
import { partOfRows } from '../row-part.ts'
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

const valuesOf = (shape: PolygonShape): unknown[] => [
  ...[shape.areaM2, shape.perimeterM, shape.vertexCount, shape.compactness, shape.isValid, shape.isConvex],
]

export default defineTool({
  id: 'vector.line-to-polygon-file',
  route: '/line-to-polygon/file',
  version: '1.1.0',
  title: { en: 'Lines of a file to polygons', ar: 'خطوط ملف إلى مضلعات' },
  description: {
    en: 'Closes every line of a file to a polygon and returns the polygons as GeoJSON, with area and perimeter on the ellipsoid and measures of shape.',
    ar: 'يغلق كل خط في الملف ليصبح مضلعًا، ويعطي المضلعات بصيغة GeoJSON مع مساحاتها ومحيطاتها على الإهليلج وقياسات أشكالها.',
  },
  keywords: ['polygon', 'area', 'perimeter', 'close line'],
  credits: 1,
  lane: 'node',
  async: true,
  inputKind: 'vector',
  outputKind: 'vector',
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
    const features: Feature[] = []
    const polygons: PolygonShape[] = []
    let [polygonCount, areaM2, perimeterM, leftOut] = [0, 0, 0, 0]
    for (const [i, feature] of layer.features.entries()) {
      const { values, geometry } = feature
      context.progress(i / layer.features.length)
      const type = geometry === null ? 0 : typeOf(geometry)
      const lines = geometry === null || (type !== LINE && type !== MULTI_LINE) ? [] : partsOf(geometry)
      if (lines.length === 0) leftOut++
      const made: Feature[] = []
      for (const line of lines) {
        const polygon = lineToPolygon(line)
        if (polygon === undefined) {
          leftOut++
          continue
        }
        const shape = await polygonShape(polygon)
        made.push({ ...feature, values: [...values, ...valuesOf(shape)], geometry: polygon })
        polygonCount++
        areaM2 += shape.areaM2
        perimeterM += shape.perimeterM
        if (polygons.length < MAX_LISTED) polygons.push(shape)
      }
      for (const one of sharingId(made)) features.push(one)
    }
    if (layer.features.length > 0 && polygonCount === 0)
      throw unreadable('file', 'lines', 'must contain lines with at least three different positions')
    const warnings =
      leftOut > 0 ? [...layer.warnings, `${leftOut} features or parts are no line that can be closed`] : layer.warnings
    const out = { ...withFeatures(layer, features, fields), warnings }
    const stats = { polygonCount, areaM2, perimeterM, polygons }
    return layerResult(out, { target_format: 'geojson' }, file, 'polygons', context, { stats })
  },
  part: partOfRows,
})
