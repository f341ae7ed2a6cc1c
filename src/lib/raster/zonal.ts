/**
 * Zonal statistics of the raster cells under each polygon. The raster is read once, window by window, for as
 * many zones as fit in memory. A zone is held as edges; its cells are held only for statistics that need them sorted.
 */
import { fieldText } from '../../field-texts/field-text.ts'
import { largest } from '../../lists.ts'
import type { Warning } from '../../warnings/warning.ts'
import type { Feature } from '../geo/layers/layer.ts'
import { InputError } from '../input-error.ts'
import {
  type BandReader,
  bandReader,
  type CellBuffers,
  type CellValues,
  cellBuffers,
  readCells,
  readingWarnings,
  requireReal,
} from './band-reader.ts'
import type { GeoTransform, OpenRaster } from './open-raster.ts'
import { OrderStatistics, orderStatisticsByRanges } from './order-statistics.ts'
import { blockOf, eachWindow, type Window, windowsOf } from './windows.ts'
import { type Spans, spansOf, type Zone, zoneOf } from './zone-spans.ts'

export const STATS = [
  'count',
  'sum',
  'mean',
  'min',
  'max',
  'median',
  'std',
  'range',
  'majority',
  'minority',
  'variety',
] as const
export type Stat = (typeof STATS)[number]

const ORDERED: ReadonlySet<Stat> = new Set(['median', 'majority', 'minority', 'variety'])
/** Maximum cell values held at a time, 8 bytes each. */
const MAX_HELD = 24_000_000

/** Running totals over the valid cells of a zone; `values` only if sorting is needed. */
type Cells = {
  zone: Zone
  count: number
  shift: number
  sum: number
  squares: number
  min: number
  max: number
  values: Float64Array | undefined
}

/**
 * @param features in the raster's CRS
 * @returns for each feature one value per statistic, null without valid cells; and the number of zones with data
 */
export async function zonalStatistics(
  raster: OpenRaster,
  transform: GeoTransform,
  bandIndex: number,
  features: readonly Feature[],
  stats: readonly Stat[],
  onProgress: (share: number) => void,
  maxHeld = MAX_HELD,
): Promise<{ rows: (number | null)[][]; withData: number; warnings: Warning[] }> {
  const { dataset, width, height } = raster
  const reader = bandReader(dataset, bandIndex)
  const zones = features
    .flatMap(({ geometry }, i) => (geometry === null ? [] : [zoneOf(i, geometry, transform, height)]))
    .filter((zone) => zone !== undefined)
    .sort((a, b) => a.top - b.top)
  const ordered = stats.some((stat) => ORDERED.has(stat))
  const scanner = new Scanner(reader, width, height)
  const rows = features.map(() =>
    stats.map((stat) => (stat === 'count' || stat === 'variety' ? 0 : null) as number | null),
  )
  const batches = ordered ? batchesOf(zones, width, maxHeld) : [{ zones, sizes: undefined, held: 0 }]
  let [done, withData] = [0, 0]
  for (const batch of batches) {
    const all = cellsOf(batch, maxHeld)
    await scanner.each(
      all.map(({ zone }) => zone),
      (at, values, from, to) => add(all[at] as Cells, values, from, to),
      (share) => onProgress((done + share * batch.zones.length) / zones.length),
    )
    done += batch.zones.length
    for (const cells of all)
      if (cells.count > 0) {
        withData++
        const order = ordered ? await orderOf(cells, scanner, maxHeld) : undefined
        rows[cells.zone.index] = stats.map((stat) => figureOf(stat, cells, order))
      }
  }
  return { rows, withData, warnings: readingWarnings(reader, bandIndex) }
}

type Batch = { zones: Zone[]; sizes: number[] | undefined; held: number }

/** Groups consecutive zones whose cells fit in memory together; a zone that does not fit forms its own batch. */
function batchesOf(zones: readonly Zone[], width: number, maxHeld: number): Batch[] {
  const batches: Batch[] = []
  for (const zone of zones) {
    const size = sizeOf(spansOf(zone, zone.top, zone.bottom, width))
    const last = batches.at(-1)
    if (last?.sizes !== undefined && last.held + size <= maxHeld) {
      last.zones.push(zone)
      last.sizes.push(size)
      last.held += size
    } else batches.push({ zones: [zone], sizes: [size], held: size })
  }
  return batches
}

function sizeOf(spans: Spans): number {
  let size = 0
  for (let i = 0; i < spans.length; i += 3) size += (spans[i + 2] as number) - (spans[i + 1] as number)
  return size
}

function cellsOf({ zones, sizes, held }: Batch, maxHeld: number): Cells[] {
  const buffer = sizes !== undefined && held <= maxHeld ? new Float64Array(held) : undefined
  let offset = 0
  return zones.map((zone, i) => {
    const values = buffer?.subarray(offset, offset + (sizes?.[i] ?? 0))
    offset += sizes?.[i] ?? 0
    return { zone, count: 0, shift: Number.NaN, sum: 0, squares: 0, min: Infinity, max: -Infinity, values }
  })
}

/** Skips NaN, which marks missing cells. */
function add(cells: Cells, from: CellValues, start: number, end: number): void {
  let { shift, sum, squares, min, max, count } = cells
  const { values } = cells
  for (let i = start; i < end; i++) {
    const value = from[i] as number
    if (value - value !== 0) continue
    if (count === 0) shift = value
    const off = value - shift
    sum += off
    squares += off * off
    if (value < min) min = value
    if (value > max) max = value
    if (values !== undefined) values[count] = value
    count++
  }
  cells.shift = shift
  cells.sum = sum
  cells.squares = squares
  cells.min = min
  cells.max = max
  cells.count = count
}

async function orderOf(cells: Cells, scanner: Scanner, maxHeld: number): Promise<OrderStatistics> {
  const { zone, count, values, min, max } = cells
  const statistics = new OrderStatistics(count)
  if (values !== undefined) statistics.addAll(values.subarray(0, count))
  else await orderStatisticsByRanges(statistics, (take) => scanner.values(zone, take), min, max, count, maxHeld)
  return statistics
}

function figureOf(
  stat: Stat,
  { count, shift, sum, squares, min, max }: Cells,
  order: OrderStatistics | undefined,
): number {
  switch (stat) {
    case 'count':
      return count
    case 'sum':
      return sum + shift * count
    case 'mean':
      return shift + sum / count
    case 'min':
      return min
    case 'max':
      return max
    case 'range':
      return max - min
    case 'std':
      return Math.sqrt(Math.max(0, squares / count - (sum / count) ** 2))
    default:
      return (order as OrderStatistics)[stat]
  }
}

/** Reads the cells of zones, window by window. */
class Scanner {
  private readonly reader: BandReader
  private readonly width: number
  private readonly windows: Window[]

  constructor(reader: BandReader, width: number, height: number) {
    this.reader = reader
    this.width = width
    this.windows = windowsOf(width, height, blockOf(reader.band))
  }

  /**
   * @param zones sorted by their first row. @param take receives the index of a zone and the range of a run of its
   * cells
   */
  async each(
    zones: readonly Zone[],
    take: (at: number, values: CellValues, from: number, to: number) => void,
    onProgress: (share: number) => void,
  ): Promise<void> {
    const top = zones[0]?.top ?? 0
    const bottom = zones.reduce((most, zone) => Math.max(most, zone.bottom), 0)
    const windows = this.windows.filter(({ y, height }) => y < bottom && y + height > top)
    if (windows.length === 0) return
    const size = largest(windows.map(({ width, height }) => width * height))
    let band = -1
    let spansInRow: { at: number; spans: Spans }[] = []
    await eachWindow(
      windows,
      (): CellBuffers => cellBuffers(this.reader, size),
      (window, into) => readCells(this.reader, window, into),
      ({ x, y, width, height }, { values }, i) => {
        if (y !== band) {
          band = y
          spansInRow = spansWithin(zones, y, y + height, this.width)
        }
        for (const { at, spans } of spansInRow)
          for (let k = 0; k < spans.length; k += 3) {
            const start = Math.max(spans[k + 1] as number, x) - x
            const end = Math.min(spans[k + 2] as number, x + width) - x
            const row = ((spans[k] as number) - y) * width
            if (end > start) take(at, values, row + start, row + end)
          }
        onProgress((i + 1) / windows.length)
      },
    )
  }

  /** Visits the valid values of one zone. */
  async values(zone: Zone, take: (value: number) => void): Promise<void> {
    const each = (_at: number, values: CellValues, from: number, to: number): void => {
      for (let i = from; i < to; i++) {
        const value = values[i] as number
        if (value - value === 0) take(value)
      }
    }
    await this.each([zone], each, () => undefined)
  }
}

function spansWithin(zones: readonly Zone[], from: number, to: number, width: number): { at: number; spans: Spans }[] {
  const found: { at: number; spans: Spans }[] = []
  for (const [at, zone] of zones.entries()) {
    if (zone.top >= to) break
    if (zone.bottom > from) found.push({ at, spans: spansOf(zone, from, to, width) })
  }
  return found
}

/** @throws InputError `maximum`, `complex` */
export function checkBand(band: number, { bandCount, dataset }: OpenRaster): void {
  if (band > bandCount) throw new InputError('maximum', fieldText('bandsOfRaster', { most: bandCount }))
  requireReal(bandReader(dataset, band))
}
