/** Writes a map layer as a file in a vector format. */
import { join } from 'node:path'
import { defineWorkerTask } from '../engine/worker-task.ts'
import { fieldError, fieldsFailure } from '../errors.ts'
import { writeCsv } from '../lib/geo/formats/csv/csv-write.ts'
import { TARGET_FORMATS } from '../lib/geo/formats/vector-formats.ts'
import { writeVector } from '../lib/geo/formats/vector-write.ts'
import { readStoredLayer } from '../lib/geo/layers/stored-layer.ts'
import { InputError } from '../lib/input-error.ts'

export const EXPORT_FORMATS = [...TARGET_FORMATS, 'csv'] as const
export type ExportFormat = (typeof EXPORT_FORMATS)[number]

type Input = {
  path: string
  /** Only this many bytes are valid. */
  bytes: number
  /** The file name without its extension; also the name of the layer. */
  stem: string
  fields: string[]
  format: ExportFormat
  escapeFormulas: boolean
}

export default defineWorkerTask<Input>({
  id: 'intake.export',
  lane: 'node',
  async run({ path, bytes, stem, fields, format, escapeFormulas }, { scratch }) {
    const layer = readStoredLayer(path, bytes, { name: stem, fields })
    try {
      if (format === 'csv') {
        const [filename, mediaType] = [`${stem}.csv`, 'text/csv; charset=utf-8']
        const output = join(scratch, 'output.csv')
        const warnings = await writeCsv(layer, output, escapeFormulas)
        return { data: {}, warnings, files: [{ role: 'output', path: output, filename, mediaType }] }
      }
      const { path: output, filename, mediaType, layer: written } = await writeVector(layer, format, stem, scratch)
      return { data: {}, warnings: written.warnings, files: [{ role: 'output', path: output, filename, mediaType }] }
    } catch (error) {
      if (!(error instanceof InputError)) throw error
      // for example, a format that cannot hold points and polygons together
      const fault = fieldError('query.format', error.rule, error.text)
      throw fieldsFailure('VALIDATION_FAILED', [{ ...fault, message: `the layer ${fault.message}` }])
    }
  },
})
