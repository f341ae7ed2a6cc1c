/** Reads a request's body without trusting what its headers say of it. */
import { gunzipSync, zstdDecompressSync } from 'node:zlib'
import { AppError } from '../errors.ts'

export type BodyLimits = { maxBytes: number; timeoutMs: number }

function tooLarge(maxBytes: number): AppError {
  const message = `must be at most ${maxBytes} bytes, unpacked`
  return new AppError('BODY_TOO_LARGE', { errors: [{ field: 'body', rule: 'maxBytes', message }] })
}

/**
 * The body's bytes, unpacked when `Content-Encoding` is gzip or zstd; unpacking stops at the limit.
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
    throw new AppError('MEDIA_TYPE_UNSUPPORTED', { errors: [{ field: 'Content-Encoding', rule: 'enum', message }] })
  }
  try {
    return decompress(raw, { maxOutputLength: maxBytes })
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge(maxBytes)
    const message = `is not ${encoding}`
    throw new AppError('BAD_REQUEST', {
      message: `body: ${message}`,
      errors: [{ field: 'body', rule: encoding, message }],
      cause,
    })
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

/**
 * A parser for routes that take JSON: within the limits, of that type, and JSON. Undefined for an empty body.
 * @throws AppError also MEDIA_TYPE_UNSUPPORTED for another type
 */
export async function readJson(request: Request, contentType: string, limits: BodyLimits): Promise<unknown> {
  const bytes = await readBody(request, limits)
  if (bytes.length === 0) return undefined
  if (contentType !== 'application/json') {
    const message = 'must be application/json'
    throw new AppError('MEDIA_TYPE_UNSUPPORTED', { errors: [{ field: 'Content-Type', rule: 'enum', message }] })
  }
  try {
    return JSON.parse(utf8.decode(bytes)) as unknown
  } catch (cause) {
    const message = 'must be JSON in UTF-8'
    const errors = [{ field: 'body', rule: 'json', message }]
    throw new AppError('BAD_REQUEST', { message: `body: ${message}`, errors, cause })
  }
}
