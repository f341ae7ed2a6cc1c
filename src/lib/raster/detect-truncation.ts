/** Distinguishes a damaged raster file from other failures. */

import type * as Gdal from 'gdal-async'
import { fieldText } from '../../field-texts/field-text.ts'
import { largest } from '../../lists.ts'
import { loadGdal } from '../geo/formats/gdal/gdal.ts'
import { InputError } from '../input-error.ts'
import { bandReader } from './band-reader.ts'
import type { OpenRaster } from './open-raster.ts'
import { blockOf, eachWindow, windowsOf } from './windows.ts'

/**
 * Runs `work` on a raster. When it fails, reads all cells to find out whether the file is damaged.
 * @throws InputError `truncated` for a damaged file; otherwise the original error
 */
export async function detectingTruncation<T>(raster: OpenRaster, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    // GDAL throws plain Errors; subclasses come from our own code
    if ((error as Error).constructor === Error) await readThrough(raster)
    throw error
  }
}

/** Reads all cells, masks and overviews. @throws InputError `truncated` for a damaged file */
export async function readThrough({ dataset: { description: path }, bandCount }: OpenRaster): Promise<void> {
  const gdal = await loadGdal()
  // reopened, because after a failure GDAL reads the block as zeros
  const dataset = gdal.open(path, 'r', ['GTiff'])
  try {
    for (let index = 1; index <= bandCount; index++) {
      const { band, masked } = bandReader(dataset, index)
      const levels = band.overviews.map((overview) => overview)
      const mask = masked ? [band.getMaskBand() as Gdal.RasterBand] : []
      for (const cells of [band, ...mask, ...levels]) await readCells(cells)
    }
  } catch (cause) {
    throw new InputError('truncated', fieldText('cellsDamaged'), cause)
  } finally {
    dataset.close()
  }
}

async function readCells(band: Gdal.RasterBand): Promise<void> {
  const windows = windowsOf(band.size.x, band.size.y, blockOf(band))
  const size = largest(windows.map((window) => window.width * window.height))
  await eachWindow(
    windows,
    () => new Float64Array(size),
    ({ x, y, width, height }, into) => band.pixels.readAsync(x, y, width, height, into, { data_type: 'Float64' }),
    () => undefined,
  )
}
