/**
 * Figures, histogram and a small picture of every band in one pass over the cells, with a second one for the histogram
 * of bands of more than 8 bits, whose range must be known before; what was hard to decode is kept for it where it is
 * small enough. Buckets are those of GDAL's default histogram.
 */
import type * as Gdal from 'gdal-async'
import {
  type Accumulator,
  addRow,
  type BandFigures,
  BUCKETS,
  type Cells,
  count,
  figuresOf,
  isByte,
} from './band-accumulator.ts'
import { type BandReader, bandReader, type OpenRaster } from './open-raster.ts'
import { isCompressed } from './tiff-directory.ts'
import { blockOf, eachWindow, type Window, windowsOf } from './windows.ts'

/** Means of the cells under each pixel of a small picture; NaN where none holds a value. */
export type Thumbnail = { width: number; height: number; means: Float64Array }

export type BandSummary = { figures: BandFigures | undefined; thumbnail: Thumbnail | undefined }

type Buffers = { values: (Uint8Array | Float64Array)[]; masks: (Uint8Array | undefined)[] }

/** Bands that are gone through together; each needs room for its windows. */
const BANDS_AT_ONCE = 8

/**
 * @param shown places of the bands that a small picture is wanted of
 * @param maxSide of the small picture
 * @param onProgress the share that is done
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
  // bands that are not shown share what nobody looks at
  const unseen = { sums: grid(), weights: grid() }
  const summaries: BandSummary[] = []
  for (let first = 0; first < bandCount; first += BANDS_AT_ONCE) {
    const bandIndexes = Array.from({ length: Math.min(BANDS_AT_ONCE, bandCount - first) }, (_, i) => first + i)
    const group = bandIndexes.map((bandIndex): Accumulator => {
      const picture = shown.includes(bandIndex) ? { sums: grid(), weights: grid() } : unseen
      const empty = { shift: Number.NaN, count: 0, sum: 0, squares: 0, min: Infinity, max: -Infinity }
      return { reader: bandReader(dataset, bandIndex + 1), ...empty, counts: new Uint32Array(BUCKETS), ...picture }
    })
    await accumulate(raster, group, columns, rows, (share) => onProgress((first + share * group.length) / bandCount))
    for (const [i, accumulator] of group.entries()) {
      const thumbnail = shown.includes(first + i)
        ? { width: columns, height: rows, means: meansOf(accumulator) }
        : undefined
      summaries.push({ figures: figuresOf(accumulator), thumbnail })
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
  const windows = windowsOf(width, height, blockOf((readers[0] as BandReader).band))
  const deep = all.filter(({ reader }) => !isByte(reader))
  const buffers = valueBuffers(raster, deep)
  const passes = deep.length > 0 ? 2 : 1
  // where each pixel of the small picture begins, in cells
  const edges = Uint32Array.from({ length: columns + 1 }, (_, i) => Math.round((i * width) / columns))
  let offset = 0
  await pass(readers, windows, (window, values, i) => {
    const length = window.width * window.height
    for (const [at, accumulator] of all.entries()) {
      const cells = values[at] as Cells
      buffers?.get(accumulator)?.set(cells.subarray(0, length), offset)
      for (let y = 0; y < window.height; y++) {
        const row = Math.min(rows - 1, Math.floor(((window.y + y) * rows) / height))
        addRow(accumulator, cells, y * window.width, window, edges, row * columns)
      }
    }
    offset += length
    onProgress((i + 1) / windows.length / passes)
  })
  const found = deep.filter(({ count }) => count > 0)
  if (buffers !== undefined)
    for (const accumulator of found) count(accumulator, buffers.get(accumulator) as CellValues, offset)
  else if (found.length > 0) {
    const wanted = found.map(({ reader }) => reader)
    await pass(wanted, windows, (window, values, i) => {
      const length = window.width * window.height
      for (const [at, accumulator] of found.entries()) count(accumulator, values[at] as Float64Array, length)
      onProgress(0.5 + (i + 1) / windows.length / 2)
    })
  }
}

type CellValues = Float32Array | Float64Array
const MAX_BUFFERED_BYTES = 400 * 2 ** 20
/** Whose values are floats of 32 bits without loss. */
const FLOAT32_HOLDS = new Set(['Float32', 'Int16', 'UInt16', 'Int8'])

/** Room for the values of a second pass; none where reading them again is quick or they are too many. */
function valueBuffers(
  { layout, width, height }: OpenRaster,
  bands: readonly Accumulator[],
): Map<Accumulator, CellValues> | undefined {
  if (bands.length === 0 || !isCompressed(layout)) return undefined
  const arrayOf = ({ reader }: Accumulator) => (FLOAT32_HOLDS.has(reader.dataType) ? Float32Array : Float64Array)
  const bytes = bands.reduce((sum, band) => sum + width * height * arrayOf(band).BYTES_PER_ELEMENT, 0)
  if (bytes > MAX_BUFFERED_BYTES) return undefined
  return new Map(bands.map((band) => [band, new (arrayOf(band))(width * height)]))
}

async function pass(
  readers: readonly BandReader[],
  windows: readonly Window[],
  work: (window: Window, values: Cells[], index: number) => void,
): Promise<void> {
  const cells = Math.max(...windows.map(({ width, height }) => width * height))
  const make = (): Buffers => ({
    values: readers.map((reader) => (isByte(reader) ? new Uint8Array(cells) : new Float64Array(cells))),
    masks: readers.map(({ masked }) => (masked ? new Uint8Array(cells) : undefined)),
  })
  const read = async ({ x, y, width, height }: Window, { values, masks }: Buffers): Promise<void> => {
    for (const [i, reader] of readers.entries()) {
      const { band } = reader
      const type = { data_type: isByte(reader) ? 'Byte' : 'Float64' }
      await band.pixels.readAsync(x, y, width, height, values[i] as Uint8Array, type)
      const mask = masks[i]
      if (mask !== undefined)
        await (band.getMaskBand() as Gdal.RasterBand).pixels.readAsync(x, y, width, height, mask, { data_type: 'Byte' })
    }
  }
  await eachWindow(windows, make, read, (window, { values, masks }, i) => {
    const length = window.width * window.height
    work(
      window,
      values.map((cells, at) => withoutMasked(cells, masks[at], length)),
      i,
    )
  })
}

function withoutMasked(cells: Cells, mask: Uint8Array | undefined, length: number): Cells {
  if (mask === undefined) return cells
  for (let i = 0; i < length; i++) if (mask[i] === 0) cells[i] = Number.NaN
  return cells
}
