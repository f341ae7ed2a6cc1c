/** Uploads of files: to disk, into the file store, and to the scanner. */
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { Elysia } from 'elysia'
import { AppError, invalidField } from '../../errors.ts'
import { succeed } from '../../http/envelope.ts'
import { callerOf, subjectOf } from '../../http/request-context.ts'
import { readUpload, type UploadedFile } from '../../http/upload.ts'
import { allowedExtensions, fileKindOf } from '../../intake/file-types.ts'
import type { Database } from '../../stores/postgres/client.ts'
import { endWrites } from '../../stores/postgres/file-writes.ts'
import { newId } from '../../stores/postgres/ids.ts'
import * as files from '../../stores/postgres/owner-files.ts'
import { getOwner } from '../../stores/postgres/owners.ts'
import type { ManageDeps } from './deps.ts'
import { fileToJson } from './files.ts'
import * as model from './model.ts'
import { OWNER } from './subject-paths.ts'

/** How long the response waits for the scan. */
const SCAN_WAIT_MS = 10_000
const MAX_NAME_LENGTH = 200

export function uploadRoutes({ db, changes, disk, storage, fileWrites, scanner, scratchDir, limits }: ManageDeps) {
  const upload = (summary: string, description: string) => ({
    ...model.operation(summary, description).detail,
    requestBody: {
      required: true,
      content: {
        'multipart/form-data': {
          schema: {
            type: 'object' as const,
            required: ['file'],
            properties: { file: { type: 'string' as const, format: 'binary' } },
          },
        },
      },
    },
  })
  const changed = (id: string): Promise<void> => changes.publish({ kind: 'file', id })

  /** Stores and scans the uploaded file. If the scan takes long, the response does not wait for it. */
  async function receive(
    request: Request,
    ownerId: string,
    record: (tx: Database, version: files.NewVersion, file: UploadedFile) => Promise<files.FileVersion>,
  ): Promise<files.FileVersion> {
    await disk.require()
    const scratch = join(scratchDir, newId('run'))
    await mkdir(scratch)
    try {
      const file = await receiveFile(request, scratch)
      const id = newId('fil')
      const { path, filename, bytes } = file
      const version = await storage.within(ownerId, bytes, () =>
        fileWrites.write([{ key: id, path }], () =>
          db.transaction(async (tx) => {
            await endWrites(tx, [id])
            return record(tx, { id, filename, bytes }, file)
          }),
        ),
      )
      const scanned = await Promise.race([scanner.scan(version), Bun.sleep(SCAN_WAIT_MS)])
      return scanned ?? version
    } finally {
      await rm(scratch, { recursive: true, force: true })
    }
  }

  async function receiveFile(request: Request, scratch: string): Promise<UploadedFile> {
    const { parts } = await readUpload(
      request,
      scratch,
      {
        // the limit depends on the file name, which is known only after the part has started
        maxFileBytes: (field) => (field === 'file' ? Math.max(...Object.values(limits.ownerFileBytes)) : 0),
        maxFiles: 1,
        maxTextBytes: MAX_NAME_LENGTH * 4,
        timeoutMs: limits.uploadTimeoutMs,
      },
      false,
    )
    for (const { field } of parts)
      if (field !== 'file')
        throw invalidField(field, 'additionalProperties', 'is not a known field; the only field is file')
    const file = parts[0]?.value
    if (file === undefined || typeof file === 'string' || file.filename === '')
      throw invalidField('file', 'required', 'is required and must be a file with a name')
    if (file.filename.length > MAX_NAME_LENGTH)
      throw invalidField('file', 'maxLength', `must have a name of at most ${MAX_NAME_LENGTH} characters`)
    const kind = fileKindOf(file.filename)
    if (kind === undefined) {
      const message = `must have a name that ends in one of ${allowedExtensions.join(', ')}`
      throw new AppError('MEDIA_TYPE_UNSUPPORTED', {
        message: `file: ${message}`,
        errors: [{ field: 'file', rule: 'extension', message }],
      })
    }
    const most = limits.ownerFileBytes[kind]
    if (file.bytes > most) {
      const message = `must be at most ${most} bytes`
      throw new AppError('FILE_TOO_LARGE', {
        message: `file: ${message}`,
        errors: [{ field: 'file', rule: 'maxBytes', message }],
      })
    }
    return file
  }

  return new Elysia({ name: 'manage-uploads' })
    .post(
      `${OWNER}/files`,
      async ({ request }) => {
        const owner = await getOwner(db, subjectOf(request))
        const id = newId('fil')
        const version = await receive(request, owner.id, (tx, first, { filename }) =>
          files.createFile(tx, callerOf(request), owner, { id, name: filename }, first),
        )
        await changed(id)
        return succeed(request, fileToJson(await files.getFile(db, owner.id, id), [version]))
      },
      {
        parse: 'none',
        detail: upload(
          'Upload a file',
          'Stores the file with its first version and scans it. If the scan takes longer than 10 seconds, `scanStatus` is `pending` and the scan continues.',
        ),
      },
    )
    .post(
      `${OWNER}/files/:id/versions`,
      async ({ request, params }) => {
        const file = await files.getFile(db, subjectOf(request), params.id)
        const version = await receive(request, subjectOf(request), (tx, next) =>
          files.addVersion(tx, callerOf(request), file.id, next),
        )
        await changed(file.id)
        return succeed(request, { ...version, id: file.id, storageKey: version.id })
      },
      {
        parse: 'none',
        detail: upload(
          'Upload a new version of a file',
          'Stores and scans a new version. If the scan takes longer than 10 seconds, `scanStatus` is `pending` and the scan continues.',
        ),
      },
    )
}
