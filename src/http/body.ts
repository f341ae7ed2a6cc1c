/** Reads a request's body without trusting its headers. Callers are known by then (request-context.ts). */
import { promisify } from 'node:util'
import { gunzip, gunzipSync, zstdDecompress, zstdDecompressSync } from 'node:zlib'
import { AppError } from '../errors.ts'
import { parseJsonBody } from '../json-text.ts'
import { JSON_TYPE } from './envelope.ts'
import { requireCaller } from './request-context.ts'

export type BodyLimits = { maxBytes: number; timeoutMs: number }

/**
 * What a compressed body may unpack to: this many times its size, or FREE_BYTES if that is more. 500 readings of
 * constant values compress by several hundred, GeoJSON by less than 30, and an attack by 1,000.
 */
const MAX_RATIO = 100
const FREE_BYTES = 1024 * 1024
/** Unpacking a larger result would hold the server's thread for longer than handing it to another one takes. */
const MAX_SYNC_BYTES = 1024 * 1024

function tooLarge(message: string, rule = 'maxBytes'): AppError {
  return new AppError('BODY_TOO_LARGE', { message: `body: ${message}`, errors: [{ field: 'body', rule, message }] })
}
const overLimit = (maxBytes: number): AppError => tooLarge(`must be at most ${maxBytes} bytes after decompression`)

/**
 * The bytes of the body, decompressed when `Content-Encoding` is gzip or zstd. Decompression stops at the limit.
 * @throws AppError BODY_TOO_LARGE, MEDIA_TYPE_UNSUPPORTED, BAD_REQUEST, REQUEST_TIMEOUT
 */
export async function readBody(request: Request, limits: BodyLimits): Promise<Uint8Array> {
  requireCaller(request)
  const { maxBytes } = limits
  const encoding = request.headers.get('content-encoding')
  if (Number(request.headers.get('content-length') ?? 0) > maxBytes) throw overLimit(maxBytes)
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
  if (raw.length > maxBytes) throw overLimit(maxBytes)
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
      if (length > maxBytes) throw overLimit(maxBytes)
      chunks.push(value)
    }
  } finally {
    await reader.cancel()
  }
}

type Options = { maxOutputLength: number }
type Unpacker = {
  sync(bytes: Uint8Array, options: Options): Buffer
  async(bytes: Uint8Array, options: Options): Promise<Buffer>
}
const UNPACKERS: Record<string, Unpacker> = {
  gzip: { sync: gunzipSync, async: promisify<Uint8Array, Options, Buffer>(gunzip) },
  zstd: { sync: zstdDecompressSync, async: promisify<Uint8Array, Options, Buffer>(zstdDecompress) },
}

async function unpack(raw: Uint8Array, encoding: string, maxBytes: number): Promise<Uint8Array> {
  const unpacker = UNPACKERS[encoding.trim().toLowerCase()]
  if (unpacker === undefined) {
    const message = 'must be gzip, zstd or identity'
    const errors = [{ field: 'Content-Encoding', rule: 'enum', message }]
    throw new AppError('MEDIA_TYPE_UNSUPPORTED', { message: `Content-Encoding: ${message}`, errors })
  }
  const maxOutputLength = Math.min(maxBytes, Math.max(FREE_BYTES, raw.length * MAX_RATIO))
  try {
    const options = { maxOutputLength }
    return maxOutputLength <= MAX_SYNC_BYTES ? unpacker.sync(raw, options) : await unpacker.async(raw, options)
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE')
      throw maxOutputLength === maxBytes
        ? overLimit(maxBytes)
        : tooLarge(`must unpack to at most ${MAX_RATIO} times its size, or ${FREE_BYTES} bytes`, 'ratio')
    const message = `is not valid ${encoding} data`
    throw new AppError('BAD_REQUEST', {
      message: `body: ${message}`,
      errors: [{ field: 'body', rule: encoding, message }],
      cause,
    })
  }
}

/** The media type of a `Content-Type` header, without its parameters. */
export const mediaTypeOf = (header: string | null): string => (header ?? '').split(';')[0]?.trim().toLowerCase() ?? ''

/** @throws AppError MEDIA_TYPE_UNSUPPORTED */
export function requireMediaType(mediaType: string, ...allowed: string[]): void {
  if (allowed.includes(mediaType)) return
  const message = `must be ${allowed.join(' or ')}`
  const errors = [{ field: 'Content-Type', rule: 'enum', message }]
  throw new AppError('MEDIA_TYPE_UNSUPPORTED', { message: `Content-Type: ${message}`, errors })
}

/** Of a JSON body that is parsed here: lists and objects, and different names of members. */
const MAX_ITEMS = 10_000
const MAX_NAMES = 1_000

/**
 * Reads and parses a JSON body, which has to be small: it is parsed on the server's thread. Returns null for an empty
 * body: Elysia would read the body again if it got undefined.
 * @param mediaType in lower case, without parameters
 * @throws AppError as `readBody` does; MEDIA_TYPE_UNSUPPORTED when the content type is not JSON
 */
export async function readJson(request: Request, mediaType: string, limits: BodyLimits): Promise<unknown> {
  const bytes = await readBody(request, limits)
  if (bytes.length === 0) return null
  requireMediaType(mediaType, JSON_TYPE)
  return parseJsonBody(bytes, { maxItems: MAX_ITEMS, maxNames: MAX_NAMES })
}
