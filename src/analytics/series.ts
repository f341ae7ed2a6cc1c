/** Time series: aggregates of channels over buckets of time, for one or several sensors. */
import { invalidField } from '../errors.ts'
import { fieldText } from '../field-texts/field-text.ts'
import { MS_PER_DAY } from '../ingest/timestamp.ts'
import type { ClickHouse } from '../stores/clickhouse/client.ts'
import { type Buckets, bucketStarts } from '../stores/clickhouse/queries/buckets.ts'
import {
  AGGREGATES,
  type Aggregate,
  isRolled,
  type Resolution,
  type SeriesRequest,
  seriesBetween,
} from '../stores/clickhouse/queries/series.ts'
import type { Sensor } from '../stores/postgres/sensors/sensors.ts'
import { isTimeZone } from '../time-zone.ts'
import { channelNames } from './channel-names.ts'
import { clockPeriods, clockStarts, clockUnitMs } from './local-clock.ts'
import { type SeriesHead, seriesText } from './series-text.ts'
import { niceStep, parseStep, type Step, shortestMs } from './step.ts'
import { oldestVisibleMs, parseRange, type RetentionPolicy, type TimeRange } from './time-range.ts'

export type SeriesQuery = {
  /** Each `channel` parameter. */
  channel: readonly string[]
  from?: string | undefined
  to?: string | undefined
  step?: string | undefined
  /** Maximum number of buckets of an automatically chosen step. */
  points?: number | undefined
  agg?: string | undefined
  gaps?: 'null' | 'none' | undefined
  tz?: string | undefined
}

const MAX_POINTS = 11_000
/** Limit over all series of a response. */
const MAX_ALL_POINTS = 250_000
const DEFAULT_POINTS = 500

/** One channel of one sensor; it has one number for each measurement that it ever had. */
type Member = { sensor: Sensor; channel: string; numbers: number[] }

/**
 * `{resolution, series: [{sensorId, channel, agg, points: [[at, value], …]}]}` as JSON text, in pieces.
 * @throws AppError VALIDATION_FAILED naming the field
 */
export async function seriesResponse(
  clickhouse: ClickHouse,
  policy: RetentionPolicy,
  sensors: readonly Sensor[],
  query: SeriesQuery,
  signal: AbortSignal,
): Promise<Buffer[]> {
  const nowMs = Date.now()
  const range = parseRange(query, { fromMs: nowMs - MS_PER_DAY, toMs: nowMs })
  const lengthMs = range.toMs - range.fromMs
  const visibleFromMs = Math.max(range.fromMs, oldestVisibleMs(policy, nowMs))
  const step = stepOf(query, lengthMs)
  const aggregates = aggregatesOf(query.agg ?? 'avg')
  const timeZone = timeZoneOf(query.tz)
  const members = membersOf(sensors, channelNames(query.channel, sensors))
  const points = lengthMs === 0 ? 0 : Math.ceil(lengthMs / shortestMs(step)) + 1
  if (points > MAX_POINTS + 1)
    throw invalidField('query.step', 'maxPoints', fieldText('seriesPoints', { most: MAX_POINTS }))
  if (points * members.length * aggregates.length > MAX_ALL_POINTS)
    throw invalidField('query.step', 'maxPoints', fieldText('allSeriesPoints', { most: MAX_ALL_POINTS }))
  const buckets = bucketsOf(step, timeZone, range)
  const resolution = aggregates.every(isRolled) ? resolutionOf(buckets, range) : 'raw'
  const request: SeriesRequest = {
    fromMs: visibleFromMs,
    toMs: Math.max(visibleFromMs, range.toMs),
    resolution,
    buckets,
    aggregates,
    members: members.flatMap(({ sensor, numbers }, series) =>
      numbers.map((channel) => ({ series, sensor: sensor.number, channel })),
    ),
  }
  if (lengthMs === 0) return seriesText(headsOf(members, aggregates), { step, resolution, points: [] }, undefined)
  const found = await seriesBetween(clickhouse, request, signal)
  const starts = query.gaps === 'null' ? await startsOf(clickhouse, { ...range, buckets }, signal) : undefined
  return seriesText(headsOf(members, aggregates), { step, ...found }, starts)
}

/** @throws AppError VALIDATION_FAILED */
function stepOf({ step, points }: SeriesQuery, lengthMs: number): Step {
  const isChosen = step === undefined || step === 'auto'
  if (!isChosen && points !== undefined) throw invalidField('query.points', 'forbidden', fieldText('onlyAutoStep'))
  if (!isChosen) return parseStep('query.step', step)
  // one less, because the range may begin and end within a bucket
  return niceStep(lengthMs, points === undefined ? DEFAULT_POINTS : points - 1)
}

export function bucketsOf(step: Step, timeZone: string, { fromMs, toMs }: TimeRange): Buckets {
  if (step.kind !== 'seconds') return { ...step, timeZone }
  if (timeZone === 'UTC') return step
  return { kind: 'clock', seconds: step.seconds, periods: clockPeriods(timeZone, step.seconds * 1000, fromMs, toMs) }
}

const HOUR_MS = 3_600_000
/** Below this length, reading raw rows is as fast as reading rollups. */
const WORTH_ROLLUPS_MS = 2 * MS_PER_DAY
/** From this length on, daily rollups are used instead of hourly ones. */
const WORTH_DAYS_MS = 800 * MS_PER_DAY

/** The coarsest stored resolution that divides every bucket. */
export function resolutionOf(buckets: Buckets, { fromMs, toMs }: TimeRange): Resolution {
  if (toMs - fromMs < WORTH_ROLLUPS_MS) return 'raw'
  if (buckets.kind === 'clock') {
    const unitMs = clockUnitMs(buckets.periods, buckets.seconds * 1000)
    return unitMs === 1 ? 'raw' : unitMs === HOUR_MS ? 'hour' : 'minute'
  }
  const isOfDays = buckets.kind === 'seconds' ? buckets.seconds % 86_400 === 0 : buckets.timeZone === 'UTC'
  if (isOfDays) return toMs - fromMs >= WORTH_DAYS_MS ? 'day' : 'hour'
  const seconds = buckets.kind === 'seconds' ? buckets.seconds : offsetsOf(buckets.timeZone, fromMs, toMs)
  if (seconds % 3600 === 0) return 'hour'
  return seconds % 60 === 0 ? 'minute' : 'raw'
}

/**
 * The longest of an hour, a minute and a second that divides all UTC offsets of a time zone in the range. One sample per
 * month is enough, because offsets change less often than that.
 */
function offsetsOf(timeZone: string, fromMs: number, toMs: number): 3600 | 60 | 1 {
  const clock = new Intl.DateTimeFormat('en', { timeZone, minute: '2-digit', second: '2-digit' })
  let whole: 3600 | 60 = 3600
  for (let ms = Math.floor(fromMs / HOUR_MS) * HOUR_MS; ms < toMs + 30 * MS_PER_DAY; ms += 30 * MS_PER_DAY) {
    const [minute, second] = clock.format(ms).split(':').map(Number)
    if (second !== 0) return 1
    if (minute !== 0) whole = 60
  }
  return whole
}

function aggregatesOf(text: string): Aggregate[] {
  const names = new Set(text.split(',').map((name) => name.trim()))
  return [...names].map((name) => {
    if (Object.hasOwn(AGGREGATES, name)) return name as Aggregate
    throw invalidField('query.agg', 'enum', fieldText('listOf', { values: Object.keys(AGGREGATES).join(', ') }))
  })
}

/** @throws AppError VALIDATION_FAILED for an unknown time zone */
function timeZoneOf(text: string | undefined): string {
  if (text === undefined) return 'UTC'
  if (!isTimeZone(text)) throw invalidField('query.tz', 'timeZone', fieldText('timeZone'))
  return text
}

/** Sensors without the channel are left out. */
export function membersOf(sensors: readonly Sensor[], names: readonly string[]): Member[] {
  const members: Member[] = []
  for (const name of names)
    for (const sensor of sensors) {
      const numbers = sensor.channels.filter((channel) => channel.name === name).map(({ number }) => number)
      if (numbers.length > 0) members.push({ sensor, channel: name, numbers })
    }
  return members
}

async function startsOf(
  clickhouse: ClickHouse,
  request: Pick<SeriesRequest, 'fromMs' | 'toMs' | 'buckets'>,
  signal: AbortSignal,
): Promise<number[]> {
  const { fromMs, toMs, buckets } = request
  if (buckets.kind === 'clock') return clockStarts(buckets.periods, buckets.seconds * 1000, fromMs, toMs)
  if (buckets.kind !== 'seconds') return bucketStarts(clickhouse, request, signal)
  const stepMs = buckets.seconds * 1000
  const first = Math.floor(fromMs / stepMs) * stepMs
  return Array.from({ length: Math.ceil((toMs - first) / stepMs) }, (_, i) => first + i * stepMs)
}

const headsOf = (members: readonly Member[], aggregates: readonly Aggregate[]): SeriesHead[][] =>
  members.map(({ sensor, channel }) => aggregates.map((agg) => ({ sensorId: sensor.id, channel, agg })))
