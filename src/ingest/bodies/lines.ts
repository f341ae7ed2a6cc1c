/** Bodies with one reading in each line. A line that cannot be read is refused alone. */
import { MAX_READINGS } from '../../errors.ts'
import { fieldText } from '../../field-texts/field-text.ts'
import { withoutByteOrderMark } from '../../json-text.ts'
import type { SensorProfile } from '../batch.ts'
import { batchInvalid, type ReadingsSource, Unreadable, validateReadings } from '../validate.ts'

const NEWLINE = 10
const SPACE = 32

/** Number of the line in the body, counted from 1, and its bytes without the line break. */
export type Line = { number: number; bytes: Uint8Array }

/** Lines with other characters than white space, and how many there are; only the first `most` are listed. */
export function linesOf(sent: Uint8Array, most: number): { lines: Line[]; count: number } {
  const body = withoutByteOrderMark(sent)
  const lines: Line[] = []
  let count = 0
  let number = 1
  let start = 0
  let isBlank = true
  for (let p = 0; p <= body.length; p++) {
    const c = p === body.length ? NEWLINE : (body[p] as number)
    if (c > SPACE) isBlank = false
    if (c !== NEWLINE) continue
    if (!isBlank && ++count <= most) lines.push({ number, bytes: body.subarray(start, p) })
    number++
    start = p + 1
    isBlank = true
  }
  return { lines, count }
}

/** @throws AppError SENSOR_READINGS_BATCH_INVALID */
export function requireCount(count: number): void {
  if (count < 1 || count > MAX_READINGS)
    throw batchInvalid('body', 'length', fieldText('readingCount', { most: MAX_READINGS, count }))
}

/** @param read parses the body to readings as JSON has them; @throws AppError when the whole call is refused */
export function readingsSource(read: (profile: SensorProfile) => readonly unknown[]): ReadingsSource {
  let readings: readonly unknown[] = []
  return {
    fill(profile, batch, oldestMs, newestMs) {
      readings = read(profile)
      validateReadings(readings, profile, batch, oldestMs, newestMs)
    },
    sent(index) {
      const reading = readings[index]
      return reading instanceof Unreadable ? reading.text : reading
    },
  }
}
