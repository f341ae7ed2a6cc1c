/**
 * Reads JSON that callers send: UTF-8, with or without a byte order mark (RFC 8259, 8.1), nested at most MAX_NESTING
 * levels. Nesting is checked in the bytes, before anything is parsed, because code that walks a value recursively
 * overflows its stack at some ten thousand levels. Also writes strings.
 */
import { fieldFailure } from './errors.ts'
import { englishOf, type FieldText } from './field-texts/bilingual.ts'
import { fieldText } from './field-texts/field-text.ts'

/** A FeatureCollection of multipolygons has 8 levels; the rest is for nested properties. */
export const MAX_NESTING = 64

/** Text that is not JSON, or not within the limits. The text continues a sentence that starts with the field's name. */
export class JsonTextError extends Error {
  readonly rule: 'json' | 'nesting' | 'items' | 'names' | 'once'
  readonly text: FieldText
  constructor(rule: JsonTextError['rule'], text: FieldText, cause?: unknown) {
    super(englishOf(text), { cause })
    this.rule = rule
    this.text = text
  }
}

export const tooDeep = (levels = MAX_NESTING): JsonTextError =>
  new JsonTextError('nesting', fieldText('levels', { most: levels }))

const QUOTE = 34
const BACKSLASH = 92
const COLON = 58
const OPEN_LIST = 91
const CLOSE_LIST = 93
const OPEN_OBJECT = 123
const CLOSE_OBJECT = 125
const NEWLINE = 10
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf]

export function withoutByteOrderMark(bytes: Uint8Array): Uint8Array {
  return BYTE_ORDER_MARK.every((byte, i) => bytes[i] === byte) ? bytes.subarray(3) : bytes
}

export type JsonLimits = {
  /** MAX_NESTING by default. More is safe only for code that never walks a value recursively. */
  maxNesting?: number
  /** How many lists and objects the text may contain: they cost far more time and memory than other values. */
  maxItems?: number
  /** Limit of different member names: 100,000 different names take ten times as long to parse as one repeated name. */
  maxNames?: number
  /** Lets an object have a member twice, of which the last one counts. */
  allowsRepeats?: boolean
  /** Whether each line is a JSON text: one that ends within a string does not hide the next ones. */
  hasLines?: boolean
}

/**
 * One bit for each hash of a name; names with the same hash count once, so that slightly more names than the limit may
 * pass.
 */
const NAME_BITS = 2 ** 16
const seenNames = new Uint8Array(NAME_BITS)

/** @returns total number of members of its objects. @throws JsonTextError */
export function checkStructure(bytes: Uint8Array, limits: JsonLimits = {}): number {
  const { maxNesting = MAX_NESTING, maxItems = Number.POSITIVE_INFINITY, maxNames, hasLines = false } = limits
  let depth = 0
  let items = 0
  let names = 0
  let members = 0
  let isText = false
  let hash = 0
  seenNames.fill(0)
  for (let i = 0; i < bytes.length; i++) {
    const c = bytes[i] as number
    if (isText) {
      if (c === QUOTE || (hasLines && c === NEWLINE)) isText = false
      else {
        // FNV-1a (Fowler, Noll and Vo)
        hash = Math.imul(hash ^ c, 16_777_619)
        if (c === BACKSLASH && !(hasLines && bytes[i + 1] === NEWLINE)) i++
      }
    } else if (c === QUOTE) {
      isText = true
      hash = 0x811c9dc5
    } else if (c === OPEN_LIST || c === OPEN_OBJECT) {
      if (++depth > maxNesting) throw tooDeep(maxNesting)
      if (++items > maxItems) throw new JsonTextError('items', fieldText('listsAndObjects', { most: maxItems }))
    } else if (c === CLOSE_LIST || c === CLOSE_OBJECT) depth--
    else if (c === COLON) {
      members++
      if (maxNames === undefined) continue
      // the text before a colon is a name
      const bit = (hash ^ (hash >>> 16)) & (NAME_BITS - 1)
      names += 1 - (seenNames[bit] as number)
      seenNames[bit] = 1
      if (names > maxNames) throw new JsonTextError('names', fieldText('memberNames', { most: maxNames }))
    }
  }
  return members
}

/** @param inLists whether the objects in lists count */
function memberCount(value: object, inLists: boolean): number {
  const countOf = (item: unknown): number =>
    typeof item === 'object' && item !== null ? memberCount(item, inLists) : 0
  let count = 0
  if (!Array.isArray(value)) for (const name in value) count += 1 + countOf(value[name as keyof typeof value])
  else if (inLists) for (const item of value) count += countOf(item)
  return count
}

/**
 * Refuses duplicate member names, of which parsers take the first, the last or none (RFC 8259, 4).
 * @param members number of members in the text
 * @throws JsonTextError
 */
export function rejectRepeats(text: string, value: unknown, members: number): void {
  // most lists are coordinates
  if (typeof value !== 'object' || value === null || memberCount(value, false) === members) return
  if (memberCount(value, true) === members) return
  throw new JsonTextError('once', fieldText('memberTwice', { name: repeatedName(text) }))
}

function repeatedName(text: string): string {
  const open: Set<string>[] = []
  let last = ''
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"|[{}:]/g))
    if (token === '{') open.push(new Set())
    else if (token === '}') open.pop()
    else if (token !== ':') last = token
    else {
      const name = JSON.parse(last) as string
      if (open.at(-1)?.has(name)) return JSON.stringify(name.slice(0, 60))
      open.at(-1)?.add(name)
    }
  return ''
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** @throws JsonTextError */
export function parseJson(text: Uint8Array, limits?: JsonLimits): unknown {
  const bytes = withoutByteOrderMark(text)
  const members = checkStructure(bytes, limits)
  let [decoded, value]: [string, unknown] = ['', undefined]
  try {
    decoded = utf8.decode(bytes)
    value = JSON.parse(decoded)
  } catch (cause) {
    throw new JsonTextError('json', fieldText('json'), cause)
  }
  if (limits?.allowsRepeats !== true) rejectRepeats(decoded, value, members)
  return value
}

/** The JSON body of a call. @throws AppError BAD_REQUEST */
export function parseJsonBody(text: Uint8Array, limits?: JsonLimits): unknown {
  try {
    return parseJson(text, limits)
  } catch (cause) {
    if (!(cause instanceof JsonTextError)) throw cause
    throw fieldFailure('BAD_REQUEST', 'body', cause.rule, cause.text, cause)
  }
}

/** Whether PostgreSQL can store a text. Escapes in JSON can be any half of a surrogate pair, and NUL. */
export const isStorableText = (text: string): boolean => text.isWellFormed() && !text.includes('\0')

/** ASCII without characters that JSON escapes: control characters, quotes and backslashes. */
const PLAIN = /^[ !#-[\]-~]*$/

/** A text as a JSON string. Most need no escapes, and finding that out costs a fraction of JSON.stringify. */
export const jsonString = (text: string): string => (PLAIN.test(text) ? `"${text}"` : JSON.stringify(text))
