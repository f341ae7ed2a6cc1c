/** Areas of polygons and lengths of lines on the ellipsoid. */
import { Type } from '@sinclair/typebox'
import { type Field, freeName, WGS84, withFeatures } from '../../lib/geo/layers/layer.ts'
import type { Row } from '../../lib/geo/layers/row-file.ts'
import { inputFeatureCount, layerOutput, layerResult, readLayer, vectorFile, vectorOutput } from '../layers.ts'
import { integerResult, numberResult } from '../params.ts'
import { VECTOR_TOOL } from '../row-part.ts'
import { rowsOf, workOnRows } from '../shared-rows.ts'
import { defineTool } from '../tool.ts'

export default defineTool({
  id: 'vector.area-length',
  route: '/area-length',
  version: '1.2.0',
  title: { en: 'Calculate geometry', ar: 'حساب المساحات والأطوال' },
  description: {
    en: 'Adds the area and perimeter of polygons and the length of lines, measured on the WGS 84 ellipsoid, as the columns area_m2, perimeter_m and length_m.',
    ar: 'يضيف مساحة المضلعات ومحيطها وطول الخطوط على إهليلج WGS 84 في أعمدة area_m2 وperimeter_m وlength_m.',
  },
  keywords: ['area', 'length', 'perimeter', 'geodesic', 'calculate geometry'],
  credits: 1,
  ...VECTOR_TOOL,
  saved: {},
  input: Type.Object({ file: vectorFile(), ...vectorOutput() }),
  output: Type.Object({
    ...layerOutput,
    inputFeatureCount,
    totalAreaM2: numberResult('Area of all polygons in square metres', 'مجموع المساحات بالمتر المربع'),
    totalLengthM: numberResult('Length of all lines in metres', 'مجموع أطوال الخطوط بالأمتار'),
    measuredAreas: integerResult('Features with an area', 'عدد العناصر ذات المساحة'),
    measuredLengths: integerResult('Features with a length', 'عدد العناصر ذات الطول'),
  }),
  examples: [{ name: 'districts', input: { file: 'districts.geojson', target_format: 'geojson' } }],
  async run({ file, ...output }, context) {
    const layer = await readLayer(file, 'file', context, WGS84)
    let [totalAreaM2, totalLengthM, measuredAreas, measuredLengths] = [0, 0, 0, 0]
    const task = {
      operation: 'measure',
      options: {},
      field: 'file',
      warnings: layer.warnings,
      rows: rowsOf(layer.features),
    } as const
    const { rows } = await workOnRows(task, context)
    const features = layer.features.map((feature, i) => {
      const [, hasArea, hasLength, areaM2, perimeterM, lengthM] = (rows[i] as Row).values as number[]
      if (hasArea) {
        totalAreaM2 += areaM2 as number
        measuredAreas++
      }
      if (hasLength) {
        totalLengthM += lengthM as number
        measuredLengths++
      }
      const [area, perimeter] = hasArea ? [areaM2, perimeterM] : [null, null]
      return { ...feature, values: [...feature.values, area, perimeter, hasLength ? lengthM : null] }
    })
    const fields: Field[] = [...layer.fields]
    for (const name of ['area_m2', 'perimeter_m', 'length_m'])
      fields.push({ name: freeName(fields, name), type: 'real' })
    const out = withFeatures(layer, features, fields)
    return layerResult(out, output, file, 'measured', context, {
      inputFeatureCount: layer.features.length,
      totalAreaM2,
      totalLengthM,
      measuredAreas,
      measuredLengths,
    })
  },
})
