/** Checks whether a file can be the second input of a tool. */

import { defineWorkerTask } from '../engine/worker-task.ts'
import { AppError, fieldsFailure, invalidField } from '../errors.ts'
import { fieldText } from '../field-texts/field-text.ts'
import { WGS84 } from '../lib/geo/layers/layer.ts'
import { withOverlay, withPolygons } from '../tools/overlays.ts'
import { withRaster } from '../tools/rasters.ts'
import type { InputFile, SecondInput } from '../tools/tool.ts'

/** Returns `fields`, the column names of a layer. @throws AppError VALIDATION_FAILED on `body.binding` */
export default defineWorkerTask<{ file: InputFile; kind: SecondInput['kind'] }>({
  id: 'intake.binding',
  lane: 'node',
  async run({ file, kind }, context) {
    try {
      if (kind === 'raster') {
        await withRaster(file, 'file', context, async ({ crs, transform }) => {
          if (crs === undefined || transform === undefined)
            throw invalidField('file', 'georeference', fieldText('georeferencedRaster'))
        })
        return { data: { fields: [] } }
      }
      const open = kind === 'polygons' ? withPolygons : withOverlay
      const fields = await open(file, 'file', context, WGS84, async (overlay) => overlay.fields)
      return { data: { fields: fields.map(({ name }) => name) } }
    } catch (error) {
      if (!(error instanceof AppError) || error.status >= 500) throw error
      const [first] = error.errors ?? []
      if (first === undefined) throw invalidField('body.binding', 'kind', fieldText('fileUnusable'))
      throw fieldsFailure('VALIDATION_FAILED', [
        { ...first, field: 'body.binding', message: `the file ${first.message}` },
      ])
    }
  },
})
