/**
 * Statistics of a large uncompressed raster by several processes: each part is a range of windows. The parts depend on the
 * raster only and are added in their order, so the result is the same whatever the number of processes. Compressed
 * rasters are not shared: GDAL decodes them on all processors, and their values would have to be decoded twice.
 */
import { readFileSync, unlinkSync, writeFileSync } from 'node:fs'
import { type Accumulator, addTotals, isByte, type Totals } from './band-accumulator.ts'
import { accumulators, addCells, countCells, type Grid, gridRowsOf, windowsFor } from './band-passes.ts'
import type { OpenRaster } from './open-raster.ts'
import { isCompressed } from './tiff-directory.ts'
import type { Window } from './windows.ts'

/** Raster cells of all bands from which handing parts over costs less than it gains. */
const SHARED_FROM = 2 ** 23
/** Cells of a part: a few hundredths of a second of work. */
const PART_CELLS = 2 ** 21
const MAX_PARTS = 16

/** Bands by their indexes, and which of them have a thumbnail. */
type Bands = { bands: number[]; shown: readonly number[]; grid: Grid }

export type StatisticsPart = Bands & {
  /** Indexes of windows. */
  from: number
  to: number
} & (
    | {
        pass: 'cells'
        /** A file for sums and weights of the thumbnails. */
        output: string
      }
    | { pass: 'histogram'; ranges: { min: number; max: number }[] }
  )

/** For each band: null without a value, and the counts of bytes. */
type CellsDone = { totals: Totals | null; counts: number[] }[]
type CountsDone = number[][]

export type ShareParts = {
  run<Done>(parts: readonly StatisticsPart[]): Promise<Done[]>
  /** A path in the folder of the run. Of what helpers write, the run gets files whose names begin with `part-`. */
  pathOf(name: string): string
}

/** @returns false for a raster that is not shared */
export async function accumulateShared(
  raster: OpenRaster,
  bands: Bands,
  group: readonly Accumulator[],
  windows: readonly Window[],
  share: ShareParts,
): Promise<boolean> {
  const cells = raster.width * raster.height * group.length
  if (isCompressed(raster.layout) || cells < SHARED_FROM) return false
  const perPart = Math.ceil(windows.length / Math.min(MAX_PARTS, Math.ceil(cells / PART_CELLS)))
  const ranges: { from: number; to: number }[] = []
  for (let from = 0; from < windows.length; from += perPart)
    ranges.push({ from, to: Math.min(from + perPart, windows.length) })
  const parts = ranges.map((range, i) => {
    return { ...bands, ...range, pass: 'cells' as const, output: share.pathOf(`part-thumbnails-${i}`) }
  })
  for (const [i, done] of (await share.run<CellsDone>(parts)).entries()) {
    for (const [at, { totals, counts }] of done.entries()) {
      const accumulator = group[at] as Accumulator
      if (totals !== null) addTotals(accumulator, totals)
      addCounts(accumulator, counts)
    }
    const { output, from, to } = parts[i] as (typeof parts)[number]
    const { top } = gridRowsOf(raster, bands.grid, windows.slice(from, to))
    addThumbnails(readFileSync(output), bands, group, top * bands.grid.columns)
    unlinkSync(output)
  }
  const deep = group.flatMap((accumulator, i) => (accumulator.count > 0 ? [{ accumulator, band: bands.bands[i] }] : []))
  if (deep.length === 0) return true
  const counted = { ...bands, bands: deep.map(({ band }) => band as number) }
  const limits = deep.map(({ accumulator: { min, max } }) => ({ min, max }))
  const counts = await share.run<CountsDone>(
    ranges.map((range) => ({ ...counted, ...range, pass: 'histogram', ranges: limits })),
  )
  for (const done of counts)
    for (const [at, one] of done.entries()) addCounts(deep[at]?.accumulator as Accumulator, one)
  return true
}

/** The work of a process on one part. */
export async function statisticsOfPart(raster: OpenRaster, part: StatisticsPart): Promise<CellsDone | CountsDone> {
  const { bands, shown, grid, from, to } = part
  const windows = windowsFor(raster, bands[0] as number).slice(from, to)
  const rows = part.pass === 'histogram' ? { top: 0, count: 0 } : gridRowsOf(raster, grid, windows)
  const group = accumulators(raster, bands, shown, grid, rows)
  if (part.pass === 'histogram') {
    for (const [i, accumulator] of group.entries()) Object.assign(accumulator, part.ranges[i])
    await countCells(group, windows, () => undefined)
    return group.map(({ counts }) => [...counts])
  }
  await addCells(raster, group, grid, windows, () => undefined)
  const bytesOf = ({ buffer, byteOffset, byteLength }: Float64Array) => Buffer.from(buffer, byteOffset, byteLength)
  writeFileSync(part.output, Buffer.concat(thumbnailsOf(part, group).map(bytesOf)))
  return group.map((accumulator) => {
    const { shift, count, sum, squares, min, max } = accumulator
    const totals = count === 0 ? null : { shift, count, sum, squares, min, max }
    return { totals, counts: isByte(accumulator.reader) ? [...accumulator.counts] : [] }
  })
}

/** Sums and weights of each thumbnail. */
const thumbnailsOf = ({ bands, shown }: Bands, group: readonly Accumulator[]): Float64Array[] =>
  group.flatMap(({ sums, weights }, i) => (shown.includes(bands[i] as number) ? [sums, weights] : []))

/** @param begin the first value of the thumbnails that the bytes have */
function addThumbnails(bytes: Buffer, bands: Bands, group: readonly Accumulator[], begin: number): void {
  const grids = thumbnailsOf(bands, group)
  const length = bytes.length / 8 / grids.length
  let at = 0
  for (const grid of grids)
    for (let i = begin; i < begin + length; i++, at += 8) grid[i] = (grid[i] as number) + bytes.readDoubleLE(at)
}

function addCounts({ counts }: Accumulator, more: readonly number[]): void {
  for (const [bucket, count] of more.entries()) counts[bucket] = (counts[bucket] as number) + count
}
