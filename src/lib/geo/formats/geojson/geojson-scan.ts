/**
 * Splits the text of a FeatureCollection into its features without parsing it, so that only one feature at a time is in
 * memory as objects. The scan examines only the structure (strings and brackets); each feature, and the text around
 * them, is parsed as JSON afterwards.
 */
import { MAX_NESTING, tooDeep } from '../../../../json-text.ts'

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COMMA = 0x2c
const COLON = 0x3a
const OPEN_LIST = 0x5b
const CLOSE_LIST = 0x5d
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d

export type SplitCollection = {
  /** The text of the collection with an empty array of features. */
  rest: string
  features: Iterable<SplitFeature>
}

/** Position of a feature in the text, and the number of members in its objects. */
export type SplitFeature = { start: number; end: number; members: number }

/** Members in the values that were skipped. */
let skippedMembers = 0

/** @returns undefined when the text is not a FeatureCollection; parsing it as a whole then reports the error */
export function splitFeatures(bytes: Buffer): SplitCollection | undefined {
  let at = skipSpace(bytes, bytes[0] === 0xef ? 3 : 0)
  const start = at
  if (bytes[at++] !== OPEN_OBJECT) return undefined
  let list: { from: number; to: number } | undefined
  for (;;) {
    at = skipSpace(bytes, at)
    if (bytes[at] !== QUOTE) return undefined
    const key = at
    at = skipString(bytes, at)
    const isFeatures = at - key === 10 && bytes.toString('latin1', key, at) === '"features"'
    at = skipSpace(bytes, at)
    if (bytes[at++] !== COLON) return undefined
    at = skipSpace(bytes, at)
    const value = at
    at = skipValue(bytes, value)
    if (isFeatures) {
      if (list !== undefined || bytes[value] !== OPEN_LIST) return undefined
      list = { from: value + 1, to: at - 1 }
    }
    at = skipSpace(bytes, at)
    if (bytes[at] === CLOSE_OBJECT) break
    if (bytes[at++] !== COMMA) return undefined
  }
  if (list === undefined || bytes[list.to] !== CLOSE_LIST) return undefined
  const rest = bytes.toString('utf8', start, list.from) + bytes.toString('utf8', list.to)
  return { rest, features: elements(bytes, list.from, list.to) }
}

/** The objects of an array, separated by commas only. @throws SyntaxError */
function* elements(bytes: Buffer, from: number, to: number): Generator<SplitFeature> {
  let at = skipSpace(bytes, from)
  if (at === to) return
  for (;;) {
    if (bytes[at] !== OPEN_OBJECT) throw new SyntaxError(`expected a feature at byte ${at}`)
    skippedMembers = 0
    const end = skipValue(bytes, at)
    yield { start: at, end, members: skippedMembers }
    at = skipSpace(bytes, end)
    if (at === to) return
    if (bytes[at] !== COMMA) throw new SyntaxError(`expected a comma at byte ${at}`)
    at = skipSpace(bytes, at + 1)
  }
}

function skipSpace(bytes: Buffer, from: number): number {
  let at = from
  for (let byte = bytes[at]; byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09; byte = bytes[at]) at++
  return at
}

/** Returns the offset after the string that starts at `from`. */
function skipString(bytes: Buffer, from: number): number {
  let at = from + 1
  for (; at < bytes.length; at++) {
    const byte = bytes[at]
    if (byte === QUOTE) return at + 1
    if (byte === BACKSLASH) at++
  }
  return at
}

/**
 * Returns the offset after the value that starts at `from`; brackets are counted, not matched by kind.
 * @throws JsonTextError when it is nested too deeply
 */
function skipValue(bytes: Buffer, from: number): number {
  let depth = 0
  let at = from
  for (; at < bytes.length; at++) {
    const byte = bytes[at] as number
    if (byte === QUOTE) {
      at = skipString(bytes, at) - 1
      if (depth === 0) return at + 1
    } else if (byte === OPEN_OBJECT || byte === OPEN_LIST) {
      if (++depth > MAX_NESTING) throw tooDeep()
    } else if (byte === CLOSE_OBJECT || byte === CLOSE_LIST) {
      // the end of the enclosing object or array
      if (depth === 0) return at
      depth--
      if (depth === 0) return at + 1
    } else if (byte === COLON) skippedMembers++
    else if (byte === COMMA && depth === 0) return at
  }
  return at
}
