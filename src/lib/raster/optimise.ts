/** Cloud Optimized GeoTIFFs out of any GeoTIFF, by GDAL's COG driver, with what suits the kind of data. */
import type * as Gdal from 'gdal-async'
import { loadGdal } from '../geo/gdal.ts'
import { overviewsOf } from './cog-layout.ts'
import { compressionOf } from './describe.ts'
import type { OpenRaster } from './open-raster.ts'

const BLOCK_SIDE = 512
/** Of DEFLATE: on float terrain 2 % larger than level 6 and 1.5 times as fast. */
const DEFLATE_LEVEL = 3
/** Of JPEG and WebP, so that coding once more shows little. */
const LOSSY_QUALITY = 90

export type Compression = 'DEFLATE' | 'JPEG' | 'WEBP'

/**
 * Lossless, but for pictures that were lossy before: anything else would make them several times as large. JPEG and
 * WebP hold bytes of one, three or (WebP) four bands only.
 */
export function compressionFor({ dataset, bandCount }: OpenRaster): Compression {
  const now = compressionOf(dataset)
  const bytes = dataset.bands.map((band) => band.dataType).every((type) => type === 'Byte')
  if (!bytes || dataset.bands.get(1).colorTable) return 'DEFLATE'
  if (now.includes('JPEG') && (bandCount === 1 || bandCount === 3)) return 'JPEG'
  if (now === 'WEBP' && (bandCount === 3 || bandCount === 4)) return 'WEBP'
  return 'DEFLATE'
}

/** Writes a COG with the same cells, nodata, masks, colour tables, CRS and tags. */
export async function writeCog(
  raster: OpenRaster,
  path: string,
  compression: Compression,
  onProgress: (share: number) => void,
): Promise<void> {
  const gdal = await loadGdal()
  const { dataset } = raster
  const [first] = dataset.bands.map((band) => band) as [Gdal.RasterBand]
  const options = {
    COMPRESS: compression,
    BLOCKSIZE: BLOCK_SIDE,
    BIGTIFF: 'IF_SAFER',
    NUM_THREADS: 'ALL_CPUS',
    // classes have no mean
    OVERVIEW_RESAMPLING: first.colorTable ? 'NEAREST' : 'AVERAGE',
    // what lies there already may be incomplete
    OVERVIEWS: isPyramid(raster) ? 'AUTO' : 'IGNORE_EXISTING',
    ...(compression === 'DEFLATE'
      ? { LEVEL: DEFLATE_LEVEL, PREDICTOR: isPacked(first) ? 'NO' : 'YES' }
      : { QUALITY: isLossless(dataset) ? 100 : LOSSY_QUALITY }),
  }
  const args = Object.entries(options).flatMap(([name, value]) => ['-co', `${name}=${value}`])
  const progress_cb = (share: number): void => onProgress(share)
  const written = await gdal.translateAsync(path, dataset, ['-of', 'COG', ...args], { progress_cb })
  written.close()
}

/** Halves all the way down to one block. */
function isPyramid({ layout, width, height }: OpenRaster): boolean {
  const overviews = overviewsOf(layout)
  const smallest = overviews.at(-1)
  if (smallest === undefined) return false
  const halves = overviews.every((overview, i) => {
    const factor = 2 ** (i + 1)
    return Math.abs(overview.width - width / factor) <= 1 && Math.abs(overview.height - height / factor) <= 1
  })
  return halves && Math.max(smallest.width, smallest.height) <= BLOCK_SIDE
}

/** Fewer than 8 bits a cell, which predictors do not know. */
const isPacked = (band: Gdal.RasterBand): boolean =>
  Number((band.getMetadata('IMAGE_STRUCTURE') as { NBITS?: string }).NBITS ?? 8) < 8

const isLossless = (dataset: Gdal.Dataset): boolean =>
  (dataset.getMetadata('IMAGE_STRUCTURE') as { COMPRESSION_REVERSIBILITY?: string }).COMPRESSION_REVERSIBILITY ===
  'LOSSLESS'
