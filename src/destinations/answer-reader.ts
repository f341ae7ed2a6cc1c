/**
 * Reads an answer of HTTP/1.1 (RFC 9112) as it arrives. Only the status, the pause that the receiver asks for and the
 * first kilobyte of the body are kept, however much is sent. node:http would report an answer after its last header;
 * here the status line is enough.
 */

/** Of a body, and of a line, which may be longer than what is needed of it. */
const KEPT_BYTES = 1_024

export type AnswerReader = {
  /** @returns whether the answer is complete. @throws Error if it is not an answer of HTTP/1 */
  read(bytes: Uint8Array): boolean
  /** As soon as the status line has arrived. Interim answers (1xx) do not count. */
  readonly statusCode: number | undefined
  readonly retryAfterMs: number | undefined
  /** The beginning of the body, at most one kilobyte. */
  text(): string
}

type Part = 'status' | 'header' | 'body' | 'chunkSize' | 'chunk' | 'chunkEnd' | 'trailer' | 'end'

export function createAnswerReader(): AnswerReader {
  let part: Part = 'status'
  let line = ''
  let statusCode: number | undefined
  let retryAfterMs: number | undefined
  /** Bytes of the body or chunk that are still to come; without a length, a body ends with the connection. */
  let left = Number.POSITIVE_INFINITY
  let isChunked = false
  const body = new Uint8Array(KEPT_BYTES)
  let kept = 0

  function readStatus(): void {
    const [, status] = /^HTTP\/1\.\d ([1-9]\d\d)(?: |$)/.exec(line) ?? []
    if (status === undefined) throw new Error('not an answer of HTTP/1')
    const isInterim = status.startsWith('1') && status !== '101'
    statusCode = isInterim ? undefined : Number(status)
    part = 'header'
  }

  function readHeader(): void {
    const [, name = '', value = ''] = /^([^:\s]+):[ \t]*(.*?)[ \t]*$/.exec(line) ?? []
    const lower = name.toLowerCase()
    if (lower === 'retry-after') retryAfterMs = retryAfterOf(value)
    if (lower === 'content-length' && /^\d{1,15}$/.test(value)) left = Number(value)
    if (lower === 'transfer-encoding') isChunked = /(^|,)\s*chunked$/i.test(value)
  }

  function endHead(): void {
    if (statusCode === undefined) part = 'status'
    else if (statusCode === 204 || statusCode === 304) part = 'end'
    else if (isChunked) part = 'chunkSize'
    else part = left === 0 ? 'end' : 'body'
  }

  function readChunkSize(): void {
    const [size] = /^[\da-f]{1,12}(?=[;\s]|$)/i.exec(line) ?? []
    left = size === undefined ? 0 : Number.parseInt(size, 16)
    if (size === undefined) part = 'end'
    else part = left === 0 ? 'trailer' : 'chunk'
  }

  function readLine(): void {
    if (part === 'status') readStatus()
    else if (part === 'header' && line === '') endHead()
    else if (part === 'header') readHeader()
    else if (part === 'chunkSize') readChunkSize()
    else if (part === 'chunkEnd') part = 'chunkSize'
    else if (part === 'trailer' && line === '') part = 'end'
  }

  /** @returns how many bytes belong to the body or chunk */
  function keep(bytes: Uint8Array): number {
    const length = Math.min(left, bytes.length)
    const first = bytes.subarray(0, Math.min(length, KEPT_BYTES - kept))
    body.set(first, kept)
    kept += first.length
    left -= length
    if (left === 0) part = part === 'chunk' ? 'chunkEnd' : 'end'
    return length
  }

  return {
    read(bytes) {
      for (let i = 0; i < bytes.length && part !== 'end'; ) {
        if (part === 'body' || part === 'chunk') {
          i += keep(bytes.subarray(i))
          continue
        }
        const end = bytes.indexOf(0x0a, i)
        const piece = bytes.subarray(i, end < 0 ? bytes.length : end)
        line += Buffer.from(piece.subarray(0, KEPT_BYTES - line.length)).toString('latin1')
        i += piece.length + 1
        if (end < 0) break
        line = line.replace(/\r$/, '')
        readLine()
        line = ''
      }
      return part === 'end'
    },
    get statusCode() {
      return statusCode
    },
    get retryAfterMs() {
      return retryAfterMs
    },
    text: () => textOf(body.subarray(0, kept)),
  }
}

/** Seconds or a date (RFC 9110, 10.2.3). */
function retryAfterOf(value: string): number | undefined {
  if (/^\d{1,9}$/.test(value)) return Number(value) * 1000
  // dates of HTTP begin with the day of the week; Date.parse would also take single numbers
  const ms = /^[A-Z][a-z]+,? /.test(value) ? Date.parse(value) - Date.now() : Number.NaN
  return Number.isNaN(ms) ? undefined : Math.max(ms, 0)
}

/** PostgreSQL stores no zero bytes. A wrong byte becomes a character of three, so the text is cut to its size again. */
function textOf(bytes: Uint8Array): string {
  // in a stream, a character that was cut off is left out
  const text = new TextDecoder().decode(bytes, { stream: true }).replaceAll('\0', '\ufffd')
  return text.slice(0, new TextEncoder().encodeInto(text, new Uint8Array(KEPT_BYTES)).read)
}
