/** Merge: 2 to 5 files with layers become one layer. */

import { Type } from '@sinclair/typebox'
import { AppError, fieldError } from '../../errors.ts'
import { fieldText } from '../../field-texts/field-text.ts'
import { withDistinctIds } from '../../lib/geo/formats/feature-ids.ts'
import {
  type Feature,
  type Field,
  type FieldType,
  freeName,
  type Layer,
  withFeatures,
} from '../../lib/geo/layers/layer.ts'
import { layerOutput, layerResult, readLayer, vectorOutput } from '../layers.ts'
import { files, integerResult } from '../params.ts'
import { VECTOR_TOOL } from '../row-part.ts'
import { defineTool, type InputFile, type RunContext } from '../tool.ts'

/** Merge takes 2 to 5 files; the texts below say so in words. */
const [FEWEST, MOST] = [2, 5]

export default defineTool({
  id: 'vector.merge',
  route: '/merge',
  version: '1.2.0',
  title: { en: 'Merge', ar: 'دمج طبقات' },
  description: {
    en: 'Merges two to five layers into one, in the CRS of the first. Columns with the same name are combined, and source_file names the file of each feature.',
    ar: 'يدمج من طبقتين إلى خمس طبقات في طبقة واحدة بنظام إحداثيات الأولى. تُجمع الأعمدة ذات الاسم الواحد، ويذكر source_file ملف كل عنصر.',
  },
  keywords: ['merge', 'append', 'combine'],
  credits: 1,
  ...VECTOR_TOOL,
  input: Type.Object({
    files: files('vector', FEWEST, MOST, {
      title: { en: 'Files', ar: 'الملفات' },
      en: 'Two to five layers',
      ar: 'الطبقات، من اثنتين إلى خمس',
    }),
    ...vectorOutput(),
  }),
  output: Type.Object({
    ...layerOutput,
    fileCount: integerResult('Files that were merged', 'عدد الملفات المدمجة'),
  }),
  examples: [
    {
      name: 'stations and districts',
      input: { files: ['stations.geojson', 'districts.geojson'], target_format: 'gpkg' },
    },
  ],
  async run({ files, ...output }, context) {
    const [first, ...rest] = files as [InputFile, ...InputFile[]]
    const layers = [await readNamed(first, 0, context)]
    for (const [i, file] of rest.entries()) {
      context.progress(i / files.length)
      layers.push(await readNamed(file, i + 1, context, layers[0]?.crs))
    }
    const features = layers.reduce((sum, layer) => sum + layer.features.length, 0)
    if (features > context.limits.maxFeatures) {
      const text = fieldText('filesFeatures', { count: features, most: context.limits.maxFeatures })
      throw new AppError('FILE_TOO_LARGE', { errors: [fieldError('files', 'maxFeatures', text)] })
    }
    const merged = mergedLayer(layers, files)
    return layerResult(merged, output, first, 'merged', context, { fileCount: files.length })
  },
})

/** The field is repeated, so an error must say which of its files is invalid. */
async function readNamed(file: InputFile, fileIndex: number, context: RunContext, crs?: Layer['crs']): Promise<Layer> {
  return readLayer(file, `files.${fileIndex}`, context, crs)
}

const NUMERIC: readonly FieldType[] = ['integer', 'integer64', 'real']

function mergedType(a: FieldType, b: FieldType): FieldType {
  if (a === b) return a
  return NUMERIC.includes(a) && NUMERIC.includes(b)
    ? (NUMERIC[Math.max(NUMERIC.indexOf(a), NUMERIC.indexOf(b))] as FieldType)
    : 'string'
}

function mergedLayer(layers: readonly Layer[], files: readonly InputFile[]): Layer {
  const fields: Field[] = []
  for (const layer of layers)
    for (const { name, type } of layer.fields) {
      const known = fields.find((field) => field.name === name)
      if (known === undefined) fields.push({ name, type })
      else known.type = mergedType(known.type, type)
    }
  const source = fields.length
  const all: Field[] = [...fields, { name: freeName(fields, 'source_file'), type: 'string' }]
  const features = layers.map((layer, i) => {
    const targetIndexes = layer.fields.map(({ name }) => fields.findIndex((field) => field.name === name))
    return layer.features.map((feature): Feature => {
      const merged: unknown[] = new Array(all.length).fill(null)
      feature.values.forEach((value, k) => {
        const targetIndex = targetIndexes[k] as number
        const isText = fields[targetIndex]?.type === 'string'
        merged[targetIndex] = isText && value !== null && typeof value !== 'string' ? textOf(value) : value
      })
      merged[source] = files[i]?.filename ?? ''
      return { ...feature, values: merged }
    })
  })
  const warnings = layers.flatMap((layer) => layer.warnings)
  return { ...withFeatures(layers[0] as Layer, withDistinctIds(features, warnings), all), warnings }
}

const textOf = (value: unknown): string => (typeof value === 'object' ? JSON.stringify(value) : String(value))
