/** Series: aggregates of channels by buckets of time, of one sensor or of many. */
import { invalidField } from '../../errors.ts'
import { formatTimestamp } from '../../ingest/timestamp.ts'
import type { ClickHouse } from '../../stores/clickhouse/client.ts'
import {
  AGGREGATES,
  type Aggregate,
  type Buckets,
  bucketStarts,
  isRolled,
  type Resolution,
  type SeriesPoints,
  type SeriesRequest,
  seriesBetween,
} from '../../stores/clickhouse/series.ts'
import type { Sensor } from '../../stores/postgres/sensors.ts'
import { niceStep, parseStep, type Step, shortestMs } from './step.ts'
import { oldestVisibleMs, parseRange, type RetentionPolicy, type TimeRange } from './time-range.ts'

export type SeriesQuery = {
  channel: string
  from?: string | undefined
  to?: string | undefined
  step?: string | undefined
  agg?: string | undefined
  gaps?: 'null' | 'none' | undefined
  tz?: string | undefined
}

const MAX_POINTS = 11_000
/** Over all series of an answer. */
const MAX_ALL_POINTS = 1_000_000
const DAY_MS = 86_400_000
const DEFAULT_POINTS = 500

/** One channel of one sensor; its numbers are those that it had in each measurement. */
type Member = { sensor: Sensor; channel: string; numbers: number[] }

/**
 * `{resolution, series: [{sensorId, channel, agg, points: [[at, value], …]}]}` as JSON text.
 * @throws AppError VALIDATION_FAILED naming the field
 */
export async function seriesResponse(
  clickhouse: ClickHouse,
  policy: RetentionPolicy,
  sensors: readonly Sensor[],
  query: SeriesQuery,
  signal: AbortSignal,
): Promise<string> {
  const nowMs = Date.now()
  const range = parseRange(query, { fromMs: nowMs - DAY_MS, toMs: nowMs })
  const lengthMs = range.toMs - range.fromMs
  const visibleFromMs = Math.max(range.fromMs, oldestVisibleMs(policy, nowMs))
  const step = query.step === undefined ? niceStep(lengthMs, DEFAULT_POINTS) : parseStep('query.step', query.step)
  const aggregates = aggregatesOf(query.agg ?? 'avg')
  const timeZone = timeZoneOf(query.tz, step)
  const members = membersOf(sensors, namesOf('query.channel', query.channel))
  const points = lengthMs === 0 ? 0 : Math.ceil(lengthMs / shortestMs(step)) + 1
  if (points > MAX_POINTS + 1)
    throw invalidField('query.step', 'maxPoints', `would make more than ${MAX_POINTS} points; make it longer`)
  if (points * members.length * aggregates.length > MAX_ALL_POINTS)
    throw invalidField('query.step', 'maxPoints', `would make more than ${MAX_ALL_POINTS} points over all series`)
  const buckets: Buckets = step.kind === 'seconds' ? step : { ...step, timeZone }
  const resolution = aggregates.every(isRolled) ? resolutionOf(buckets, range) : 'raw'
  const request: SeriesRequest = {
    ...{ fromMs: visibleFromMs, toMs: Math.max(visibleFromMs, range.toMs) },
    ...{ resolution, buckets, aggregates },
    members: members.flatMap(({ sensor, numbers }, series) =>
      numbers.map((channel) => ({ series, sensor: sensor.number, channel })),
    ),
  }
  if (lengthMs === 0) return seriesToJson(members, aggregates, { resolution, points: [] }, undefined)
  const found = await seriesBetween(clickhouse, request, signal)
  const starts = query.gaps === 'null' ? await startsOf(clickhouse, { ...range, buckets }, signal) : undefined
  return seriesToJson(members, aggregates, found, starts)
}

const HOUR_MS = 3_600_000
/** Ranges below it are put together out of readings as fast. */
const WORTH_ROLLUPS_MS = 2 * DAY_MS
/** From here on hours are many. */
const WORTH_DAYS_MS = 800 * DAY_MS

/** The coarsest that every bucket can be made of. */
function resolutionOf(buckets: Buckets, { fromMs, toMs }: TimeRange): Resolution {
  if (toMs - fromMs < WORTH_ROLLUPS_MS) return 'raw'
  const isOfDays = buckets.kind === 'seconds' ? buckets.seconds % 86_400 === 0 : buckets.timeZone === 'UTC'
  if (isOfDays) return toMs - fromMs >= WORTH_DAYS_MS ? 'day' : 'hour'
  const seconds = buckets.kind === 'seconds' ? buckets.seconds : offsetsOf(buckets.timeZone, fromMs, toMs)
  if (seconds % 3600 === 0) return 'hour'
  return seconds % 60 === 0 ? 'minute' : 'raw'
}

/**
 * A length that all of a zone's offsets from UTC are whole numbers of: an hour, a minute or a second. Looked at every
 * month, which no change of a zone's undoes.
 */
function offsetsOf(timeZone: string, fromMs: number, toMs: number): 3600 | 60 | 1 {
  const clock = new Intl.DateTimeFormat('en', { timeZone, minute: '2-digit', second: '2-digit' })
  let whole: 3600 | 60 = 3600
  for (let ms = Math.floor(fromMs / HOUR_MS) * HOUR_MS; ms < toMs + 30 * DAY_MS; ms += 30 * DAY_MS) {
    const [minute, second] = clock.format(ms).split(':').map(Number)
    if (second !== 0) return 1
    if (minute !== 0) whole = 60
  }
  return whole
}

const namesOf = (field: string, text: string): string[] => {
  const names = [...new Set(text.split(',').map((name) => name.trim()))]
  if (names.some((name) => name === '')) throw invalidField(field, 'list', 'must be names separated by commas')
  return names
}

function aggregatesOf(text: string): Aggregate[] {
  return namesOf('query.agg', text).map((name) => {
    if (Object.hasOwn(AGGREGATES, name)) return name as Aggregate
    throw invalidField('query.agg', 'enum', `must be out of ${Object.keys(AGGREGATES).join(', ')}`)
  })
}

/** @throws AppError VALIDATION_FAILED for a zone that nobody knows, or that would make no difference */
function timeZoneOf(text: string | undefined, step: Step): string {
  if (text === undefined) return 'UTC'
  if (step.kind === 'seconds')
    throw invalidField('query.tz', 'forbidden', 'is for steps of days, weeks, months and years; others follow UTC')
  try {
    // offsets and the like are no names
    if (!/^[A-Za-z][\w+-]*(\/[\w+-]+)*$/.test(text)) throw new RangeError(text)
    new Intl.DateTimeFormat('en', { timeZone: text })
  } catch {
    throw invalidField('query.tz', 'timeZone', 'must be a time zone of the IANA database, as Asia/Riyadh')
  }
  return text
}

/** Sensors without a channel of that name are left out where others have one. */
function membersOf(sensors: readonly Sensor[], names: readonly string[]): Member[] {
  const members: Member[] = []
  for (const name of names) {
    const before = members.length
    for (const sensor of sensors) {
      const numbers = sensor.channels.filter((channel) => channel.name === name).map(({ number }) => number)
      if (numbers.length > 0) members.push({ sensor, channel: name, numbers })
    }
    if (members.length > before || sensors.length === 0) continue
    const known = [...new Set(sensors.flatMap(({ channels }) => channels.map((channel) => channel.name)))]
    const some = known.slice(0, 50).join(', ') || 'none'
    const owner = sensors.length === 1 ? 'the sensor; it has' : 'any of the sensors; they have'
    throw invalidField('query.channel', 'enum', `"${name}" is not a channel of ${owner} ${some}`)
  }
  return members
}

async function startsOf(
  clickhouse: ClickHouse,
  request: Pick<SeriesRequest, 'fromMs' | 'toMs' | 'buckets'>,
  signal: AbortSignal,
): Promise<number[]> {
  const { fromMs, toMs, buckets } = request
  if (buckets.kind !== 'seconds') return bucketStarts(clickhouse, request, signal)
  const stepMs = buckets.seconds * 1000
  const first = Math.floor(fromMs / stepMs) * stepMs
  return Array.from({ length: Math.ceil((toMs - first) / stepMs) }, (_, i) => first + i * stepMs)
}

/**
 * As JSON text, which is written here in one go: points may be a million.
 * @param starts of all buckets where those without readings are wanted too
 */
function seriesToJson(
  members: readonly Member[],
  aggregates: readonly Aggregate[],
  { resolution, points }: { resolution: Resolution; points: readonly SeriesPoints[] },
  starts: readonly number[] | undefined,
): string {
  const heads = new Map<number, string>()
  const headOf = (ms: number): string => {
    let head = heads.get(ms)
    if (head === undefined) {
      head = `["${formatTimestamp(ms)}",`
      heads.set(ms, head)
    }
    return head
  }
  const series = members.flatMap(({ sensor, channel }, index) => {
    const own = points[index] ?? { starts: [], values: [] }
    const rows = starts === undefined ? own.starts.keys() : bucketIndexes(starts, own.starts)
    const pointStarts = starts ?? own.starts
    const order = [...rows]
    return aggregates.map((agg, i) => {
      const values = own.values[i] ?? []
      let text = ''
      for (const [at, row] of order.entries())
        text += `${at === 0 ? '' : ','}${headOf(pointStarts[at] as number)}${values[row] ?? null}]`
      return `${JSON.stringify({ sensorId: sensor.id, channel, agg }).slice(0, -1)},"points":[${text}]}`
    })
  })
  return `{"resolution":"${resolution}","series":[${series.join(',')}]}`
}

/** Where each of the starts is among those that there are; -1 for one that is not. */
function bucketIndexes(starts: readonly number[], found: readonly number[]): number[] {
  const indexes = new Map(found.map((start, index) => [start, index]))
  return starts.map((start) => indexes.get(start) ?? -1)
}
