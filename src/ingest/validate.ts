/**
 * The order of the reasons to refuse a reading: the first one that applies is reported. One refused reading never causes
 * another to be refused.
 *
 * 1. `validateReading` below checks a reading by itself: whether it could be read, its time, future, age, channels, values
 *    and location. Then it refuses a time that the call has already.
 * 2. The ingestion looks up which readings are stored (dedup.ts). These are duplicates, not refusals.
 * 3. `reserveDay` below counts the readings that are left against the enterprise's daily limit, and refuses the excess.
 *    If the limit is used up before the call, `refusalOf` refuses the call as a whole.
 *
 * scan.ts does step 1 faster for a call whose readings are all valid, and leaves every other call to this file.
 */
import { AppError, fieldError, MAX_READINGS } from '../errors.ts'
import type { FieldText } from '../field-texts/bilingual.ts'
import { fieldText } from '../field-texts/field-text.ts'
import { JsonTextError, parseJson, withoutByteOrderMark } from '../json-text.ts'
import { FUTURE_TOLERANCE_MS } from '../stores/future-tolerance.ts'
import { oldestKeptMs } from '../stores/retention.ts'
import {
  appendReading,
  appendRefusal,
  type Batch,
  type Measurement,
  OUTCOME,
  type Refusal,
  resetBatch,
  type SensorProfile,
} from './batch.ts'
import type { DayCounts } from './day-counts.ts'
import { scanBatch } from './scan.ts'
import { formatTimestamp, MS_PER_DAY, parseTimestamp } from './timestamp.ts'

/** In the order of the checks. */
export const REASONS = [
  'SENSOR_READING_UNREADABLE',
  'SENSOR_READING_AT_INVALID',
  'SENSOR_READING_IN_FUTURE',
  'SENSOR_READING_TOO_OLD',
  'SENSOR_READING_UNKNOWN_CHANNEL',
  'SENSOR_READING_BAD_VALUE',
  'SENSOR_READING_LOCATION',
  'SENSOR_READING_DUPLICATE_IN_BATCH',
  'SENSOR_READINGS_DAILY_LIMIT',
] as const
export type Reason = (typeof REASONS)[number]
export type Refused = Refusal & { reason: Reason }

/** Readings that do not come as a JSON list: another format, or another way than a sensor's call. */
export type ReadingsSource = {
  /**
   * Appends the outcome of each reading to the batch, which is empty. Times are in milliseconds since 1970, inclusive.
   * @throws AppError when the whole call is refused
   */
  fill(profile: SensorProfile, batch: Batch, oldestMs: number, newestMs: number): void
  /** Reading number `index` of the batch as it was sent: a text, or a value with `at`. Called after `fill`. */
  sent(index: number): unknown
}

export type ReadingsCall = {
  profile: SensorProfile
  readingsPerDay: number
  /** As it was sent. */
  body: Uint8Array
  /** What reads `body`; without it, `body` is JSON. */
  source?: ReadingsSource | undefined
  nowMs: number
  /** An upload by a person, which does not count as a call of the sensor. */
  isUpload?: boolean
  /** It does not count against the sensor's calls of a minute: another limit applies. */
  isUncounted?: boolean
}

/**
 * A valid batch has three lists and objects for each reading. An invalid reading may have more, however nested: it is
 * refused alone.
 */
const MAX_ITEMS = 20_000
/** A sensor has 256 channels at most; invalid readings may name others. */
const MAX_NAMES = 5_000
/**
 * Of a body, and of a reading that is parsed by itself. One reading never causes others to be refused, so a member may be
 * there twice.
 */
export const READING_LIMITS = { maxNesting: MAX_ITEMS, maxItems: MAX_ITEMS, maxNames: MAX_NAMES, allowsRepeats: true }

/** Validates the readings; returns the error if the whole request is refused. */
export function refusalOf(call: ReadingsCall, batch: Batch, counts: Pick<DayCounts, 'used'>): AppError | undefined {
  try {
    if (call.source === undefined) validateBody(call.body, call.profile, batch, call.nowMs)
    else fillFrom(call.source, call.profile, batch, call.nowMs)
  } catch (error) {
    if (error instanceof AppError) return error
    throw error
  }
  const spent = counts.used(call.profile.enterprise, call.nowMs) >= call.readingsPerDay
  return spent ? daySpent(call.nowMs) : undefined
}

function fillFrom(source: ReadingsSource, profile: SensorProfile, batch: Batch, nowMs: number): void {
  resetBatch(batch, nowMs)
  source.fill(profile, batch, oldestKeptMs(profile.retentionDays, nowMs), nowMs + FUTURE_TOLERANCE_MS)
}

/**
 * Fills `batch` with the outcomes of the body's readings. `nowMs` is when the request arrived.
 * @throws AppError SENSOR_READINGS_BATCH_INVALID unless the body is JSON with a list of 1 to MAX_READINGS in `readings`
 */
export function validateBody(
  sent: Uint8Array,
  profile: SensorProfile,
  batch: Batch,
  nowMs: number,
  ignoresUnknown = false,
): void {
  const body = withoutByteOrderMark(sent)
  const oldestMs = oldestKeptMs(profile.retentionDays, nowMs)
  const newestMs = nowMs + FUTURE_TOLERANCE_MS
  resetBatch(batch, nowMs)
  if (scanBatch(body, profile, batch, oldestMs, newestMs)) return
  resetBatch(batch, nowMs)
  validateReadings(parseReadings(body), profile, batch, oldestMs, newestMs, ignoresUnknown)
}

export function parseReadings(body: Uint8Array): unknown[] {
  const parsed = readJsonText(() => parseJson(body, READING_LIMITS))
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed))
    throw batchInvalid('body', 'type', fieldText('readingsObject'))
  const readings = (parsed as { readings?: unknown }).readings
  if (!Array.isArray(readings)) throw batchInvalid('readings', 'type', fieldText('readings', { most: MAX_READINGS }))
  if (readings.length < 1 || readings.length > MAX_READINGS)
    throw batchInvalid('readings', 'length', fieldText('readingCount', { most: MAX_READINGS, count: readings.length }))
  return readings
}

/** @throws AppError SENSOR_READINGS_BATCH_INVALID where `read` throws a JsonTextError */
export function readJsonText<T>(read: () => T): T {
  try {
    return read()
  } catch (cause) {
    if (!(cause instanceof JsonTextError)) throw cause
    throw batchInvalid('body', cause.rule, cause.text, cause)
  }
}

export function batchInvalid(field: string, rule: string, text: FieldText, cause?: unknown): AppError {
  return new AppError('SENSOR_READINGS_BATCH_INVALID', { errors: [fieldError(field, rule, text)], cause })
}

/** A part of a body that could not be read as a reading, to be given to `validateReadings` in its place. */
export class Unreadable {
  /** Counted from 1. */
  readonly line: number
  readonly text: string
  constructor(line: number, text: string) {
    this.line = line
    this.text = text
  }
}

/** Channels that were left out of the readings of a call and are listed: a call may name a hundred thousand. */
export const MAX_LEFT_OUT = 5_000

/** Channels that were left out are listed after the outcomes of the readings. */
export function validateReadings(
  readings: readonly unknown[],
  profile: SensorProfile,
  batch: Batch,
  oldestMs: number,
  newestMs: number,
  ignoresUnknown = false,
): void {
  const timesInBatch = new Set<number>()
  const leftOut: Refused[] = []
  for (const reading of readings) {
    const parts = ignoresUnknown
      ? withoutUnknown(reading, profile, MAX_LEFT_OUT - leftOut.length)
      : { known: reading, leftOut: [] }
    const refusal = validateReading(parts.known, profile, batch, oldestMs, newestMs, timesInBatch)
    if (refusal !== undefined) appendRefusal(batch, refusal)
    else for (const channel of parts.leftOut) leftOut.push(channel)
  }
  for (const refusal of leftOut) appendRefusal(batch, refusal)
}

/**
 * A reading without the channels that the sensor lacks, unless nothing would be left of it.
 * @param most number of these channels in `leftOut`
 */
export function withoutUnknown(
  sent: unknown,
  profile: SensorProfile,
  most = MAX_LEFT_OUT,
): { known: unknown; leftOut: Refused[] } {
  const as = { known: sent, leftOut: [] }
  if (typeof sent !== 'object' || sent === null || Array.isArray(sent)) return as
  const { at, values, location } = sent as { at?: unknown; values?: unknown; location?: unknown }
  if (typeof values !== 'object' || values === null || Array.isArray(values)) return as
  const known: [name: string, value: unknown][] = []
  const leftOut: Refused[] = []
  let unknown = 0
  for (const name of Object.keys(values))
    if (profile.byName.has(name)) known.push([name, (values as Record<string, unknown>)[name]])
    else if (unknown++ < most) leftOut.push({ at: echoed(at), reason: 'SENSOR_READING_UNKNOWN_CHANNEL', channel: name })
  if (unknown === 0 || (known.length === 0 && location === undefined)) return as
  return { known: { at, values: Object.fromEntries(known), ...(location !== undefined && { location }) }, leftOut }
}

/** Appends the reading to the batch, or returns why it is refused. `timesInBatch` has the times of earlier readings. */
export function validateReading(
  reading: unknown,
  profile: SensorProfile,
  batch: Batch,
  oldestMs: number,
  newestMs: number,
  timesInBatch: Set<number>,
): Refused | undefined {
  if (reading instanceof Unreadable) return { at: null, reason: 'SENSOR_READING_UNREADABLE', line: reading.line }
  if (typeof reading !== 'object' || reading === null || Array.isArray(reading))
    return { at: null, reason: 'SENSOR_READING_AT_INVALID' }
  const { at, values, location } = reading as { at?: unknown; values?: unknown; location?: unknown }
  if (typeof at !== 'string') return { at: echoed(at), reason: 'SENSOR_READING_AT_INVALID' }
  const atMs = parseTimestamp(at)
  const timeReason = timeReasonOf(atMs, oldestMs, newestMs)
  if (timeReason !== undefined) return { at, reason: timeReason }

  let valueCount = 0
  if (values !== undefined) {
    if (typeof values !== 'object' || values === null || Array.isArray(values))
      return { at, reason: 'SENSOR_READING_BAD_VALUE' }
    const names = Object.keys(values)
    for (const name of names)
      if (!profile.byName.has(name)) return { at, reason: 'SENSOR_READING_UNKNOWN_CHANNEL', channel: name }
    for (const name of names) {
      const channel = profile.byName.get(name) as SensorProfile['channels'][number]
      const number = asNumber((values as Record<string, unknown>)[name], channel.measurement)
      if (number === undefined) return { at, reason: 'SENSOR_READING_BAD_VALUE' }
      batch.channelNumbers[valueCount] = channel.number
      batch.values[valueCount] = number
      valueCount++
    }
  }
  return addReading(batch, profile, { at, atMs, location }, valueCount, timesInBatch)
}

/**
 * Appends a reading whose time and values are checked. The values are the first `valueCount` of the batch's fields.
 * @returns why it is refused instead
 */
export function addReading(
  batch: Batch,
  profile: SensorProfile,
  { at, atMs, location }: { at: string; atMs: number; location: unknown },
  valueCount: number,
  timesInBatch: Set<number>,
): Refused | undefined {
  if (valueCount === 0 && location === undefined) return { at, reason: 'SENSOR_READING_BAD_VALUE' }

  let longitude = Number.NaN
  let latitude = Number.NaN
  if (location !== undefined) {
    if (!isLonLat(location)) return { at, reason: 'SENSOR_READING_LOCATION' }
    ;[longitude, latitude] = location
  }
  if (timesInBatch.has(atMs)) return { at, reason: 'SENSOR_READING_DUPLICATE_IN_BATCH' }
  // Only now, so that a refused reading does not block a valid one with the same timestamp.
  timesInBatch.add(atMs)
  appendReading(batch, profile, atMs, valueCount, longitude, latitude)
  return undefined
}

/** @param atMs NaN for what is not a time */
export function timeReasonOf(atMs: number, oldestMs: number, newestMs: number): Reason | undefined {
  if (Number.isNaN(atMs)) return 'SENSOR_READING_AT_INVALID'
  if (atMs > newestMs) return 'SENSOR_READING_IN_FUTURE'
  if (atMs < oldestMs) return 'SENSOR_READING_TOO_OLD'
  return undefined
}

export function echoed(at: unknown): Refusal['at'] {
  return typeof at === 'string' || typeof at === 'number' || typeof at === 'boolean' ? at : null
}

/** The value as a Float64 (exact for all measurements); undefined if its type does not match its measurement. */
export function asNumber(value: unknown, measurement: Measurement): number | undefined {
  if (measurement === 'boolean') return typeof value === 'boolean' ? Number(value) : undefined
  if (typeof value !== 'number' || !Number.isFinite(value)) return undefined
  if (measurement === 'whole' && !Number.isSafeInteger(value)) return undefined
  return value
}

export function isLonLat(location: unknown): location is [number, number] {
  if (!Array.isArray(location) || location.length !== 2) return false
  const [longitude, latitude] = location
  return (
    typeof longitude === 'number' &&
    typeof latitude === 'number' &&
    longitude >= -180 &&
    longitude <= 180 &&
    latitude >= -90 &&
    latitude <= 90
  )
}

/** Counts the batch's new readings against the daily limit and refuses the excess. Returns the number that stay new. */
export function reserveDay(counts: DayCounts, call: ReadingsCall, batch: Batch): number | Promise<number> {
  let fresh = 0
  for (let i = 0; i < batch.count; i++) if (batch.outcomes[i] === OUTCOME.NEW) fresh++
  const granting = counts.reserve(call.profile.enterprise, fresh, call.readingsPerDay, call.nowMs)
  if (typeof granting === 'number') return refuseBeyond(granting, fresh, call, batch)
  return granting.then((granted) => {
    // other instances had used up the limit before this request
    if (granted === 0 && fresh > 0) throw daySpent(call.nowMs)
    return refuseBeyond(granted, fresh, call, batch)
  })
}

function refuseBeyond(granted: number, fresh: number, call: ReadingsCall, batch: Batch): number {
  if (granted === fresh) return granted
  // a refusal repeats `at` as it was sent; the batch holds only the parsed time
  const sent = call.source === undefined ? parseReadings(call.body) : undefined
  let left = granted
  // refusals have the order of the outcomes
  const before = batch.refused
  batch.refused = []
  let next = 0
  for (let i = 0; i < batch.count; i++) {
    if (batch.outcomes[i] === OUTCOME.REFUSED) batch.refused.push(before[next++] as Refused)
    if (batch.outcomes[i] !== OUTCOME.NEW || left-- > 0) continue
    batch.outcomes[i] = OUTCOME.REFUSED
    const reading = sent === undefined ? call.source?.sent(i) : sent[i]
    const at = atSent(reading) ?? formatTimestamp(batch.times[i] as number)
    const refused: Refused = { at, reason: 'SENSOR_READINGS_DAILY_LIMIT' }
    batch.refused.push(refused)
  }
  return granted
}

function atSent(reading: unknown): string | undefined {
  const { at } = (reading ?? {}) as { at?: unknown }
  return typeof at === 'string' ? at : undefined
}

export function daySpent(nowMs: number): AppError {
  const untilMidnightMs = MS_PER_DAY - (nowMs % MS_PER_DAY)
  return new AppError('SENSOR_READINGS_DAILY_LIMIT', { retryAfterS: Math.ceil(untilMidnightMs / 1000) })
}
