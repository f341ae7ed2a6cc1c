/** Divides the rows of a query of series into points by series. */
import { inTurns } from '../../../event-loop-yield.ts'
import type { NumberTable } from './number-table.ts'

/** One series: the starts of its buckets in order, and the values of each aggregate, infinite beyond the range of a double. */
export type SeriesPoints = { starts: number[]; values: number[][] }

/**
 * @param table rows of the key of a series, the start of a bucket in ms, and the aggregates, in the order of starts
 * @param series how many there are
 * @param seriesOf indexes of series by key; rows of others are left out
 */
export async function pointsBySeries(
  { rows, columns, cells }: NumberTable,
  aggregates: number,
  series: number,
  seriesOf: ReadonlyMap<number, number>,
): Promise<SeriesPoints[]> {
  const points = Array.from(
    { length: series },
    (): SeriesPoints => ({ starts: [], values: Array.from({ length: aggregates }, () => []) }),
  )
  const firstValue = columns - aggregates
  let lastKey = Number.NaN
  let own: SeriesPoints | undefined
  await inTurns(rows, (row) => {
    const key = cells[row * columns] as number
    if (key !== lastKey) {
      const index = seriesOf.get(key)
      own = index === undefined ? undefined : points[index]
      lastKey = key
    }
    if (own === undefined) return
    own.starts.push(cells[row * columns + firstValue - 1] as number)
    for (let i = 0; i < aggregates; i++) own.values[i]?.push(cells[row * columns + firstValue + i] as number)
  })
  return points
}
