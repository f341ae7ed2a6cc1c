/** Distinguishes a damaged raster file from other failures. */
import { loadGdal } from '../geo/gdal.ts'
import { InputError } from '../input-error.ts'
import { bandReader, type OpenRaster } from './open-raster.ts'
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

async function readThrough({ dataset: { description: path }, width, height, bandCount }: OpenRaster): Promise<void> {
  const gdal = await loadGdal()
  // opened again, because GDAL reads a block that failed once as zeros afterwards
  const dataset = gdal.open(path, 'r', ['GTiff'])
  try {
    const bands = Array.from({ length: bandCount }, (_, i) => bandReader(dataset, i + 1).band)
    const windows = windowsOf(width, height, blockOf(bands[0] as (typeof bands)[number]))
    const size = Math.max(...windows.map((window) => window.width * window.height))
    await eachWindow(
      windows,
      () => new Float64Array(size),
      async ({ x, y, width, height }, into) => {
        for (const band of bands) await band.pixels.readAsync(x, y, width, height, into, { data_type: 'Float64' })
      },
      () => undefined,
    )
  } catch (cause) {
    throw new InputError('truncated', 'is damaged: not all of its cells can be read', cause)
  } finally {
    dataset.close()
  }
}
