/** Routes of a kind of saved documents: private ones of a member, and shared ones of the enterprise. */
import { type TObject, Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { STAFF } from '../../access/authorization.ts'
import { documentScope } from '../../access/document-scope.ts'
import type { Organization } from '../../access/organization.ts'
import { IDEMPOTENCY_HOURS } from '../../errors.ts'
import type { BodyLimits } from '../../http/body/body.ts'
import { bodySchema } from '../../http/body/body-schema.ts'
import type { Callers } from '../../http/callers.ts'
import { seenBy, succeedWithTag } from '../../http/entity-tags.ts'
import { succeed } from '../../http/envelope.ts'
import type { Idempotency } from '../../http/idempotency.ts'
import { object, page, ref, string } from '../../http/openapi/openapi-schemas.ts'
import { requestContextOf } from '../../http/request-context.ts'
import type { Database } from '../../stores/postgres/client.ts'
import type { DocumentKind } from '../../stores/postgres/documents/document-schema.ts'
import {
  changeDocument,
  createDocument,
  type DocumentScope,
  deleteDocument,
  documentToJson,
  getDocument,
  listDocuments,
} from '../../stores/postgres/documents/saved-documents.ts'
import type { KeySpace } from '../../stores/postgres/runs/idempotency.ts'
import { operation } from './operation.ts'
import { closed, limit } from './request-schemas.ts'

const pageQuery = Type.Object(
  {
    limit,
    cursor: Type.Optional(Type.String({ description: 'nextCursor of the previous page', maxLength: 64 })),
  },
  closed,
)

export type DocumentRoutesDeps = {
  db: Database
  callers: Callers<Organization>
  recordBody: BodyLimits
  idempotency: Idempotency<Database, KeySpace>
}

export type DocumentRoutesKind = {
  kind: DocumentKind
  /** Such as `/dashboards`. */
  path: `/${string}`
  document: TObject
  /** Name of the record's component in the description of the API. */
  record: string
  about: string
}

const rights = { of: 'enterprise-in-header', for: STAFF } as const

export function documentRoutes(
  { db, callers, recordBody, idempotency }: DocumentRoutesDeps,
  { kind, path, document, record, about }: DocumentRoutesKind,
) {
  const input = {
    name: Type.String({ minLength: 1, maxLength: 200, pattern: '\\S', description: 'Must not consist of spaces only' }),
    shared: Type.Optional(
      Type.Boolean({
        description:
          'true: of the enterprise, changed by administrators and owners; false: of the member alone. By default false for a member, and true for an application',
      }),
    ),
    document,
  }
  const scopeOf = async (request: Request): Promise<DocumentScope> => {
    const { enterprise, caller } = await callers.of(request)
    return documentScope(kind, enterprise.id, caller)
  }
  return new Elysia({ name: `documents-${kind}` })
    .onParse(callers.parse(recordBody))
    .post(
      path,
      async ({ request, body }) => {
        const scope = await scopeOf(request)
        return idempotency.kept(
          request,
          (tx) => createDocument(tx, scope, body),
          (made) => succeedWithTag(request, documentToJson(made)),
        )
      },
      {
        beforeHandle: ({ request, body }) =>
          idempotency.begin(request, async () => {
            const { keySpace: space } = (await callers.of(request)).caller
            return { space, route: `POST ${requestContextOf(request).path}`, content: JSON.stringify(body) }
          }),
        afterHandle: idempotency.requireKept,
        ...operation({
          summary: `Create a ${kind}`,
          description: `${about} Members make private ones, administrators and owners also shared ones; an enterprise has at most 1,000. A request with an \`Idempotency-Key\` can be repeated for ${IDEMPOTENCY_HOURS} hours without creating another one.`,
          rights,
          body: bodySchema(Type.Object(input, closed)),
          result: ref(record),
        }),
      },
    )
    .get(
      path,
      async ({ request, query: { limit = 100, cursor } }) =>
        succeed(request, await listDocuments(db, await scopeOf(request), { limit, cursor })),
      operation({
        summary: `List ${kind}s`,
        description: `Returns the caller's private ones and the shared ones${kind === 'view' ? '' : ', without their documents'}.`,
        rights,
        query: pageQuery,
        result: page(ref(`Listed${record}`)),
      }),
    )
    .get(
      `${path}/:id`,
      async ({ request, params }) =>
        succeedWithTag(request, documentToJson(await getDocument(db, await scopeOf(request), params.id))),
      operation({ summary: `Get a ${kind}`, rights, result: ref(record) }),
    )
    .patch(
      `${path}/:id`,
      async ({ request, params, body }) => {
        const changed = await changeDocument(
          db,
          await scopeOf(request),
          params.id,
          body,
          seenBy(request, documentToJson),
        )
        return succeedWithTag(request, documentToJson(changed))
      },
      operation({
        summary: `Update a ${kind}`,
        description:
          'Changes the sent fields; `document` is replaced as a whole. With `If-Match`, it is changed only if it is still the same.',
        rights,
        body: bodySchema(Type.Partial(Type.Object(input), closed)),
        result: ref(record),
      }),
    )
    .delete(
      `${path}/:id`,
      async ({ request, params }) => {
        await deleteDocument(db, await scopeOf(request), params.id, seenBy(request, documentToJson))
        return succeed(request, { id: params.id })
      },
      operation({ summary: `Delete a ${kind}`, rights, result: object({ id: string }) }),
    )
}
