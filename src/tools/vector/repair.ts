/** Makes geometries valid and keeps their area. */
import { Type } from '@sinclair/typebox'
import { type Feature, withFeatures } from '../../lib/geo/layers/layer.ts'
import { inputFeatureCount, layerOutput, layerResult, ofField, readLayer, vectorFile, vectorOutput } from '../layers.ts'
import { choice, integerResult } from '../params.ts'
import { VECTOR_TOOL } from '../row-part.ts'
import { rowsOf, workOnRows } from '../shared-rows.ts'
import { defineTool } from '../tool.ts'

export default defineTool({
  id: 'vector.repair',
  route: '/repair',
  version: '1.2.0',
  title: { en: 'Repair geometries', ar: 'إصلاح الأشكال' },
  description: {
    en: 'Makes geometries valid: self-intersecting rings are split, overlapping parts are merged, and geometries without area or length left are dropped.',
    ar: 'يجعل الأشكال صالحة: تُقسم الحلقات المتقاطعة ذاتيًا وتُدمج الأجزاء المتداخلة، وتُحذف الأشكال التي لا تبقى لها مساحة أو طول.',
  },
  keywords: ['repair', 'valid', 'fix', 'make valid'],
  credits: 1,
  ...VECTOR_TOOL,
  saved: {},
  input: Type.Object({
    file: vectorFile(),
    ...vectorOutput(),
    method: choice(
      ['structure', 'linework'],
      {
        title: { en: 'Method', ar: 'الطريقة' },
        en: 'structure respects which rings are shells and holes and merges overlapping parts; linework makes areas of everything that lines enclose, and holes where parts overlap',
        ar: 'تحترم structure الحلقات الخارجية والثقوب وتدمج الأجزاء المتداخلة؛ وتجعل linework كل ما تحيط به الخطوط مساحة، ومواضع التداخل ثقوبًا',
      },
      {
        default: 'structure',
        titles: {
          structure: { en: 'By shells and holes', ar: 'حسب الحلقات الخارجية والثقوب' },
          linework: { en: 'By lines', ar: 'حسب الخطوط' },
        },
      },
    ),
  }),
  output: Type.Object({
    ...layerOutput,
    inputFeatureCount,
    invalidBefore: integerResult('Invalid geometries in the file', 'الأشكال غير الصالحة قبل الإصلاح'),
    invalidAfter: integerResult('Geometries that are still invalid', 'الأشكال غير الصالحة بعد الإصلاح'),
    droppedCount: integerResult(
      'Features left out because they had no geometry or nothing was left of it',
      'العناصر المستبعدة لأنه لم يبق منها شيء أو لم يكن لها شكل',
    ),
  }),
  examples: [{ name: 'a bow-tie and a square', input: { file: 'bowtie.geojson', target_format: 'geojson' } }],
  async run({ file, method, ...output }, context) {
    const layer = await readLayer(file, 'file', context)
    const task = {
      operation: 'repair',
      options: { method },
      field: 'file',
      warnings: layer.warnings,
      rows: rowsOf(layer.features),
    } as const
    const { rows, facts } = await ofField('file', () => workOnRows(task, context))
    const features = rows.flatMap(({ geometry }, i) =>
      geometry === null ? [] : [{ ...(layer.features[i] as Feature), geometry }],
    )
    let [invalidBefore, invalidAfter] = [0, 0]
    for (const [before, after] of facts as [number, number][]) {
      invalidBefore += before
      invalidAfter += after
    }
    return layerResult(withFeatures(layer, features), output, file, 'repaired', context, {
      inputFeatureCount: layer.features.length,
      invalidBefore,
      invalidAfter,
      droppedCount: layer.features.length - features.length,
    })
  },
})
