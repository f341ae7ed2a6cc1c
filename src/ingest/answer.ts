/** The response to a batch of readings, written as bytes because most of it is up to 500 timestamps. */
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
  const tail = `},"path":${jsonString(path)},"method":"POST","timestamp":"${formatTimestamp(nowMs)}","requestId":${jsonString(requestId)}}`
  const most =
    HEAD.length +
    DUPLICATES.length +
    REFUSED.length +
    batch.count * TIMESTAMP_BYTES +
    (refused.length + tail.length) * 3
  if (most > scratch.length) scratch = new Uint8Array(most)
  const bytes = scratch
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
