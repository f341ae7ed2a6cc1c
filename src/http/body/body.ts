/** Reads a request's body without trusting its headers. Callers are known by then (request-context.ts). */
import { open } from 'node:fs/promises'
import { promisify } from 'node:util'
import { gunzip, gunzipSync, zstdDecompress, zstdDecompressSync } from 'node:zlib'
import { AppError, fieldFailure } from '../../errors.ts'
import { nextPass, nextTurn } from '../../event-loop-yield.ts'
import { fieldText } from '../../field-texts/field-text.ts'
import { parseJsonBody } from '../../json-text.ts'
import { JSON_TYPE } from '../envelope.ts'
import { requireCaller } from '../request-context.ts'
import { ChunkFile } from './chunk-file.ts'

export type BodyLimits = { maxBytes: number; timeoutMs: number }

/**
 * Maximum compression ratio; a body may always unpack to FREE_BYTES. 500 readings of constant values compress by
 * several hundred, GeoJSON by less than 30, and an attack by 1,000.
 */
const MAX_RATIO = 100
const FREE_BYTES = 1024 * 1024
/**
 * Bodies below these limits are unpacked on the server's thread, which takes up to 4 ms. More compressed bytes may be
 * empty blocks that take 50 ms a megabyte, and a larger result takes longer than handing it to another thread.
 */
const MAX_SYNC = { packedBytes: 64 * 1024, unpackedBytes: 1024 * 1024 }
/** Only one body of at least this size is returned per pass of the event loop. */
const LARGE_BYTES = 256 * 1024

const overLimit = (maxBytes: number): AppError =>
  fieldFailure('BODY_TOO_LARGE', 'body', 'maxBytes', fieldText('unpackedBytesAtMost', { most: maxBytes }))

/**
 * The bytes of the body, decompressed when `Content-Encoding` is gzip or zstd. Decompression stops at the limit. At
 * most one large body is returned per pass of the event loop, since callers parse it.
 * @throws AppError BODY_TOO_LARGE, MEDIA_TYPE_UNSUPPORTED, BAD_REQUEST, REQUEST_TIMEOUT
 */
export async function readBody(request: Request, limits: BodyLimits): Promise<Uint8Array> {
  requireCaller(request)
  const { maxBytes } = limits
  const encoding = encodingOf(request)
  if (Number(request.headers.get('content-length') ?? 0) > maxBytes) throw overLimit(maxBytes)
  const raw = request.headers.has('content-length')
    ? await wholeBody(request, limits)
    : await inTime(limits, async (late) => {
        const chunks: Uint8Array[] = []
        await forEachChunk(request, maxBytes, late, (chunk) => {
          chunks.push(chunk)
          // bytes that arrive meanwhile are read as one chunk: a client may send each byte in its own chunk
          return nextPass()
        })
        return Buffer.concat(chunks)
      })
  if (raw.length > maxBytes) throw overLimit(maxBytes)
  const bytes = encoding === 'identity' ? raw : await unpack(raw, encoding, maxBytes)
  if (bytes.length >= LARGE_BYTES) await nextTurn()
  return bytes
}

/** One timer checks all pending bodies: a timer for each takes a twentieth of a small call. */
const SWEEP_MS = 50
const awaited = new Set<{ untilMs: number; expire(): void }>()
let sweeping: ReturnType<typeof setTimeout> | undefined

function sweep(): void {
  const nowMs = performance.now()
  for (const body of awaited) if (body.untilMs <= nowMs) body.expire()
  sweeping = awaited.size > 0 ? setTimeout(sweep, SWEEP_MS) : undefined
}

function wholeBody(request: Request, { timeoutMs }: BodyLimits): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const body = { untilMs: performance.now() + timeoutMs, expire: () => end(new AppError('REQUEST_TIMEOUT')) }
    function end(error: AppError): void {
      awaited.delete(body)
      reject(error)
    }
    awaited.add(body)
    if (sweeping === undefined) sweeping = setTimeout(sweep, SWEEP_MS)
    request.arrayBuffer().then(
      (buffer) => {
        awaited.delete(body)
        resolve(new Uint8Array(buffer))
      },
      (cause: unknown) => end(incomplete(cause)),
    )
  })
}

async function inTime<T>({ timeoutMs }: BodyLimits, work: (late: Promise<never>) => Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>()
  // the timeout may fire when nobody awaits it any more
  late.promise.catch(() => undefined)
  const timer = setTimeout(() => late.reject(new AppError('REQUEST_TIMEOUT')), timeoutMs)
  try {
    return await work(late.promise)
  } finally {
    clearTimeout(timer)
  }
}

/** @returns the number of bytes */
async function forEachChunk(
  request: Request,
  maxBytes: number,
  late: Promise<never>,
  use: (chunk: Uint8Array) => unknown,
): Promise<number> {
  const reader = request.body?.getReader()
  if (reader === undefined) return 0
  let length = 0
  try {
    for (;;) {
      const { done, value } = await Promise.race([reader.read().catch(failIncomplete), late])
      if (done) return length
      length += value.length
      if (length > maxBytes) throw overLimit(maxBytes)
      await use(value)
    }
  } finally {
    // if the stream failed, this rejects with the error that is thrown already
    await reader.cancel().catch(() => undefined)
  }
}

/** Whether the body declares at most this length and is not compressed, so that the decoded body is not longer. */
export function isShortBody({ headers }: Request, bytes: number): boolean {
  const declared = headers.get('content-length')
  return declared !== null && Number(declared) <= bytes && !headers.has('content-encoding')
}

export type SavedBody = {
  length: number
  /** Hex digest; empty unless requested. */
  sha256: string
}

/**
 * Writes the decompressed body to a new file as it arrives, one chunk per turn, because many bodies of some megabytes
 * at the same time would block the server's thread.
 * @throws AppError as `readBody` does
 */
export async function saveBody(
  request: Request,
  path: string,
  limits: BodyLimits,
  { digest = false } = {},
): Promise<SavedBody> {
  requireCaller(request)
  const { maxBytes } = limits
  const hash = digest ? new Bun.CryptoHasher('sha256') : undefined
  const declared = request.headers.get('content-length')
  if (Number(declared ?? 0) > maxBytes) throw overLimit(maxBytes)
  const encoding = encodingOf(request)
  const out = new ChunkFile(await open(path, 'wx'))
  try {
    const add = async (chunk: Uint8Array): Promise<void> => {
      hash?.update(chunk)
      await out.add(chunk)
    }
    let length: number
    if (encoding === 'identity') {
      length = await inTime(limits, (late) =>
        forEachChunk(request, maxBytes, late, async (chunk) => {
          await nextTurn()
          await add(chunk)
        }),
      )
      if (declared !== null && length !== Number(declared)) throw incomplete()
    } else {
      const bytes = await readBody(request, limits)
      length = bytes.length
      await add(bytes)
    }
    await out.flush()
    return { length, sha256: hash?.digest('hex') ?? '' }
  } finally {
    await out.close()
  }
}

/** The caller disconnected, or sent fewer bytes than it announced. */
const incomplete = (cause?: unknown): AppError =>
  fieldFailure('BAD_REQUEST', 'body', 'length', fieldText('incompleteBody'), cause)

function failIncomplete(cause: unknown): never {
  throw incomplete(cause)
}

/** In lower case: names of codings ignore case. An empty header names none. */
const encodingOf = ({ headers }: Request): string => headers.get('content-encoding')?.trim().toLowerCase() || 'identity'

type Options = { maxOutputLength: number }
type Unpacker = {
  sync(bytes: Uint8Array, options: Options): Buffer
  async(bytes: Uint8Array, options: Options): Promise<Buffer>
}
const gzip: Unpacker = { sync: gunzipSync, async: promisify<Uint8Array, Options, Buffer>(gunzip) }
const UNPACKERS: Record<string, Unpacker> = {
  gzip,
  // the name of gzip in old clients (RFC 9110, 8.4.1.3)
  'x-gzip': gzip,
  zstd: { sync: zstdDecompressSync, async: promisify<Uint8Array, Options, Buffer>(zstdDecompress) },
}

async function unpack(raw: Uint8Array, encoding: string, maxBytes: number): Promise<Uint8Array> {
  const unpacker = Object.hasOwn(UNPACKERS, encoding) ? UNPACKERS[encoding] : undefined
  if (unpacker === undefined)
    throw fieldFailure('MEDIA_TYPE_UNSUPPORTED', 'Content-Encoding', 'enum', fieldText('contentEncodings'))
  const maxOutputLength = Math.min(maxBytes, Math.max(FREE_BYTES, raw.length * MAX_RATIO))
  try {
    const options = { maxOutputLength }
    const isSmall = raw.length <= MAX_SYNC.packedBytes && maxOutputLength <= MAX_SYNC.unpackedBytes
    return isSmall ? unpacker.sync(raw, options) : await unpacker.async(raw, options)
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE')
      throw maxOutputLength === maxBytes
        ? overLimit(maxBytes)
        : fieldFailure(
            'BODY_TOO_LARGE',
            'body',
            'ratio',
            fieldText('unpackRatio', { times: MAX_RATIO, most: FREE_BYTES }),
          )
    throw fieldFailure('BAD_REQUEST', 'body', encoding, fieldText('encodedData', { encoding }), cause)
  }
}

/** The media type of a `Content-Type` header, without its parameters. */
export const mediaTypeOf = (header: string | null): string => (header ?? '').split(';')[0]?.trim().toLowerCase() ?? ''

/** @throws AppError MEDIA_TYPE_UNSUPPORTED */
export function requireMediaType(mediaType: string, ...allowed: string[]): void {
  if (allowed.includes(mediaType)) return
  const text = fieldText('mediaTypes', { types: allowed.join(' or ') })
  throw fieldFailure('MEDIA_TYPE_UNSUPPORTED', 'Content-Type', 'enum', text)
}

/** Limits of a JSON body that is parsed here: number of lists and objects, and of different member names. */
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
