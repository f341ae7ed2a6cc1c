/** Routes for the files of owners and their versions. Every version is scanned. */

import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { KEEPERS, NOBODY, READERS } from '../../../access/authorization.ts'
import { createDownloadAudit } from '../../../access/download-audit.ts'
import { AppError } from '../../../errors.ts'
import { fieldText } from '../../../field-texts/field-text.ts'
import { bodySchema } from '../../../http/body/body-schema.ts'
import { download, sendsContent } from '../../../http/download.ts'
import { succeedWithTag } from '../../../http/entity-tags.ts'
import { succeed } from '../../../http/envelope.ts'
import { both, integer, object, page, ref, string } from '../../../http/openapi/openapi-schemas.ts'
import { callerOf, subjectOf } from '../../../http/request-context.ts'
import { getOwner } from '../../../stores/postgres/accounts/owners.ts'
import * as files from '../../../stores/postgres/files/owner-files.ts'
import { bytesOf } from '../../../stores/postgres/files/stored-files.ts'
import { countUses, listUses } from '../../../stores/postgres/layers/uses.ts'
import { changeSeen, type RecordToChange } from '../changes.ts'
import type { ManageDeps } from '../deps.ts'
import { listQuery } from '../list-query.ts'
import { operation } from '../operation.ts'
import { closed, name, ownerId, ownerInBody, pageOf, versionParams } from '../request-schemas.ts'
import { deleted, usedBy } from '../response-schemas.ts'
import { OWNER } from '../subject-paths.ts'

const scanStatus = Type.Union([
  Type.Literal('pending'),
  Type.Literal('clean'),
  Type.Literal('infected'),
  Type.Literal('failed'),
])
const fileChange = Type.Partial(Type.Object({ name, ownerId, scanStatus }), closed)
const versionChange = Type.Object({ scanStatus }, closed)

/** A file with the state of its newest version, and all versions, newest first. */
export function fileToJson(file: files.OwnerFile, versions: files.FileVersion[]) {
  const [newest] = versions
  const { version = null, scanStatus = null, scanReason = null, kind = null, bytes = null } = newest ?? {}
  return { ...file, version, scanStatus, scanReason, kind, bytes, versions }
}

export function fileRoutes({ db, changes, fileStore, storage }: ManageDeps) {
  const downloads = createDownloadAudit(db)
  const changed = (id: string, storageKeys: string[] = []): Promise<void> =>
    changes.publish({ kind: 'file', id, storageKeys })

  const whole = async (file: files.OwnerFile) => fileToJson(file, await files.versionsOf(db, [file.id]))
  const fileRecord = ({ ownerId, id }: { ownerId: string; id: string }): RecordToChange => ({
    kind: 'file',
    id,
    read: async (tx) => fileToJson(await files.getFile(tx, ownerId, id), await files.versionsOf(tx, [id])),
  })

  async function decide(
    actor: string,
    version: files.FileVersion,
    scanStatus: files.ScanStatus,
  ): Promise<files.FileVersion> {
    const verdict = { scanStatus, scanReason: scanStatus === 'clean' ? null : 'set by the operator' }
    const decided = await files.setVerdict(db, actor, version.id, verdict)
    await changed(version.fileId)
    return decided ?? version
  }

  return new Elysia({ name: 'manage-files' })
    .get(
      `${OWNER}/files`,
      async ({ request, query }) => {
        await getOwner(db, subjectOf(request))
        const page = await files.listFiles(db, subjectOf(request), { ...query, ...pageOf(query) })
        const ids = page.items.map(({ id }) => id)
        const [all, uses] = await Promise.all([files.versionsOf(db, ids), countUses(db, ids)])
        const versions = Map.groupBy(all, ({ fileId }) => fileId)
        const items = page.items.map((file) => ({
          ...fileToJson(file, versions.get(file.id) ?? []),
          usedBy: uses.get(file.id),
        }))
        return succeed(request, { ...page, items })
      },
      operation({
        summary: 'List files of an owner',
        description: 'Returns the files with how many Tool APIs use them.',
        rights: { of: 'owner', for: READERS, personalKeys: true },
        query: listQuery(files.FILE_SORTS),
        result: page(both(ref('File'), usedBy)),
      }),
    )
    .get(
      `${OWNER}/files/:id`,
      async ({ request, params }) =>
        succeedWithTag(request, await whole(await files.getFile(db, subjectOf(request), params.id))),
      operation({
        summary: 'Get a file',
        description: 'Returns the file with its versions, newest first.',
        rights: { of: 'owner', for: READERS, personalKeys: true },
        result: ref('File'),
      }),
    )
    .get(
      `${OWNER}/files/:id/uses`,
      async ({ request, params }) => {
        const { id } = await files.getFile(db, subjectOf(request), params.id)
        return succeed(request, { items: await listUses(db, subjectOf(request), id), nextCursor: null })
      },
      operation({
        summary: 'List what uses a file',
        description: 'Returns the Tool APIs that use the file, at most 100.',
        rights: { of: 'owner', for: KEEPERS, personalKeys: true },
        result: page(ref('Use')),
      }),
    )
    .patch(
      `${OWNER}/files/:id`,
      async ({ request, params, body: { name, ownerId, scanStatus } }) => {
        const owner = ownerId === undefined ? undefined : await ownerInBody(db, ownerId)
        const update = () =>
          changeSeen(request, db, fileRecord({ ownerId: subjectOf(request), id: params.id }), (tx) =>
            files.updateFile(tx, callerOf(request), subjectOf(request), params.id, { name, owner }),
          )
        const { id } = await files.getFile(db, subjectOf(request), params.id)
        const file =
          owner === undefined || owner.id === subjectOf(request)
            ? await update()
            : await storage.within(owner.id, await bytesOf(db, 'file', id), update)
        if (scanStatus !== undefined) {
          const [newest] = await files.versionsOf(db, [file.id])
          if (newest !== undefined) await decide(callerOf(request), newest, scanStatus)
        }
        await changed(file.id)
        return succeedWithTag(request, await whole(file))
      },
      operation({
        summary: 'Update a file',
        description:
          'Renames the file, transfers it to another owner, or overrides the scan status of its newest version.',
        rights: { of: 'owner', for: KEEPERS, personalKeys: true, transfers: true, operatorFields: ['scanStatus'] },
        body: bodySchema(fileChange),
        result: ref('File'),
      }),
    )
    .delete(
      `${OWNER}/files/:id`,
      async ({ request, params }) => {
        const keys = await changeSeen(request, db, fileRecord({ ownerId: subjectOf(request), id: params.id }), (tx) =>
          files.deleteFile(tx, callerOf(request), subjectOf(request), params.id),
        )
        await changed(params.id, keys)
        await Promise.all(keys.map((key) => fileStore.remove(key)))
        return succeed(request, { id: params.id })
      },
      operation({
        summary: 'Delete a file',
        description: 'Deletes the file with all its versions.',
        rights: { of: 'owner', for: KEEPERS, personalKeys: true },
        result: deleted,
      }),
    )
    .get(
      `${OWNER}/files/:id/versions`,
      async ({ request, params }) => {
        const file = await files.getFile(db, subjectOf(request), params.id)
        return succeed(request, { items: await files.versionsOf(db, [file.id]), nextCursor: null })
      },
      operation({
        summary: 'List versions of a file',
        description: 'Returns the versions, newest first.',
        rights: { of: 'owner', for: READERS, personalKeys: true },
        result: page(ref('FileVersion')),
      }),
    )
    .get(
      `${OWNER}/files/:id/versions/:version`,
      async ({ request, params }) => {
        const file = await files.getFile(db, subjectOf(request), params.id)
        return succeed(request, await files.getVersion(db, file.id, params.version))
      },
      operation({
        summary: 'Get a version of a file',
        rights: { of: 'owner', for: READERS, personalKeys: true },
        params: versionParams,
        result: ref('FileVersion'),
      }),
    )
    .patch(
      `${OWNER}/files/:id/versions/:version`,
      async ({ request, params, body: { scanStatus } }) => {
        const file = await files.getFile(db, subjectOf(request), params.id)
        return succeed(
          request,
          await decide(callerOf(request), await files.getVersion(db, file.id, params.version), scanStatus),
        )
      },
      operation({
        summary: 'Update a version of a file',
        description: 'Overrides the scan status of the version.',
        rights: { of: 'owner', for: NOBODY },
        params: versionParams,
        body: bodySchema(versionChange),
        result: ref('FileVersion'),
      }),
    )
    .delete(
      `${OWNER}/files/:id/versions/:version`,
      async ({ request, params }) => {
        const file = await files.getFile(db, subjectOf(request), params.id)
        const key = await files.deleteVersion(db, callerOf(request), file.id, params.version)
        await changed(file.id, [key])
        await fileStore.remove(key)
        return succeed(request, { id: file.id, version: params.version })
      },
      operation({
        summary: 'Delete a version of a file',
        description: 'Refused with `CONFLICT` while a Tool API is bound to this version.',
        rights: { of: 'owner', for: KEEPERS, personalKeys: true },
        params: versionParams,
        result: object({ id: string, version: integer }),
      }),
    )
    .get(
      `${OWNER}/files/:id/versions/:version/content`,
      async ({ request, params }) => {
        const file = await files.getFile(db, subjectOf(request), params.id)
        const { id, filename, bytes, scanStatus } = await files.getVersion(db, file.id, params.version)
        if (scanStatus !== 'clean')
          throw new AppError('CONFLICT', {
            message: fieldText('versionScan', { status: scanStatus }),
          })
        const about = { key: id, filename, bytes, crs: null, mediaType: 'application/octet-stream' }
        const response = await download(request, { ...about, content: fileStore.open(id) })
        if (sendsContent(request, response))
          await downloads.record(callerOf(request), file.ownerId, { kind: 'file-version', id, filename, bytes })
        return response
      },
      operation({
        summary: 'Download a version of a file',
        description:
          'Returns the content of a version whose scan status is `clean`. Supports `Range` and `If-None-Match`.',
        rights: { of: 'owner', for: READERS, personalKeys: true },
        params: versionParams,
        result: 'file',
      }),
    )
}
