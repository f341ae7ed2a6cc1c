/** Removes vertices by the Douglas-Peucker algorithm; optionally keeps geometries valid. */
import { Type } from '@sinclair/typebox'
import { type Feature, WGS84, withFeatures } from '../../lib/geo/layers/layer.ts'
import { layerOutput, layerResult, ofField, readLayer, vectorFile, vectorOutput } from '../layers.ts'
import { flag, integerResult, number } from '../params.ts'
import { VECTOR_TOOL } from '../row-part.ts'
import { rowsOf, workOnRows } from '../shared-rows.ts'
import { defineTool } from '../tool.ts'

export default defineTool({
  id: 'vector.simplify',
  route: '/simplify',
  version: '1.2.0',
  title: { en: 'Simplify', ar: 'تبسيط' },
  description: {
    en: 'Removes vertices that are closer than a tolerance to the simplified line (Douglas-Peucker).',
    ar: 'يحذف الرؤوس التي تقل مسافتها عن الخط المبسط عن حد التفاوت (Douglas-Peucker).',
  },
  keywords: ['simplify', 'generalize', 'douglas-peucker', 'vertices'],
  credits: 1,
  ...VECTOR_TOOL,
  saved: {},
  input: Type.Object({
    file: vectorFile(),
    ...vectorOutput(),
    tolerance: number(
      { title: { en: 'Tolerance', ar: 'حد التفاوت' }, en: 'Tolerance in degrees', ar: 'حد التفاوت بالدرجات' },
      { minimum: 0.000001, maximum: 90, default: 0.001 },
    ),
    preserve_topology: flag(
      {
        title: { en: 'Preserve topology', ar: 'الحفاظ على الطوبولوجيا' },
        en: 'Keep geometries valid and keep their type',
        ar: 'الإبقاء على صلاحية الأشكال ونوعها',
      },
      true,
    ),
  }),
  output: Type.Object({
    ...layerOutput,
    verticesBefore: integerResult('Vertices in the file', 'عدد الرؤوس في الملف'),
    verticesAfter: integerResult('Vertices in the result', 'عدد الرؤوس في النتيجة'),
  }),
  examples: [
    {
      name: 'districts by a hundredth',
      input: { file: 'districts.geojson', target_format: 'geojson', tolerance: 0.01 },
    },
  ],
  async run({ file, tolerance, preserve_topology, ...output }, context) {
    const layer = await readLayer(file, 'file', context, WGS84)
    const options = { tolerance, preserveTopology: preserve_topology }
    const task = {
      operation: 'simplify',
      options,
      field: 'file',
      warnings: layer.warnings,
      rows: rowsOf(layer.features),
    } as const
    const { rows } = await ofField('file', () => workOnRows(task, context))
    let verticesBefore = 0
    let verticesAfter = 0
    const features = rows.map(({ values: [index, before, after], geometry }) => {
      verticesBefore += before as number
      verticesAfter += after as number
      return { ...(layer.features[index as number] as Feature), geometry }
    })
    const out = withFeatures(layer, features)
    return layerResult(out, output, file, 'simplified', context, { verticesBefore, verticesAfter })
  },
})
