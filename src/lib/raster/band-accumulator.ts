/** Accumulates the statistics of one raster band while its cells are read: count, mean, deviation, range, histogram. */
import { type BandReader, type Cells, holdsBytes } from './band-reader.ts'
import type { Window } from './windows.ts'

export type Histogram = {
  /** Outer edges of the first and the last bucket. */
  min: number
  max: number
  counts: number[]
}

export type BandStatistics = {
  /** Number of cells with a value. */
  validCount: number
  min: number
  max: number
  mean: number
  /** Standard deviation of the population, as in GDAL. */
  stdDev: number
  histogram: Histogram
}

export const BUCKETS = 256

export type Accumulator = {
  reader: BandReader
  /** Subtracted before squaring, because squares of large numbers would lose small differences. */
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

/** Adds one row of a window, split at the pixel edges of the thumbnail. */
export function addRow(
  accumulator: Accumulator,
  cells: Cells,
  start: number,
  window: Window,
  edges: Uint32Array,
  row: number,
): void {
  if (cells instanceof Uint8Array) addByteRow(accumulator, cells, start, window, edges, row)
  else addFloatRow(accumulator, cells, start, window, edges, row)
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

function addByteRow(
  { reader, counts, sums, weights }: Accumulator,
  cells: Uint8Array,
  start: number,
  { x, width }: Window,
  edges: Uint32Array,
  row: number,
): void {
  const nodata = reader.nodata ?? -1
  let column = columnAt(edges, x)
  for (let from = x; from < x + width; column++) {
    const to = Math.min(edges[column + 1] as number, x + width)
    let [sum, weight] = [0, 0]
    for (let i = start + from - x; i < start + to - x; i++) {
      const value = cells[i] as number
      if (value === nodata) continue
      counts[value] = (counts[value] as number) + 1
      sum += value
      weight++
    }
    sums[row + column] = (sums[row + column] as number) + sum
    weights[row + column] = (weights[row + column] as number) + weight
    from = to
  }
}

/** A call for each pixel of the thumbnail would take longer than the cells. */
function addFloatRow(
  accumulator: Accumulator,
  cells: Float32Array | Float64Array,
  start: number,
  { x, width }: Window,
  edges: Uint32Array,
  row: number,
): void {
  const { sums, weights } = accumulator
  let { shift, min, max } = accumulator
  let total = 0
  let squares = 0
  let count = 0
  let column = columnAt(edges, x)
  for (let from = x; from < x + width; column++) {
    const to = Math.min(edges[column + 1] as number, x + width)
    let sum = 0
    let weight = 0
    for (let i = start + from - x; i < start + to - x; i++) {
      const value = cells[i] as number
      // infinite values are not measurements, and NaN marks missing cells
      if (value - value !== 0) continue
      if (Number.isNaN(shift)) shift = value
      const off = value - shift
      sum += off
      squares += off * off
      weight++
      if (value < min) min = value
      if (value > max) max = value
    }
    if (weight > 0) {
      sums[row + column] = (sums[row + column] as number) + sum + shift * weight
      weights[row + column] = (weights[row + column] as number) + weight
      total += sum
      count += weight
    }
    from = to
  }
  accumulator.shift = shift
  accumulator.min = min
  accumulator.max = max
  accumulator.count += count
  accumulator.sum += total
  accumulator.squares += squares
}

/** The range of the histogram, with the minimum and the maximum in the middle of the outer buckets. */
function rangeOf(min: number, max: number): { min: number; max: number } {
  const half = (max - min) / (2 * (BUCKETS - 1))
  // a band with a single value
  return half === 0 ? { min: min - 0.5, max: max + 0.5 } : { min: min - half, max: max + half }
}

export function count({ counts, ...range }: Accumulator, cells: Float32Array | Float64Array, length: number): void {
  const { min, max } = rangeOf(range.min, range.max)
  const perUnit = BUCKETS / (max - min)
  for (let i = 0; i < length; i++) {
    const value = cells[i] as number
    if (value - value !== 0) continue
    const bucket = ((value - min) * perUnit) | 0
    counts[bucket] = (counts[bucket] as number) + 1
  }
}

export function statisticsOf(accumulator: Accumulator): BandStatistics | undefined {
  if (holdsBytes(accumulator.reader)) return statisticsOfCounts(accumulator.counts)
  const { count: validCount, sum, squares, shift, min, max, counts } = accumulator
  if (validCount === 0) return undefined
  const mean = sum / validCount
  const stdDev = Math.sqrt(Math.max(0, squares / validCount - mean * mean))
  return { validCount, min, max, mean: mean + shift, stdDev, histogram: { ...rangeOf(min, max), counts: [...counts] } }
}

/** For bytes, the counts of the 256 values determine all statistics. */
function statisticsOfCounts(counts: Uint32Array): BandStatistics | undefined {
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
