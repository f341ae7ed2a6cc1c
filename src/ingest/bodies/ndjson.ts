/** application/x-ndjson: a reading in each line, as in the list of a JSON body. */
import { MAX_READINGS } from '../../errors.ts'
import { checkStructure } from '../../json-text.ts'
import { READING_LIMITS, type ReadingsSource, readJsonText, Unreadable } from '../validate.ts'
import { type Line, linesOf, readingsSource, requireCount } from './lines.ts'

const strict = new TextDecoder('utf-8', { fatal: true })
const lenient = new TextDecoder()

export const ndjsonSource = (body: Uint8Array): ReadingsSource =>
  readingsSource(() => {
    const { lines, count } = linesOf(body, MAX_READINGS)
    requireCount(count)
    // the limits of a JSON body, for all lines together
    readJsonText(() => checkStructure(body, { ...READING_LIMITS, hasLines: true }))
    return lines.map(readingOf)
  })

function readingOf({ number, bytes }: Line): unknown {
  try {
    return JSON.parse(strict.decode(bytes))
  } catch {
    // reported to the caller as this line's refusal
    return new Unreadable(number, lenient.decode(bytes))
  }
}
