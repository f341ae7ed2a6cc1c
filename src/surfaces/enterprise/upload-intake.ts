/** Receives the bytes of resumable uploads, and answers with their state. */
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { GisOrganization } from '../../access/organization-callers.ts'
import { AppError, fieldFailure, unreadable } from '../../errors.ts'
import { fieldText } from '../../field-texts/field-text.ts'
import { mediaTypeOf, requireMediaType } from '../../http/body/body.ts'
import { receivePieces } from '../../http/body/body-pieces.ts'
import { succeed } from '../../http/envelope.ts'
import { markReplayed } from '../../http/idempotency.ts'
import { callerOf } from '../../http/request-context.ts'
import { longRunning } from '../../http/route-options.ts'
import type { Upload } from '../../runs/uploads.ts'
import { getUpload } from '../../stores/postgres/files/uploads.ts'
import { newId } from '../../stores/postgres/ids.ts'
import { countUpload, runCallerOf, scopeOfCaller } from './calls.ts'
import type { EnterpriseDeps } from './deps.ts'
import { GIS_PREFIX } from './paths.ts'
import * as tus from './tus.ts'

/** How long an answer waits until the complete file is assembled, scanned and stored. */
const FINISH_WAIT_MS = 10_000

/** Size of a piece: the most bytes that a kill of the server can lose, and one object in S3. */
const PIECE_BYTES = 16 * 2 ** 20

export function createUploadIntake(deps: EnterpriseDeps) {
  const { db, uploads, disk, scratchDir, limits, idempotency } = deps

  /** @throws AppError INPUT_UNREADABLE for a file that the scanner refused */
  function stateHeaders(upload: Upload): Record<string, string> {
    const { received, state, reason, key, expiresAt } = upload
    if (state === 'refused') throw unreadable('file', 'scan', fieldText('virusFound', { reason: reason ?? '' }))
    return {
      'upload-offset': String(received),
      'upload-expires': (expiresAt ?? new Date()).toUTCString(),
      ...(state === 'stored' && { 'x-stored-key': key }),
    }
  }

  /** Receives a body into the upload. The bytes of a truncated body count. */
  async function receive(request: Request, upload: Upload): Promise<Upload> {
    const startsAt = upload.received
    const left = upload.bytes - startsAt
    if (Number(request.headers.get('content-length') ?? 0) > left) throw tooLong(left)
    const checksum = tus.checksumOf(request)
    await disk.require()
    const dir = join(scratchDir, newId('run'))
    await mkdir(dir)
    let current = upload
    const add = async (path: string, bytes: number): Promise<void> => {
      current = await uploads.add(current, { startsAt: current.received, path, bytes })
    }
    try {
      const { uploadTimeoutMs: timeoutMs } = limits
      const all = { maxBytes: left, timeoutMs }
      if (checksum === undefined) {
        const end = await receivePieces(request, dir, { ...all, pieceBytes: PIECE_BYTES }, add)
        if (end === 'late') throw new AppError('REQUEST_TIMEOUT')
      } else {
        const hash = new Bun.CryptoHasher(checksum.algorithm)
        let whole: { path: string; bytes: number } | undefined
        const limited = { ...all, pieceBytes: Number.POSITIVE_INFINITY }
        const end = await receivePieces(
          request,
          dir,
          limited,
          async (path, bytes) => {
            whole = { path, bytes }
          },
          (chunk) => hash.update(chunk),
        )
        if (end === 'late') throw new AppError('REQUEST_TIMEOUT')
        if (hash.digest('base64') !== checksum.digest) throw new AppError('UPLOAD_CHECKSUM_WRONG')
        if (whole !== undefined) await add(whole.path, whole.bytes)
      }
    } finally {
      await rm(dir, { recursive: true, force: true })
    }
    return finish(request, current)
  }

  function finish(request: Request, upload: Upload): Promise<Upload> {
    longRunning({ request })
    return uploads.finish(upload, FINISH_WAIT_MS)
  }

  async function begin(request: Request, organization: GisOrganization): Promise<Response> {
    const file = { bytes: tus.lengthOf(request), ...tus.metadataOf(request) }
    if (isWithBody(request)) requireMediaType(mediaTypeOf(request.headers.get('content-type')), tus.BODY_TYPE)
    // the bytes are streamed, so only their description is compared
    const content = new Bun.CryptoHasher('sha256').update(JSON.stringify(file)).digest('hex')
    const { keySpace: space } = organization.caller
    const first = await idempotency.begin(request, () => ({ space, route: '/uploads', content }))
    if (first !== undefined) return again(request, organization, first)
    await countUpload(deps, organization.owner.id)
    let kept: Response | undefined
    const begun = await uploads.begin(runCallerOf(organization), callerOf(request), file, (tx, upload) => {
      kept = answerOf(request, upload)
      return idempotency.keep(request, tx, kept)
    })
    const now = isWithBody(request) ? await receiveFirst(request, organization, begun) : await finish(request, begun)
    return kept !== undefined && now === begun ? kept : answerOf(request, now)
  }

  /** The upload that the first request with a key began, as it is now: a body counts if nothing has arrived yet. */
  async function again(request: Request, organization: GisOrganization, first: Response): Promise<Response> {
    const id = first.headers.get('location')?.split('/').at(-1) ?? ''
    const upload = await uploadOf(organization, id)
    const isUntouched = upload?.state === 'open' && upload.received === 0 && upload.bytes > 0
    if (upload === undefined || (isUntouched && !isWithBody(request))) return first
    const now = isUntouched ? await receiveFirst(request, organization, upload) : await finish(request, upload)
    return markReplayed(answerOf(request, now))
  }

  /** Receives the first bytes. If another request with the key was faster, its bytes count. */
  async function receiveFirst(request: Request, organization: GisOrganization, upload: Upload): Promise<Upload> {
    try {
      return await receive(request, upload)
    } catch (error) {
      const isLate = error instanceof AppError && error.code === 'UPLOAD_OFFSET_WRONG'
      const current = isLate ? await uploadOf(organization, upload.id) : undefined
      if (current === undefined) throw error
      return current
    }
  }

  /** Undefined if it has expired or was deleted. */
  const uploadOf = (organization: GisOrganization, id: string): Promise<Upload | undefined> =>
    getUpload(db, scopeOfCaller(organization), id).catch((error: unknown) => {
      if (error instanceof AppError && error.code === 'NOT_FOUND') return undefined
      throw error
    })

  function answerOf(request: Request, upload: Upload): Response {
    const response = succeed(request, uploadToJson(upload), 'UPLOAD_CREATED')
    response.headers.set('location', `${GIS_PREFIX}/uploads/${upload.id}`)
    for (const [name, value] of Object.entries(stateHeaders(upload))) response.headers.set(name, value)
    return response
  }

  return { begin, receive, stateHeaders }
}

const isWithBody = ({ headers }: Request): boolean => headers.get('content-type') !== null

export const uploadToJson = ({ id, filename, bytes, received, state, reason, key, createdAt, expiresAt }: Upload) => ({
  id,
  filename,
  bytes,
  receivedBytes: received,
  state,
  reason,
  key: state === 'stored' ? key : null,
  createdAt: createdAt.toISOString(),
  expiresAt: (expiresAt ?? createdAt).toISOString(),
})

function tooLong(left: number): AppError {
  return fieldFailure('BODY_TOO_LARGE', 'body', 'maxBytes', fieldText('bytesLeft', { most: left }))
}
