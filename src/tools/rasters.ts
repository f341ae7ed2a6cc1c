/** What raster tools have in common: opening the raster of a field. */

import { detectingTruncation } from '../lib/raster/detect-truncation.ts'
import { type OpenRaster, openRaster } from '../lib/raster/open-raster.ts'
import { ofField } from './layers.ts'
import { rejectMissing } from './overlays.ts'
import type { InputFile, RunContext } from './tool.ts'

/**
 * Runs something over the raster of a field, and closes it.
 * @throws AppError INPUT_UNREADABLE or FILE_TOO_LARGE naming the field
 */
export async function withRaster<T>(
  input: InputFile,
  field: string,
  { limits }: RunContext,
  work: (raster: OpenRaster) => Promise<T>,
): Promise<T> {
  rejectMissing(input)
  const raster = await ofField(field, () => openRaster(input.path, limits.maxSamples))
  try {
    return await ofField(field, () => detectingTruncation(raster, () => work(raster)))
  } finally {
    raster.close()
  }
}
