/** Sends a response over HTTP/1.1 (RFC 9112, 6): with its length where it is known, in chunks where it is not. */
import { STATUS_CODES } from 'node:http'
import { nextPass } from '../turns.ts'
import type { RequestHead } from './request-head.ts'

/** Resolves when more may be written; rejects when the client has gone. */
export type Write = (bytes: Uint8Array) => Promise<void> | undefined

const encoder = new TextEncoder()
const CHUNK_END = encoder.encode('\r\n')
const LAST_CHUNK = encoder.encode('0\r\n\r\n')
/** The connection decides on these. */
const HOP_BY_HOP = new Set(['connection', 'keep-alive', 'transfer-encoding', 'upgrade', 'trailer'])

let dateAtMs = 0
let dateLine = ''

/** The text of the Date header changes once a second. */
function currentDateLine(): string {
  const nowMs = Date.now()
  if (nowMs - dateAtMs >= 1000 || nowMs < dateAtMs) {
    dateAtMs = nowMs - (nowMs % 1000)
    dateLine = `Date: ${new Date(dateAtMs).toUTCString()}\r\n`
  }
  return dateLine
}

function headOf({ status, headers }: Response, framing: string, version: string, keepAlive: boolean): Buffer {
  let lines = ''
  for (const [name, value] of headers) if (!HOP_BY_HOP.has(name)) lines += `${name}: ${value}\r\n`
  return Buffer.from(headText(status, lines + framing, version, keepAlive), 'latin1')
}

function headText(status: number, lines: string, version: string, keepAlive: boolean): string {
  const connection = keepAlive ? (version === '1.0' ? 'Connection: keep-alive\r\n' : '') : 'Connection: close\r\n'
  return `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? 'Unknown'}\r\n${lines}${currentDateLine()}${connection}\r\n`
}

/** The room of a head in front of its content, so that both are sent without being copied once more. */
const HEAD_ROOM = 512
/**
 * Small answers share blocks of memory, because allocating and collecting memory for each costs more than writing it. No
 * part of a block is used twice; the block is collected once all of its answers are sent.
 */
const BLOCK_BYTES = 128 * 1024
let sharedBlock = Buffer.allocUnsafeSlow(BLOCK_BYTES)
let blockUsed = 0

/** An answer 200 with its content, which needs no Response. */
export class PreparedAnswer {
  readonly status = 200
  private readonly block: Buffer
  private readonly start: number
  private readonly length: number

  /**
   * @param lines of its headers, each with CR LF; in ASCII
   * @param content is copied
   */
  constructor(
    private readonly lines: string,
    content: Uint8Array,
  ) {
    this.length = content.length
    const needed = HEAD_ROOM + content.length
    if (needed > BLOCK_BYTES / 8) {
      this.block = Buffer.allocUnsafeSlow(needed)
      this.start = HEAD_ROOM
    } else {
      if (blockUsed + needed > BLOCK_BYTES) {
        sharedBlock = Buffer.allocUnsafeSlow(BLOCK_BYTES)
        blockUsed = 0
      }
      this.block = sharedBlock
      this.start = blockUsed + HEAD_ROOM
      blockUsed += needed
    }
    this.block.set(content, this.start)
  }

  /** The whole answer; the bytes may be used once. */
  toBytes(version: string, keepAlive: boolean): Uint8Array {
    const { block, start, length, lines, status } = this
    const head = headText(status, `${lines}Content-Length: ${length}\r\n`, version, keepAlive)
    if (head.length > HEAD_ROOM)
      return Buffer.concat([Buffer.from(head, 'latin1'), block.subarray(start, start + length)])
    block.write(head, start - head.length, 'latin1')
    return block.subarray(start - head.length, start + length)
  }
}

const hasNoBody = (status: number): boolean => status === 204 || status === 304 || status < 200

const CONTENT = Symbol('content')
type WithContent = Response & { [CONTENT]?: Uint8Array }

/** What a response consists of, which is sent without reading it from the response. The bytes may not change. */
export function setWholeContent(response: WithContent, bytes: Uint8Array): void {
  response[CONTENT] = bytes
}

/** A body that has ended within so many bytes is sent with its length. */
const WHOLE_BYTES = 256 * 1024

type Reader = ReadableStreamDefaultReader<Uint8Array>
type Read = Awaited<ReturnType<Reader['read']>>

/** What there is of a body without waiting for it: all of it, or its first part and the read that is under way. */
async function begun(reader: Reader): Promise<{ parts: Uint8Array[]; bytes: number; next: Promise<Read> | undefined }> {
  const parts: Uint8Array[] = []
  let bytes = 0
  let next = reader.read()
  for (;;) {
    // what exists already is read within this pass of the event loop; a client may not wait for what comes of a stream
    const isThere = Bun.peek.status(next) !== 'pending'
    const read = isThere ? await next : await Promise.race([next, nextPass()])
    if (read === undefined) return { parts, bytes, next }
    if (read.done) return { parts, bytes, next: undefined }
    parts.push(read.value)
    bytes += read.value.length
    next = reader.read()
    if (bytes > WHOLE_BYTES) return { parts, bytes, next }
  }
}

/** The client would take what is too much, or the next answer, for something else. */
const wrongLength = (declared: string | null): Error =>
  new Error(`a response of ${declared} bytes has another number of them`)

const chunkStart = (bytes: number): Buffer => Buffer.from(`${bytes.toString(16)}\r\n`, 'latin1')

/**
 * @param mayKeepAlive whether the connection could serve another request
 * @param onBody receives what ends the body when the client has gone
 * @returns whether it still can: the end of a body of unknown length is the end of a connection of HTTP/1.0
 */
export async function writeResponse(
  response: Response,
  { method, version }: Pick<RequestHead, 'method' | 'version'>,
  mayKeepAlive: boolean,
  write: Write,
  onBody: (cancel: () => void) => void,
): Promise<boolean> {
  const { headers, status } = response
  const content = (response as WithContent)[CONTENT]
  if (content !== undefined) {
    const head = headOf(response, `Content-Length: ${content.length}\r\n`, version, mayKeepAlive)
    await write(method === 'HEAD' ? head : Buffer.concat([head, content]))
    return mayKeepAlive
  }
  const { body } = response
  const declared = headers.get('content-length')
  if (method === 'HEAD' || hasNoBody(status) || body === null) {
    const framing = method === 'HEAD' || hasNoBody(status) || declared !== null ? '' : 'Content-Length: 0\r\n'
    await write(headOf(response, framing, version, mayKeepAlive))
    await body?.cancel()
    return mayKeepAlive
  }
  const reader = body.getReader() as Reader
  onBody(() => reader.cancel().catch(() => undefined))
  try {
    const { parts, bytes, next } = await begun(reader)
    if (next === undefined) {
      if (declared !== null && Number(declared) !== bytes) throw wrongLength(declared)
      const framing = declared === null ? `Content-Length: ${bytes}\r\n` : ''
      await write(Buffer.concat([headOf(response, framing, version, mayKeepAlive), ...parts]))
      return mayKeepAlive
    }
    const inChunks = declared === null && version === '1.1'
    const keepAlive = mayKeepAlive && (inChunks || declared !== null)
    let left = declared === null ? Number.POSITIVE_INFINITY : Number(declared)
    const writePart = async (part: Uint8Array): Promise<void> => {
      if (part.length === 0) return
      left -= part.length
      if (left < 0) throw wrongLength(declared)
      await write(inChunks ? Buffer.concat([chunkStart(part.length), part, CHUNK_END]) : part)
    }
    await write(headOf(response, inChunks ? 'Transfer-Encoding: chunked\r\n' : '', version, keepAlive))
    for (const part of parts) await writePart(part)
    for (let read = await next; !read.done; read = await reader.read()) await writePart(read.value)
    if (declared !== null && left > 0) throw wrongLength(declared)
    if (inChunks) await write(LAST_CHUNK)
    return keepAlive
  } catch (error) {
    // the client has gone, or the body has failed: whoever makes it may stop
    await reader.cancel(error).catch(() => undefined)
    throw error
  }
}
