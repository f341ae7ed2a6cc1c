/** A grid of square cells over the extent of a layer. */
import { Type } from '@sinclair/typebox'
import { invalidField } from '../../errors.ts'
import { loadGeos } from '../../lib/geo/geos.ts'
import { boxWkb, polygonToGlobe } from '../../lib/geo/globe.ts'
import { type Feature, type Field, WGS84, withFeatures } from '../../lib/geo/layer.ts'
import { middleMeridian, planeEnvelope } from '../../lib/geo/local-plane.ts'
import type { Wkb } from '../../lib/geo/wkb.ts'
import { inputFeatureCount, layerOutput, layerResult, readLayer, vectorFile, vectorOutput } from '../layers.ts'
import { described, flag, number } from '../params.ts'
import { defineTool } from '../tool.ts'

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
  lane: 'node',
  async: true,
  inputKind: 'vector',
  outputKind: 'vector',
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
    rows: described(Type.Integer(), { en: 'Rows', ar: 'عدد الصفوف' }),
    cols: described(Type.Integer(), { en: 'Columns', ar: 'عدد الأعمدة' }),
    cellSizeM: described(Type.Number(), { en: 'Side of a cell in metres', ar: 'طول ضلع الخلية بالأمتار' }),
  }),
  examples: [
    {
      name: 'twenty kilometres over districts',
      input: { file: 'districts.geojson', target_format: 'geojson', cell_size_m: 20_000 },
    },
  ],
  async run({ file, cell_size_m: size, clip_to_extent, ...output }, context) {
    const layer = await readLayer(file, 'file', context, WGS84)
    const geometries = layer.features.map(({ geometry }) => geometry).filter((wkb): wkb is Wkb => wkb !== null)
    const meridian = middleMeridian(geometries)
    const extent = planeEnvelope(geometries, meridian)
    const [minX, minY, maxX, maxY] = extent ?? [0, 0, 0, 0]
    const count = (length: number): number => (extent === undefined ? 0 : Math.max(1, Math.ceil(length / size - 1e-9)))
    const [rows, cols] = [count(maxY - minY), count(maxX - minX)]
    if (rows * cols > context.limits.maxFeatures)
      throw invalidField(
        'cell_size_m',
        'maxCells',
        `gives ${rows * cols} cells; at most ${context.limits.maxFeatures} are allowed`,
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
        const geometry = polygonToGlobe(geos, boxWkb(x, y, right, top), meridian)
        features.push({ values: [row * cols + col, row, col], geometry })
      }
    }
    const out = withFeatures(layer, features, fields)
    const data = { inputFeatureCount: layer.features.length, rows, cols, cellSizeM: size }
    return layerResult(out, output, file, 'grid', context, data)
  },
})
