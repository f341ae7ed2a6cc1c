/**
 * Reads a call with readings of many sensors from its bytes, in steps, so that 5 MB do not hold the server's thread.
 * The result is what JSON.parse gives, in arrays: the sensors are not known yet, so names of channels stay in the body.
 *
 * A reading that is written in the usual way (`sensor`, `at`, `values` and `location` in any order, without escapes) is
 * read from its bytes. Every other one is cut out and parsed by itself.
 */
import { isUtf8 } from 'node:buffer'
import { type AppError, MAX_READINGS_OF_MANY } from '../errors.ts'
import { fieldText } from '../field-texts/field-text.ts'
import { JsonTextError, parseJson, withoutByteOrderMark } from '../json-text.ts'
import {
  AT,
  ascii,
  bytesAt,
  CLOSE_LIST,
  CLOSE_OBJECT,
  COMMA,
  FALSE,
  found,
  LOCATION,
  OPEN_LIST,
  OPEN_OBJECT,
  QUOTE,
  READINGS,
  scanColon,
  scanLocation,
  scanNumber,
  scanTimestamp,
  skipSpace,
  TRUE,
  VALUES,
} from './scan-tokens.ts'
import { createSensorNumbers, type NamedSensors, NO_SENSOR, type SensorNumbers } from './sensor-numbers.ts'
import { batchInvalid, READING_LIMITS } from './validate.ts'

const SENSOR = ascii('"sensor"')
const BACKSLASH = 92

/** A reading that is parsed by itself is parsed at once. */
const MAX_PARSED_BYTES = 1024 * 1024
/**
 * A longer reading is parsed by itself, which limits its names. One of the most channels with long names is about as long.
 */
const MAX_USUAL_BYTES = 64 * 1024
/** Lists and objects of all readings that are parsed by themselves: they cost far more than other values. */
const MAX_ITEMS = 100_000
/** Bytes between two reads of the clock. */
const STEP_BYTES = 16 * 1024

/** What a call has sent. Its readings are numbered in their order. */
export type ManyScan = NamedSensors & {
  /** By reading: the number of its sensor, or -1 if it names none. */
  sensorOf: Int32Array
  /** By reading: its bytes in the body. */
  starts: Uint32Array
  ends: Uint32Array
  /** By reading, where it is not in `parsed`: time, position (NaN for none) and the end of its values. */
  times: Float64Array
  longitudes: Float64Array
  latitudes: Float64Array
  valueEnds: Uint32Array
  /** By value: offset of the quoted name of its channel, its number, and whether it is `true` or `false`. */
  nameStarts: Uint32Array
  numbers: Float64Array
  booleans: Uint8Array
  /** Readings that were parsed by themselves. */
  parsed: Map<number, unknown>
}

const invalidJson = (cause?: unknown): AppError => batchInvalid('body', 'json', fieldText('json'), cause)
const notList = (): AppError => batchInvalid('readings', 'type', fieldText('readings', { most: MAX_READINGS_OF_MANY }))

/** The offset after a string, or -1 if the body ends in it. */
function skipText(bytes: Uint8Array, start: number): number {
  for (let p = start + 1; p < bytes.length; p++) {
    const c = bytes[p]
    if (c === QUOTE) return p + 1
    if (c === BACKSLASH) p++
  }
  return -1
}

/** The offset after a string without escapes, or -1 if it is anything else. */
function skipPlainText(bytes: Uint8Array, start: number): number {
  if (bytes[start] !== QUOTE) return -1
  for (let p = start + 1; p < bytes.length; p++) {
    const c = bytes[p] as number
    if (c === QUOTE) return p + 1
    if (c === BACKSLASH || c < 32) return -1
  }
  return -1
}

/**
 * Reads a body.
 * @returns a function that does a step, and returns false once `scan` is complete
 * @throws AppError SENSOR_READINGS_BATCH_INVALID, also from steps
 */
export function scanMany(sent: Uint8Array): { scan: ManyScan; step: () => boolean } {
  const body = withoutByteOrderMark(sent)
  if (!isUtf8(body)) throw invalidJson()
  const scan: ManyScan = {
    body,
    count: 0,
    sensors: [],
    numberOf: new Map(),
    firstReadings: [],
    sensorOf: new Int32Array(MAX_READINGS_OF_MANY),
    starts: new Uint32Array(MAX_READINGS_OF_MANY),
    ends: new Uint32Array(MAX_READINGS_OF_MANY),
    times: new Float64Array(MAX_READINGS_OF_MANY),
    longitudes: new Float64Array(MAX_READINGS_OF_MANY),
    latitudes: new Float64Array(MAX_READINGS_OF_MANY),
    valueEnds: new Uint32Array(MAX_READINGS_OF_MANY),
    nameStarts: new Uint32Array(4 * MAX_READINGS_OF_MANY),
    numbers: new Float64Array(4 * MAX_READINGS_OF_MANY),
    booleans: new Uint8Array(4 * MAX_READINGS_OF_MANY),
    parsed: new Map(),
  }
  const numberOfSensor = createSensorNumbers(scan)
  let items = 0
  let position = 0
  let isInList = false
  let hasReadings = false
  let isList = false

  /** The offset after a value, which is not checked otherwise. */
  function skipValue(start: number): number {
    let depth = 0
    for (let p = start; p < body.length; p++) {
      const c = body[p]
      if (c === QUOTE) {
        p = skipText(body, p) - 1
        if (p < 0) throw invalidJson()
        if (depth === 0) return p + 1
      } else if (c === OPEN_OBJECT || c === OPEN_LIST) {
        depth++
        items++
      } else if (c === CLOSE_OBJECT || c === CLOSE_LIST) {
        // the end of what the value is in
        if (depth === 0) return p
        if (--depth === 0) return p + 1
      } else if (depth === 0 && (c === COMMA || c === 32 || c === 10 || c === 13 || c === 9)) return p
    }
    throw invalidJson()
  }

  function parse(start: number, end: number): unknown {
    if (end - start > MAX_PARSED_BYTES)
      throw batchInvalid('body', 'maxBytes', fieldText('readingBytes', { most: MAX_PARSED_BYTES }))
    if (items > MAX_ITEMS) throw batchInvalid('body', 'items', fieldText('listsAndObjects', { most: MAX_ITEMS }))
    try {
      return parseJson(body.subarray(start, end), READING_LIMITS)
    } catch (cause) {
      if (!(cause instanceof JsonTextError)) throw cause
      throw batchInvalid('body', cause.rule, cause.text, cause)
    }
  }

  function parseReading(start: number): number {
    const end = skipValue(start)
    const reading = parse(start, end)
    const { count } = scan
    const name =
      typeof reading === 'object' && reading !== null && !Array.isArray(reading)
        ? (reading as { sensor?: unknown }).sensor
        : undefined
    scan.sensorOf[count] = typeof name === 'string' ? numberOfSensor.ofText(name) : NO_SENSOR
    scan.times[count] = Number.NaN
    scan.valueEnds[count] = firstValue(scan)
    scan.parsed.set(count, reading)
    return end
  }

  function readReading(start: number): number {
    if (scan.count === MAX_READINGS_OF_MANY) throw notList()
    let end = scanReading(scan, start, numberOfSensor)
    if (end < 0 || end - start > MAX_USUAL_BYTES) end = parseReading(start)
    else
      scan.sensorOf[scan.count] = usual.isNextSensor
        ? numberOfSensor.takeNext()
        : numberOfSensor.ofBytes(usual.sensorStart, usual.sensorEnd)
    scan.starts[scan.count] = start
    scan.ends[scan.count] = end
    scan.count++
    return end
  }

  /** Reads a member up to its value, or the value if it is not the list of readings. */
  function beginMember(): void {
    if (body[position] !== QUOTE) throw invalidJson()
    const end = skipText(body, position)
    if (end < 0) throw invalidJson()
    const isReadings = bytesAt(body, position, READINGS) || parse(position, end) === 'readings'
    position = scanColon(body, end)
    if (position < 0) throw invalidJson()
    if (isReadings && hasReadings) throw batchInvalid('body', 'once', fieldText('memberTwice', { name: 'readings' }))
    hasReadings ||= isReadings
    if (isReadings && body[position] === OPEN_LIST) {
      isList = true
      position = skipSpace(body, position + 1)
      isInList = body[position] !== CLOSE_LIST
      if (!isInList) position++
    } else {
      const valueEnd = skipValue(position)
      parse(position, valueEnd)
      position = valueEnd
    }
  }

  /** @returns whether another value follows */
  function endValue(close: number): boolean {
    position = skipSpace(body, position)
    const c = body[position]
    if (c !== COMMA && c !== close) throw invalidJson()
    position = c === COMMA ? skipSpace(body, position + 1) : position + 1
    return c === COMMA
  }

  function endBody(): false {
    if (skipSpace(body, position) !== body.length) throw invalidJson()
    if (!isList) throw notList()
    if (scan.count === 0)
      throw batchInvalid('readings', 'length', fieldText('readingCount', { most: MAX_READINGS_OF_MANY, count: 0 }))
    return false
  }

  function begin(): boolean {
    position = skipSpace(body, 0)
    if (body[position] !== OPEN_OBJECT) {
      parse(position, skipValue(position))
      throw batchInvalid('body', 'type', fieldText('readingsObject'))
    }
    position = skipSpace(body, position + 1)
    if (body[position] === CLOSE_OBJECT) {
      position++
      return endBody()
    }
    beginMember()
    return true
  }

  return {
    scan,
    step() {
      if (position === 0) return begin()
      const stepEnd = position + STEP_BYTES
      while (isInList && position < stepEnd) {
        position = readReading(position)
        isInList = endValue(CLOSE_LIST)
      }
      if (isInList) return true
      if (!endValue(CLOSE_OBJECT)) return endBody()
      beginMember()
      return true
    },
  }
}

const firstValue = ({ count, valueEnds }: ManyScan): number => (count === 0 ? 0 : (valueEnds[count - 1] as number))

/** The sensor of the reading that `scanReading` read, with its quotes. */
const usual = { sensorStart: 0, sensorEnd: 0, isNextSensor: false }

/** Reads a reading that is written in the usual way. Returns the offset after it, or -1 if it must be parsed. */
function scanReading(scan: ManyScan, start: number, numberOfSensor: SensorNumbers): number {
  const { body, count } = scan
  if (body[start] !== OPEN_OBJECT) return -1
  let sensorEnd = -1
  let atMs = Number.NaN
  let valueEnd = -1
  let longitude = Number.NaN
  let latitude = Number.NaN
  let p = skipSpace(body, start + 1)
  for (;;) {
    if (bytesAt(body, p, SENSOR)) {
      if (sensorEnd >= 0) return -1
      p = scanColon(body, p + SENSOR.length)
      usual.sensorStart = p
      if (p < 0) return -1
      sensorEnd = numberOfSensor.skipNext(p)
      usual.isNextSensor = sensorEnd >= 0
      if (!usual.isNextSensor) sensorEnd = skipPlainText(body, p)
      p = sensorEnd
    } else if (bytesAt(body, p, AT)) {
      if (!Number.isNaN(atMs)) return -1
      p = scanColon(body, p + AT.length)
      p = p < 0 ? -1 : scanTimestamp(body, p)
      atMs = found.time
    } else if (bytesAt(body, p, VALUES)) {
      if (valueEnd >= 0) return -1
      p = scanColon(body, p + VALUES.length)
      p = p < 0 ? -1 : scanValues(scan, p)
      valueEnd = found.values
    } else if (bytesAt(body, p, LOCATION)) {
      if (!Number.isNaN(longitude)) return -1
      p = scanColon(body, p + LOCATION.length)
      p = p < 0 ? -1 : scanLocation(body, p)
      longitude = found.longitude
      latitude = found.latitude
    } else return -1
    if (p < 0) return -1
    p = skipSpace(body, p)
    const c = body[p]
    if (c === COMMA) p = skipSpace(body, p + 1)
    else if (c === CLOSE_OBJECT) break
    else return -1
  }
  if (sensorEnd < 0 || Number.isNaN(atMs)) return -1
  usual.sensorEnd = sensorEnd
  scan.times[count] = atMs
  scan.longitudes[count] = longitude
  scan.latitudes[count] = latitude
  scan.valueEnds[count] = valueEnd < 0 ? firstValue(scan) : valueEnd
  return p + 1
}

/** The number of values so far is then in `found.values`. */
function scanValues(scan: ManyScan, start: number): number {
  const { body } = scan
  if (body[start] !== OPEN_OBJECT) return -1
  let value = firstValue(scan)
  let p = skipSpace(body, start + 1)
  if (body[p] === CLOSE_OBJECT) {
    found.values = value
    return p + 1
  }
  for (;;) {
    if (value === scan.numbers.length) growValues(scan)
    scan.nameStarts[value] = p
    p = skipPlainText(body, p)
    p = p < 0 ? -1 : scanColon(body, p)
    if (p < 0) return -1
    const isTrue = bytesAt(body, p, TRUE)
    if (isTrue || bytesAt(body, p, FALSE)) {
      scan.booleans[value] = 1
      scan.numbers[value] = isTrue ? 1 : 0
      p += isTrue ? 4 : 5
    } else {
      p = scanNumber(body, p)
      if (p < 0) return -1
      scan.booleans[value] = 0
      scan.numbers[value] = found.number
    }
    value++
    p = skipSpace(body, p)
    const c = body[p]
    if (c === COMMA && p - start < MAX_USUAL_BYTES) p = skipSpace(body, p + 1)
    else if (c === CLOSE_OBJECT) {
      found.values = value
      return p + 1
    } else return -1
  }
}

function growValues(scan: ManyScan): void {
  const size = scan.numbers.length * 2
  const { nameStarts, numbers, booleans } = scan
  scan.nameStarts = new Uint32Array(size)
  scan.nameStarts.set(nameStarts)
  scan.numbers = new Float64Array(size)
  scan.numbers.set(numbers)
  scan.booleans = new Uint8Array(size)
  scan.booleans.set(booleans)
}
