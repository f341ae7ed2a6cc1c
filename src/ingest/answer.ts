/** The responses to readings, written as bytes because most of them is up to 500 or 5,000 timestamps. */
import { CODES } from '../errors.ts'
import { jsonString } from '../json-text.ts'
import { type Batch, OUTCOME } from './batch.ts'
import { formatTimestamp, writeTimestamp } from './timestamp.ts'

const encoder = new TextEncoder()
const { status, en, ar } = CODES.SENSOR_READINGS_RESULT
const HEAD = encoder.encode(
  `{"ok":true,"statusCode":${status},"code":"SENSOR_READINGS_RESULT","message":${JSON.stringify(en)},"messageAr":${JSON.stringify(ar)},"data":{"accepted":[`,
)
const DUPLICATES = encoder.encode('],"duplicates":[')
const REFUSED = encoder.encode('],"refused":')

/** `"YYYY-MM-DDTHH:MM:SS.sssZ",` */
const TIMESTAMP_BYTES = 27
const QUOTE = 34
const COMMA = 44

function writeTimes(target: Uint8Array, start: number, batch: Batch, outcome: number): number {
  let p = start
  for (let i = 0; i < batch.count; i++) {
    if (batch.outcomes[i] !== outcome) continue
    target[p] = QUOTE
    writeTimestamp(target, p + 1, batch.times[i] as number)
    target[p + 25] = QUOTE
    target[p + 26] = COMMA
    p += TIMESTAMP_BYTES
  }
  return p === start ? p : p - 1
}

// Responses are assembled here, one at a time; grown as needed.
let scratch = new Uint8Array(64 * 1024)

/** What comes after the list of refused readings. */
const tailOf = (path: string, requestId: string, nowMs: number): string =>
  `},"path":${jsonString(path)},"method":"POST","timestamp":"${formatTimestamp(nowMs)}","requestId":${jsonString(requestId)}}`

function needScratch(bytes: number): Uint8Array<ArrayBuffer> {
  if (bytes > scratch.length) scratch = new Uint8Array(bytes)
  return scratch
}

/**
 * The envelope of a processed batch, in UTF-8. The bytes are valid only until the next call, so the caller must copy
 * them, as creating a Response does.
 */
export function readingsResponse(
  batch: Batch,
  path: string,
  requestId: string,
  nowMs: number,
): Uint8Array<ArrayBuffer> {
  const refused = batch.refused.length === 0 ? '[]' : JSON.stringify(batch.refused)
  const tail = tailOf(path, requestId, nowMs)
  const most =
    HEAD.length +
    DUPLICATES.length +
    REFUSED.length +
    batch.count * TIMESTAMP_BYTES +
    (refused.length + tail.length) * 3
  const bytes = needScratch(most)
  bytes.set(HEAD)
  let p = writeTimes(bytes, HEAD.length, batch, OUTCOME.NEW)
  bytes.set(DUPLICATES, p)
  p = writeTimes(bytes, p + DUPLICATES.length, batch, OUTCOME.STORED_BEFORE)
  bytes.set(REFUSED, p)
  p += REFUSED.length
  p += encoder.encodeInto(refused, bytes.subarray(p)).written
  p += encoder.encodeInto(tail, bytes.subarray(p)).written
  return bytes.subarray(0, p)
}

/** Readings of many sensors, by number. */
export type ManyAnswer = {
  outcomes: Uint8Array
  times: Float64Array
  sensorOf: Int32Array
  /** Sensors as they were sent. */
  sensors: readonly string[]
  refused: readonly object[]
}

const CLOSE_OBJECT = 125
/** After the start of an entry: a timestamp, and its end `"},`. */
const ENTRY_REST_BYTES = 27

/** @param starts by sensor: `{"sensor":"name","at":"` */
function writeEntries(
  target: Uint8Array,
  start: number,
  { outcomes, times, sensorOf }: ManyAnswer,
  starts: readonly Uint8Array[],
  outcome: number,
): number {
  let p = start
  for (let i = 0; i < outcomes.length; i++) {
    if (outcomes[i] !== outcome) continue
    const entry = starts[sensorOf[i] as number] as Uint8Array
    target.set(entry, p)
    p += entry.length
    writeTimestamp(target, p, times[i] as number)
    target[p + 24] = QUOTE
    target[p + 25] = CLOSE_OBJECT
    target[p + 26] = COMMA
    p += ENTRY_REST_BYTES
  }
  return p === start ? p : p - 1
}

/** The envelope of a processed call with readings of many sensors, as `readingsResponse`. */
export function manyReadingsResponse(
  answer: ManyAnswer,
  path: string,
  requestId: string,
  nowMs: number,
): Uint8Array<ArrayBuffer> {
  const starts = answer.sensors.map((name) => encoder.encode(`{"sensor":${JSON.stringify(name)},"at":"`))
  const refused = JSON.stringify(answer.refused)
  const tail = tailOf(path, requestId, nowMs)
  let most = HEAD.length + DUPLICATES.length + REFUSED.length + (refused.length + tail.length) * 3
  for (let i = 0; i < answer.outcomes.length; i++)
    if (answer.outcomes[i] !== OUTCOME.REFUSED)
      most += ENTRY_REST_BYTES + (starts[answer.sensorOf[i] as number] as Uint8Array).length
  const bytes = needScratch(most)
  bytes.set(HEAD)
  let p = writeEntries(bytes, HEAD.length, answer, starts, OUTCOME.NEW)
  bytes.set(DUPLICATES, p)
  p = writeEntries(bytes, p + DUPLICATES.length, answer, starts, OUTCOME.STORED_BEFORE)
  bytes.set(REFUSED, p)
  p += REFUSED.length
  p += encoder.encodeInto(refused, bytes.subarray(p)).written
  p += encoder.encodeInto(tail, bytes.subarray(p)).written
  return bytes.subarray(0, p)
}
