/**
 * Splits the text of a FeatureCollection into its features without parsing it, so that only one feature at a time is in
 * memory as objects. The scan looks at structure only (strings and brackets); each feature, and the text around them,
 * is parsed as JSON afterwards.
 */
import { MAX_NESTING, tooDeep } from '../../json-text.ts'

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COMMA = 0x2c
const COLON = 0x3a
const OPEN_LIST = 0x5b
const CLOSE_LIST = 0x5d
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d

export type SplitCollection = {
  /** The text with an empty array of features. */
  rest: string
  /** Start and end of each feature in the text. */
  features: Iterable<[start: number, end: number]>
}

/**
 * @param scanned what was scanned of the list while the text arrived
 * @returns undefined when the text is not a FeatureCollection; parsing it as a whole then reports the error
 */
export function splitFeatures(bytes: Buffer, scanned?: FeatureList): SplitCollection | undefined {
  let at = skipSpace(bytes, bytes[0] === 0xef ? 3 : 0)
  const start = at
  if (bytes[at++] !== OPEN_OBJECT) return undefined
  let list: List | undefined
  for (;;) {
    const member = memberAt(bytes, at)
    if (member === undefined) return undefined
    at = member.value
    if (member.isFeatures) {
      if (list !== undefined || bytes[at] !== OPEN_LIST) return undefined
      list = listAt(bytes, scanned?.start === at ? scanned : new FeatureList(at))
      at = list.to + 1
    } else at = skipValue(bytes, at)
    at = skipSpace(bytes, at)
    if (bytes[at] === CLOSE_OBJECT) break
    if (bytes[at++] !== COMMA) return undefined
  }
  if (list === undefined || bytes[list.to] !== CLOSE_LIST) return undefined
  const rest = bytes.toString('utf8', start, list.from) + bytes.toString('utf8', list.to)
  return { rest, features: list.elements }
}

/** Where the list of features begins in a text that may be incomplete; undefined if it does not show yet. */
export function featureListStart(bytes: Buffer): number | undefined {
  let at = skipSpace(bytes, bytes[0] === 0xef ? 3 : 0)
  if (bytes[at++] !== OPEN_OBJECT) return undefined
  for (;;) {
    const member = memberAt(bytes, at)
    if (member === undefined) return undefined
    if (member.isFeatures) return bytes[member.value] === OPEN_LIST ? member.value : undefined
    at = skipSpace(bytes, skipValue(bytes, member.value))
    if (bytes[at++] !== COMMA) return undefined
  }
}

function memberAt(bytes: Buffer, from: number): { isFeatures: boolean; value: number } | undefined {
  const key = skipSpace(bytes, from)
  if (bytes[key] !== QUOTE) return undefined
  const end = skipString(bytes, key)
  const isFeatures = end - key === 10 && bytes.toString('latin1', key, end) === '"features"'
  const colon = skipSpace(bytes, end)
  return bytes[colon] === COLON ? { isFeatures, value: skipSpace(bytes, colon + 1) } : undefined
}

/** The objects of a list, separated by commas, as far as they have been scanned. */
export class FeatureList {
  /** Of the opening bracket. */
  readonly start: number
  /** Start and end of each object. */
  readonly offsets: number[] = []
  /** Where the scan goes on. */
  at: number
  private before: 'bracket' | 'object' | 'comma' = 'bracket'

  constructor(start: number) {
    this.start = start
    this.at = start + 1
  }

  /** Scans on. @param isWhole whether the text is complete; otherwise an object that ends with it may be cut off */
  scan(bytes: Buffer, isWhole: boolean): void {
    for (;;) {
      this.at = skipSpace(bytes, this.at)
      if (this.before === 'object') {
        if (bytes[this.at] !== COMMA) return
        this.at++
        this.before = 'comma'
        continue
      }
      if (bytes[this.at] !== OPEN_OBJECT) return
      const end = skipValue(bytes, this.at, 1)
      if (!isWhole && end >= bytes.length) return
      this.offsets.push(this.at, end)
      this.at = end
      this.before = 'object'
    }
  }

  /** Whether the scan has reached its end. */
  isComplete(bytes: Buffer): boolean {
    return bytes[this.at] === CLOSE_LIST && this.before !== 'comma'
  }
}

type List = {
  /** After the opening bracket. */
  from: number
  /** Where the closing bracket is. */
  to: number
  elements: Iterable<[start: number, end: number]>
}

/** The whole list. It is scanned again only if it is not a list of objects. */
function listAt(bytes: Buffer, list: FeatureList): List {
  const from = list.start + 1
  list.scan(bytes, true)
  if (list.isComplete(bytes)) return { from, to: list.at, elements: pairsOf(list.offsets) }
  const to = skipValue(bytes, list.start) - 1
  return { from, to, elements: elements(bytes, from, to) }
}

function* pairsOf(offsets: readonly number[]): Generator<[number, number]> {
  for (let i = 0; i < offsets.length; i += 2) yield [offsets[i] as number, offsets[i + 1] as number]
}

/** The objects of an array, separated by commas only. @throws SyntaxError */
function* elements(bytes: Buffer, from: number, to: number): Generator<[number, number]> {
  let at = skipSpace(bytes, from)
  if (at === to) return
  for (;;) {
    if (bytes[at] !== OPEN_OBJECT) throw new SyntaxError(`expected a feature at byte ${at}`)
    const end = skipValue(bytes, at)
    yield [at, end]
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
 * @param level how many lists and objects it is in that count
 * @throws JsonTextError when it is nested too deeply
 */
function skipValue(bytes: Buffer, from: number, level = 0): number {
  let depth = level
  let at = from
  for (; at < bytes.length; at++) {
    const byte = bytes[at] as number
    if (byte === QUOTE) {
      at = skipString(bytes, at) - 1
      if (depth === level) return at + 1
    } else if (byte === OPEN_OBJECT || byte === OPEN_LIST) {
      if (++depth > MAX_NESTING) throw tooDeep()
    } else if (byte === CLOSE_OBJECT || byte === CLOSE_LIST) {
      // the end of the enclosing object or array
      if (depth === level) return at
      depth--
      if (depth === level) return at + 1
    } else if (byte === COMMA && depth === level) return at
  }
  return at
}
