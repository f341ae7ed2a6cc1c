/** Reads a vector file of any format, repairs invalid geometries, and writes it in another format. */
import { Type } from '@sinclair/typebox'
import { lostWarning, repairFeatures } from '../../lib/geo/geometry/repair.ts'
import { layerEnvelope, withFeatures } from '../../lib/geo/layers/layer.ts'
import { layerOutput, layerResult, ofField, readLayer, vectorFile, vectorOutput } from '../layers.ts'
import { described, integerResult, textResult } from '../params.ts'
import { VECTOR_TOOL } from '../row-part.ts'
import { defineTool } from '../tool.ts'

export default defineTool({
  id: 'convert.validate-convert',
  route: '/validate-convert',
  aliases: ['/validate-and-convert'],
  version: '1.3.0',
  title: { en: 'Validate and convert', ar: 'التحقق والتحويل' },
  description: {
    en: 'Checks a vector file, repairs invalid geometries and writes the layer in another format.',
    ar: 'يفحص ملفًا متجهيًا ويصلح الأشكال غير الصالحة ويكتب الطبقة بصيغة أخرى.',
  },
  keywords: ['convert', 'format', 'validate', 'shapefile', 'geojson', 'kml'],
  credits: 1,
  ...VECTOR_TOOL,
  input: Type.Object({ file: vectorFile(), ...vectorOutput() }),
  output: Type.Object({
    ...layerOutput,
    sourceCrs: textResult('CRS of the file, as EPSG:n', 'نظام إحداثيات الملف'),
    repairedCount: integerResult('Geometries that were repaired', 'عدد الأشكال التي أُصلحت'),
    bbox: described(Type.Array(Type.Number()), {
      en: '[minX, minY, maxX, maxY] in the CRS of the file; null for an empty layer',
      ar: '[minX, minY, maxX, maxY] بنظام إحداثيات الملف؛ null لطبقة فارغة',
    }),
  }),
  examples: [{ name: 'a bow-tie and a square', input: { file: 'bowtie.geojson', target_format: 'gpkg' } }],
  async run({ file, ...output }, context) {
    const layer = await readLayer(file, 'file', context)
    const { features, repairedCount, lost } = await ofField('file', () => repairFeatures(layer.features))
    const out = { ...withFeatures(layer, features), warnings: [...layer.warnings, ...lostWarning(lost)] }
    return layerResult(out, output, file, '', context, {
      sourceCrs: layer.sourceCrs.code ?? layer.sourceCrs.wkt,
      repairedCount: repairedCount - lost.length,
      bbox: layerEnvelope(out) ?? null,
    })
  },
})
