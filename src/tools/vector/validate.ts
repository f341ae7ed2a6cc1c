/** Reports which geometries are invalid, and why and where. */
import { Type } from '@sinclair/typebox'
import { type Field, freeName, withFeatures } from '../../lib/geo/layers/layer.ts'
import { STATES } from '../../lib/geo/overlay/row-operations.ts'
import { inputFeatureCount, layerOutput, layerResult, ofField, readLayer, vectorFile, vectorOutput } from '../layers.ts'
import { described, integerResult } from '../params.ts'
import { VECTOR_TOOL } from '../row-part.ts'
import { rowsOf, workOnRows } from '../shared-rows.ts'
import { defineTool } from '../tool.ts'

/** Problems listed in the response; the file has all of them. */
const MAX_LISTED = 100

export default defineTool({
  id: 'vector.validate',
  route: '/validate',
  version: '1.2.0',
  title: { en: 'Validate geometries', ar: 'التحقق من الأشكال' },
  description: {
    en: 'Reports for each feature whether its geometry is valid by the rules of OGC Simple Features, and if not, why and where. Geometries are not changed.',
    ar: 'يبيّن لكل عنصر هل شكله صالح وفق قواعد OGC Simple Features، وإن لم يكن فلماذا وأين. لا تُغيَّر الأشكال.',
  },
  keywords: ['validate', 'check', 'valid', 'self-intersection'],
  credits: 1,
  ...VECTOR_TOOL,
  saved: {},
  input: Type.Object({ file: vectorFile(), ...vectorOutput() }),
  output: Type.Object({
    ...layerOutput,
    inputFeatureCount,
    validCount: integerResult('Valid geometries', 'عدد الأشكال الصالحة'),
    invalidCount: integerResult('Invalid geometries', 'عدد الأشكال غير الصالحة'),
    emptyCount: integerResult('Features without a geometry', 'عدد العناصر بلا شكل'),
    problems: described(Type.Array(Type.Object({ index: Type.Integer(), reason: Type.String() })), {
      en: 'The first hundred problems: index of the feature from 0, and the reason with its position',
      ar: 'أول مئة مشكلة: رقم العنصر بدءًا من 0، والسبب مع موضعه',
    }),
  }),
  examples: [{ name: 'a bow-tie and a square', input: { file: 'bowtie.geojson', target_format: 'geojson' } }],
  async run({ file, ...output }, context) {
    const layer = await readLayer(file, 'file', context)
    const task = {
      operation: 'validate',
      options: {},
      field: 'file',
      warnings: layer.warnings,
      rows: rowsOf(layer.features),
    } as const
    const { rows, facts } = await ofField('file', () => workOnRows(task, context))
    const reasons = (facts as string[][]).flat()
    const problems: { index: number; reason: string }[] = []
    let [validCount, invalidCount, emptyCount] = [0, 0, 0]
    const features = layer.features.map((feature, index) => {
      const { values } = feature
      const state = rows[index]?.values[1]
      if (state === STATES.empty) {
        emptyCount++
        return { ...feature, values: [...values, null, null] }
      }
      const isValid = state === STATES.valid
      const reason = isValid ? null : (reasons[invalidCount] as string)
      if (reason === null) validCount++
      else {
        invalidCount++
        if (problems.length < MAX_LISTED) problems.push({ index, reason })
      }
      return { ...feature, values: [...values, isValid, reason] }
    })
    const fields: Field[] = [...layer.fields]
    fields.push({ name: freeName(fields, 'is_valid'), type: 'boolean' })
    fields.push({ name: freeName(fields, 'reason'), type: 'string' })
    const inputFeatureCount = layer.features.length
    const data = { inputFeatureCount, validCount, invalidCount, emptyCount, problems }
    return layerResult(withFeatures(layer, features, fields), output, file, 'checked', context, data)
  },
})
