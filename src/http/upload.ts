/** Reads multipart forms: files are streamed to disk within limits and never held in memory as a whole. */
import { once } from 'node:events'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { finished } from 'node:stream/promises'
import busboy from 'busboy'
import { AppError, type FieldError } from '../errors.ts'
import { nextTurn } from '../turns.ts'
import { ChunkFile } from './chunk-file.ts'
import { bodyStream } from './request-body.ts'
import { requireCaller } from './request-context.ts'
import { beginUpload } from './uploads-under-way.ts'

export type UploadedFile = { path: string; filename: string; bytes: number }
export type UploadedPart = { field: string; value: string | UploadedFile }

export type UploadLimits = {
  /** Largest file of a field; 0 for unknown fields. */
  maxFileBytes(field: string): number
  maxFiles: number
  /** Of all text fields together. */
  maxTextBytes: number
  timeoutMs: number
}

export type Upload = {
  parts: UploadedPart[]
  /** Total size of the files' content and the fields' text. */
  bytes: number
  /** Hex digest over the names and contents of all parts in their order; empty unless requested. */
  sha256: string
}

const MAX_PARTS = 200
type BodyReader = Pick<ReadableStreamDefaultReader<Uint8Array>, 'read'>
const DONE = { done: true, value: undefined } as const
function malformed(message: string, cause?: unknown): AppError {
  const errors: FieldError[] = [{ field: 'body', rule: 'multipart', message }]
  return new AppError('BAD_REQUEST', { message: `body: ${message}`, errors, cause })
}

/**
 * Reads a multipart/form-data body and saves its files in `dir` as `input-1`, `input-2` and so on.
 * @throws AppError MEDIA_TYPE_UNSUPPORTED, BAD_REQUEST for a malformed or incomplete form, FILE_TOO_LARGE,
 *   BODY_TOO_LARGE for a text field, REQUEST_TIMEOUT
 */
export async function readUpload(
  request: Request,
  dir: string,
  limits: UploadLimits,
  digest: boolean,
): Promise<Upload> {
  requireCaller(request)
  const contentType = request.headers.get('content-type') ?? ''
  if (!/^multipart\/form-data\b/i.test(contentType)) {
    const message = 'must be multipart/form-data'
    const errors = [{ field: 'Content-Type', rule: 'enum', message }]
    throw new AppError('MEDIA_TYPE_UNSUPPORTED', { message: `Content-Type: ${message}`, errors })
  }
  const body = bodyStream(request)
  if (body === null) throw malformed('is empty')
  let parser: busboy.Busboy
  try {
    parser = busboy({
      headers: { 'content-type': contentType },
      defParamCharset: 'utf8',
      limits: { parts: MAX_PARTS, fields: MAX_PARTS, fieldSize: limits.maxTextBytes },
    })
  } catch (cause) {
    throw malformed('is not a valid multipart form', cause)
  }

  const parts: UploadedPart[] = []
  const digests: (string | undefined)[] = []
  const writing: Promise<void>[] = []
  const reader = body.getReader() as BodyReader & { cancel(reason: unknown): Promise<void> }
  let failure: AppError | undefined
  let files = 0
  let fileBytes = 0
  let textBytes = 0
  const fail = (error: AppError): void => {
    failure ??= error
    parser.destroy(error)
    // the body may never arrive; if it cannot be cancelled, it has failed by itself, and `failure` is the answer
    reader.cancel(error).catch(() => undefined)
  }

  /** A part without a name, which the parser's types do not know of. */
  const isNameless = (field: string | undefined): boolean => {
    if (field !== undefined) return false
    fail(malformed('has a part without a name'))
    return true
  }

  async function write(part: UploadedPart, slot: number, stream: Readable, file: UploadedFile): Promise<void> {
    const hash = digest ? new Bun.CryptoHasher('sha256') : undefined
    const limit = limits.maxFileBytes(part.field)
    const out = await open(file.path, 'w')
    try {
      const chunks = new ChunkFile(out)
      for await (const chunk of stream as AsyncIterable<Buffer>) {
        file.bytes += chunk.length
        if (file.bytes > limit) {
          const message = `must be at most ${limit} bytes`
          const errors = [{ field: part.field, rule: 'maxBytes', message }]
          throw new AppError('FILE_TOO_LARGE', { message: `${part.field}: ${message}`, errors })
        }
        hash?.update(chunk)
        await chunks.add(chunk)
      }
      await chunks.flush()
    } finally {
      await out.close()
    }
    fileBytes += file.bytes
    digests[slot] = hash?.digest('hex')
  }

  parser.on('file', (field, stream, { filename }) => {
    // the parser emits an error on every open stream when the form ends early; without a listener it ends the process
    stream.on('error', () => undefined)
    if (isNameless(field)) {
      stream.resume()
      return
    }
    files++
    if (files > limits.maxFiles) {
      const message = `the form must contain at most ${limits.maxFiles} files`
      fail(new AppError('VALIDATION_FAILED', { message, errors: [{ field, rule: 'maxFiles', message }] }))
      stream.resume()
      return
    }
    const file: UploadedFile = { path: join(dir, `input-${files}`), filename: filename ?? '', bytes: 0 }
    const part = { field, value: file }
    const slot = parts.push(part) - 1
    writing.push(write(part, slot, stream, file).catch((error) => fail(asFailure(error))))
  })
  parser.on('field', (field, value, { valueTruncated }) => {
    if (isNameless(field)) return
    textBytes += Buffer.byteLength(value)
    if (valueTruncated || textBytes > limits.maxTextBytes) {
      const message = `the text fields of the form must have at most ${limits.maxTextBytes} bytes together`
      const errors = [{ field, rule: 'maxBytes', message }]
      fail(new AppError('BODY_TOO_LARGE', { message: `${field}: ${message}`, errors }))
    }
    const slot = parts.push({ field, value }) - 1
    if (digest) digests[slot] = new Bun.CryptoHasher('sha256').update(value).digest('hex')
  })
  parser.on('partsLimit', () => fail(malformed(`must have at most ${MAX_PARTS} parts`)))

  const timer = setTimeout(() => fail(new AppError('REQUEST_TIMEOUT')), limits.timeoutMs)
  const upload = beginUpload(request)
  try {
    await feed(reader, parser, upload.received)
  } catch (cause) {
    // ends the streams of files that are still open
    parser.destroy()
    failure ??= malformed('is an incomplete multipart form', cause)
  } finally {
    clearTimeout(timer)
    upload.end()
  }
  await Promise.all(writing)
  if (failure !== undefined) throw failure
  return { parts, bytes: fileBytes + textBytes, sha256: digest ? digestOf(parts, digests) : '' }
}

/** Passes the body to the parser, one chunk in a turn: many forms at the same time would hold the server's thread. */
async function feed(reader: BodyReader, parser: busboy.Busboy, onBytes: (bytes: number) => void): Promise<void> {
  const closed = finished(parser)
  // reported below
  closed.catch(() => undefined)
  for (;;) {
    await nextTurn()
    const { done, value } = await Promise.race([reader.read(), closed.then(() => DONE)])
    if (done) break
    onBytes(value.length)
    if (!parser.write(value)) await Promise.race([once(parser, 'drain'), closed])
  }
  parser.end()
  await closed
}

function asFailure(error: unknown): AppError {
  return error instanceof AppError ? error : malformed('is an incomplete multipart form', error)
}

function digestOf(parts: readonly UploadedPart[], digests: readonly (string | undefined)[]): string {
  const names = parts.map(({ field, value }, i) => [field, typeof value === 'string' ? '' : value.filename, digests[i]])
  return new Bun.CryptoHasher('sha256').update(JSON.stringify(names)).digest('hex')
}
