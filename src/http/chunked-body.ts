/** Bodies in chunks (RFC 9112, 7.1), as they arrive. */
import { HeadError } from './request-head.ts'

/** A size, its extensions, or a line of the trailer. */
const MAX_LINE_BYTES = 4096
const MAX_TRAILER_LINES = 64
const CR = 13
const LF = 10
const TRAILER = /^[!#$%&'*+\-.^_`|~\dA-Za-z]+:[\t -~\x80-\xff]*$/
const SIZE = /^([\dA-Fa-f]{1,8})[\t ]*(?:;[\t -~\x80-\xff]*)?$/

export type ChunkedBody = {
  /**
   * @param add receives the data of the chunks, without copying it
   * @returns how many bytes belong to the body; all of them until it is complete
   * @throws HeadError 400
   */
  feed(bytes: Uint8Array, add: (data: Uint8Array) => void): number
  readonly isComplete: boolean
}

export function chunkedBody(): ChunkedBody {
  let at: 'size' | 'data' | 'end of data' | 'trailer' | 'complete' = 'size'
  let line = ''
  let left = 0
  let trailerLines = 0

  /** @returns whether the line has ended */
  function readLine(bytes: Uint8Array, from: number): { next: number; ended: boolean } {
    for (let i = from; i < bytes.length; i++) {
      const byte = bytes[i] as number
      if (byte === LF) {
        if (!line.endsWith('\r')) throw new HeadError(400, 'a line of a chunked body must end with CR LF')
        line = line.slice(0, -1)
        return { next: i + 1, ended: true }
      }
      if (line.endsWith('\r')) throw new HeadError(400, 'a line of a chunked body must end with CR LF')
      line += String.fromCharCode(byte)
      if (line.length > MAX_LINE_BYTES) throw new HeadError(400, 'a line of a chunked body is too long')
    }
    return { next: bytes.length, ended: false }
  }

  function endLine(): void {
    if (at === 'size') {
      const size = SIZE.exec(line)?.[1]
      if (size === undefined) throw new HeadError(400, 'the size of a chunk is invalid')
      left = Number.parseInt(size, 16)
      at = left === 0 ? 'trailer' : 'data'
    } else if (line === '') at = 'complete'
    else if (!TRAILER.test(line)) throw new HeadError(400, 'the trailer of a chunked body is invalid')
    else if (++trailerLines > MAX_TRAILER_LINES) throw new HeadError(400, 'the trailer of a chunked body is too long')
    line = ''
  }

  return {
    get isComplete() {
      return at === 'complete'
    },
    feed(bytes, add) {
      let i = 0
      while (i < bytes.length && at !== 'complete') {
        if (at === 'data') {
          const data = bytes.subarray(i, i + left)
          i += data.length
          left -= data.length
          if (left === 0) at = 'end of data'
          add(data)
        } else if (at === 'end of data') {
          const expected = line === '' ? CR : LF
          if (bytes[i] !== expected) throw new HeadError(400, 'a chunk is longer than its size')
          i++
          line = line === '' ? '\r' : ''
          if (line === '') at = 'size'
        } else {
          const { next, ended } = readLine(bytes, i)
          i = next
          if (ended) endLine()
        }
      }
      return i
    },
  }
}
