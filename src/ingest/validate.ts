/**
 * Validates a batch reading by reading, in the order of the specification's reasons: time, future, age, channel, value,
 * location, duplicate in the batch. One invalid reading never causes another to be refused.
 */
import { AppError, fieldError, MAX_READINGS } from '../errors.ts'
import { type FieldText, fieldText } from '../field-texts/field-text.ts'
import { JsonTextError, parseJson, withoutByteOrderMark } from '../json-text.ts'
import {
  appendReading,
  appendRefusal,
  type Batch,
  type Measurement,
  type Refusal,
  resetBatch,
  type SensorProfile,
} from './batch.ts'
import { scanBatch } from './scan.ts'
import { MS_PER_DAY, parseTimestamp } from './timestamp.ts'

/** How far a sensor's clock may be ahead. */
export const FUTURE_TOLERANCE_MS = 600_000

/**
 * A valid batch has three lists and objects for each reading. An invalid reading may have more, however nested: it is
 * refused alone.
 */
const MAX_ITEMS = 20_000
/** A sensor has 256 channels at most; invalid readings may name others. */
const MAX_NAMES = 5_000

/**
 * Fills `batch` with the outcomes of the body's readings. `nowMs` is when the request arrived.
 * @throws AppError SENSOR_READINGS_BATCH_INVALID unless the body is JSON with a list of 1 to MAX_READINGS in `readings`
 */
export function validateBody(sent: Uint8Array, profile: SensorProfile, batch: Batch, nowMs: number): void {
  const body = withoutByteOrderMark(sent)
  const oldestMs = nowMs - profile.retentionDays * MS_PER_DAY
  const newestMs = nowMs + FUTURE_TOLERANCE_MS
  resetBatch(batch, nowMs)
  if (scanBatch(body, profile, batch, oldestMs, newestMs)) return
  resetBatch(batch, nowMs)
  validateReadings(parseReadings(body), profile, batch, oldestMs, newestMs)
}

export function parseReadings(body: Uint8Array): unknown[] {
  let parsed: unknown
  try {
    // one reading never causes others to be refused
    const limits = { maxNesting: MAX_ITEMS, maxItems: MAX_ITEMS, maxNames: MAX_NAMES, allowsRepeats: true }
    parsed = parseJson(body, limits)
  } catch (cause) {
    if (!(cause instanceof JsonTextError)) throw cause
    throw batchInvalid('body', cause.rule, cause.text, cause)
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed))
    throw batchInvalid('body', 'type', 'must be a JSON object with the member "readings"')
  const readings = (parsed as { readings?: unknown }).readings
  if (!Array.isArray(readings)) throw batchInvalid('readings', 'type', fieldText('readings', { most: MAX_READINGS }))
  if (readings.length < 1 || readings.length > MAX_READINGS)
    throw batchInvalid('readings', 'length', fieldText('readingCount', { most: MAX_READINGS, count: readings.length }))
  return readings
}

function batchInvalid(field: string, rule: string, text: string | FieldText, cause?: unknown): AppError {
  return new AppError('SENSOR_READINGS_BATCH_INVALID', { errors: [fieldError(field, rule, text)], cause })
}

export function validateReadings(
  readings: readonly unknown[],
  profile: SensorProfile,
  batch: Batch,
  oldestMs: number,
  newestMs: number,
): void {
  const timesInBatch = new Set<number>()
  for (const reading of readings) {
    const refusal = validateReading(reading, profile, batch, oldestMs, newestMs, timesInBatch)
    if (refusal !== undefined) appendRefusal(batch, refusal)
  }
}

function validateReading(
  reading: unknown,
  profile: SensorProfile,
  batch: Batch,
  oldestMs: number,
  newestMs: number,
  timesInBatch: Set<number>,
): Refusal | undefined {
  if (typeof reading !== 'object' || reading === null || Array.isArray(reading))
    return { at: null, reason: 'SENSOR_READING_AT_INVALID' }
  const { at, values, location } = reading as { at?: unknown; values?: unknown; location?: unknown }
  if (typeof at !== 'string') return { at: echoed(at), reason: 'SENSOR_READING_AT_INVALID' }
  const atMs = parseTimestamp(at)
  if (Number.isNaN(atMs)) return { at, reason: 'SENSOR_READING_AT_INVALID' }
  if (atMs > newestMs) return { at, reason: 'SENSOR_READING_IN_FUTURE' }
  if (atMs < oldestMs) return { at, reason: 'SENSOR_READING_TOO_OLD' }

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

function echoed(at: unknown): Refusal['at'] {
  return typeof at === 'number' || typeof at === 'boolean' ? at : null
}

/** The value as a Float64 (exact for all measurements); undefined if its type does not match its measurement. */
function asNumber(value: unknown, measurement: Measurement): number | undefined {
  if (measurement === 'boolean') return typeof value === 'boolean' ? Number(value) : undefined
  if (typeof value !== 'number' || !Number.isFinite(value)) return undefined
  if (measurement === 'whole' && !Number.isSafeInteger(value)) return undefined
  return value
}

function isLonLat(location: unknown): location is [number, number] {
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
