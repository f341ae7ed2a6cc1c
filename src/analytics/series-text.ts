/**
 * Series as JSON text, written directly because there may be many points, and in turns, so that readings do not wait.
 */

import { TextInTurns } from '../event-loop-yield.ts'
import { formatTimestamp } from '../ingest/timestamp.ts'
import type { Resolution } from '../stores/clickhouse/queries/series.ts'
import type { SeriesPoints } from '../stores/clickhouse/queries/series-points.ts'
import { type Step, stepText } from './step.ts'

export type SeriesHead = { sensorId: string; channel: string; agg: string }

/**
 * `null` for a bucket without readings. JSON has no infinity: a sum beyond the range of a double is a text, as in the
 * JSON mapping of Protocol Buffers, which most languages parse as infinity.
 */
function textOf(value: number | undefined): string {
  if (value === undefined) return 'null'
  return Number.isFinite(value) ? String(value) : `"${value}"`
}

/**
 * @param heads for each member the series of its aggregates, in the order of the points
 * @param starts starts of all buckets, if buckets without readings are requested
 * @returns the text in pieces
 */
export async function seriesText(
  heads: readonly (readonly SeriesHead[])[],
  { step, resolution, points }: { step: Step; resolution: Resolution; points: readonly SeriesPoints[] },
  starts: readonly number[] | undefined,
): Promise<Buffer[]> {
  const openings = new Map<number, string>()
  const isOnly = heads.length === 1 && heads[0]?.length === 1
  const openingOf = (ms: number): string => {
    // no other series has the same start
    if (isOnly) return `["${formatTimestamp(ms)}",`
    let opening = openings.get(ms)
    if (opening === undefined) {
      opening = `["${formatTimestamp(ms)}",`
      openings.set(ms, opening)
    }
    return opening
  }
  const text = new TextInTurns()
  text.add(`{"step":"${stepText(step)}","resolution":"${resolution}","series":[`)
  let isFirst = true
  for (const [index, own] of heads.entries()) {
    const found = points[index] ?? { starts: [], values: [] }
    const rows = starts === undefined ? undefined : bucketIndexes(starts, found.starts)
    const pointStarts = starts ?? found.starts
    for (const [i, head] of own.entries()) {
      const values = found.values[i] ?? []
      text.add(`${isFirst ? '' : ','}${JSON.stringify(head).slice(0, -1)},"points":[`)
      isFirst = false
      await text.addList(
        pointStarts.length,
        (at) =>
          `${openingOf(pointStarts[at] as number)}${textOf(values[rows === undefined ? at : (rows[at] as number)])}]`,
      )
      text.add(']}')
    }
  }
  text.add(']}')
  return text.end()
}

/** The index of each start in the buckets found; -1 for a bucket without readings. */
function bucketIndexes(starts: readonly number[], found: readonly number[]): number[] {
  const indexes = new Map(found.map((start, index) => [start, index]))
  return starts.map((start) => indexes.get(start) ?? -1)
}
