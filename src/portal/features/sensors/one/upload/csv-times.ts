/** Times of a CSV in the forms that instruments and spreadsheets write. */

export const TIME_FORMATS = ['iso', 'dmy', 'mdy', 'seconds', 'milliseconds'] as const
export type TimeFormat = (typeof TIME_FORMATS)[number]

/** Year first or last, then a time whose seconds, fraction and offset may be missing. */
const TIME = String.raw`(?:[T ,]+(\d{1,2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?\s*([AaPp][Mm])?\s*(Z|[+-]\d{2}:?\d{2})?)?`
const ISO = new RegExp(`^(\\d{4})[-/.](\\d{1,2})[-/.](\\d{1,2})${TIME}$`, 'i')
const YEAR_LAST = new RegExp(`^(\\d{1,2})[-/.](\\d{1,2})[-/.](\\d{4})${TIME}$`, 'i')

const MINUTE_MS = 60_000
/** Offsets change at full quarters of an hour. */
const QUARTER_MS = 15 * MINUTE_MS
/** Number of quarters whose offset is cached; a file that spans years needs fewer. */
const MAX_OFFSETS = 200_000

/** @returns the format that fits all samples; a guess where days and months cannot be distinguished */
export function guessTimeFormat(samples: readonly string[]): TimeFormat {
  const texts = samples.map(plainDigits).filter((text) => text !== '')
  if (texts.length > 0 && texts.every((text) => /^-?\d+([.,]\d+)?$/.test(text)))
    return texts.every((text) => Math.abs(Number.parseFloat(text)) >= 1e11) ? 'milliseconds' : 'seconds'
  const parts = texts.map((text) => YEAR_LAST.exec(text)).filter((found) => found !== null)
  if (parts.length === 0) return 'iso'
  return parts.some(([, , second]) => Number(second) > 12) ? 'mdy' : 'dmy'
}

/** ٠١٢ as 012. */
export const plainDigits = (text: string): string =>
  text.trim().replace(/[٠-٩۰-۹]/g, (digit) => String((digit.codePointAt(0) ?? 0) & 0xf))

export type TimeReader = (text: string) => number | undefined

/** @param zone of times without an offset. @returns a function that gives milliseconds since 1970, or undefined */
export function timeReader(format: TimeFormat, zone: string): TimeReader {
  const offsetOf = offsetsOf(zone)
  return (raw) => {
    const text = plainDigits(raw)
    if (format === 'seconds' || format === 'milliseconds') {
      if (!/^-?\d+([.,]\d+)?$/.test(text)) return undefined
      return Math.round(Number(text.replace(',', '.')) * (format === 'seconds' ? 1000 : 1))
    }
    const found = (format === 'iso' ? ISO : YEAR_LAST).exec(text)
    if (found === null) return undefined
    const [, a = '', b = '', c = '', hour = '0', minute = '0', second = '0', fraction = '', half, offset] = found
    const [year, month, day] = format === 'iso' ? [a, b, c] : format === 'dmy' ? [c, b, a] : [c, a, b]
    const hours = half === undefined ? Number(hour) : (Number(hour) % 12) + (half.toLowerCase() === 'pm' ? 12 : 0)
    const numbers = [Number(year), Number(month) - 1, Number(day), hours, Number(minute), Number(second)] as const
    const wallMs = Date.UTC(...numbers, Number(fraction.slice(0, 3).padEnd(3, '0')))
    if (!isReal(wallMs, numbers)) return undefined
    if (offset === undefined) return toUtc(wallMs, offsetOf)
    return wallMs - offsetMs(offset)
  }
}

/** The 31st of June is no day; Date.UTC would make it the 1st of July. */
function isReal(ms: number, [year, month, day, hour, minute, second]: readonly number[]): boolean {
  const date = new Date(ms)
  return (
    date.getUTCFullYear() === year &&
    date.getUTCMonth() === month &&
    date.getUTCDate() === day &&
    date.getUTCHours() === hour &&
    date.getUTCMinutes() === minute &&
    date.getUTCSeconds() === second
  )
}

function offsetMs(text: string): number {
  if (text.toUpperCase() === 'Z') return 0
  const sign = text.startsWith('-') ? -1 : 1
  const [hours, minutes] = [Number(text.slice(1, 3)), Number(text.slice(-2))]
  return sign * (hours * 60 + minutes) * MINUTE_MS
}

function toUtc(wallMs: number, offsetOf: (ms: number) => number): number {
  const first = wallMs - offsetOf(wallMs)
  const offset = offsetOf(first)
  return wallMs - offset
}

function offsetsOf(zone: string): (ms: number) => number {
  const known = new Map<number, number>()
  const clock = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
  })
  return (ms) => {
    const quarter = Math.floor(ms / QUARTER_MS)
    let offset = known.get(quarter)
    if (offset === undefined) {
      const start = quarter * QUARTER_MS
      const part: Record<string, number> = {}
      for (const { type, value } of clock.formatToParts(start)) part[type] = Number(value)
      const { year = 0, month = 1, day = 1, hour = 0, minute = 0 } = part
      offset = Date.UTC(year, month - 1, day, hour, minute) - start
      if (known.size >= MAX_OFFSETS) known.clear()
      known.set(quarter, offset)
    }
    return offset
  }
}
