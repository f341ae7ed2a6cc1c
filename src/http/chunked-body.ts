/** Bodies in chunks (RFC 9112, 7.1), as they arrive. */
import { HeadError } from './request-head.ts'

/** A size with its extensions, and the trailer as a whole. */
const MAX_SIZE_LINE_BYTES = 4096
const MAX_TRAILER_BYTES = 16 * 1024
const MAX_SIZE_DIGITS = 8
const CR = 13
const LF = 10
const SEMICOLON = 59
/** Names with values, without the blanks that a recipient may accept (7.1.1). */
const EXTENSIONS = /^(?:;[!#$%&'*+\-.^_`|~\dA-Za-z]+(?:=(?:[!#$%&'*+\-.^_`|~\dA-Za-z]+|"[ !#-[\]-~]*"))?)+$/
const TRAILER_LINE = /^[!#$%&'*+\-.^_`|~\dA-Za-z]+:[\t -~\x80-\xff]*$/

export type ChunkedBody = {
  /**
   * Moves the data of all chunks to the front of the bytes, so that many small chunks cost no more than a large one.
   * @returns how many bytes belong to the body, which are all of them until it is complete, and how many are its data
   * @throws HeadError 400
   */
  feed(bytes: Uint8Array): { used: number; data: number }
  readonly isComplete: boolean
}

/** What comes next. Numbers: a switch over texts takes several times as long, for each byte of the lines between chunks. */
const SIZE = 0
const BLANK = 1
const EXTENSION = 2
const SIZE_LF = 3
const DATA = 4
const DATA_CR = 5
const DATA_LF = 6
const TRAILER = 7
const TRAILER_LF = 8
const COMPLETE = 9
type State = number

const isBlank = (byte: number): boolean => byte === 32 || byte === 9
/** @returns −1 for anything else than a digit */
function hexValue(byte: number): number {
  if (byte >= 48 && byte <= 57) return byte - 48
  const lower = byte | 32
  return lower >= 97 && lower <= 102 ? lower - 87 : -1
}

export function chunkedBody(): ChunkedBody {
  let state: State = SIZE
  let left = 0
  let digits = 0
  let lineBytes = 0
  let extensions = ''
  let line = ''
  let trailerBytes = 0

  function fail(message: string): never {
    throw new HeadError(400, message)
  }

  function endOfSize(): State {
    if (extensions !== '' && !EXTENSIONS.test(extensions)) fail('an extension of a chunk is invalid')
    extensions = ''
    return SIZE_LF
  }

  /** A byte that is no data. */
  function next(byte: number): State {
    switch (state) {
      case SIZE:
      case BLANK:
      case EXTENSION:
        if (++lineBytes > MAX_SIZE_LINE_BYTES) fail('the size of a chunk is too long')
        // blanks may only precede an extension (7.1.1)
        if (digits > 0 && byte === CR && state !== BLANK) return endOfSize()
        if (state === EXTENSION) {
          extensions += String.fromCharCode(byte)
          return state
        }
        if (state === SIZE && digits < MAX_SIZE_DIGITS && hexValue(byte) >= 0) {
          left = left * 16 + hexValue(byte)
          digits++
          return state
        }
        if (digits > 0 && byte === SEMICOLON) {
          extensions = ';'
          return EXTENSION
        }
        return digits > 0 && isBlank(byte) ? BLANK : fail('the size of a chunk is invalid')
      case SIZE_LF:
        if (byte !== LF) fail('a line of a chunked body must end with CR LF')
        digits = 0
        lineBytes = 0
        return left === 0 ? TRAILER : DATA
      case DATA_CR:
        return byte === CR ? DATA_LF : fail('a chunk is longer than its size')
      case DATA_LF:
        return byte === LF ? SIZE : fail('a chunk is longer than its size')
      case TRAILER:
        if (++trailerBytes > MAX_TRAILER_BYTES) fail('the trailer of a chunked body is too long')
        if (byte === CR) return TRAILER_LF
        line += String.fromCharCode(byte)
        return state
      case TRAILER_LF: {
        if (byte !== LF) fail('a line of a chunked body must end with CR LF')
        if (line === '') return COMPLETE
        if (!TRAILER_LINE.test(line)) fail('the trailer of a chunked body is invalid')
        line = ''
        return TRAILER
      }
      default:
        throw new Error(`a body has no byte in the state ${state}`)
    }
  }

  return {
    get isComplete() {
      return state === COMPLETE
    },
    feed(bytes) {
      let used = 0
      let data = 0
      while (used < bytes.length && state !== COMPLETE) {
        if (state === DATA) {
          const length = Math.min(left, bytes.length - used)
          if (length === 1) bytes[data] = bytes[used] as number
          else bytes.copyWithin(data, used, used + length)
          used += length
          data += length
          left -= length
          if (left === 0) state = DATA_CR
        } else state = next(bytes[used++] as number)
      }
      return { used, data }
    },
  }
}
