/**
 * Series as JSON text, written directly because there may be many points, and in slices: other requests, readings above
 * all, get their turn in between.
 */
import { formatTimestamp } from '../ingest/timestamp.ts'
import type { Resolution, SeriesPoints } from '../stores/clickhouse/series.ts'

export type SeriesHead = { sensorId: string; channel: string; agg: string }

/** Points that are written at once, in about two milliseconds. */
const SLICE_POINTS = 10_000

/**
 * @param heads for each member the series of its aggregates, in the order of the points
 * @param starts starts of all buckets, if buckets without readings are requested
 */
export async function seriesText(
  heads: readonly (readonly SeriesHead[])[],
  { resolution, points }: { resolution: Resolution; points: readonly SeriesPoints[] },
  starts: readonly number[] | undefined,
): Promise<string> {
  const openings = new Map<number, string>()
  const openingOf = (ms: number): string => {
    let opening = openings.get(ms)
    if (opening === undefined) {
      opening = `["${formatTimestamp(ms)}",`
      openings.set(ms, opening)
    }
    return opening
  }
  let written = 0
  const series: string[] = []
  for (const [index, own] of heads.entries()) {
    const found = points[index] ?? { starts: [], values: [] }
    const rows = starts === undefined ? [...found.starts.keys()] : bucketIndexes(starts, found.starts)
    const pointStarts = starts ?? found.starts
    for (const [i, head] of own.entries()) {
      const values = found.values[i] ?? []
      let text = ''
      for (const [at, row] of rows.entries()) {
        text += `${at === 0 ? '' : ','}${openingOf(pointStarts[at] as number)}${values[row] ?? null}]`
        if (++written % SLICE_POINTS === 0) await new Promise(setImmediate)
      }
      series.push(`${JSON.stringify(head).slice(0, -1)},"points":[${text}]}`)
    }
  }
  return `{"resolution":"${resolution}","series":[${series.join(',')}]}`
}

/** The index of each start in the buckets found; -1 for a bucket without readings. */
function bucketIndexes(starts: readonly number[], found: readonly number[]): number[] {
  const indexes = new Map(found.map((start, index) => [start, index]))
  return starts.map((start) => indexes.get(start) ?? -1)
}
