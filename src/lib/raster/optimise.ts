/** Writes Cloud Optimized GeoTIFFs with GDAL's COG driver, with options that suit the kind of data. */
import type * as Gdal from 'gdal-async'
import { loadGdal } from '../geo/formats/gdal/gdal.ts'
import { bandReader } from './band-reader.ts'
import { overviewsOf } from './cog-layout.ts'
import { compressionOf } from './describe.ts'
import type { OpenRaster } from './open-raster.ts'
import { omitsBlocks } from './tiff-directory.ts'

const BLOCK_SIDE = 512
/**
 * DEFLATE levels: smooth bytes are 61 % larger at level 3 than at 6, floats 1 % and 16 bits 5 %, which take twice as
 * long at 6.
 */
const DEFLATE_LEVEL = { byte: 6, other: 3 }
/** Quality of JPEG and WebP, high enough that recompression is hardly visible. */
const LOSSY_QUALITY = 90

/** Compressions that are kept, besides JPEG and WebP. LERC without a tolerance is lossless. */
const KEPT = ['ZSTD', 'LERC', 'LERC_ZSTD', 'LERC_DEFLATE'] as const

export type Compression = 'DEFLATE' | 'JPEG' | 'WEBP' | (typeof KEPT)[number]

export const isLossy = (compression: Compression): boolean => compression === 'JPEG' || compression === 'WEBP'

/**
 * Lossless, except for images that are already lossy, which would become several times larger. JPEG supports bytes in
 * one or three bands, WebP in three or four.
 */
export function compressionFor({ dataset, bandCount }: OpenRaster): Compression {
  const now = compressionOf(dataset)
  const kept = KEPT.find((name) => name === now)
  if (kept !== undefined && dataset.bands.map((band) => band).every((band) => kept === 'ZSTD' || isWhole(band)))
    return kept
  const bytes = dataset.bands.map((band) => band.dataType).every((type) => type === 'Byte')
  if (!bytes || dataset.bands.get(1).colorTable) return 'DEFLATE'
  if (now.includes('JPEG') && (bandCount === 1 || bandCount === 3)) return 'JPEG'
  if (now === 'WEBP' && (bandCount === 3 || bandCount === 4)) return 'WEBP'
  return 'DEFLATE'
}

/** Writes a COG with the same cells, nodata values, masks, colour tables, CRS and tags. */
export async function writeCog(
  raster: OpenRaster,
  path: string,
  compression: Compression,
  onProgress: (share: number) => void,
): Promise<void> {
  const gdal = await loadGdal()
  const { dataset, layout } = raster
  const [first] = dataset.bands.map((band) => band) as [Gdal.RasterBand]
  const options = {
    COMPRESS: compression,
    BLOCKSIZE: BLOCK_SIDE,
    BIGTIFF: 'IF_SAFER',
    NUM_THREADS: 'ALL_CPUS',
    // classes cannot be averaged, and GDAL averages signed bytes as unsigned ones
    OVERVIEW_RESAMPLING: first.colorTable || bandReader(dataset, 1).dataType === 'Int8' ? 'NEAREST' : 'AVERAGE',
    // existing overviews may be incomplete
    OVERVIEWS: isPyramid(raster) ? 'AUTO' : 'IGNORE_EXISTING',
    SPARSE_OK: omitsBlocks(dataset.description, layout) ? 'TRUE' : 'FALSE',
    ...(compression === 'DEFLATE' ? { LEVEL: DEFLATE_LEVEL[first.dataType === 'Byte' ? 'byte' : 'other'] } : {}),
    ...(compression === 'DEFLATE' || compression === 'ZSTD'
      ? { PREDICTOR: isWhole(first) && !first.colorTable ? 'YES' : 'NO' }
      : {}),
    ...(isLossy(compression) ? { QUALITY: isLossless(dataset) ? 100 : LOSSY_QUALITY } : {}),
  }
  const args = Object.entries(options).flatMap(([name, value]) => ['-co', `${name}=${value}`])
  const progress_cb = (share: number): void => onProgress(share)
  const written = await gdal.translateAsync(path, dataset, ['-of', 'COG', ...args], { progress_cb })
  written.close()
}

/** Whether the overviews halve the raster step by step down to one block. */
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

/** Real numbers of 8, 16, 32 or 64 bits. Predictors and LERC support neither other sizes nor complex numbers. */
function isWhole(band: Gdal.RasterBand): boolean {
  const { NBITS } = band.getMetadata('IMAGE_STRUCTURE') as { NBITS?: string }
  return NBITS === undefined && !(band.dataType ?? 'C').startsWith('C')
}

const isLossless = (dataset: Gdal.Dataset): boolean =>
  (dataset.getMetadata('IMAGE_STRUCTURE') as { COMPRESSION_REVERSIBILITY?: string }).COMPRESSION_REVERSIBILITY ===
  'LOSSLESS'
