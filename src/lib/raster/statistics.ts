/**
 * Statistics, histogram and thumbnail of every band in one pass over the cells. Bands of more than 8 bits need a second
 * pass for the histogram, because its range must be known first; values of compressed rasters are buffered for it when
 * they fit in memory. Buckets match GDAL's default histogram.
 */

import { largest } from '../../lists.ts'
import type { Warning } from '../../warnings/warning.ts'
import { type Accumulator, addRow, type BandStatistics, BUCKETS, count, statisticsOf } from './band-accumulator.ts'
import {
  type BandReader,
  bandReader,
  type CellBuffers,
  type Cells,
  type CellValues,
  cellBuffers,
  floatsFor,
  holdsBytes,
  readCells,
  readingWarnings,
} from './band-reader.ts'
import type { OpenRaster } from './open-raster.ts'
import { isCompressed } from './tiff-directory.ts'
import { blockOf, eachWindow, type Window, windowsOf } from './windows.ts'

/** Mean of the cells under each pixel of the thumbnail; NaN where no cell has a value. */
export type Thumbnail = { width: number; height: number; means: Float64Array }

export type BandSummary = {
  statistics: BandStatistics | undefined
  thumbnail: Thumbnail | undefined
  warnings: Warning[]
}

/** Window size for uncompressed rasters: the cells fit into the processor's cache. */
const PLAIN_CELLS = 2 ** 18
/** Bands processed together; each needs buffers for its windows. */
const BANDS_AT_ONCE = 8

/**
 * @param shown indexes of the bands to make a thumbnail of
 * @param maxSide of the thumbnail
 * @param onProgress receives the completed share
 */
export async function summarise(
  raster: OpenRaster,
  shown: readonly number[],
  maxSide: number,
  onProgress: (share: number) => void,
): Promise<BandSummary[]> {
  const { dataset, width, height, bandCount } = raster
  const scale = Math.min(1, maxSide / Math.max(width, height))
  const [columns, rows] = [Math.max(1, Math.round(width * scale)), Math.max(1, Math.round(height * scale))]
  const grid = (): Float64Array => new Float64Array(columns * rows)
  // bands without a thumbnail share one scratch grid
  const scratchGrids = { sums: grid(), weights: grid() }
  const summaries: BandSummary[] = []
  for (let first = 0; first < bandCount; first += BANDS_AT_ONCE) {
    const bandIndexes = Array.from({ length: Math.min(BANDS_AT_ONCE, bandCount - first) }, (_, i) => first + i)
    const group = bandIndexes.map((bandIndex): Accumulator => {
      const grids = shown.includes(bandIndex) ? { sums: grid(), weights: grid() } : scratchGrids
      const empty = { shift: Number.NaN, count: 0, sum: 0, squares: 0, min: Infinity, max: -Infinity }
      return { reader: bandReader(dataset, bandIndex + 1), ...empty, counts: new Uint32Array(BUCKETS), ...grids }
    })
    await accumulate(raster, group, columns, rows, (share) => onProgress((first + share * group.length) / bandCount))
    for (const [i, accumulator] of group.entries()) {
      const thumbnail = shown.includes(first + i)
        ? { width: columns, height: rows, means: meansOf(accumulator) }
        : undefined
      const warnings = readingWarnings(accumulator.reader, first + i + 1)
      summaries.push({ statistics: statisticsOf(accumulator), thumbnail, warnings })
    }
  }
  return summaries
}

const meansOf = ({ sums, weights }: Accumulator): Float64Array => sums.map((sum, at) => sum / (weights[at] as number))

async function accumulate(
  raster: OpenRaster,
  all: readonly Accumulator[],
  columns: number,
  rows: number,
  onProgress: (share: number) => void,
): Promise<void> {
  const { width, height } = raster
  const readers = all.map(({ reader }) => reader)
  const block = blockOf((readers[0] as BandReader).band)
  const windows = windowsOf(width, height, block, isCompressed(raster.layout) ? undefined : PLAIN_CELLS)
  const deep = all.filter(({ reader }) => !holdsBytes(reader))
  const buffers = valueBuffers(raster, deep)
  const passes = deep.length > 0 ? 2 : 1
  // first cell under each pixel of the thumbnail
  const edges = Uint32Array.from({ length: columns + 1 }, (_, i) => Math.round((i * width) / columns))
  let bufferedCells = 0
  await pass(readers, windows, (window, values, i) => {
    const length = window.width * window.height
    for (const [at, accumulator] of all.entries()) {
      const cells = values[at] as Cells
      buffers?.get(accumulator)?.set(cells.subarray(0, length), bufferedCells)
      for (let y = 0; y < window.height; y++) {
        const row = Math.min(rows - 1, Math.floor(((window.y + y) * rows) / height))
        addRow(accumulator, cells, y * window.width, window, edges, row * columns)
      }
    }
    bufferedCells += length
    onProgress((i + 1) / windows.length / passes)
  })
  const withValues = deep.filter(({ count }) => count > 0)
  if (buffers !== undefined)
    for (const accumulator of withValues) count(accumulator, buffers.get(accumulator) as CellValues, bufferedCells)
  else if (withValues.length > 0) {
    const histogramReaders = withValues.map(({ reader }) => reader)
    await pass(histogramReaders, windows, (window, values, i) => {
      const length = window.width * window.height
      for (const [at, accumulator] of withValues.entries()) count(accumulator, values[at] as CellValues, length)
      onProgress(0.5 + (i + 1) / windows.length / 2)
    })
  }
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

async function pass(
  readers: readonly BandReader[],
  windows: readonly Window[],
  work: (window: Window, values: Cells[], index: number) => void,
): Promise<void> {
  const cells = largest(windows.map(({ width, height }) => width * height))
  const createBuffers = (): CellBuffers<Cells>[] =>
    readers.map((reader) =>
      holdsBytes(reader) ? { values: new Uint8Array(cells), mask: undefined } : cellBuffers(reader, cells),
    )
  const read = async (window: Window, buffers: CellBuffers<Cells>[]): Promise<void> => {
    for (const [i, reader] of readers.entries()) await readCells(reader, window, buffers[i] as CellBuffers<Cells>)
  }
  await eachWindow(windows, createBuffers, read, (window, buffers, i) => {
    work(
      window,
      buffers.map(({ values }) => values),
      i,
    )
  })
}
