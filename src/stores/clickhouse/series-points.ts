/** Sorts the rows of a query of series, which come in no order, into points by series and time. */
import { inTurns } from '../../turns.ts'
import type { NumberTable } from './number-table.ts'

/** One series: the starts of its buckets in order, and the values of each aggregate, infinite beyond the range of a double. */
export type SeriesPoints = { starts: number[]; values: number[][] }

/**
 * A counting sort, because there are many rows and few starts. Sorting them in ClickHouse would take longer.
 * @param table rows of the key of a series, the start of a bucket in ms, and the aggregates
 * @param series how many there are
 * @param seriesOf indexes of series by key; rows of others are left out
 * @param stepMs the distance of buckets, if they are regular
 */
export async function pointsInOrder(
  { rows, columns, cells }: NumberTable,
  aggregates: number,
  series: number,
  seriesOf: ReadonlyMap<number, number>,
  stepMs: number | undefined,
): Promise<SeriesPoints[]> {
  const points = Array.from(
    { length: series },
    (): SeriesPoints => ({ starts: [], values: Array.from({ length: aggregates }, () => []) }),
  )
  const firstValue = columns - aggregates
  const startIn = (row: number): number => cells[row * columns + firstValue - 1] as number
  const order = await rowsByStart(rows, startIn, stepMs)
  let lastKey = Number.NaN
  let own: SeriesPoints | undefined
  await inTurns(rows, (at) => {
    const row = order[at] as number
    const key = cells[row * columns] as number
    if (key !== lastKey) {
      const index = seriesOf.get(key)
      own = index === undefined ? undefined : points[index]
      lastKey = key
    }
    if (own === undefined) return
    own.starts.push(startIn(row))
    for (let i = 0; i < aggregates; i++) own.values[i]?.push(cells[row * columns + firstValue + i] as number)
  })
  return points
}

async function rowsByStart(
  rows: number,
  startIn: (row: number) => number,
  stepMs: number | undefined,
): Promise<Uint32Array> {
  const { count, indexOf } = await (stepMs === undefined
    ? anyStarts(rows, startIn)
    : regularStarts(rows, startIn, stepMs))
  const indexes = new Uint32Array(rows)
  const ends = new Uint32Array(count + 1)
  await inTurns(rows, (row) => {
    const index = indexOf(startIn(row))
    indexes[row] = index
    ends[index + 1] = (ends[index + 1] as number) + 1
  })
  for (let index = 0; index < count; index++) ends[index + 1] = (ends[index + 1] as number) + (ends[index] as number)
  const order = new Uint32Array(rows)
  for (let row = 0; row < rows; row++) {
    const index = indexes[row] as number
    const at = ends[index] as number
    order[at] = row
    ends[index] = at + 1
  }
  return order
}

/** The number of different starts, and the rank of each. */
type Starts = { count: number; indexOf(start: number): number }

async function regularStarts(rows: number, startIn: (row: number) => number, stepMs: number): Promise<Starts> {
  let first = Number.POSITIVE_INFINITY
  let last = Number.NEGATIVE_INFINITY
  await inTurns(rows, (row) => {
    const start = startIn(row)
    if (start < first) first = start
    if (start > last) last = start
  })
  return { count: rows === 0 ? 0 : (last - first) / stepMs + 1, indexOf: (start) => (start - first) / stepMs }
}

async function anyStarts(rows: number, startIn: (row: number) => number): Promise<Starts> {
  const found = new Set<number>()
  await inTurns(rows, (row) => found.add(startIn(row)))
  const rankOf = new Map([...found].sort((a, b) => a - b).map((start, index) => [start, index]))
  return { count: rankOf.size, indexOf: (start) => rankOf.get(start) as number }
}
