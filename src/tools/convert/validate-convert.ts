/** Reads a vector file of any format, repairs invalid geometries, and writes it in another format. */
import { Type } from '@sinclair/typebox'
import { layerEnvelope, withFeatures } from '../../lib/geo/layer.ts'
import { repairFeatures } from '../../lib/geo/repair.ts'
import { layerOutput, layerResult, ofField, readLayer, vectorFile, vectorOutput } from '../layers.ts'
import { described } from '../params.ts'
import { defineTool } from '../tool.ts'

export default defineTool({
  id: 'convert.validate-convert',
  route: '/validate-convert',
  aliases: ['/validate-and-convert'],
  version: '1.2.0',
  title: { en: 'Validate and convert', ar: 'التحقق والتحويل' },
  description: {
    en: 'Checks a vector file, repairs invalid geometries and writes the layer in another format.',
    ar: 'يفحص ملفًا متجهيًا ويصلح الأشكال غير الصالحة ويكتب الطبقة بصيغة أخرى.',
  },
  keywords: ['convert', 'format', 'validate', 'shapefile', 'geojson', 'kml'],
  credits: 1,
  lane: 'node',
  async: true,
  inputKind: 'vector',
  outputKind: 'vector',
  input: Type.Object({ file: vectorFile(), ...vectorOutput() }),
  output: Type.Object({
    ...layerOutput,
    sourceCrs: described(Type.String(), { en: 'CRS of the file, as EPSG:n', ar: 'نظام إحداثيات الملف' }),
    repairedCount: described(Type.Integer(), { en: 'Geometries that were repaired', ar: 'عدد الأشكال التي أُصلحت' }),
    bbox: described(Type.Array(Type.Number()), {
      en: '[minX, minY, maxX, maxY] in the CRS of the file; null for an empty layer',
      ar: '[minX, minY, maxX, maxY] بنظام إحداثيات الملف؛ null لطبقة فارغة',
    }),
  }),
  examples: [{ name: 'a bow-tie and a square', input: { file: 'bowtie.geojson', target_format: 'gpkg' } }],
  async run({ file, ...output }, context) {
    const layer = await readLayer(file, 'file', context)
    const { features, repairedCount } = await ofField('file', () => repairFeatures(layer.features))
    const out = withFeatures(layer, features)
    return layerResult(out, output, file, '', context, {
      sourceCrs: layer.sourceCrs.code ?? layer.sourceCrs.wkt,
      repairedCount,
      bbox: layerEnvelope(out) ?? null,
    })
  },
})
