/** Routes of full exports of the data of an enterprise or a person. */

import { Elysia } from 'elysia'
import { OWNERS_AND_PEOPLE } from '../../../access/authorization.ts'
import { createDownloadAudit } from '../../../access/download-audit.ts'
import { AppError } from '../../../errors.ts'
import { fieldText } from '../../../field-texts/field-text.ts'
import { download, sendsContent } from '../../../http/download.ts'
import { succeed } from '../../../http/envelope.ts'
import { page, ref } from '../../../http/openapi/openapi-schemas.ts'
import { callerOf, subjectOf } from '../../../http/request-context.ts'
import { getOwner } from '../../../stores/postgres/accounts/owners.ts'
import * as exports from '../../../stores/postgres/files/data-exports.ts'
import { type ManageDeps, REMOVAL_WAIT_MS } from '../deps.ts'
import { operation } from '../operation.ts'
import { pageOf, pageQuery } from '../request-schemas.ts'
import { deleted } from '../response-schemas.ts'
import { OWNER } from '../subject-paths.ts'

export function dataExportRoutes({ db, idempotency, changes, disk, fileRemovals, fileStore, limits }: ManageDeps) {
  const downloads = createDownloadAudit(db)
  const shown = ({ id, ownerId, status, parts, partsDone, ...rest }: exports.DataExport) => {
    const { bytes, createdAt, finishedAt, expiresAt } = rest
    return { id, ownerId, status, parts, partsDone, bytes, createdAt, finishedAt, expiresAt }
  }
  return new Elysia({ name: 'manage-data-exports' })
    .post(
      `${OWNER}/exports`,
      async ({ request }) => {
        const owner = await getOwner(db, subjectOf(request))
        await disk.require()
        const about = { isPerson: owner.kind === 'person', keepHours: limits.dataExportHours }
        return idempotency.kept(
          request,
          (tx) => exports.requestExport(tx, callerOf(request), owner.id, about),
          (made) => succeed(request, shown(made)),
          () => changes.publish({ kind: 'data-export' }),
        )
      },
      operation({
        summary: 'Export everything of an enterprise or a person',
        description:
          'Makes a ZIP in the background with all records, files and readings, and a README that explains them. One export is made at a time, and three in 24 hours; otherwise `EXPORTS_LIMITED`. Keys, passwords and their hashes are not included.',
        rights: { of: 'owner', for: OWNERS_AND_PEOPLE },
        result: ref('DataExport'),
      }),
    )
    .get(
      `${OWNER}/exports`,
      async ({ request, query }) => {
        const page = await exports.listExports(db, subjectOf(request), pageOf(query))
        return succeed(request, { ...page, items: page.items.map(shown) })
      },
      operation({
        summary: 'List exports of an owner',
        description: 'Newest first.',
        rights: { of: 'owner', for: OWNERS_AND_PEOPLE },
        query: pageQuery,
        result: page(ref('DataExport')),
      }),
    )
    .get(
      `${OWNER}/exports/:id`,
      async ({ request, params }) =>
        succeed(request, shown(await exports.getExport(db, subjectOf(request), params.id))),
      operation({
        summary: 'Get an export',
        description:
          '`partsDone` of `parts` have been written: tables, files and sensors. `status` becomes `done`, or `failed` after three attempts. The archive is deleted at `expiresAt`.',
        rights: { of: 'owner', for: OWNERS_AND_PEOPLE },
        result: ref('DataExport'),
      }),
    )
    .get(
      `${OWNER}/exports/:id/content`,
      async ({ request, params }) => {
        const { id, key, ownerId, status, bytes, createdAt } = await exports.getExport(
          db,
          subjectOf(request),
          params.id,
        )
        if (status !== 'done' || bytes === null)
          throw new AppError('CONFLICT', {
            message: fieldText('exportStatus', { status }),
          })
        const filename = `groundwave-${ownerId}-${createdAt.slice(0, 10)}.zip`
        const about = { key, filename, bytes, crs: null, mediaType: 'application/zip' }
        const response = await download(request, { ...about, content: fileStore.open(key) })
        // not cached: the export may be gone before the cache entry expires, and another account of the browser must
        // send its own request
        response.headers.set('cache-control', 'private, no-store')
        if (sendsContent(request, response))
          await downloads.record(callerOf(request), ownerId, { kind: 'data-export', id, filename, bytes })
        return response
      },
      operation({
        summary: 'Download an export',
        description: 'Returns the ZIP. Supports `Range`, so that a download can continue.',
        rights: { of: 'owner', for: OWNERS_AND_PEOPLE },
        result: 'file',
      }),
    )
    .delete(
      `${OWNER}/exports/:id`,
      async ({ request, params }) => {
        await exports.removeExport(db, callerOf(request), subjectOf(request), params.id)
        await fileRemovals.remove(REMOVAL_WAIT_MS)
        return succeed(request, { id: params.id })
      },
      operation({
        summary: 'Delete an export',
        description: 'Ends an export that is being made, or deletes its archive.',
        rights: { of: 'owner', for: OWNERS_AND_PEOPLE },
        result: deleted,
      }),
    )
}
