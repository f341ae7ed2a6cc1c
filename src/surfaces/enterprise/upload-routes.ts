/** Resumable uploads, by tus 1.0, below /enterprise/v1/gis/uploads. A complete one becomes a stored file. */
import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { READERS } from '../../access/authorization.ts'
import { type Code, IDEMPOTENCY_HOURS } from '../../errors.ts'
import { mediaTypeOf, requireMediaType } from '../../http/body/body.ts'
import type { RoutedRequest } from '../../http/callers.ts'
import { succeed } from '../../http/envelope.ts'
import { answer, failures, type Json, page, ref } from '../../http/openapi/openapi-schemas.ts'
import { callerOf } from '../../http/request-context.ts'
import { type Upload, wrongOffset } from '../../runs/uploads.ts'
import { recordChange } from '../../stores/postgres/accounts/audit.ts'
import { getUpload, listUploads } from '../../stores/postgres/files/uploads.ts'
import { admitToUpload, authenticateFirst, scopeOfCaller } from './calls.ts'
import type { EnterpriseDeps } from './deps.ts'
import { operation } from './operation.ts'
import * as tus from './tus.ts'
import { createUploadIntake, uploadToJson } from './upload-intake.ts'

const pageQuery = Type.Object(
  {
    limit: Type.Optional(Type.Number({ minimum: 1, maximum: 1000, multipleOf: 1, default: 100 })),
    cursor: Type.Optional(Type.String({ description: 'nextCursor of the previous page', maxLength: 64 })),
  },
  { additionalProperties: false },
)

const CALL: readonly Code[] = ['API_KEY_INVALID', 'ENTERPRISE_SUSPENDED', 'RATE_LIMITED']
const PROTOCOL: readonly Code[] = [...CALL, 'NOT_FOUND', 'UPLOAD_VERSION_UNSUPPORTED']

const header = (name: string, description: string, required: boolean, schema: Json = { type: 'string' }): Json => ({
  name,
  in: 'header',
  required,
  description,
  schema,
})
const VERSION = header('Tus-Resumable', 'Version of the protocol.', true, { type: 'string', const: '1.0.0' })
const ID: Json = {
  name: 'id',
  in: 'path',
  required: true,
  description: 'Id of the upload.',
  schema: { type: 'string' },
}
const BYTES: Json = { type: 'integer', minimum: 0 }
const CHECKSUM = header(
  'Upload-Checksum',
  '`sha1`, `sha256` or `md5`, a space, and the base64 digest of the body.',
  false,
)
const body = (required: boolean): Json => ({
  required,
  content: { 'application/offset+octet-stream': { schema: { type: 'string', contentEncoding: 'binary' } } },
})

const sent = (description: string, schema: Json = { type: 'string' }): Json => ({ description, schema })
const STATE: Json = {
  'Tus-Resumable': sent('`1.0.0`'),
  'Upload-Offset': sent('Number of bytes that have arrived.', BYTES),
  'Upload-Expires': sent('When an upload without further bytes is deleted.'),
  'X-Stored-Key': sent('Key of the stored file, once the upload is complete and was scanned.'),
}
const empty = (description: string, headers: Json = STATE): Json => ({ description, headers })

const CAPABILITIES = operation({
  summary: 'Get the capabilities of the protocol',
  rights: { of: 'visitor', for: READERS },
  hide: true,
})

export function uploadRoutes(deps: EnterpriseDeps) {
  const { db, uploads, limits } = deps
  const { begin, receive, stateHeaders } = createUploadIntake(deps)

  async function find({ request, route, params }: RoutedRequest): Promise<Upload> {
    const organization = await admitToUpload(deps, { request, route, params })
    if (request.method !== 'GET') tus.requireVersion(request)
    return getUpload(db, scopeOfCaller(organization), params.id ?? '')
  }

  /** HEAD as in the protocol, and GET with the same facts in an envelope. */
  async function state(call: RoutedRequest): Promise<Response> {
    const { request } = call
    if (request.method === 'GET') return succeed(request, uploadToJson(await uploads.finish(await find(call), 0)))
    return tus.versioned(request, async () => {
      const upload = await uploads.finish(await find(call), 0)
      const { bytes, metadata } = upload
      return tus.emptyAnswer(request, 200, {
        ...stateHeaders(upload),
        'upload-length': String(bytes),
        'cache-control': 'no-store',
        ...(metadata !== '' && { 'upload-metadata': metadata }),
      })
    })
  }

  return (
    new Elysia({ name: 'enterprise-uploads' })
      .options('/uploads', ({ request }) => tus.capabilities(request, limits.maxUploadBytes), CAPABILITIES)
      .options('/uploads/:id', ({ request }) => tus.capabilities(request, limits.maxUploadBytes), CAPABILITIES)
      .post(
        '/uploads',
        ({ request, route, params }) =>
          tus.versioned(request, async () => {
            const organization = await admitToUpload(deps, { request, route, params })
            tus.requireVersion(request)
            return begin(request, organization)
          }),
        {
          parse: 'none',
          ...operation({
            operationId: 'beginUpload',
            summary: 'Begin an upload',
            description:
              'Begins an upload that can be resumed, by tus 1.0 with the extensions creation, creation-with-upload, checksum, expiration and termination. Any tus client works. The complete file becomes a stored file, whose key stands for the file in every tool.',
            rights: { of: 'owner-in-header', for: READERS, personalKeys: true },
            parameters: [
              VERSION,
              header('Upload-Length', 'Size of the file in bytes.', true, BYTES),
              header(
                'Upload-Metadata',
                '`filename` and the base64 of its UTF-8; further pairs are kept for HEAD.',
                false,
              ),
              header('Upload-Offset', '0, with the first bytes in the body.', false, BYTES),
              CHECKSUM,
              header(
                'Idempotency-Key',
                `A repeat within ${IDEMPOTENCY_HOURS} hours returns the first upload as it is now. Its body counts if nothing has arrived yet.`,
                false,
                {
                  type: 'string',
                  minLength: 1,
                  maxLength: 255,
                },
              ),
            ],
            requestBody: body(false),
            responses: {
              201: {
                ...answer('The upload has begun.', ref('Upload'), 'UPLOAD_CREATED'),
                headers: { Location: sent('URL of the upload.'), ...STATE },
              },
              ...failures([
                ...PROTOCOL,
                'BAD_REQUEST',
                'VALIDATION_FAILED',
                'FILE_TOO_LARGE',
                'MEDIA_TYPE_UNSUPPORTED',
              ]),
              ...failures(['UPLOAD_CHECKSUM_WRONG', 'UPLOADS_LIMITED', 'STORAGE_QUOTA_EXCEEDED']),
            },
          }),
        },
      )
      .get(
        '/uploads',
        async ({ request, route, params, query }) => {
          const scope = scopeOfCaller(await admitToUpload(deps, { request, route, params }))
          const page = await listUploads(db, scope, { limit: query.limit ?? 100, cursor: query.cursor })
          return succeed(request, { items: page.items.map(uploadToJson), nextCursor: page.nextCursor })
        },
        {
          ...authenticateFirst(deps),
          ...operation({
            operationId: 'listUploads',
            summary: 'List uploads',
            description: 'Lists uploads that have not expired, newest first.',
            rights: { of: 'owner-in-header', for: READERS, personalKeys: true },
            query: pageQuery,
            parameters: [
              { name: 'limit', in: 'query', schema: { type: 'integer', minimum: 1, maximum: 1000, default: 100 } },
              {
                name: 'cursor',
                in: 'query',
                description: '`nextCursor` of the previous page',
                schema: { type: 'string' },
              },
            ],
            responses: { 200: answer('A page of uploads.', page(ref('Upload'))), ...failures(CALL) },
          }),
        },
      )
      .get(
        '/uploads/:id',
        state,
        operation({
          operationId: 'getUpload',
          summary: 'Get an upload',
          description:
            'Returns the state of an upload: `open`, `stored` with the key of the file, or `refused` by the virus scanner with the reason.',
          rights: { of: 'owner-in-header', for: READERS, personalKeys: true },
          parameters: [ID],
          responses: { 200: answer('The upload.', ref('Upload')), ...failures([...CALL, 'NOT_FOUND']) },
        }),
      )
      // Elysia would answer HEAD with the route for GET, and describes this one
      .head(
        '/uploads/:id',
        state,
        operation({
          operationId: 'getUploadOffset',
          summary: 'Get the offset of an upload',
          description: 'Returns the number of received bytes in `Upload-Offset`; the next part begins there.',
          rights: { of: 'owner-in-header', for: READERS, personalKeys: true },
          parameters: [ID, VERSION],
          responses: {
            200: empty('The state of the upload.', { ...STATE, 'Upload-Length': sent('Size of the file.', BYTES) }),
            ...failures([...PROTOCOL, 'INPUT_UNREADABLE']),
          },
        }),
      )
      .patch(
        '/uploads/:id',
        ({ request, route, params }) =>
          tus.versioned(request, async () => {
            const upload = await find({ request, route, params })
            requireMediaType(mediaTypeOf(request.headers.get('content-type')), tus.BODY_TYPE)
            const startsAt = tus.offsetOf(request)
            const { state, received } = upload
            if (state !== 'refused' && startsAt !== received) throw wrongOffset(upload)
            const current = state === 'open' ? await receive(request, upload) : upload
            return tus.emptyAnswer(request, 204, stateHeaders(current))
          }),
        {
          parse: 'none',
          ...operation({
            operationId: 'continueUpload',
            summary: 'Continue an upload',
            description:
              'Appends the body. What arrived of a body that was cut off counts, unless `Upload-Checksum` was sent. With the last byte the file is assembled, scanned and stored; if that takes longer than 10 seconds, the answer has no `X-Stored-Key`, and HEAD returns it later.',
            rights: { of: 'owner-in-header', for: READERS, personalKeys: true },
            parameters: [
              ID,
              VERSION,
              header('Upload-Offset', 'Number of bytes that have arrived: where this body starts.', true, BYTES),
              CHECKSUM,
            ],
            requestBody: body(true),
            responses: {
              204: empty('The bytes are stored.'),
              ...failures([...PROTOCOL, 'BAD_REQUEST', 'REQUEST_TIMEOUT', 'UPLOAD_OFFSET_WRONG', 'BODY_TOO_LARGE']),
              ...failures(['MEDIA_TYPE_UNSUPPORTED', 'INPUT_UNREADABLE', 'UPLOAD_CHECKSUM_WRONG', 'STORAGE_FULL']),
            },
          }),
        },
      )
      .delete(
        '/uploads/:id',
        ({ request, route, params }) =>
          tus.versioned(request, async () => {
            const { id, ownerId } = await find({ request, route, params })
            const { filename, bytes } = await uploads.remove({ ownerId }, id)
            await recordChange(db, {
              actor: callerOf(request),
              action: 'delete',
              kind: 'upload',
              id,
              before: { filename, bytes },
              after: null,
              ownerId,
            })
            return tus.emptyAnswer(request, 204, {})
          }),
        {
          parse: 'none',
          ...operation({
            operationId: 'endUpload',
            summary: 'End an upload',
            description: 'Deletes an upload and its received bytes. The stored file of a complete upload is kept.',
            rights: { of: 'owner-in-header', for: READERS, personalKeys: true },
            parameters: [ID, VERSION],
            responses: {
              204: empty('The upload is gone.', { 'Tus-Resumable': sent('`1.0.0`') }),
              ...failures(PROTOCOL),
            },
          }),
        },
      )
  )
}
