/** Uploads of files: to disk, into the file store, and to the scanner. */
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { Elysia } from 'elysia'
import { KEEPERS } from '../../../access/authorization.ts'
import { fieldFailure, invalidField } from '../../../errors.ts'
import { fieldText } from '../../../field-texts/field-text.ts'
import { readUpload, type UploadedFile } from '../../../http/body/upload.ts'
import { succeed } from '../../../http/envelope.ts'
import { idempotencyKeyOf } from '../../../http/idempotency.ts'
import { both, object, ref, string } from '../../../http/openapi/openapi-schemas.ts'
import { callerOf, subjectOf } from '../../../http/request-context.ts'
import { allowedExtensions, fileKindOf } from '../../../intake/file-types.ts'
import { getOwner } from '../../../stores/postgres/accounts/owners.ts'
import type { Database } from '../../../stores/postgres/client.ts'
import { endWrites } from '../../../stores/postgres/files/file-writes.ts'
import * as files from '../../../stores/postgres/files/owner-files.ts'
import { newId } from '../../../stores/postgres/ids.ts'
import type { ManageDeps } from '../deps.ts'
import { operation } from '../operation.ts'
import { OWNER } from '../subject-paths.ts'
import { fileToJson } from './files.ts'

/** How long the response waits for the scan. */
const FILE_BODY = {
  required: true,
  content: {
    'multipart/form-data': {
      schema: { type: 'object', required: ['file'], properties: { file: { type: 'string', format: 'binary' } } },
    },
  },
}

const SCAN_WAIT_MS = 10_000
const MAX_NAME_LENGTH = 200

export function uploadRoutes(deps: ManageDeps) {
  const { db, idempotency, placeOf, changes, disk, storage, fileWrites, scanner, scratchDir, limits } = deps
  const changed = (id: string): Promise<void> => changes.publish({ kind: 'file', id })

  type Recorded = { file: files.OwnerFile; version: files.FileVersion }

  /** Stores and scans the uploaded file. If the scan takes long, the response does not wait for it. */
  async function receive(
    request: Request,
    ownerId: string,
    record: (tx: Database, version: files.NewVersion) => Promise<Recorded>,
    answer: (recorded: Recorded) => Response,
  ): Promise<Response> {
    await disk.require()
    const scratch = join(scratchDir, newId('run'))
    await mkdir(scratch)
    try {
      const { file, content } = await receiveFile(request, scratch)
      const first = await idempotency.begin(request, async () => ({ ...(await placeOf(request)), content }))
      if (first !== undefined) return first
      const { path, filename, bytes } = file
      const id = newId('fil')
      let recorded: Recorded | undefined
      const make = async (tx: Database): Promise<Recorded> => {
        await endWrites(tx, [id])
        return record(tx, { id, filename, bytes })
      }
      const unscanned = await storage.within(ownerId, bytes, () =>
        fileWrites.write([{ key: id, path }], () =>
          idempotency.kept(request, make, (made) => {
            recorded = made
            return answer(made)
          }),
        ),
      )
      if (recorded === undefined) return unscanned
      await changed(recorded.file.id)
      const version = await Promise.race([scanner.scan(recorded.version), Bun.sleep(SCAN_WAIT_MS)])
      if (version === undefined) return unscanned
      const scanned = answer({ ...recorded, version })
      await idempotency.keep(request, db, scanned)
      return scanned
    } finally {
      await rm(scratch, { recursive: true, force: true })
    }
  }

  async function receiveFile(request: Request, scratch: string): Promise<{ file: UploadedFile; content: string }> {
    const { parts, sha256: content } = await readUpload(
      request,
      scratch,
      {
        // the limit depends on the file name, which is known only after the part has started
        maxFileBytes: (field) => (field === 'file' ? Math.max(...Object.values(limits.ownerFileBytes)) : 0),
        maxFiles: 1,
        maxTextBytes: MAX_NAME_LENGTH * 4,
        timeoutMs: limits.uploadTimeoutMs,
      },
      idempotencyKeyOf(request) !== undefined,
    )
    for (const { field } of parts)
      if (field !== 'file') throw invalidField(field, 'additionalProperties', fieldText('onlyFileField'))
    const file = parts[0]?.value
    if (file === undefined || typeof file === 'string' || file.filename === '')
      throw invalidField('file', 'required', fieldText('namedFile'))
    if (file.filename.length > MAX_NAME_LENGTH)
      throw invalidField('file', 'maxLength', fieldText('filenameAtMost', { most: MAX_NAME_LENGTH }))
    const kind = fileKindOf(file.filename)
    if (kind === undefined) {
      const text = fieldText('extensions', { extensions: allowedExtensions.join(', ') })
      throw fieldFailure('MEDIA_TYPE_UNSUPPORTED', 'file', 'extension', text)
    }
    const most = limits.ownerFileBytes[kind]
    if (file.bytes > most) throw fieldFailure('FILE_TOO_LARGE', 'file', 'maxBytes', fieldText('bytesAtMost', { most }))
    return { file, content }
  }

  return new Elysia({ name: 'manage-uploads' })
    .post(
      `${OWNER}/files`,
      async ({ request }) => {
        const owner = await getOwner(db, subjectOf(request))
        const id = newId('fil')
        return receive(
          request,
          owner.id,
          async (tx, first) => {
            const version = await files.createFile(tx, callerOf(request), owner, { id, name: first.filename }, first)
            return { version, file: await files.getFile(tx, owner.id, id) }
          },
          ({ file, version }) => succeed(request, fileToJson(file, [version])),
        )
      },
      {
        parse: 'none',
        ...operation({
          summary: 'Upload a file',
          description:
            'Stores the file with its first version and scans it. If the scan takes longer than 10 seconds, `scanStatus` is `pending` and the scan continues.',
          rights: { of: 'owner', for: KEEPERS, personalKeys: true },
          requestBody: FILE_BODY,
          result: ref('File'),
        }),
      },
    )
    .post(
      `${OWNER}/files/:id/versions`,
      async ({ request, params }) => {
        const file = await files.getFile(db, subjectOf(request), params.id)
        return receive(
          request,
          subjectOf(request),
          async (tx, next) => ({ file, version: await files.addVersion(tx, callerOf(request), file.id, next) }),
          ({ version }) => succeed(request, { ...version, id: file.id, storageKey: version.id }),
        )
      },
      {
        parse: 'none',
        ...operation({
          summary: 'Upload a new version of a file',
          description:
            'Stores and scans a new version. If the scan takes longer than 10 seconds, `scanStatus` is `pending` and the scan continues.',
          rights: { of: 'owner', for: KEEPERS, personalKeys: true },
          requestBody: FILE_BODY,
          result: both(ref('FileVersion'), object({ storageKey: string })),
        }),
      },
    )
}
