/** Whether an owner's file can be the second input of a tool. */
import { AppError, invalidField } from '../errors.ts'
import { WGS84 } from '../lib/geo/layer.ts'
import { withOverlay, withPolygons } from '../tools/overlays.ts'
import { withRaster } from '../tools/rasters.ts'
import type { SecondInput } from '../tools/tool.ts'
import { defineIntake, type InputFile } from './intake.ts'

/** Data of the result: `fields`, names of a layer's columns. @throws AppError VALIDATION_FAILED on `body.binding` */
export default defineIntake<{ file: InputFile; kind: SecondInput['kind'] }>({
  id: 'intake.binding',
  lane: 'node',
  async run({ file, kind }, context) {
    try {
      if (kind === 'raster') {
        await withRaster(file, 'file', context, async ({ crs, transform }) => {
          if (crs === undefined || transform === undefined)
            throw invalidField('file', 'georeference', 'must have a coordinate reference system and a geotransform')
        })
        return { data: { fields: [] } }
      }
      const open = kind === 'polygons' ? withPolygons : withOverlay
      const fields = await open(file, 'file', context, WGS84, async (overlay) => overlay.fields)
      return { data: { fields: fields.map(({ name }) => name) } }
    } catch (error) {
      if (!(error instanceof AppError) || error.status >= 500) throw error
      const [first] = error.errors ?? []
      throw invalidField('body.binding', first?.rule ?? 'kind', `the file ${first?.message ?? 'cannot be used'}`)
    }
  },
})
