/**
 * Reads the compressed lists of objects (object streams, ISO 32000-1, 7.5.7) of an untrusted PDF, to search them
 * without rewriting the file. A file may be crafted so that a search misses a list that readers find; therefore any
 * unusual form counts as unknown.
 */
import { inflateSync } from 'node:zlib'
import { streamsIn, unescaped } from './stream-sizes.ts'

/** Every object stream has this key in its dictionary; outlines have it too. */
const KEY = '/First'
/** A name with escaped characters (ISO 32000-1, 7.3.5), which a search for the key would miss. */
const ESCAPED_NAME = /\/[^\s/<>()[\]{}%]*#[0-9A-Fa-f]{2}[^\s/<>()[\]{}%]*/g
const CHUNK_BYTES = 4 * 2 ** 20
const LONGEST_KEY_BYTES = 3 * KEY.length
const MAX_LIST_BYTES = 64 * 2 ** 20
const MAX_TOTAL_BYTES = 256 * 2 ** 20
const FLATE = /\/Filter\s*(?:\/FlateDecode|\[\s*\/FlateDecode\s*\])\s*[/>]/

/** @returns the decoded lists; undefined when some may be missing */
export function objectListsIn(bytes: Buffer): Buffer[] | undefined {
  let unknown = occurrences(bytes, KEY)
  const lists: Buffer[] = []
  if (hasEscapedKey(bytes)) return undefined
  if (unknown === 0 && !bytes.includes('/ObjStm')) return lists
  let total = 0
  for (const { text, data } of streamsIn(bytes)) {
    const found = occurrences(Buffer.from(text, 'latin1'), KEY)
    if (found === 0) continue
    const dictionary = text.slice(text.lastIndexOf(' obj') + ' obj'.length)
    if (found !== 1 || !isSimple(dictionary)) return undefined
    try {
      const list = inflateSync(data, { maxOutputLength: MAX_LIST_BYTES })
      total += list.length
      lists.push(list)
    } catch {
      // damaged or too long, so its content is left to qpdf
      return undefined
    }
    if (total > MAX_TOTAL_BYTES) return undefined
    unknown--
  }
  return unknown === 0 ? lists : undefined
}

function hasEscapedKey(bytes: Buffer): boolean {
  for (let at = 0; at < bytes.length; at += CHUNK_BYTES)
    for (const [name] of bytes.toString('latin1', at, at + CHUNK_BYTES + LONGEST_KEY_BYTES).matchAll(ESCAPED_NAME))
      if (unescaped(name).includes(KEY)) return true
  return false
}

/**
 * Whether a dictionary has one filter without parameters and no strings or comments, which could contain a fake start
 * of a stream.
 */
function isSimple(dictionary: string): boolean {
  if (!dictionary.includes(KEY) || /[(%]|\/DecodeParms|\/DP\b|\/FFilter/.test(dictionary)) return false
  const opened = dictionary.split('<<').length
  return (
    opened === dictionary.split('>>').length &&
    /^\s*<</.test(dictionary) &&
    />>\s*$/.test(dictionary) &&
    FLATE.test(dictionary) &&
    dictionary.split('/Filter').length === 2
  )
}

function occurrences(bytes: Buffer, text: string): number {
  let count = 0
  for (let at = bytes.indexOf(text); at >= 0; at = bytes.indexOf(text, at + text.length)) count++
  return count
}
