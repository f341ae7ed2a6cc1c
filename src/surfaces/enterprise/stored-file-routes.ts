/** Stored files below /enterprise/v1/gis. A member sees only the files of their own calls. */
import { Elysia } from 'elysia'
import { READERS } from '../../access/authorization.ts'
import { createDownloadAudit, purposeOf } from '../../access/download-audit.ts'
import type { GisOrganization } from '../../access/organization-callers.ts'
import type { RoutedRequest } from '../../http/callers.ts'
import { download, sendsContent } from '../../http/download.ts'
import { succeed } from '../../http/envelope.ts'
import { answer, failures, type Json } from '../../http/openapi/openapi-schemas.ts'
import { callerOf } from '../../http/request-context.ts'
import { recordChange } from '../../stores/postgres/accounts/audit.ts'
import type { RunScope } from '../../stores/postgres/runs/run-scope.ts'
import { getArtifact, getStoredFile, type StoredFile } from '../../stores/postgres/runs/runs.ts'
import { admit, scopeOfCaller } from './calls.ts'
import type { EnterpriseDeps } from './deps.ts'
import { operation, pathParameter, queryParameter, READ_FAILURES, RUN_ID } from './operation.ts'

const LINKED = queryParameter(
  'enterprise',
  'With a session: the enterprise, instead of `X-Enterprise`, for links on pages of this server.',
)
const fileAnswer = (description: string): Json => ({
  description,
  content: { 'application/octet-stream': { schema: { type: 'string', contentEncoding: 'binary' } } },
})

export function storedFileRoutes(deps: EnterpriseDeps) {
  const { db, files } = deps
  const isSession = ({ caller }: GisOrganization): boolean => caller.role !== undefined
  const downloads = createDownloadAudit(db)
  async function send(call: RoutedRequest, find: (scope: RunScope) => Promise<StoredFile>): Promise<Response> {
    const { request } = call
    const organization = await admit(deps, call)
    const { id, filename, mediaType, bytes, crs, ownerId } = await find(scopeOfCaller(organization))
    const response = await download(request, { key: id, filename, mediaType, bytes, crs, content: files.open(id) })
    // another account of the same browser must send its own request, and a download must not be answered from the cache
    // entry of a page's load
    response.headers.set('vary', 'Cookie, Sec-Fetch-Mode')
    const purpose = purposeOf(request.headers, isSession(organization))
    if (purpose === 'download' && isSession(organization)) response.headers.set('cache-control', 'private, no-store')
    if (sendsContent(request, response))
      await downloads.record(callerOf(request), ownerId, { kind: 'stored-file', id, filename, bytes }, purpose)
    return response
  }

  return new Elysia({ name: 'enterprise-stored-files' })
    .get(
      '/runs/:id/artifacts/:artifactId',
      async ({ request, route, params }) =>
        send({ request, route, params }, (scope) => getArtifact(db, scope, params.id, params.artifactId)),
      operation({
        operationId: 'getArtifact',
        summary: 'Download an artifact',
        description: 'Returns the content of an output file. Supports `Range` and `If-None-Match`.',
        rights: { of: 'owner-in-header', for: READERS, personalKeys: true, linked: true },
        parameters: [RUN_ID, pathParameter('artifactId', 'Id of the artifact.'), LINKED],
        responses: {
          200: fileAnswer('The file.'),
          206: fileAnswer('The requested range of the file.'),
          ...failures(READ_FAILURES),
        },
      }),
    )
    .get(
      '/files/:key',
      async ({ request, route, params }) =>
        send({ request, route, params }, (scope) => getStoredFile(db, scope, params.key)),
      operation({
        operationId: 'getFile',
        summary: 'Download a file',
        description: 'Returns the content of a stored file. Supports `Range` and `If-None-Match`.',
        rights: { of: 'owner-in-header', for: READERS, personalKeys: true, linked: true },
        parameters: [pathParameter('key', 'Storage key of the file.'), LINKED],
        responses: {
          200: fileAnswer('The file.'),
          206: fileAnswer('The requested range of the file.'),
          ...failures(READ_FAILURES),
        },
      }),
    )
    .delete(
      '/files/:key',
      async ({ request, route, params }) => {
        const { key } = params
        const scope = scopeOfCaller(await admit(deps, { request, route, params }))
        const { ownerId } = scope
        const deleted = await deps.storage.delete(scope, key)
        await recordChange(db, {
          actor: callerOf(request),
          action: 'delete',
          kind: 'stored-file',
          id: key,
          before: deleted,
          after: null,
          ownerId,
        })
        return succeed(request, { key })
      },
      // a body has no meaning here, and would be read before the caller is known
      {
        parse: 'none',
        ...operation({
          operationId: 'deleteFile',
          summary: 'Delete a file',
          description:
            'Deletes a stored file, which frees its part of the storage quota. A file that a waiting or running job needs is kept.',
          rights: { of: 'owner-in-header', for: READERS, personalKeys: true },
          parameters: [pathParameter('key', 'Storage key of the file.')],
          responses: {
            200: answer('The key of the deleted file.', {
              type: 'object',
              required: ['key'],
              properties: { key: { type: 'string' } },
            }),
            ...failures([...READ_FAILURES, 'CONFLICT']),
          },
        }),
      },
    )
}
