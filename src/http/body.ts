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
  const raw = request.headers.has('content-length')
    ? new Uint8Array(await request.arrayBuffer())
    : await readStream(request, limits)
  if (raw.length > maxBytes) throw tooLarge(maxBytes)
  return encoding === null || encoding === 'identity' ? raw : unpack(raw, encoding, maxBytes)
}

async function readStream(request: Request, { maxBytes, timeoutMs }: BodyLimits): Promise<Uint8Array> {
  if (request.body === null) return new Uint8Array(0)
  const reader = request.body.getReader()
  const chunks: Uint8Array[] = []
  let length = 0
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => late.reject(new AppError('REQUEST_TIMEOUT')), timeoutMs)
  try {
    for (;;) {
      const { done, value } = await Promise.race([reader.read(), late.promise])
      if (done) return Buffer.concat(chunks, length)
      length += value.length
      if (length > maxBytes) throw tooLarge(maxBytes)
      chunks.push(value)
    }
  } finally {
    clearTimeout(timer)
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
