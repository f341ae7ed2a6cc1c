/**
 * The head of an HTTP/1.1 request (RFC 9112, 2 to 6), parsed strictly: what two parsers could read differently is refused,
 * so that no request can hide in another one behind a proxy.
 */
import { IncomingRequest } from './incoming-request.ts'

/** How a body is delimited: a number of bytes, or chunks. */
export type Framing = number | 'chunked'

export type RequestHead = {
  method: string
  /** As sent: a path with its query, or a whole address. */
  target: string
  headers: [name: string, value: string][]
  framing: Framing
  /** Undefined for HTTP/1.0 without Host. */
  host: string | undefined
  keepAlive: boolean
  /** Whether the client waits for `100 Continue` before it sends the body. */
  expectsContinue: boolean
  /** HTTP/1.0 knows no chunks. */
  version: '1.0' | '1.1'
}

/** A head that is refused; the connection is closed after the answer, because where the next request begins is unknown. */
export class HeadError extends Error {
  constructor(
    readonly status: 400 | 417 | 431 | 501 | 505,
    message: string,
  ) {
    super(message)
  }
}

/** As Bun.serve: of the request line and all headers. */
export const MAX_HEAD_BYTES = 16 * 1024
const MAX_HEADERS = 200

const REQUEST_LINE = /^([!#$%&'*+\-.^_`|~\dA-Za-z]+) ([!-~\x80-\xff]+) HTTP\/(\d\.\d)$/
const HEADER_NAME = /^[!#$%&'*+\-.^_`|~\dA-Za-z]+$/
/** Control characters other than tabs, and line ends other than CR LF. */
const FORBIDDEN = /[^\t\r\n -~\x80-\xff]|\r(?!\n)|(?<!\r)\n/
const LENGTH = /^\d{1,15}$/
/** A name or an address with a port: anything else could change the path of the request's address. */
const HOST = /^[\w.\-:%[\]]*$/

/** @param text the head as Latin-1, without the empty line at its end */
export function parseRequestHead(text: string): RequestHead {
  if (FORBIDDEN.test(text)) throw new HeadError(400, 'the request has control characters, or a line ends without CR LF')
  const lines = text.split('\r\n')
  const requestLine = REQUEST_LINE.exec(lines[0] as string)
  if (requestLine === null) throw new HeadError(400, 'the request line is invalid')
  const [, method, target, version] = requestLine as unknown as [string, string, string, string]
  if (version !== '1.1' && version !== '1.0') throw new HeadError(505, 'the version must be HTTP/1.1 or HTTP/1.0')
  if (lines.length - 1 > MAX_HEADERS) throw new HeadError(431, `a request may have at most ${MAX_HEADERS} headers`)
  const headers: RequestHead['headers'] = []
  let host: string | undefined
  let length: string | undefined
  let coding: string | undefined
  let connection = ''
  let expect: string | undefined
  for (let i = 1; i < lines.length; i++) {
    const line = lines[i] as string
    const colon = line.indexOf(':')
    // a line that begins with a space would continue the one before; a name that ends with one hides its header
    const name = nameOf(line.slice(0, Math.max(colon, 0)))
    const value = trimmed(line, colon + 1)
    switch (name) {
      case 'host':
        if (host !== undefined) throw new HeadError(400, 'Host is sent twice')
        if (!HOST.test(value)) throw new HeadError(400, 'Host is invalid')
        host = value
        break
      case 'content-length':
        if (length !== undefined || !LENGTH.test(value))
          throw new HeadError(400, 'Content-Length must be one whole number')
        length = value
        break
      case 'transfer-encoding':
        if (coding !== undefined) throw new HeadError(400, 'Transfer-Encoding is sent twice')
        coding = value.toLowerCase()
        break
      case 'connection':
        connection += `,${value.toLowerCase()}`
        break
      case 'expect':
        expect = value.toLowerCase()
        break
    }
    headers.push([name, value])
  }
  if (host === undefined && version === '1.1') throw new HeadError(400, 'Host is missing')
  if (coding !== undefined) {
    if (length !== undefined) throw new HeadError(400, 'Content-Length and Transfer-Encoding exclude each other')
    if (version === '1.0') throw new HeadError(400, 'HTTP/1.0 has no Transfer-Encoding')
    if (coding !== 'chunked') throw new HeadError(501, 'Transfer-Encoding must be chunked')
  }
  if (expect !== undefined && expect !== '100-continue') throw new HeadError(417, 'Expect must be 100-continue')
  const options = connection.split(',').map((option) => option.trim())
  return {
    method,
    target,
    headers,
    framing: coding === undefined ? Number(length ?? 0) : 'chunked',
    host,
    keepAlive: version === '1.1' ? !options.includes('close') : options.includes('keep-alive'),
    expectsContinue: expect !== undefined && version === '1.1',
    version,
  }
}

/** Empty lines before a request are ignored (RFC 9112, 2.2). */
export function afterEmptyLines(bytes: Buffer): Buffer {
  let count = 0
  while (bytes[count] === 13 || bytes[count] === 10) count++
  return count === 0 ? bytes : bytes.subarray(count)
}

/** Names in lower case, by their spelling: clients use few, and checking one takes longer than looking it up. */
const names = new Map<string, string>()
const MAX_NAMES = 200

function nameOf(spelling: string): string {
  const known = names.get(spelling)
  if (known !== undefined) return known
  if (!HEADER_NAME.test(spelling)) throw new HeadError(400, 'a header is invalid')
  const name = spelling.toLowerCase()
  if (names.size < MAX_NAMES && name.length < 64) names.set(spelling, name)
  return name
}

function trimmed(line: string, from: number): string {
  let start = from
  let end = line.length
  while (start < end && isBlank(line.charCodeAt(start))) start++
  while (end > start && isBlank(line.charCodeAt(end - 1))) end--
  return line.slice(start, end)
}

const isBlank = (code: number): boolean => code === 32 || code === 9

/**
 * The request of a head, also of a target that is a whole address, which proxies may send.
 * @throws HeadError 400
 */
export function requestOf(
  { method, target, host, headers }: RequestHead,
  body: ReadableStream<Uint8Array> | undefined,
): IncomingRequest {
  const address = target.startsWith('/') ? `http://${host || 'localhost'}${target}` : target
  if (!address.startsWith('http://') && !address.startsWith('https://'))
    throw new HeadError(400, 'the target of the request must be a path')
  const hasBody = body !== undefined && method !== 'GET' && method !== 'HEAD'
  let request: IncomingRequest
  try {
    request = new IncomingRequest(address, { method, headers, ...(hasBody && { body }) })
  } catch {
    throw new HeadError(400, 'the method or the target of the request is invalid')
  }
  // Bun takes a method that it does not know for GET
  if (request.method !== method) throw new HeadError(501, 'the method is unknown')
  return request
}
