/**
 * Converts RFC 3339 date-times to milliseconds since 1970 and back without Date: at a million readings per second
 * Date.parse and toISOString would take most of the CPU time. Days are counted with the civil-calendar algorithm of
 * Howard Hinnant's "chrono-Compatible Low-Level Date Algorithms" (proleptic Gregorian calendar).
 */

export const MS_PER_DAY = 86_400_000

/** Days from 1970-01-01 to a civil date; month 1 to 12, day 1 to 31. */
export function daysFromCivil(year: number, month: number, day: number): number {
  const y = month <= 2 ? year - 1 : year
  const era = Math.floor(y / 400)
  const yearOfEra = y - era * 400
  const dayOfYear = Math.floor((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5) + day - 1
  const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear
  return era * 146_097 + dayOfEra - 719_468
}

const DAYS_IN_MONTH = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]

export function daysInMonth(year: number, month: number): number {
  const leap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0
  return month === 2 && leap ? 29 : (DAYS_IN_MONTH[month - 1] ?? 0)
}

// date, T, time with seconds, optional fraction of any length, Z or offset; RFC 3339 section 5.6, whose ABNF is
// case-insensitive. A leap second (:60) cannot be expressed in milliseconds since 1970 and is refused.
const RFC_3339 = /^(\d{4})-(\d{2})-(\d{2})[Tt](\d{2}):(\d{2}):(\d{2})(?:\.(\d+))?(?:[Zz]|([+-])(\d{2}):(\d{2}))$/

/** `parseTimestamp` for the query of a URL, in which an unescaped plus sign of an offset is decoded as a space. */
export const parseQueryTimestamp = (text: string): number =>
  parseTimestamp(text.replace(/(?<=T\S+) (?=\d\d:\d\d$)/, '+'))

/**
 * Milliseconds since 1970 of an RFC 3339 date-time with seconds and an offset; a longer fraction is truncated to
 * milliseconds. NaN for anything else.
 */
export function parseTimestamp(text: string): number {
  const m = RFC_3339.exec(text)
  if (m === null) return Number.NaN
  const year = Number(m[1])
  const month = Number(m[2])
  const day = Number(m[3])
  const hour = Number(m[4])
  const minute = Number(m[5])
  const second = Number(m[6])
  if (month < 1 || month > 12 || day < 1 || day > daysInMonth(year, month)) return Number.NaN
  if (hour > 23 || minute > 59 || second > 59) return Number.NaN
  const ms = m[7] === undefined ? 0 : Number(m[7].slice(0, 3).padEnd(3, '0'))
  let offsetMinutes = 0
  if (m[8] !== undefined) {
    const offsetHour = Number(m[9])
    const offsetMinute = Number(m[10])
    if (offsetHour > 23 || offsetMinute > 59) return Number.NaN
    offsetMinutes = (offsetHour * 60 + offsetMinute) * (m[8] === '-' ? -1 : 1)
  }
  return daysFromCivil(year, month, day) * MS_PER_DAY + ((hour * 60 + minute - offsetMinutes) * 60 + second) * 1000 + ms
}

// The last minute written, as `YYYY-MM-DDTHH:MM:`; most readings of a batch share it.
let writtenMinute = Number.NaN
const minuteText = new TextEncoder().encode('YYYY-MM-DDTHH:MM:')

function writeTwo(offset: number, n: number): void {
  const tens = Math.floor(n / 10)
  minuteText[offset] = 48 + tens
  minuteText[offset + 1] = 48 + n - tens * 10
}

function writeMinute(minute: number): void {
  // civil_from_days from the same source
  const day = Math.floor(minute / 1440)
  const z = day + 719_468
  const era = Math.floor(z / 146_097)
  const dayOfEra = z - era * 146_097
  const yearOfEra = Math.floor(
    (dayOfEra - Math.floor(dayOfEra / 1460) + Math.floor(dayOfEra / 36_524) - Math.floor(dayOfEra / 146_096)) / 365,
  )
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100))
  const mp = Math.floor((5 * dayOfYear + 2) / 153)
  const date = dayOfYear - Math.floor((153 * mp + 2) / 5) + 1
  const month = mp < 10 ? mp + 3 : mp - 9
  const year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
  const inDay = minute - day * 1440
  writeTwo(0, Math.floor(year / 100))
  writeTwo(2, year % 100)
  writeTwo(5, month)
  writeTwo(8, date)
  writeTwo(11, Math.floor(inDay / 60))
  writeTwo(14, inDay % 60)
  writtenMinute = minute
}

/** Writes `YYYY-MM-DDTHH:MM:SS.sssZ` (24 bytes of ASCII) at `offset`; years 0000 to 9999. */
export function writeTimestamp(target: Uint8Array, offset: number, ms: number): void {
  const minute = Math.floor(ms / 60_000)
  if (minute !== writtenMinute) writeMinute(minute)
  for (let i = 0; i < 17; i++) target[offset + i] = minuteText[i] as number
  const inMinute = (ms - minute * 60_000) | 0
  const second = (inMinute / 1000) | 0
  const milli = inMinute - second * 1000
  const s10 = (second / 10) | 0
  const f100 = (milli / 100) | 0
  const rest = milli - f100 * 100
  const f10 = (rest / 10) | 0
  target[offset + 17] = 48 + s10
  target[offset + 18] = 48 + second - s10 * 10
  target[offset + 19] = 46
  target[offset + 20] = 48 + f100
  target[offset + 21] = 48 + f10
  target[offset + 22] = 48 + rest - f10 * 10
  target[offset + 23] = 90
}

const TWO_DIGITS = Array.from({ length: 60 }, (_, n) => String(n).padStart(2, '0'))
const THREE_DIGITS = Array.from({ length: 1000 }, (_, n) => String(n).padStart(3, '0'))
let formattedDay = Number.NaN
let dayText = ''

/** The time as a string, for answers, whose times mostly fall on few days. */
export function formatTimestamp(ms: number): string {
  const day = Math.floor(ms / MS_PER_DAY)
  if (day !== formattedDay) {
    dayText = new Date(day * MS_PER_DAY).toISOString().slice(0, 11)
    formattedDay = day
  }
  const inDay = Math.trunc(ms - day * MS_PER_DAY)
  const second = Math.trunc(inDay / 1000)
  const minute = Math.trunc(second / 60)
  const hour = Math.trunc(minute / 60)
  return `${dayText}${TWO_DIGITS[hour]}:${TWO_DIGITS[minute % 60]}:${TWO_DIGITS[second % 60]}.${THREE_DIGITS[inDay % 1000]}Z`
}
