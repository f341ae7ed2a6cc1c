/**
 * Statistics, histogram and thumbnail of every band in one pass over the cells. Bands of more than 8 bits need a second
 * pass for the histogram, because its range must be known first; values of compressed rasters are buffered for it when
 * they fit in memory. Idle processes share the windows of large uncompressed rasters (shared-statistics.ts). Buckets are
 * those of GDAL's default histogram.
 */
import { type Accumulator, type BandStatistics, type Cells, count, isByte, statisticsOf } from './band-accumulator.ts'
import { accumulators, addCells, type CellValues, countCells, floatsFor, type Grid, windowsFor } from './band-passes.ts'
import type { OpenRaster } from './open-raster.ts'
import { accumulateShared, type ShareParts } from './shared-statistics.ts'
import { isCompressed } from './tiff-directory.ts'
import type { Window } from './windows.ts'

/** Mean of the cells under each pixel of the thumbnail; NaN where no cell has a value. */
export type Thumbnail = { width: number; height: number; means: Float64Array }

export type BandSummary = { statistics: BandStatistics | undefined; thumbnail: Thumbnail | undefined }

/** Bands processed together; each needs buffers for its windows. */
const BANDS_AT_ONCE = 8

/**
 * @param shown indexes of the bands to make a thumbnail of
 * @param maxSide of the thumbnail
 * @param share works on the parts of a large raster
 * @param onProgress receives the completed share
 */
export async function summarise(
  raster: OpenRaster,
  shown: readonly number[],
  maxSide: number,
  share: ShareParts,
  onProgress: (share: number) => void,
): Promise<BandSummary[]> {
  const { width, height, bandCount } = raster
  const scale = Math.min(1, maxSide / Math.max(width, height))
  const grid = { columns: Math.max(1, Math.round(width * scale)), rows: Math.max(1, Math.round(height * scale)) }
  const summaries: BandSummary[] = []
  for (let first = 0; first < bandCount; first += BANDS_AT_ONCE) {
    const bands = Array.from({ length: Math.min(BANDS_AT_ONCE, bandCount - first) }, (_, i) => first + i)
    const group = accumulators(raster, bands, shown, grid, { top: 0, count: grid.rows })
    const windows = windowsFor(raster, first)
    if (!(await accumulateShared(raster, { bands, shown, grid }, group, windows, share)))
      await accumulate(raster, group, grid, windows, (part) => onProgress((first + part * bands.length) / bandCount))
    for (const [i, accumulator] of group.entries()) {
      const means = shown.includes(first + i) ? meansOf(accumulator) : undefined
      const thumbnail = means && { width: grid.columns, height: grid.rows, means }
      summaries.push({ statistics: statisticsOf(accumulator), thumbnail })
    }
  }
  return summaries
}

const meansOf = ({ sums, weights }: Accumulator): Float64Array => sums.map((sum, at) => sum / (weights[at] as number))

async function accumulate(
  raster: OpenRaster,
  all: readonly Accumulator[],
  grid: Grid,
  windows: readonly Window[],
  onProgress: (share: number) => void,
): Promise<void> {
  const deep = all.filter(({ reader }) => !isByte(reader))
  const buffers = valueBuffers(raster, deep)
  const passes = deep.length > 0 ? 2 : 1
  let bufferedCells = 0
  await addCells(raster, all, grid, windows, (values, length, i) => {
    for (const [at, accumulator] of all.entries())
      buffers?.get(accumulator)?.set((values[at] as Cells).subarray(0, length), bufferedCells)
    bufferedCells += length
    onProgress((i + 1) / windows.length / passes)
  })
  const withValues = deep.filter(({ count }) => count > 0)
  if (buffers !== undefined)
    for (const accumulator of withValues) count(accumulator, buffers.get(accumulator) as CellValues, bufferedCells)
  else await countCells(withValues, windows, (i) => onProgress(0.5 + (i + 1) / windows.length / 2))
}

const MAX_BUFFERED_BYTES = 400 * 2 ** 20
/** Buffers for the second pass; undefined when rereading is cheap or the values do not fit. */
function valueBuffers(
  { layout, width, height }: OpenRaster,
  bands: readonly Accumulator[],
): Map<Accumulator, CellValues> | undefined {
  if (bands.length === 0 || !isCompressed(layout)) return undefined
  const bytes = bands.reduce((sum, { reader }) => sum + width * height * floatsFor(reader).BYTES_PER_ELEMENT, 0)
  if (bytes > MAX_BUFFERED_BYTES) return undefined
  return new Map(bands.map((band) => [band, new (floatsFor(band.reader))(width * height)]))
}
