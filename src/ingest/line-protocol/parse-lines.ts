/**
 * Reads InfluxDB line protocol from the bytes of a body, without an object for each point: names are interned, values
 * and times are in typed arrays. Measurement and tags of a point are its series; series.ts decodes each series once.
 *
 * A line ends at a newline that is not inside a quoted text. A line that breaks the grammar is noted as a fault and
 * passed over up to its end, texts included, so that no text of a broken line is ever read as a point. A text that is
 * never closed reaches to the end of the body, as in InfluxDB.
 */

import { type Fault, KIND, type Lines, MAX_FIELDS, MAX_LINES, PRECISIONS, SERIES_SLOTS } from './lines.ts'

/** Different names of fields in a call. */
const MAX_NAMES = 10_000

const TAB = 9
const NEWLINE = 10
const RETURN = 13
const SPACE = 32
const QUOTE = 34
const HASH = 35
const PLUS = 43
const COMMA = 44
const MINUS = 45
const DOT = 46
const ZERO = 48
const EQUALS = 61
const BACKSLASH = 92

/**
 * Reads about `bytes` bytes more, whole lines.
 * @returns whether there is more to read. Reading stops with more than MAX_LINES in `lineCount`.
 */
export function readLines(lines: Lines, bytes: number): boolean {
  const { body } = lines
  const until = Math.min(body.length, lines.at + bytes)
  while (lines.at < until && lines.lineCount <= MAX_LINES) readLine(lines)
  return lines.at < body.length && lines.lineCount <= MAX_LINES
}

const isBlank = (c: number | undefined): boolean => c === SPACE || c === TAB

function skipBlanks(body: Uint8Array, start: number): number {
  let p = start
  while (isBlank(body[p])) p++
  return p
}

/** Whether a line ends at p, with or without a carriage return, or the body. */
function endsAt(body: Uint8Array, p: number): boolean {
  const c = body[p]
  return c === NEWLINE || c === undefined || (c === RETURN && (body[p + 1] === NEWLINE || p + 1 === body.length))
}

function readLine(lines: Lines): void {
  const { body } = lines
  let p = skipBlanks(body, lines.at)
  if (endsAt(body, p) || body[p] === HASH) {
    const newline = body.indexOf(NEWLINE, p)
    if (newline >= 0 || body[p] === HASH) lines.lineCount++
    lines.at = newline < 0 ? body.length : newline + 1
    return
  }
  lines.lineCount++
  if (lines.lineCount > MAX_LINES) return
  const point = lines.points
  lines.lineNumbers[point] = lines.lineCount
  lines.starts[point] = p
  lines.timesMs[point] = Number.NaN
  lines.timeStarts[point] = 0
  lines.timeEnds[point] = 0
  p = skipBlanks(body, readSeries(lines, p))
  lines.at = p
  const fault = endsAt(body, p) ? 'fields' : (readFields(lines, p) ?? readTime(lines, lines.at))
  if (fault !== undefined) {
    lines.faults.set(point, fault)
    lines.fieldEnds[point + 1] = lines.fieldEnds[point] as number
    lines.at = passOver(lines, lines.at)
  }
  lines.ends[point] = lines.at
  lines.points++
  if (body[lines.at] === NEWLINE) {
    lines.at++
    return
  }
  const newline = body.indexOf(NEWLINE, lines.at)
  lines.at = newline < 0 ? body.length : newline + 1
}

/**
 * Measurement and tags up to a space that is not escaped. It is often the series of the point before; otherwise FNV-1a
 * (Fowler, Noll and Vo) finds it again.
 */
function readSeries(lines: Lines, start: number): number {
  const { body, slots, seriesStarts, seriesEnds } = lines
  const { length } = body
  if (lines.points > 0) {
    const before = lines.seriesOf[lines.points - 1] as number
    const from = seriesStarts[before] as number
    const size = (seriesEnds[before] as number) - from
    const end = start + size
    // after a backslash the space would be escaped
    if (body[end] === SPACE && body[end - 1] !== BACKSLASH && isSame(body, from, from + size, start, end)) {
      lines.seriesOf[lines.points] = before
      return end
    }
  }
  let hash = 0x811c9dc5
  let p = start
  while (p < length) {
    const c = body[p] as number
    if (c === SPACE || c === NEWLINE || (c === RETURN && endsAt(body, p))) break
    hash = Math.imul(hash ^ c, 16_777_619)
    p += c === BACKSLASH && body[p + 1] === SPACE ? 2 : 1
  }
  let slot = (hash ^ (hash >>> 16)) & (SERIES_SLOTS - 1)
  for (;;) {
    const found = (slots[slot] as number) - 1
    if (found < 0) break
    if (isSame(body, seriesStarts[found] as number, seriesEnds[found] as number, start, p)) {
      lines.seriesOf[lines.points] = found
      return p
    }
    slot = (slot + 1) & (SERIES_SLOTS - 1)
  }
  const series = lines.seriesCount++
  slots[slot] = series + 1
  seriesStarts[series] = start
  seriesEnds[series] = p
  lines.seriesOf[lines.points] = series
  return p
}

function isSame(body: Uint8Array, start: number, end: number, otherStart: number, otherEnd: number): boolean {
  if (end - start !== otherEnd - otherStart) return false
  for (let i = start, k = otherStart; i < end; i++, k++) if (body[i] !== body[k]) return false
  return true
}

/** Reads the fields and sets `lines.at` to their end, or to where they break the grammar. */
function readFields(lines: Lines, start: number): Fault | undefined {
  const { body } = lines
  const first = lines.fieldEnds[lines.points] as number
  let field = first
  let p = start
  for (;;) {
    const place = field - first
    const usual = usualName(lines, place, p)
    let name = usual
    if (usual >= 0) p += (lines.nameBytes[usual] as Uint8Array).length
    else {
      const nameStart = p
      let isEscaped = false
      for (;;) {
        const c = body[p]
        if (c === EQUALS) break
        if (c === COMMA || c === SPACE || endsAt(body, p)) {
          lines.at = p
          return p === nameStart ? 'fieldName' : 'fieldValue'
        }
        if (c === BACKSLASH && isEscapable(body[p + 1])) {
          isEscaped = true
          p++
        }
        p++
      }
      lines.at = p
      if (p === nameStart) return 'fieldName'
      if (place === MAX_FIELDS) return 'tooManyFields'
      name = nameId(lines, place, nameStart, p, isEscaped)
      if (name < 0) return 'tooManyNames'
    }
    if (field === lines.kinds.length) growFields(lines)
    lines.fieldNames[field] = name
    p = readValue(lines, field, p + 1)
    if (p < 0) return valueFault
    field++
    lines.at = p
    if (body[p] !== COMMA) break
    p++
  }
  lines.fieldEnds[lines.points + 1] = field
  return isBlank(body[p]) || endsAt(body, p) ? undefined : 'value'
}

const isEscapable = (c: number | undefined): boolean => c === SPACE || c === COMMA || c === EQUALS

function growFields(lines: Lines): void {
  const length = lines.kinds.length * 2
  const fieldNames = new Uint32Array(length)
  const kinds = new Uint8Array(length)
  const values = new Float64Array(length)
  fieldNames.set(lines.fieldNames)
  kinds.set(lines.kinds)
  values.set(lines.values)
  Object.assign(lines, { fieldNames, kinds, values })
}

/** The number of the name at `start` if it is that of the point before in the same place; -1 for another one. */
function usualName({ body, usualNames, nameBytes }: Lines, place: number, start: number): number {
  const usual = usualNames[place] as number
  const known = nameBytes[usual]
  if (known === undefined || body[start + known.length] !== EQUALS) return -1
  for (let i = 0; i < known.length; i++) if (known[i] !== body[start + i]) return -1
  return usual
}

/** The number of the name of a field; -1 for one name too many. */
function nameId(lines: Lines, place: number, start: number, end: number, isEscaped: boolean): number {
  const { body, usualNames, nameBytes, nameIds } = lines
  const bytes = body.subarray(start, end)
  const name = isEscaped ? unescaped(textOf(bytes)) : textOf(bytes)
  let id = nameIds.get(name)
  if (id === undefined) {
    if (lines.names.length === MAX_NAMES) return -1
    id = lines.names.length
    lines.names.push(name)
    nameBytes.push(bytes)
    nameIds.set(name, id)
  }
  usualNames[place] = id
  return id
}

const utf8 = new TextDecoder('utf-8', { ignoreBOM: true })

/** Bytes that are not UTF-8 become U+FFFD, which no name of a channel or sensor equals by accident. */
export const textOf = (bytes: Uint8Array): string => utf8.decode(bytes)

/** A tag or the name of a field. A backslash that escapes nothing stays. */
export const unescaped = (text: string): string => text.replace(/\\([ ,=])/g, '$1')

/** Why `readValue` returned -1. */
let valueFault: Fault = 'value'

/** @returns the offset behind the value, or -1 with `lines.at` where reading continues */
function readValue(lines: Lines, field: number, start: number): number {
  const { body } = lines
  const c = body[start]
  if (c === QUOTE) {
    const end = textEnd(lines, start)
    if (end < 0) {
      valueFault = 'text'
      lines.at = body.length
      return -1
    }
    lines.kinds[field] = KIND.TEXT
    return end
  }
  if (c === COMMA || c === SPACE || endsAt(body, start)) {
    valueFault = 'fieldValue'
    lines.at = start
    return -1
  }
  const end = readNumber(lines, field, start)
  return end >= 0 ? end : readOtherValue(lines, field, start)
}

/** The offset behind the text that starts with the quote at `start`, or -1. Counts the newlines in it. */
function textEnd(lines: Lines, start: number): number {
  const { body } = lines
  for (let p = start + 1; p < body.length; p++) {
    const c = body[p]
    if (c === QUOTE) return p + 1
    if (c === BACKSLASH) p++
    if (body[p] === NEWLINE) lines.lineCount++
  }
  return -1
}

const POWERS_OF_TEN = Float64Array.from({ length: 23 }, (_, i) => Number(`1e${i}`))

function isValueEnd(body: Uint8Array, p: number): boolean {
  const c = body[p]
  return c === COMMA || c === SPACE || c === NEWLINE || c === TAB || endsAt(body, p)
}

/** A number of at most 15 digits without an exponent: one division of two exact numbers rounds correctly. -1 for others. */
function readNumber(lines: Lines, field: number, start: number): number {
  const { body } = lines
  let p = start
  const isNegative = body[p] === MINUS
  if (isNegative) p++
  const digitsStart = p
  let number = 0
  let c = (body[p] as number) - ZERO
  while (c >= 0 && c <= 9) {
    number = number * 10 + c
    c = (body[++p] as number) - ZERO
  }
  let digits = p - digitsStart
  let kind: number = KIND.FLOAT
  if (c === DOT - ZERO) {
    const fractionStart = ++p
    c = (body[p] as number) - ZERO
    while (c >= 0 && c <= 9) {
      number = number * 10 + c
      c = (body[++p] as number) - ZERO
    }
    const decimals = p - fractionStart
    digits += decimals
    if (decimals < POWERS_OF_TEN.length) number /= POWERS_OF_TEN[decimals] as number
  } else if (body[p] === 105) {
    kind = KIND.INTEGER
    p++
  }
  if (digits === 0 || digits > 15 || !isValueEnd(body, p)) return -1
  lines.kinds[field] = kind
  lines.values[field] = isNegative ? -number : number
  return p
}

const FLOAT = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/
const INTEGER = /^([+-]?\d+)i$/
const UNSIGNED = /^(\d+)u$/
const TRUE = /^(?:t|T|true|True|TRUE)$/
const FALSE = /^(?:f|F|false|False|FALSE)$/
const INT_64 = { low: -(2n ** 63n), high: 2n ** 63n - 1n }
const UINT_64 = { low: 0n, high: 2n ** 64n - 1n }
/** A value has a few characters; the digits of a longer one are not worth reading. */
const MAX_VALUE_BYTES = 1_000

function readOtherValue(lines: Lines, field: number, start: number): number {
  const { body } = lines
  let end = start
  while (end - start <= MAX_VALUE_BYTES && !isValueEnd(body, end)) end++
  lines.at = start
  valueFault = 'value'
  if (end - start > MAX_VALUE_BYTES) return -1
  const text = textOf(body.subarray(start, end))
  const isTrue = TRUE.test(text)
  if (isTrue || FALSE.test(text)) {
    lines.kinds[field] = KIND.BOOLEAN
    lines.values[field] = Number(isTrue)
    return end
  }
  const [integer, range] =
    INTEGER.exec(text) !== null ? [text.slice(0, -1), INT_64] : UNSIGNED.test(text) ? [text.slice(0, -1), UINT_64] : []
  if (integer !== undefined && range !== undefined) {
    const exact = BigInt(integer.replace('+', ''))
    lines.kinds[field] = KIND.INTEGER
    lines.values[field] = exact < range.low || exact > range.high ? Number.POSITIVE_INFINITY : Number(exact)
    return end
  }
  if (!FLOAT.test(text)) return -1
  lines.kinds[field] = KIND.FLOAT
  lines.values[field] = Number(text)
  return end
}

/** Reads the time, if there is one, and sets `lines.at` to the end of the line, or to where it breaks the grammar. */
function readTime(lines: Lines, start: number): Fault | undefined {
  const { body, points } = lines
  let p = skipBlanks(body, start)
  lines.at = p
  if (endsAt(body, p)) return undefined
  const timeStart = p
  const isNegative = body[p] === MINUS
  if (isNegative || body[p] === PLUS) p++
  const digitsStart = p
  while ((body[p] as number) >= ZERO && (body[p] as number) <= 57) p++
  const { digits, factor } = PRECISIONS[lines.precision]
  // an integer of 64 bits has 19 digits at most
  if (p === digitsStart || p - digitsStart > 19) return 'time'
  let ms = 0
  for (let i = digitsStart; i < p - digits; i++) ms = ms * 10 + (body[i] as number) - ZERO
  lines.timesMs[points] = (isNegative ? 0 - ms : ms) * factor
  lines.timeStarts[points] = timeStart
  lines.timeEnds[points] = p
  lines.at = skipBlanks(body, p)
  return endsAt(body, lines.at) ? undefined : 'time'
}

/** The end of a line that breaks the grammar at `start`. A quote after an equals sign opens a text. */
function passOver(lines: Lines, start: number): number {
  const { body } = lines
  for (let p = start; p < body.length; p++) {
    const c = body[p]
    if (c === NEWLINE) return p
    if (c === BACKSLASH && isEscapable(body[p + 1])) p++
    else if (c === EQUALS && body[p + 1] === QUOTE) {
      const end = textEnd(lines, p + 1)
      if (end < 0) return body.length
      p = end - 1
    }
  }
  return body.length
}
