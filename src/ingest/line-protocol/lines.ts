/** The points of a call of line protocol, in arrays: an object for each would cost more than reading it. */

export const KIND = { FLOAT: 0, INTEGER: 1, BOOLEAN: 2, TEXT: 3 } as const

/** What breaks the grammar; the text continues "line 3: SENSOR_READING_UNREADABLE". */
export const FAULTS = {
  fields: 'the fields are missing',
  fieldName: 'a field has no name',
  fieldValue: 'a field has no value',
  value: 'a value is not a number, boolean or quoted text',
  text: 'a quoted text has no end',
  time: 'the time is not an integer',
  tooManyFields: 'the point has more than 2,000 fields',
  tooManyNames: 'the call has more than 10,000 different names of fields',
} as const
export type Fault = keyof typeof FAULTS

export const MAX_LINES = 20_000
/** A sensor has 256 channels at most; a point may also have fields that are text or left out. */
export const MAX_FIELDS = 2_000
export const SERIES_SLOTS = 65_536

/** Milliseconds in a unit, or the digits after the milliseconds. */
export const PRECISIONS = {
  n: { digits: 6, factor: 1 },
  ns: { digits: 6, factor: 1 },
  u: { digits: 3, factor: 1 },
  us: { digits: 3, factor: 1 },
  ms: { digits: 0, factor: 1 },
  s: { digits: 0, factor: 1_000 },
  m: { digits: 0, factor: 60_000 },
  h: { digits: 0, factor: 3_600_000 },
} as const
export type Precision = keyof typeof PRECISIONS

/** The points of a body, by index. The arrays are reused by later calls. */
export type Lines = {
  body: Uint8Array
  precision: Precision
  /** Offset of the part that is not read yet. */
  at: number
  /** Lines that have been read, with comments, blank lines and the newlines in texts. */
  lineCount: number
  points: number
  lineNumbers: Uint32Array
  /** The line of point i is body[starts[i] … ends[i]). */
  starts: Uint32Array
  ends: Uint32Array
  seriesOf: Uint32Array
  /** Milliseconds since 1970; NaN for a point without a time. */
  timesMs: Float64Array
  /** The time as sent is body[timeStarts[i] … timeEnds[i]). */
  timeStarts: Uint32Array
  timeEnds: Uint32Array
  /** The fields of point i are those from fieldEnds[i] to fieldEnds[i + 1]. */
  fieldEnds: Uint32Array
  faults: Map<number, Fault>
  names: string[]
  fieldNames: Uint32Array
  kinds: Uint8Array
  values: Float64Array
  seriesCount: number
  /** Series s is body[seriesStarts[s] … seriesEnds[s]). */
  seriesStarts: Uint32Array
  seriesEnds: Uint32Array
  // how names and series are found again
  nameBytes: Uint8Array[]
  nameIds: Map<string, number>
  usualNames: Uint32Array
  slots: Uint32Array
}

export function createLines(): Lines {
  return {
    body: new Uint8Array(0),
    precision: 'ns',
    at: 0,
    lineCount: 0,
    points: 0,
    lineNumbers: new Uint32Array(MAX_LINES),
    starts: new Uint32Array(MAX_LINES),
    ends: new Uint32Array(MAX_LINES),
    seriesOf: new Uint32Array(MAX_LINES),
    timesMs: new Float64Array(MAX_LINES),
    timeStarts: new Uint32Array(MAX_LINES),
    timeEnds: new Uint32Array(MAX_LINES),
    fieldEnds: new Uint32Array(MAX_LINES + 1),
    faults: new Map(),
    names: [],
    fieldNames: new Uint32Array(MAX_LINES),
    kinds: new Uint8Array(MAX_LINES),
    values: new Float64Array(MAX_LINES),
    seriesCount: 0,
    seriesStarts: new Uint32Array(MAX_LINES),
    seriesEnds: new Uint32Array(MAX_LINES),
    nameBytes: [],
    nameIds: new Map(),
    usualNames: new Uint32Array(MAX_FIELDS),
    slots: new Uint32Array(SERIES_SLOTS),
  }
}

export function resetLines(lines: Lines, body: Uint8Array, precision: Precision): void {
  Object.assign(lines, { body, precision, at: 0, lineCount: 0, points: 0, seriesCount: 0 })
  lines.faults.clear()
  lines.nameIds.clear()
  lines.names.length = 0
  lines.nameBytes.length = 0
  lines.usualNames.fill(0)
  lines.slots.fill(0)
}
