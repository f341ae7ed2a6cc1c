/**
 * Fast path of validation: reads a batch directly from the bytes of its body, without creating a JavaScript object for
 * each reading.
 *
 * It handles only `{"readings":[{"at":…,"values":{…},"location":[…]}, …]}`, with members in any order, and only if
 * every reading is valid. At the first byte that is anything else (an invalid reading, an escape, an unknown member, times
 * that do not ascend) it gives up and validate.ts starts again with JSON.parse. A test checks that both give the same
 * outcome for the same bytes.
 */
import { MAX_READINGS } from '../errors.ts'
import { appendReading, type Batch, type SensorProfile } from './batch.ts'
import { beginReading, channelAt } from './channel-order.ts'
import {
  AT,
  bytesAt,
  CLOSE_LIST,
  CLOSE_OBJECT,
  COMMA,
  FALSE,
  found,
  LOCATION,
  OPEN_LIST,
  OPEN_OBJECT,
  READINGS,
  scanColon,
  scanLocation,
  scanNumber,
  scanTimestamp,
  skipSpace,
  TRUE,
  VALUES,
} from './scan-tokens.ts'

function scanValues(bytes: Uint8Array, start: number, profile: SensorProfile, batch: Batch): number {
  if (bytes[start] !== OPEN_OBJECT) return -1
  const { channels, quotedNames } = profile
  let count = 0
  let p = skipSpace(bytes, start + 1)
  if (bytes[p] === CLOSE_OBJECT) {
    found.values = 0
    return p + 1
  }
  for (;;) {
    const index = channelAt(bytes, p, profile, count)
    if (index < 0) return -1
    const channel = channels[index] as SensorProfile['channels'][number]
    p = scanColon(bytes, p + (quotedNames[index] as Uint8Array).length)
    if (p < 0) return -1
    if (channel.measurement === 'boolean') {
      if (bytesAt(bytes, p, TRUE)) {
        found.number = 1
        p += 4
      } else if (bytesAt(bytes, p, FALSE)) {
        found.number = 0
        p += 5
      } else return -1
    } else {
      p = scanNumber(bytes, p)
      if (p < 0 || (channel.measurement === 'whole' && !Number.isSafeInteger(found.number))) return -1
    }
    batch.channelNumbers[count] = channel.number
    batch.values[count] = found.number
    count++
    p = skipSpace(bytes, p)
    const c = bytes[p]
    if (c === COMMA) p = skipSpace(bytes, p + 1)
    else if (c === CLOSE_OBJECT) {
      found.values = count
      return p + 1
    } else return -1
  }
}

/**
 * Appends the valid reading at `start`. Returns the offset after it, or -1 if validate.ts must read it.
 * @param afterMs time of the reading before
 */
function scanReading(
  bytes: Uint8Array,
  start: number,
  profile: SensorProfile,
  batch: Batch,
  afterMs: number,
  oldestMs: number,
  newestMs: number,
): number {
  if (bytes[start] !== OPEN_OBJECT) return -1
  beginReading()
  let atMs = Number.NaN
  let valueCount = -1
  let longitude = Number.NaN
  let latitude = Number.NaN
  let p = skipSpace(bytes, start + 1)
  for (;;) {
    if (bytesAt(bytes, p, AT)) {
      if (!Number.isNaN(atMs)) return -1
      p = scanColon(bytes, p + AT.length)
      if (p < 0) return -1
      p = scanTimestamp(bytes, p)
      if (p < 0) return -1
      atMs = found.time
    } else if (bytesAt(bytes, p, VALUES)) {
      if (valueCount >= 0) return -1
      p = scanColon(bytes, p + VALUES.length)
      if (p < 0) return -1
      p = scanValues(bytes, p, profile, batch)
      if (p < 0) return -1
      valueCount = found.values
    } else if (bytesAt(bytes, p, LOCATION)) {
      if (!Number.isNaN(longitude)) return -1
      p = scanColon(bytes, p + LOCATION.length)
      if (p < 0) return -1
      p = scanLocation(bytes, p)
      if (p < 0) return -1
      longitude = found.longitude
      latitude = found.latitude
    } else return -1
    p = skipSpace(bytes, p)
    const c = bytes[p]
    if (c === COMMA) p = skipSpace(bytes, p + 1)
    else if (c === CLOSE_OBJECT) break
    else return -1
  }
  // written so that NaN, a missing time, fails too
  if (!(atMs > afterMs && atMs >= oldestMs && atMs <= newestMs)) return -1
  if (valueCount <= 0 && Number.isNaN(longitude)) return -1
  appendReading(batch, profile, atMs, Math.max(0, valueCount), longitude, latitude)
  return p + 1
}

/**
 * Fills `batch` from the body and returns true if every reading is valid. Returns false if validate.ts must parse the
 * body; the batch is then in an undefined state. Times are in milliseconds since 1970, inclusive.
 */
export function scanBatch(
  bytes: Uint8Array,
  profile: SensorProfile,
  batch: Batch,
  oldestMs: number,
  newestMs: number,
): boolean {
  let p = skipSpace(bytes, 0)
  if (bytes[p] !== OPEN_OBJECT) return false
  p = skipSpace(bytes, p + 1)
  if (!bytesAt(bytes, p, READINGS)) return false
  p = scanColon(bytes, p + READINGS.length)
  if (p < 0 || bytes[p] !== OPEN_LIST) return false
  p = skipSpace(bytes, p + 1)
  let lastTime = Number.NEGATIVE_INFINITY
  for (;;) {
    if (batch.count === MAX_READINGS) return false
    p = scanReading(bytes, p, profile, batch, lastTime, oldestMs, newestMs)
    if (p < 0) return false
    lastTime = batch.times[batch.count - 1] as number
    p = skipSpace(bytes, p)
    const c = bytes[p]
    if (c === COMMA) p = skipSpace(bytes, p + 1)
    else if (c === CLOSE_LIST) break
    else return false
  }
  p = skipSpace(bytes, p + 1)
  return bytes[p] === CLOSE_OBJECT && skipSpace(bytes, p + 1) === bytes.length
}

/** As `scanBatch`, of a body that is one reading. */
export function scanOne(
  bytes: Uint8Array,
  profile: SensorProfile,
  batch: Batch,
  oldestMs: number,
  newestMs: number,
): boolean {
  const start = skipSpace(bytes, 0)
  const end = scanReading(bytes, start, profile, batch, Number.NEGATIVE_INFINITY, oldestMs, newestMs)
  return end >= 0 && skipSpace(bytes, end) === bytes.length
}
