/** The body of a message: one reading, or `{"readings": […]}` as in a call by HTTP. */
import type { Batch } from '../batch.ts'
import { scanOne } from '../scan.ts'
import {
  bytesAt,
  CLOSE_LIST,
  CLOSE_OBJECT,
  COLON,
  OPEN_LIST,
  OPEN_OBJECT,
  QUOTE,
  READINGS,
  skipSpace,
} from '../scan-tokens.ts'
import { parseReadings, type ReadingsSource, validateBody } from '../validate.ts'

const BACKSLASH = 0x5c
const HEAD = new TextEncoder().encode('{"readings":[')
const TAIL = new TextEncoder().encode(']}')

/** @param ignoresUnknown whether unknown channels are left out of readings, which are then accepted without them */
export function messageSource(message: Uint8Array, ignoresUnknown: boolean): ReadingsSource {
  let filled: Batch | undefined
  return {
    fill(profile, batch, oldestMs, newestMs) {
      filled = batch
      if (!scanOne(message, profile, batch, oldestMs, newestMs))
        validateBody(bodyOf(message), profile, batch, batch.receivedAtMs, ignoresUnknown)
    },
    sent(index) {
      const readings = parseReadings(bodyOf(message)) as ({ at?: unknown } | null)[]
      // channels that were left out are the last refusals, with the times of their readings
      const left = filled?.refused.at(index - filled.count)
      return readings[index] ?? readings.find((reading) => reading?.at === left?.at)
    },
  }
}

/**
 * The message as the body of a call. A single reading is wrapped, if it is one object by its brackets; whether it is
 * JSON is left to the ingestion, which refuses every other message as a whole.
 */
export function bodyOf(message: Uint8Array): Uint8Array {
  if (!isOneReading(message)) return message
  const body = new Uint8Array(HEAD.length + message.length + TAIL.length)
  body.set(HEAD)
  body.set(message, HEAD.length)
  body.set(TAIL, HEAD.length + message.length)
  return body
}

/** Whether the message is one object, from its first bracket to the one that closes it, without a member `readings`. */
function isOneReading(bytes: Uint8Array): boolean {
  let p = skipSpace(bytes, 0)
  if (bytes[p] !== OPEN_OBJECT) return false
  let depth = 0
  do {
    const c = bytes[p++]
    if (c === OPEN_OBJECT || c === OPEN_LIST) depth++
    else if (c === CLOSE_OBJECT || c === CLOSE_LIST) depth--
    else if (c === QUOTE) {
      const isNamed = depth === 1 && bytesAt(bytes, p - 1, READINGS)
      p = endOfText(bytes, p) + 1
      if (isNamed && bytes[skipSpace(bytes, p)] === COLON) return false
    }
  } while (depth > 0 && p < bytes.length)
  return depth === 0 && skipSpace(bytes, p) === bytes.length
}

/** The offset of the quote that ends a text, or the end of the bytes. */
function endOfText(bytes: Uint8Array, start: number): number {
  let p = start
  while (p < bytes.length && bytes[p] !== QUOTE) p += bytes[p] === BACKSLASH ? 2 : 1
  return p
}
