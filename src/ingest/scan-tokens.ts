/**
 * Reads the tokens of a batch from its bytes: whitespace, numbers, times. Each function takes the start offset and
 * returns the end offset, or -1 if the bytes are not such a token; the value is in `found`.
 */
import { daysFromCivil, daysInMonth, MS_PER_DAY } from './timestamp.ts'

export const QUOTE = 34
export const COMMA = 44
const MINUS = 45
const DOT = 46
const ZERO = 48
export const COLON = 58
export const OPEN_LIST = 91
export const CLOSE_LIST = 93
export const OPEN_OBJECT = 123
export const CLOSE_OBJECT = 125

export const ascii = (text: string): Uint8Array => new TextEncoder().encode(text)
/** Names of members as they are usually written, and words. */
export const READINGS = ascii('"readings"')
export const AT = ascii('"at"')
export const VALUES = ascii('"values"')
export const LOCATION = ascii('"location"')
export const TRUE = ascii('true')
export const FALSE = ascii('false')

const POWERS_OF_TEN = Float64Array.from({ length: 23 }, (_, i) => Number(`1e${i}`))

/** Longer ones are left to the parser, which is faster for them. */
const MAX_NUMBER_BYTES = 1_000

export const found = { number: 0, time: 0, values: 0, longitude: 0, latitude: 0 }

export function skipSpace(bytes: Uint8Array, start: number): number {
  let p = start
  for (;;) {
    const c = bytes[p]
    if (c === 32 || c === 10 || c === 13 || c === 9) p++
    else return p
  }
}

/**
 * A JSON number. If the digits form an integer below 2^53 with at most 22 decimals, one division of two exact numbers
 * rounds correctly (W. D. Clinger, "How to Read Floating Point Numbers Accurately", 1990). The JavaScript engine
 * converts numbers with more digits or an exponent.
 */
export function scanNumber(bytes: Uint8Array, start: number): number {
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
    if (p - start > MAX_NUMBER_BYTES) return -1
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

/** Two decimal digits at p; a number above 99 if they are not digits. */
function twoDigits(bytes: Uint8Array, p: number): number {
  const tens = ((bytes[p] as number) - ZERO) >>> 0
  const ones = ((bytes[p + 1] as number) - ZERO) >>> 0
  return tens > 9 || ones > 9 ? 1000 : tens * 10 + ones
}

/** A quoted RFC 3339 date-time, including its quotes. */
export function scanTimestamp(bytes: Uint8Array, start: number): number {
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

export function bytesAt(bytes: Uint8Array, p: number, expected: Uint8Array): boolean {
  for (let i = 0; i < expected.length; i++) if (bytes[p + i] !== expected[i]) return false
  return true
}

/** The offset after a colon and the whitespace around it, or -1. */
export function scanColon(bytes: Uint8Array, start: number): number {
  const p = skipSpace(bytes, start)
  return bytes[p] === COLON ? skipSpace(bytes, p + 1) : -1
}

/** The range of degrees is checked as well. */
export function scanLocation(bytes: Uint8Array, start: number): number {
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
