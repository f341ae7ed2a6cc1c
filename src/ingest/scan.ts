/**
 * Judges a batch straight from the bytes of its body, without building a JavaScript object for each reading.
 *
 * It knows the one shape that fleets send, `{"readings":[{"at":…,"values":{…},"location":[…]}, …]}` with members in
 * any order, and only the case in which every reading is good. At the first byte that is anything else (a refusal,
 * an escape, an unknown member, times that do not ascend) it gives up and judge.ts starts over from JSON.parse, so
 * this file decides nothing on its own: a test holds both to the same outcome on the same bytes.
 */
import { appendReading, type Batch, MAX_READINGS, type SensorProfile } from './batch.ts'
import { daysFromCivil, daysInMonth, MS_PER_DAY } from './timestamp.ts'

const QUOTE = 34
const COMMA = 44
const MINUS = 45
const DOT = 46
const ZERO = 48
const COLON = 58
const OPEN_LIST = 91
const CLOSE_LIST = 93
const OPEN_OBJECT = 123
const CLOSE_OBJECT = 125

const POWERS_OF_TEN = Float64Array.from({ length: 23 }, (_, i) => Number(`1e${i}`))

// What the scanning functions found; they return where they stopped, or -1.
const found = { number: 0, time: 0, values: 0, longitude: 0, latitude: 0 }

function skipSpace(bytes: Uint8Array, start: number): number {
  let p = start
  for (;;) {
    const c = bytes[p]
    if (c === 32 || c === 10 || c === 13 || c === 9) p++
    else return p
  }
}

/**
 * A JSON number. Digits that make a whole number below 2^53, and at most 22 decimals: one division of two exactly
 * held numbers rounds correctly (W. D. Clinger, "How to Read Floating Point Numbers Accurately", 1990). More digits,
 * or an exponent, go to the engine's own conversion.
 */
function scanNumber(bytes: Uint8Array, start: number): number {
  let p = start
  const negative = bytes[p] === MINUS
  if (negative) p++
  let mantissa = 0
  let c = (bytes[p] as number) - ZERO
  const integerStart = p
  while (c >= 0 && c <= 9) {
    mantissa = mantissa * 10 + c
    c = (bytes[++p] as number) - ZERO
  }
  const digits = p - integerStart
  if (digits === 0 || (digits > 1 && bytes[integerStart] === ZERO)) return -1
  let decimals = 0
  let plain = true
  if (c === DOT - ZERO) {
    const fractionStart = ++p
    c = (bytes[p] as number) - ZERO
    while (c >= 0 && c <= 9) {
      mantissa = mantissa * 10 + c
      c = (bytes[++p] as number) - ZERO
    }
    decimals = p - fractionStart
    if (decimals === 0) return -1
  }
  const after = bytes[p]
  if (after === 69 || after === 101) {
    p++
    if (bytes[p] === MINUS || bytes[p] === 43) p++
    const exponentStart = p
    c = (bytes[p] as number) - ZERO
    while (c >= 0 && c <= 9) c = (bytes[++p] as number) - ZERO
    if (p === exponentStart) return -1
    plain = false
  }
  if (!plain || decimals > 22 || mantissa > Number.MAX_SAFE_INTEGER) {
    let text = ''
    for (let i = start; i < p; i++) text += String.fromCharCode(bytes[i] as number)
    found.number = Number(text)
    return Number.isFinite(found.number) ? p : -1
  }
  const magnitude = decimals === 0 ? mantissa : mantissa / (POWERS_OF_TEN[decimals] as number)
  found.number = negative ? -magnitude : magnitude
  return p
}

let knownDate = -1
let knownDay = 0

/** Two decimal digits at p; something above 99 when they are not digits. */
function twoDigits(bytes: Uint8Array, p: number): number {
  const tens = ((bytes[p] as number) - ZERO) >>> 0
  const ones = ((bytes[p + 1] as number) - ZERO) >>> 0
  return tens > 9 || ones > 9 ? 1000 : tens * 10 + ones
}

/** A quoted RFC 3339 date-time, from its opening quote to after its closing one. */
function scanTimestamp(bytes: Uint8Array, start: number): number {
  let p = start + 1
  const century = twoDigits(bytes, p)
  const yearOfCentury = twoDigits(bytes, p + 2)
  const month = twoDigits(bytes, p + 5)
  const day = twoDigits(bytes, p + 8)
  const hour = twoDigits(bytes, p + 11)
  const minute = twoDigits(bytes, p + 14)
  const second = twoDigits(bytes, p + 17)
  if (
    bytes[start] !== QUOTE ||
    bytes[p + 4] !== MINUS ||
    bytes[p + 7] !== MINUS ||
    bytes[p + 10] !== 84 ||
    bytes[p + 13] !== COLON ||
    bytes[p + 16] !== COLON ||
    century > 99 ||
    yearOfCentury > 99 ||
    month > 12 ||
    day > 31 ||
    hour > 23 ||
    minute > 59 ||
    second > 59
  )
    return -1
  const date = ((century * 100 + yearOfCentury) * 16 + month) * 32 + day
  if (date !== knownDate) {
    const year = century * 100 + yearOfCentury
    if (month < 1 || day < 1 || day > daysInMonth(year, month)) return -1
    knownDay = daysFromCivil(year, month, day)
    knownDate = date
  }
  p += 19
  let ms = 0
  if (bytes[p] === DOT) {
    const fractionStart = ++p
    let c = (bytes[p] as number) - ZERO
    let weight = 100
    while (c >= 0 && c <= 9) {
      if (weight >= 1) {
        ms += c * weight
        weight = weight === 100 ? 10 : weight === 10 ? 1 : 0
      }
      c = (bytes[++p] as number) - ZERO
    }
    if (p === fractionStart) return -1
  }
  let offsetMinutes = 0
  const sign = bytes[p]
  if (sign === 90) p++
  else if (sign === 43 || sign === MINUS) {
    const offsetHour = twoDigits(bytes, p + 1)
    const offsetMinute = twoDigits(bytes, p + 4)
    if (bytes[p + 3] !== COLON || offsetHour > 23 || offsetMinute > 59) return -1
    offsetMinutes = (offsetHour * 60 + offsetMinute) * (sign === MINUS ? -1 : 1)
    p += 6
  } else return -1
  if (bytes[p] !== QUOTE) return -1
  found.time = knownDay * MS_PER_DAY + ((hour * 60 + minute - offsetMinutes) * 60 + second) * 1000 + ms
  return p + 1
}

function bytesAt(bytes: Uint8Array, p: number, expected: Uint8Array): boolean {
  for (let i = 0; i < expected.length; i++) if (bytes[p + i] !== expected[i]) return false
  return true
}

const ascii = (text: string): Uint8Array => new TextEncoder().encode(text)
const READINGS = ascii('"readings"')
const AT = ascii('"at"')
const VALUES = ascii('"values"')
const LOCATION = ascii('"location"')
const TRUE = ascii('true')
const FALSE = ascii('false')

/** After a member's name: past the colon and the spaces around it, or -1. */
function scanColon(bytes: Uint8Array, start: number): number {
  const p = skipSpace(bytes, start)
  return bytes[p] === COLON ? skipSpace(bytes, p + 1) : -1
}

// The order in which the last reading named its channels, by index into the profile: the next one mostly does the same.
const usualOrder = new Int32Array(256)
// The number of the reading that named a channel last, so that naming it twice is seen.
const namedIn = new Int32Array(256)
let readingNumber = 0

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
    let index = usualOrder[count] as number
    if (index >= channels.length || !bytesAt(bytes, p, quotedNames[index] as Uint8Array)) {
      index = 0
      while (index < channels.length && !bytesAt(bytes, p, quotedNames[index] as Uint8Array)) index++
      if (index === channels.length) return -1
      usualOrder[count] = index
    }
    if (namedIn[index] === readingNumber) return -1
    namedIn[index] = readingNumber
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

function scanLocation(bytes: Uint8Array, start: number): number {
  if (bytes[start] !== OPEN_LIST) return -1
  let p = scanNumber(bytes, skipSpace(bytes, start + 1))
  if (p < 0 || found.number < -180 || found.number > 180) return -1
  found.longitude = found.number
  p = skipSpace(bytes, p)
  if (bytes[p] !== COMMA) return -1
  p = scanNumber(bytes, skipSpace(bytes, p + 1))
  if (p < 0 || found.number < -90 || found.number > 90) return -1
  found.latitude = found.number
  p = skipSpace(bytes, p)
  return bytes[p] === CLOSE_LIST ? p + 1 : -1
}

/**
 * Fills `batch` from the body and returns true when every reading is good; returns false, with the batch in no
 * particular state, when the body must be judged the long way. Times in milliseconds since 1970, both included.
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
    if (bytes[p] !== OPEN_OBJECT || batch.count === MAX_READINGS) return false
    if (readingNumber === 0x7fffffff) {
      namedIn.fill(0)
      readingNumber = 0
    }
    readingNumber++
    let atMs = Number.NaN
    let valueCount = -1
    let longitude = Number.NaN
    let latitude = Number.NaN
    p = skipSpace(bytes, p + 1)
    for (;;) {
      if (bytesAt(bytes, p, AT)) {
        if (!Number.isNaN(atMs)) return false
        p = scanColon(bytes, p + AT.length)
        if (p < 0) return false
        p = scanTimestamp(bytes, p)
        if (p < 0) return false
        atMs = found.time
      } else if (bytesAt(bytes, p, VALUES)) {
        if (valueCount >= 0) return false
        p = scanColon(bytes, p + VALUES.length)
        if (p < 0) return false
        p = scanValues(bytes, p, profile, batch)
        if (p < 0) return false
        valueCount = found.values
      } else if (bytesAt(bytes, p, LOCATION)) {
        if (!Number.isNaN(longitude)) return false
        p = scanColon(bytes, p + LOCATION.length)
        if (p < 0) return false
        p = scanLocation(bytes, p)
        if (p < 0) return false
        longitude = found.longitude
        latitude = found.latitude
      } else return false
      p = skipSpace(bytes, p)
      const c = bytes[p]
      if (c === COMMA) p = skipSpace(bytes, p + 1)
      else if (c === CLOSE_OBJECT) break
      else return false
    }
    // written so that NaN, a missing time, fails too
    if (!(atMs > lastTime && atMs >= oldestMs && atMs <= newestMs)) return false
    if (valueCount <= 0 && Number.isNaN(longitude)) return false
    lastTime = atMs
    appendReading(batch, profile, atMs, Math.max(0, valueCount), longitude, latitude)
    p = skipSpace(bytes, p + 1)
    const c = bytes[p]
    if (c === COMMA) p = skipSpace(bytes, p + 1)
    else if (c === CLOSE_LIST) break
    else return false
  }
  p = skipSpace(bytes, p + 1)
  return bytes[p] === CLOSE_OBJECT && skipSpace(bytes, p + 1) === bytes.length
}
