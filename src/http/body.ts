/** Reads a request's body without trusting its headers. */
import { gunzipSync, zstdDecompressSync } from 'node:zlib'
import { AppError } from '../errors.ts'

export type BodyLimits = { maxBytes: number; timeoutMs: number }

function tooLarge(maxBytes: number): AppError {
  const message = `must be at most ${maxBytes} bytes after decompression`
  const errors = [{ field: 'body', rule: 'maxBytes', message }]
  return new AppError('BODY_TOO_LARGE', { message: `body: ${message}`, errors })
}

/**
 * The bytes of the body, decompressed when `Content-Encoding` is gzip or zstd. Decompression stops at the limit.
 * @throws AppError BODY_TOO_LARGE, MEDIA_TYPE_UNSUPPORTED, BAD_REQUEST, REQUEST_TIMEOUT
 */
export async function readBody(request: Request, limits: BodyLimits): Promise<Uint8Array> {
  const { maxBytes } = limits
  const encoding = request.headers.get('content-encoding')
  if (Number(request.headers.get('content-length') ?? 0) > maxBytes) throw tooLarge(maxBytes)
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => late.reject(new AppError('REQUEST_TIMEOUT')), limits.timeoutMs)
  let raw: Uint8Array
  try {
    raw = request.headers.has('content-length')
      ? new Uint8Array(await Promise.race([request.arrayBuffer(), late.promise]))
      : await readStream(request, maxBytes, late.promise)
  } finally {
    clearTimeout(timer)
  }
  if (raw.length > maxBytes) throw tooLarge(maxBytes)
  return encoding === null || encoding === 'identity' ? raw : unpack(raw, encoding, maxBytes)
}

async function readStream(request: Request, maxBytes: number, late: Promise<never>): Promise<Uint8Array> {
  if (request.body === null) return new Uint8Array(0)
  const reader = request.body.getReader()
  const chunks: Uint8Array[] = []
  let length = 0
  try {
    for (;;) {
      const { done, value } = await Promise.race([reader.read(), late])
      if (done) return Buffer.concat(chunks, length)
      length += value.length
      if (length > maxBytes) throw tooLarge(maxBytes)
      chunks.push(value)
    }
  } finally {
    await reader.cancel()
  }
}

const UNPACK: Record<string, (bytes: Uint8Array, options: { maxOutputLength: number }) => Buffer> = {
  gzip: gunzipSync,
  zstd: zstdDecompressSync,
}

function unpack(raw: Uint8Array, encoding: string, maxBytes: number): Uint8Array {
  const decompress = UNPACK[encoding.trim().toLowerCase()]
  if (decompress === undefined) {
    const message = 'must be gzip, zstd or identity'
    const errors = [{ field: 'Content-Encoding', rule: 'enum', message }]
    throw new AppError('MEDIA_TYPE_UNSUPPORTED', { message: `Content-Encoding: ${message}`, errors })
  }
  try {
    return decompress(raw, { maxOutputLength: maxBytes })
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge(maxBytes)
    const message = `is not valid ${encoding} data`
    throw new AppError('BAD_REQUEST', {
      message: `body: ${message}`,
      errors: [{ field: 'body', rule: encoding, message }],
      cause,
    })
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

/**
 * Reads and parses the JSON body of a request. Returns undefined for an empty body.
 * @throws AppError as `readBody` does; MEDIA_TYPE_UNSUPPORTED when the content type is not JSON
 */
export async function readJson(request: Request, contentType: string, limits: BodyLimits): Promise<unknown> {
  const bytes = await readBody(request, limits)
  if (bytes.length === 0) return undefined
  if (contentType !== 'application/json') {
    const message = 'must be application/json'
    const errors = [{ field: 'Content-Type', rule: 'enum', message }]
    throw new AppError('MEDIA_TYPE_UNSUPPORTED', { message: `Content-Type: ${message}`, errors })
  }
  try {
    return JSON.parse(utf8.decode(bytes)) as unknown
  } catch (cause) {
    const message = 'must be valid JSON in UTF-8'
    const errors = [{ field: 'body', rule: 'json', message }]
    throw new AppError('BAD_REQUEST', { message: `body: ${message}`, errors, cause })
  }
}
