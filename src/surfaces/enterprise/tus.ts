/** The request and response headers of tus 1.0 (https://tus.io/protocols/resumable-upload). */
import { AppError, fieldFailure, invalidField } from '../../errors.ts'
import type { FieldText } from '../../field-texts/bilingual.ts'
import { fieldText } from '../../field-texts/field-text.ts'
import { failureResponse } from '../../http/envelope.ts'
import { requestContextOf } from '../../http/request-context.ts'

const VERSION = '1.0.0'
const EXTENSIONS = 'creation,creation-with-upload,checksum,expiration,termination'
const ALGORITHMS = ['sha1', 'sha256', 'md5'] as const
type Algorithm = (typeof ALGORITHMS)[number]

export const BODY_TYPE = 'application/offset+octet-stream'
const MAX_METADATA = 4096
const MAX_NAME = 255
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/
const BYTES = /^\d{1,15}$/

export type Checksum = { algorithm: Algorithm; digest: string }

function malformed(field: string, rule: string, text: FieldText): AppError {
  return fieldFailure('BAD_REQUEST', field, rule, text)
}

/** The supported versions and extensions; the answer to OPTIONS. */
export function capabilities(request: Request, maxBytes: number): Response {
  return emptyAnswer(request, 204, {
    'tus-version': VERSION,
    'tus-extension': EXTENSIONS,
    'tus-max-size': String(maxBytes),
    'tus-checksum-algorithm': ALGORITHMS.join(','),
  })
}

/** @throws AppError UPLOAD_VERSION_UNSUPPORTED */
export function requireVersion({ headers }: Request): void {
  if (headers.get('tus-resumable') !== VERSION) throw new AppError('UPLOAD_VERSION_UNSUPPORTED')
}

/** An answer of the protocol without a body. */
export function emptyAnswer(request: Request, status: number, headers: Record<string, string>): Response {
  const { requestId } = requestContextOf(request)
  return new Response(null, { status, headers: { 'tus-resumable': VERSION, 'x-request-id': requestId, ...headers } })
}

/** Every answer names the version, including failures. */
export async function versioned(request: Request, work: () => Promise<Response>): Promise<Response> {
  let response: Response
  try {
    response = await work()
  } catch (thrown) {
    response = failureResponse(request, thrown)
    if (response.status === 412) response.headers.set('tus-version', VERSION)
    await requestContextOf(request).endFailed?.(response)
  }
  response.headers.set('tus-resumable', VERSION)
  return response
}

/** @throws AppError VALIDATION_FAILED */
export function lengthOf({ headers }: Request): number {
  const length = headers.get('upload-length')
  if (length === null && headers.has('upload-defer-length'))
    throw invalidField('Upload-Defer-Length', 'unsupported', fieldText('deferLength'))
  if (length === null || !BYTES.test(length)) throw invalidField('Upload-Length', 'integer', fieldText('uploadLength'))
  return Number(length)
}

/** @throws AppError BAD_REQUEST */
export function offsetOf({ headers }: Request): number {
  const offset = headers.get('upload-offset')
  if (offset === null || !BYTES.test(offset)) throw malformed('Upload-Offset', 'integer', fieldText('uploadOffset'))
  return Number(offset)
}

/**
 * The metadata as it was sent, for the answer to HEAD, and the name of the file in it.
 * @throws AppError BAD_REQUEST, VALIDATION_FAILED
 */
export function metadataOf({ headers }: Request): { metadata: string; filename: string } {
  const metadata = headers.get('upload-metadata')?.trim() ?? ''
  if (metadata.length > MAX_METADATA)
    throw invalidField('Upload-Metadata', 'maxLength', fieldText('charactersLongAtMost', { most: MAX_METADATA }))
  const values = new Map<string, string>()
  for (const pair of metadata === '' ? [] : metadata.split(',')) {
    const [name = '', value = '', ...more] = pair.trim().split(' ')
    if (!/^[\x21-\x7e]+$/.test(name) || more.length > 0 || values.has(name))
      throw malformed('Upload-Metadata', 'format', fieldText('metadataPairs'))
    values.set(name, textOf(value))
  }
  // folders are dropped, as in a form
  const filename = (values.get('filename') ?? values.get('name') ?? '').replace(/^.*[\\/]/s, '')
  if (filename.length > MAX_NAME || /\p{Cc}/u.test(filename))
    throw invalidField('Upload-Metadata', 'filename', fieldText('metadataFilename', { most: MAX_NAME }))
  return { metadata, filename: filename === '' || filename === '..' ? 'file' : filename }
}

function textOf(base64: string): string {
  if (!BASE64.test(base64)) throw malformed('Upload-Metadata', 'base64', fieldText('base64Values'))
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(base64, 'base64'))
  } catch (cause) {
    if (!(cause instanceof TypeError)) throw cause
    throw malformed('Upload-Metadata', 'utf8', fieldText('utf8Values'))
  }
}

/** @throws AppError BAD_REQUEST for an algorithm that is not offered, and for a malformed digest */
export function checksumOf({ headers }: Request): Checksum | undefined {
  const sent = headers.get('upload-checksum')
  if (sent === null) return undefined
  const [name = '', digest = '', ...more] = sent.trim().split(' ')
  const algorithm = ALGORITHMS.find((one) => one === name.toLowerCase())
  if (algorithm === undefined || digest === '' || !BASE64.test(digest) || more.length > 0)
    throw malformed('Upload-Checksum', 'format', fieldText('checksumHeader', { algorithms: ALGORITHMS.join(', ') }))
  return { algorithm, digest }
}
