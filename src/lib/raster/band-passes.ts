/** The passes over the cells of a raster that statistics, thumbnails and histograms are made of. */
import type * as Gdal from 'gdal-async'
import { type Accumulator, addRow, BUCKETS, type Cells, count, isByte } from './band-accumulator.ts'
import { type BandReader, bandReader, type OpenRaster } from './open-raster.ts'
import { isCompressed } from './tiff-directory.ts'
import { blockOf, eachWindow, type Window, windowsOf } from './windows.ts'

/** Pixels of the thumbnail. */
export type Grid = { columns: number; rows: number }

export type CellValues = Float32Array | Float64Array

type Buffers = { values: Cells[]; masks: (Uint8Array | undefined)[] }

/** Cells of a window of an uncompressed raster: they stay in the processor's cache while they are used. */
const PLAIN_CELLS = 2 ** 18

/** Rows of the thumbnail. */
export type GridRows = { top: number; count: number }

/** One for each band, with the given rows of the thumbnail. */
export function accumulators(
  { dataset }: OpenRaster,
  bands: readonly number[],
  shown: readonly number[],
  { columns }: Grid,
  { count }: GridRows,
): Accumulator[] {
  const grids = () => ({ sums: new Float64Array(columns * count), weights: new Float64Array(columns * count) })
  // bands without a thumbnail share one scratch grid
  const scratch = bands.every((band) => shown.includes(band)) ? undefined : grids()
  return bands.map((band) => {
    const empty = { shift: Number.NaN, count: 0, sum: 0, squares: 0, min: Infinity, max: -Infinity }
    const own = scratch === undefined || shown.includes(band) ? grids() : scratch
    return { reader: bandReader(dataset, band + 1), ...empty, counts: new Uint32Array(BUCKETS), ...own }
  })
}

export function windowsFor({ dataset, width, height, layout }: OpenRaster, band: number): Window[] {
  const block = blockOf(dataset.bands.get(band + 1))
  return windowsOf(width, height, block, isCompressed(layout) ? undefined : PLAIN_CELLS)
}

/** The row of the thumbnail that a row of the raster belongs to. */
const gridRow = ({ height }: OpenRaster, { rows }: Grid, y: number): number =>
  Math.min(rows - 1, Math.floor((y * rows) / height))

/** The rows of the thumbnail that windows belong to. */
export function gridRowsOf(raster: OpenRaster, grid: Grid, windows: readonly Window[]): GridRows {
  const [first, last] = [windows[0] as Window, windows.at(-1) as Window]
  const top = gridRow(raster, grid, first.y)
  return { top, count: gridRow(raster, grid, last.y + last.height - 1) - top + 1 }
}

/**
 * The first pass: statistics and thumbnail.
 * @param all with the rows of the thumbnail that the windows belong to
 */
export async function addCells(
  raster: OpenRaster,
  all: readonly Accumulator[],
  grid: Grid,
  windows: readonly Window[],
  onWindow: (values: readonly Cells[], length: number, index: number) => void,
): Promise<void> {
  const { columns } = grid
  const { top } = gridRowsOf(raster, grid, windows)
  // first cell under each pixel of the thumbnail
  const edges = Uint32Array.from({ length: columns + 1 }, (_, i) => Math.round((i * raster.width) / columns))
  const readers = all.map(({ reader }) => reader)
  await pass(readers, windows, (window, values, i) => {
    for (const [at, accumulator] of all.entries())
      for (let y = 0; y < window.height; y++) {
        const row = gridRow(raster, grid, window.y + y) - top
        addRow(accumulator, values[at] as Cells, y * window.width, window, edges, row * columns)
      }
    onWindow(values, window.width * window.height, i)
  })
}

/** The second pass: histograms of bands of more than 8 bits, whose minimum and maximum are known. */
export async function countCells(
  deep: readonly Accumulator[],
  windows: readonly Window[],
  onWindow: (index: number) => void,
): Promise<void> {
  if (deep.length === 0) return
  const readers = deep.map(({ reader }) => reader)
  await pass(readers, windows, ({ width, height }, values, i) => {
    for (const [at, accumulator] of deep.entries()) count(accumulator, values[at] as CellValues, width * height)
    onWindow(i)
  })
}

/** Data types that fit into 32-bit floats without loss. Doubles take twice as long to read and to go through. */
const FLOAT32_HOLDS = new Set(['Float32', 'Int16', 'UInt16', 'Int8', 'Byte'])
export const floatsFor = ({ dataType }: BandReader): Float32ArrayConstructor | Float64ArrayConstructor =>
  FLOAT32_HOLDS.has(dataType) ? Float32Array : Float64Array

async function pass(
  readers: readonly BandReader[],
  windows: readonly Window[],
  work: (window: Window, values: Cells[], index: number) => void,
): Promise<void> {
  const cells = Math.max(...windows.map(({ width, height }) => width * height))
  const createBuffers = (): Buffers => ({
    values: readers.map((reader) => new (isByte(reader) ? Uint8Array : floatsFor(reader))(cells)),
    masks: readers.map(({ masked }) => (masked ? new Uint8Array(cells) : undefined)),
  })
  const read = async ({ x, y, width, height }: Window, { values, masks }: Buffers): Promise<void> => {
    for (const [i, reader] of readers.entries()) {
      const { band } = reader
      const into = values[i] as Cells
      await band.pixels.readAsync(x, y, width, height, into, { data_type: typeOf(into) })
      const mask = masks[i]
      if (mask !== undefined)
        await (band.getMaskBand() as Gdal.RasterBand).pixels.readAsync(x, y, width, height, mask, { data_type: 'Byte' })
    }
  }
  await eachWindow(windows, createBuffers, read, (window, { values, masks }, i) => {
    const length = window.width * window.height
    work(
      window,
      values.map((cells, at) => withoutMasked(cells, masks[at], length)),
      i,
    )
  })
}

const typeOf = (cells: Cells): string =>
  cells instanceof Uint8Array ? 'Byte' : cells instanceof Float32Array ? 'Float32' : 'Float64'

function withoutMasked(cells: Cells, mask: Uint8Array | undefined, length: number): Cells {
  if (mask === undefined) return cells
  for (let i = 0; i < length; i++) if (mask[i] === 0) cells[i] = Number.NaN
  return cells
}
