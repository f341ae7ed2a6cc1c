/**
 * Figures, histogram and a small picture of every band in one pass over the cells, with a second one for the histogram
 * of bands of more than 8 bits, whose range must be known before; what was hard to decode is kept for it where it is
 * small enough. Buckets are those of GDAL's default histogram.
 */
import type * as Gdal from 'gdal-async'
import { type BandReader, bandReader, type OpenRaster } from './open-raster.ts'
import { isCompressed } from './tiff-directory.ts'
import { blockOf, eachWindow, type Window, windowsOf } from './windows.ts'

export type Histogram = {
  /** Outer edges of the first and the last bucket. */
  min: number
  max: number
  counts: number[]
}

export type BandFigures = {
  /** Cells that hold a value. */
  validCount: number
  min: number
  max: number
  mean: number
  /** Of the population, as GDAL tells it. */
  stdDev: number
  histogram: Histogram
}

/** Means of the cells under each pixel of a small picture; NaN where none holds a value. */
export type Thumbnail = { width: number; height: number; means: Float64Array }

export type BandSummary = { figures: BandFigures | undefined; thumbnail: Thumbnail }

const BUCKETS = 256

type Accumulator = {
  reader: BandReader
  /** Subtracted before squaring, so that squares of large numbers do not swallow the difference. */
  shift: number
  count: number
  sum: number
  squares: number
  min: number
  max: number
  counts: Uint32Array
  sums: Float64Array
  weights: Float64Array
}

type Buffers = { values: (Uint8Array | Float64Array)[]; masks: (Uint8Array | undefined)[] }

/** @param maxSide of the small picture. @param onProgress the share that is done */
export async function summarise(
  raster: OpenRaster,
  maxSide: number,
  onProgress: (share: number) => void,
): Promise<BandSummary[]> {
  const { dataset, width, height, bandCount } = raster
  const scale = Math.min(1, maxSide / Math.max(width, height))
  const [columns, rows] = [Math.max(1, Math.round(width * scale)), Math.max(1, Math.round(height * scale))]
  const readers = Array.from({ length: bandCount }, (_, i) => bandReader(dataset, i + 1))
  const all = readers.map((reader): Accumulator => {
    const cells = columns * rows
    const [sums, weights] = [new Float64Array(cells), new Float64Array(cells)]
    const empty = { shift: Number.NaN, count: 0, sum: 0, squares: 0, min: Infinity, max: -Infinity }
    return { reader, ...empty, counts: new Uint32Array(BUCKETS), sums, weights }
  })
  const windows = windowsOf(width, height, blockOf((readers[0] as BandReader).band))
  const deep = all.filter(({ reader }) => !isByte(reader))
  const kept = keepers(raster, deep)
  const passes = deep.length > 0 ? 2 : 1
  // where each pixel of the small picture begins, in cells
  const edges = Uint32Array.from({ length: columns + 1 }, (_, i) => Math.round((i * width) / columns))
  let offset = 0
  await pass(readers, windows, (window, values, i) => {
    const length = window.width * window.height
    for (const [at, accumulator] of all.entries()) {
      const cells = values[at] as Cells
      kept?.get(accumulator)?.set(cells.subarray(0, length), offset)
      for (let y = 0; y < window.height; y++) {
        const row = Math.min(rows - 1, Math.floor(((window.y + y) * rows) / height))
        addRow(accumulator, cells, y * window.width, window, edges, row * columns)
      }
    }
    offset += length
    onProgress((i + 1) / windows.length / passes)
  })
  const found = deep.filter(({ count }) => count > 0)
  if (kept !== undefined) for (const accumulator of found) count(accumulator, kept.get(accumulator) as Kept, offset)
  else if (found.length > 0) {
    const wanted = found.map(({ reader }) => reader)
    await pass(wanted, windows, (window, values, i) => {
      const length = window.width * window.height
      for (const [at, accumulator] of found.entries()) count(accumulator, values[at] as Float64Array, length)
      onProgress(0.5 + (i + 1) / windows.length / 2)
    })
  }
  return all.map((accumulator) => ({
    figures: figuresOf(accumulator),
    thumbnail: {
      width: columns,
      height: rows,
      means: accumulator.sums.map((sum, i) => sum / (accumulator.weights[i] as number)),
    },
  }))
}

type Kept = Float32Array | Float64Array
const MAX_KEPT_BYTES = 400 * 2 ** 20
/** Whose values are floats of 32 bits without loss. */
const FLOAT32_HOLDS = new Set(['Float32', 'Int16', 'UInt16', 'Int8'])

/** Room for the values of a second pass; none where reading them again is quick or they are too many. */
function keepers(
  { layout, width, height }: OpenRaster,
  bands: readonly Accumulator[],
): Map<Accumulator, Kept> | undefined {
  if (bands.length === 0 || !isCompressed(layout)) return undefined
  const arrayOf = ({ reader }: Accumulator) => (FLOAT32_HOLDS.has(reader.dataType) ? Float32Array : Float64Array)
  const bytes = bands.reduce((sum, band) => sum + width * height * arrayOf(band).BYTES_PER_ELEMENT, 0)
  if (bytes > MAX_KEPT_BYTES) return undefined
  return new Map(bands.map((band) => [band, new (arrayOf(band))(width * height)]))
}

/** Bytes stay bytes, but with a mask, which they could not tell of; everything else comes as doubles, which hold it. */
const isByte = ({ dataType, masked }: BandReader): boolean => dataType === 'Byte' && !masked

type Cells = Uint8Array | Float64Array

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

/** One row of a window, pixel of the small picture by pixel. */
function addRow(
  accumulator: Accumulator,
  cells: Cells,
  start: number,
  { x, width }: Window,
  edges: Uint32Array,
  row: number,
): void {
  let column = columnAt(edges, x)
  for (let from = x; from < x + width; column++) {
    const to = Math.min(edges[column + 1] as number, x + width)
    const [first, last] = [start + from - x, start + to - x]
    if (cells instanceof Uint8Array) addBytes(accumulator, cells, first, last, row + column)
    else addDoubles(accumulator, cells, first, last, row + column)
    from = to
  }
}

function columnAt(edges: Uint32Array, x: number): number {
  let [low, high] = [0, edges.length - 2]
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if ((edges[middle] as number) <= x) low = middle
    else high = middle - 1
  }
  return low
}

function addBytes(
  { reader, counts, sums, weights }: Accumulator,
  cells: Uint8Array,
  first: number,
  last: number,
  pixel: number,
): void {
  const nodata = reader.nodata ?? -1
  let [sum, weight] = [0, 0]
  for (let i = first; i < last; i++) {
    const value = cells[i] as number
    if (value === nodata) continue
    counts[value] = (counts[value] as number) + 1
    sum += value
    weight++
  }
  sums[pixel] = (sums[pixel] as number) + sum
  weights[pixel] = (weights[pixel] as number) + weight
}

function addDoubles(accumulator: Accumulator, cells: Float64Array, first: number, last: number, pixel: number): void {
  const nodata = accumulator.reader.nodata ?? Number.NaN
  let { shift, min, max } = accumulator
  let [sum, squares, weight] = [0, 0, 0]
  for (let i = first; i < last; i++) {
    const value = cells[i] as number
    // infinite values are no measurements
    if (value === nodata || value - value !== 0) continue
    if (Number.isNaN(shift)) shift = value
    const off = value - shift
    sum += off
    squares += off * off
    weight++
    if (value < min) min = value
    if (value > max) max = value
  }
  if (weight === 0) return
  accumulator.shift = shift
  accumulator.min = min
  accumulator.max = max
  accumulator.count += weight
  accumulator.sum += sum
  accumulator.squares += squares
  accumulator.sums[pixel] = (accumulator.sums[pixel] as number) + sum + shift * weight
  accumulator.weights[pixel] = (accumulator.weights[pixel] as number) + weight
}

/** The outer buckets have the least and the greatest value in their middle. */
function rangeOf(min: number, max: number): { min: number; max: number } {
  const half = (max - min) / (2 * (BUCKETS - 1))
  // one value alone
  return half === 0 ? { min: min - 0.5, max: max + 0.5 } : { min: min - half, max: max + half }
}

function count({ reader, counts, ...range }: Accumulator, cells: Kept, length: number): void {
  const nodata = reader.nodata ?? Number.NaN
  const { min, max } = rangeOf(range.min, range.max)
  const perUnit = BUCKETS / (max - min)
  for (let i = 0; i < length; i++) {
    const value = cells[i] as number
    if (value === nodata || value - value !== 0) continue
    const bucket = ((value - min) * perUnit) | 0
    counts[bucket] = (counts[bucket] as number) + 1
  }
}

function figuresOf(accumulator: Accumulator): BandFigures | undefined {
  if (isByte(accumulator.reader)) return figuresOfCounts(accumulator.counts)
  const { count: validCount, sum, squares, shift, min, max, counts } = accumulator
  if (validCount === 0) return undefined
  const mean = sum / validCount
  const stdDev = Math.sqrt(Math.max(0, squares / validCount - mean * mean))
  return { validCount, min, max, mean: mean + shift, stdDev, histogram: { ...rangeOf(min, max), counts: [...counts] } }
}

/** Of bytes, whose counts tell everything. */
function figuresOfCounts(counts: Uint32Array): BandFigures | undefined {
  const validCount = counts.reduce((sum, count) => sum + count, 0)
  if (validCount === 0) return undefined
  const mean = counts.reduce((sum, count, value) => sum + count * value, 0) / validCount
  const squares = counts.reduce((sum, count, value) => sum + count * (value - mean) ** 2, 0)
  return {
    validCount,
    min: counts.findIndex((count) => count > 0),
    max: counts.findLastIndex((count) => count > 0),
    mean,
    stdDev: Math.sqrt(squares / validCount),
    histogram: { min: -0.5, max: 255.5, counts: [...counts] },
  }
}
