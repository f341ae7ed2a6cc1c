/** Reads multipart forms: files are streamed to disk within limits and never held in memory as a whole. */
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { AppError, fieldError, fieldFailure } from '../../errors.ts'
import { nextTurn } from '../../event-loop-yield.ts'
import type { FieldText } from '../../field-texts/bilingual.ts'
import { fieldText } from '../../field-texts/field-text.ts'
import { requireCaller } from '../request-context.ts'
import { ChunkFile } from './chunk-file.ts'
import { boundaryOf, FormError, FormParts, type PartTarget, readPart } from './form-parts.ts'
import { sentTwice } from './sent-twice.ts'
import { beginUpload } from './uploads-under-way.ts'

export type UploadedFile = { path: string; filename: string; bytes: number }
export type UploadedPart = { field: string; value: string | UploadedFile }

export type UploadLimits = {
  /** Largest file of a field; 0 for unknown fields. */
  maxFileBytes(field: string): number
  maxFiles: number
  /** Whether a field may be sent more than once. */
  isList?(field: string): boolean
  /** Limit for all text fields together. */
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
function malformed(text: FieldText, cause?: unknown): AppError {
  return fieldFailure('BAD_REQUEST', 'body', 'multipart', text, cause)
}

/**
 * Reads a multipart/form-data body and saves its files in `dir` as `input-1`, `input-2` and so on.
 * @throws AppError MEDIA_TYPE_UNSUPPORTED, BAD_REQUEST for a malformed or incomplete form, FILE_TOO_LARGE,
 *   BODY_TOO_LARGE for a text field, VALIDATION_FAILED for a field that is sent twice, REQUEST_TIMEOUT
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
    const text = fieldText('mediaTypes', { types: 'multipart/form-data' })
    throw fieldFailure('MEDIA_TYPE_UNSUPPORTED', 'Content-Type', 'enum', text)
  }
  const boundary = boundaryOf(contentType)
  if (boundary === undefined) throw malformed(fieldText('formInvalid'))
  const { body } = request
  if (body === null) throw malformed(fieldText('empty'))
  const received = new ReceivedForm(boundary, dir, limits, digest)
  const reader = body.getReader()
  const late = Promise.withResolvers<never>()
  // the timeout may fire when nobody awaits it any more
  late.promise.catch(() => undefined)
  const timer = setTimeout(() => late.reject(new AppError('REQUEST_TIMEOUT')), limits.timeoutMs)
  const underWay = beginUpload(request)
  try {
    for (;;) {
      // one chunk per turn: many forms at the same time would block the server's thread
      await nextTurn()
      const { done, value } = await Promise.race([reader.read().catch(failIncomplete), late.promise])
      if (done) break
      underWay.received(value.length)
      await received.add(value)
    }
    return received.end()
  } catch (error) {
    throw error instanceof FormError ? malformed(error.text, error.cause) : error
  } finally {
    clearTimeout(timer)
    underWay.end()
    await received.close()
    // the body may never arrive; if it cannot be cancelled, it has failed already, and its error is the answer
    reader.cancel().catch(() => undefined)
  }
}

function failIncomplete(cause: unknown): never {
  throw malformed(fieldText('formIncomplete'), cause)
}

/** The parts of a form as they arrive. */
class ReceivedForm {
  private readonly form: FormParts
  private readonly parts: UploadedPart[] = []
  private readonly digests: string[] = []
  /** The file that is being written. */
  private out: ChunkFile | undefined
  private count = 0
  private readonly fields = new Set<string>()
  private files = 0
  private bytes = 0
  private textBytes = 0

  constructor(
    private readonly boundary: string,
    private readonly dir: string,
    private readonly limits: UploadLimits,
    private readonly digest: boolean,
  ) {
    this.form = new FormParts(boundary, (head) => this.begin(head))
  }

  add({ buffer, byteOffset, byteLength }: Uint8Array): Promise<void> {
    return this.form.add(Buffer.from(buffer, byteOffset, byteLength))
  }

  end(): Upload {
    this.form.end()
    const { parts, bytes, digests } = this
    return { parts, bytes, sha256: this.digest ? digestOf(parts, digests) : '' }
  }

  async close(): Promise<void> {
    await this.out?.close()
    this.out = undefined
  }

  private begin(head: Buffer): Promise<PartTarget> | PartTarget {
    if (++this.count > MAX_PARTS) throw new FormError(fieldText('formParts', { most: MAX_PARTS }))
    const part = readPart(this.boundary, head)
    if (part === undefined) throw new FormError(fieldText('formDisposition'))
    const { field } = part
    if (field === undefined) throw new FormError(fieldText('formName'))
    if (this.fields.has(field) && this.limits.isList?.(field) !== true) throw sentTwice(field.slice(0, 60))
    this.fields.add(field)
    return part.kind === 'file' ? this.file(field, part.filename ?? '') : this.text(field, head)
  }

  private async file(field: string, filename: string): Promise<PartTarget> {
    const { dir, limits, parts } = this
    if (++this.files > limits.maxFiles) {
      const message = fieldText('filesAtMost', { most: limits.maxFiles })
      throw new AppError('VALIDATION_FAILED', { message, errors: [fieldError(field, 'maxFiles', message)] })
    }
    const file: UploadedFile = { path: join(dir, `input-${this.files}`), filename, bytes: 0 }
    parts.push({ field, value: file })
    const limit = limits.maxFileBytes(field)
    const hash = this.hash()
    const out = new ChunkFile(await open(file.path, 'wx'))
    this.out = out
    return {
      write: (chunk) => {
        file.bytes += chunk.length
        if (file.bytes > limit)
          throw fieldFailure('FILE_TOO_LARGE', field, 'maxBytes', fieldText('bytesAtMost', { most: limit }))
        hash?.update(chunk)
        return out.add(chunk)
      },
      end: async () => {
        await out.flush()
        await this.close()
        this.bytes += file.bytes
        this.digests.push(hash?.digest('hex') ?? '')
      },
    }
  }

  private text(field: string, head: Buffer): PartTarget {
    const { maxTextBytes } = this.limits
    const chunks: Buffer[] = []
    const hash = this.hash()
    return {
      write: (chunk) => {
        this.textBytes += chunk.length
        if (this.textBytes > maxTextBytes)
          throw fieldFailure('BODY_TOO_LARGE', field, 'maxBytes', fieldText('textBytesAtMost', { most: maxTextBytes }))
        chunks.push(chunk)
      },
      end: () => {
        const part = readPart(this.boundary, head, Buffer.concat(chunks))
        if (part?.kind !== 'text') throw new FormError(fieldText('formHead'))
        const { value } = part
        this.bytes += Buffer.byteLength(value)
        this.parts.push({ field, value })
        this.digests.push(hash?.update(value).digest('hex') ?? '')
      },
    }
  }

  private hash(): Bun.CryptoHasher | undefined {
    return this.digest ? new Bun.CryptoHasher('sha256') : undefined
  }
}

function digestOf(parts: readonly UploadedPart[], digests: readonly string[]): string {
  const names = parts.map(({ field, value }, i) => [field, typeof value === 'string' ? '' : value.filename, digests[i]])
  return new Bun.CryptoHasher('sha256').update(JSON.stringify(names)).digest('hex')
}
