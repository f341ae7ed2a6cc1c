/**
 * Resumable uploads. Received bytes are kept as pieces in the file store, and the offset in the database, so that any
 * instance can continue an upload. A complete upload becomes a stored file. One instance assembles it; when its lease
 * expires (instance-leases.ts), another instance takes over, and the first can no longer store the file.
 */
import { type FileHandle, mkdir, open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { AppError, fieldFailure } from '../errors.ts'
import { fieldText } from '../field-texts/field-text.ts'
import type { Clamd } from '../stores/clamd.ts'
import { ownedBy } from '../stores/postgres/accounts/owners.ts'
import type { Database } from '../stores/postgres/client.ts'
import * as uploads from '../stores/postgres/files/uploads.ts'
import { newId } from '../stores/postgres/ids.ts'
import type { RunScope } from '../stores/postgres/runs/run-scope.ts'
import type { Caller, RunDeps } from './deps.ts'

export type { Upload } from '../stores/postgres/files/uploads.ts'

type Upload = uploads.Upload
type Piece = uploads.Piece

export type Uploads = {
  /**
   * @param onBegun runs in the transaction that stores the upload; if it fails, no upload is stored
   * @throws AppError FILE_TOO_LARGE, UPLOADS_LIMITED, and as the storage does (storage.ts); the whole upload counts in
   *   the quota from now on
   */
  begin(
    caller: Caller,
    actor: string,
    file: Pick<Upload, 'filename' | 'metadata' | 'bytes'>,
    onBegun: (tx: Database, upload: Upload) => Promise<void>,
  ): Promise<Upload>
  /**
   * Stores received bytes; resolves once they are on disk or in S3. The file at `path` is moved.
   * @throws AppError UPLOAD_OFFSET_WRONG when other bytes were stored meanwhile, NOT_FOUND
   */
  add(upload: Upload, piece: { startsAt: number; path: string; bytes: number }): Promise<Upload>
  /**
   * Assembles, scans and stores a complete upload. Resolves after at most `waitMs`; the work then continues in the
   * background.
   * @returns the upload in its current state
   */
  finish(upload: Upload, waitMs: number): Promise<Upload>
  /** Terminates the upload. The file of a finished upload stays. */
  remove(scope: RunScope, id: string): Promise<Upload>
  start(): void
  stop(): void
}

export type UploadsDeps = Pick<
  RunDeps,
  'db' | 'files' | 'fileRemovals' | 'storage' | 'disk' | 'scratchDir' | 'instanceId'
> & {
  clamd: Clamd | undefined
  maxBytes: number
  /** Unfinished uploads per owner. */
  maxOpen: number
  /** How long unfinished uploads are kept after the last received byte. */
  keepHours: number
  onError(error: unknown): void
}

const RETRY_S = 60
const SWEEP_MS = 3_600_000
/** Half a lease of an instance. */
const TAKE_OVER_MS = 30_000
/** How long to wait for the removal of objects without a record; removal then continues in the background. */
const REMOVAL_WAIT_MS = 2_000
const SWEEP_UPLOADS = 100
/** This many consecutive small pieces are joined, so that the number of pieces stays proportional to the bytes. */
const MAX_SMALL_PIECES = 64
const SMALL_BYTES = 8 * 2 ** 20

const isComplete = ({ state, received, bytes }: Upload): boolean => state === 'open' && received === bytes

export function createUploads(deps: UploadsDeps, takeOverMs = TAKE_OVER_MS): Uploads {
  const { db, files, fileRemovals, storage, disk, clamd, scratchDir, instanceId, keepHours, onError } = deps
  const finishing = new Map<string, Promise<void>>()
  const timers: Timer[] = []

  async function inScratch<T>(work: (dir: string) => Promise<T>): Promise<T> {
    const dir = join(scratchDir, newId('run'))
    await mkdir(dir)
    try {
      return await work(dir)
    } finally {
      await rm(dir, { recursive: true, force: true })
    }
  }

  /** Concatenates pieces. A single piece is hard-linked if the store is a folder. */
  async function assemble(pieces: readonly Piece[], path: string): Promise<void> {
    const [first] = pieces
    if (first !== undefined && pieces.length === 1) return files.fetch(first.key, path)
    const out = await open(path, 'wx')
    try {
      for (const { key } of pieces)
        for await (const chunk of files.open(key).stream() as unknown as AsyncIterable<Uint8Array>)
          await writeAndRelease(out, chunk)
    } finally {
      await out.close()
    }
  }

  async function joinSmall(upload: Upload): Promise<void> {
    const pieces = await uploads.piecesOf(db, upload.id)
    const small = pieces.slice(pieces.findLastIndex(({ bytes }) => bytes >= SMALL_BYTES) + 1)
    const [first] = small
    if (first === undefined || small.length < MAX_SMALL_PIECES) return
    const bytes = small.reduce((sum, piece) => sum + piece.bytes, 0)
    const joined: Piece = { key: newId('fil'), uploadId: upload.id, startsAt: first.startsAt, bytes }
    await uploads.announceJoined(db, joined)
    const isJoined = await inScratch(async (dir) => {
      const path = join(dir, 'pieces')
      await assemble(small, path)
      await files.put(joined.key, path)
      return uploads.joinPieces(db, small, joined)
    })
    for (const { key } of isJoined ? small : [joined]) await files.remove(key)
    if (!isJoined) await uploads.forgetPieces(db, [joined.key])
  }

  async function store(id: string): Promise<void> {
    const upload = await uploads.takeUpload(db, id, instanceId)
    if (upload === undefined) return
    await inScratch(async (dir) => {
      const path = join(dir, 'file')
      await assemble(await uploads.piecesOf(db, id), path)
      const { size } = Bun.file(path)
      if (size !== upload.bytes) throw new Error(`the pieces of ${id} have ${size} bytes instead of ${upload.bytes}`)
      const found = await clamd?.scan(Bun.file(path).stream())
      if (found !== undefined) {
        await uploads.refuseUpload(db, upload, `clamav: ${found}`)
        return
      }
      await files.put(upload.key, path)
      if (!(await uploads.storeUpload(db, upload))) await uploads.removeUnlessNeeded(db, upload)
    })
    // after a takeover, the other instance still needs the pieces
    const { state } = (await uploads.stateOfUpload(db, id)) ?? {}
    if (state !== 'open') await uploads.forgetPiecesOf(db, id)
    await fileRemovals.remove(REMOVAL_WAIT_MS)
  }

  /** Another instance that finishes first removes the pieces; its result counts. */
  async function storeUnlessDone(id: string): Promise<void> {
    try {
      await store(id)
    } catch (error) {
      const upload = await uploads.stateOfUpload(db, id)
      if (upload !== undefined && isComplete(upload)) throw error
    }
  }

  function finishOnce(id: string): Promise<void> {
    let work = finishing.get(id)
    if (work === undefined) {
      work = storeUnlessDone(id).finally(() => finishing.delete(id))
      // reported to waiting callers, and retried
      work.catch(onError)
      finishing.set(id, work)
    }
    return work
  }

  async function discard({ id }: Upload): Promise<void> {
    await uploads.forgetUpload(db, id)
    await fileRemovals.remove(REMOVAL_WAIT_MS)
  }

  /** Sequentially, because each piece is read into memory as a whole. */
  async function finishAll(found: readonly { id: string }[]): Promise<void> {
    for (const { id } of found)
      try {
        await finishOnce(id)
      } catch {
        // reported by finishOnce; other uploads do not wait for it
      }
  }

  async function sweep(): Promise<void> {
    try {
      for (;;) {
        const expired = await uploads.expiredUploads(db, SWEEP_UPLOADS)
        for (const upload of expired) await discard(upload)
        if (expired.length < SWEEP_UPLOADS) break
      }
      await finishAll(await uploads.uploadsTakenBy(db, instanceId))
    } catch (error) {
      onError(error)
    }
  }

  /** Continues the uploads of lost instances. */
  async function takeOver(): Promise<void> {
    try {
      await finishAll(await uploads.freeUploads(db))
    } catch (error) {
      onError(error)
    }
  }

  return {
    async begin({ owner, memberId }, actor, { filename, metadata, bytes }, onBegun) {
      if (bytes > deps.maxBytes) throw tooLarge(deps.maxBytes)
      await disk.require()
      const about = { ...ownedBy(owner), memberId: memberId ?? null }
      const upload = { id: newId('upl'), ...about, filename, metadata, bytes, key: newId('fil') }
      const added = await storage.within(owner.id, bytes, () =>
        db.transaction(async (tx) => {
          const begun = await uploads.addUpload(tx, actor, upload, deps)
          if (begun !== undefined) await onBegun(tx, begun)
          return begun
        }),
      )
      if (added === undefined) {
        const message = fieldText('uploadsAtMost', { most: deps.maxOpen })
        throw new AppError('UPLOADS_LIMITED', { message, retryAfterS: RETRY_S })
      }
      return added
    },
    async add({ id }, { startsAt, path, bytes }) {
      const piece: Piece = { key: newId('fil'), uploadId: id, startsAt, bytes }
      if (!(await uploads.announcePiece(db, piece))) throw await notWaiting(id)
      await files.put(piece.key, path)
      const upload = await uploads.countPiece(db, piece, keepHours)
      if (upload === undefined) {
        await files.remove(piece.key)
        await uploads.forgetPieces(db, [piece.key])
        throw await notWaiting(id)
      }
      if (bytes < SMALL_BYTES && !isComplete(upload)) await joinSmall(upload)
      return upload
    },
    async finish(upload, waitMs) {
      if (!isComplete(upload)) return upload
      const work = finishOnce(upload.id)
      if (waitMs === 0) return upload
      await Promise.race([work, Bun.sleep(waitMs)])
      return (await uploads.stateOfUpload(db, upload.id)) ?? upload
    },
    async remove(scope, id) {
      const upload = await uploads.getUpload(db, scope, id)
      await discard(upload)
      return upload
    },
    start() {
      void sweep()
      void takeOver()
      timers.push(
        setInterval(() => void sweep(), SWEEP_MS),
        setInterval(() => void takeOver(), takeOverMs),
      )
      for (const timer of timers) timer.unref()
    },
    stop() {
      for (const timer of timers) clearInterval(timer)
    },
  }

  async function notWaiting(id: string): Promise<AppError> {
    const upload = await uploads.stateOfUpload(db, id)
    if (upload === undefined) return new AppError('NOT_FOUND', { message: fieldText('noSuchUpload') })
    return wrongOffset(upload)
  }
}

/** The memory of a chunk that owns its whole buffer is freed at once, as with bodies (http/body/body-pieces.ts). */
async function writeAndRelease(file: FileHandle, chunk: Uint8Array): Promise<void> {
  for (let at = 0; at < chunk.length; ) at += (await file.write(chunk, at)).bytesWritten
  const { buffer, byteLength } = chunk
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0)
}

export const wrongOffset = ({ received }: Pick<Upload, 'received'>): AppError => {
  return fieldFailure('UPLOAD_OFFSET_WRONG', 'Upload-Offset', 'offset', fieldText('receivedBytes', { received }))
}

function tooLarge(maxBytes: number): AppError {
  return fieldFailure('FILE_TOO_LARGE', 'Upload-Length', 'maxBytes', fieldText('atMost', { most: maxBytes }))
}
