/** The OpenAPI operations of resumable uploads. */
import { type Code, IDEMPOTENCY_HOURS } from '../../errors.ts'
import { answer, failures, type Json, ORGANIZATION_SECURITY, page, ref } from '../../http/openapi/openapi-schemas.ts'

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

const UPLOAD = { tags: ['GIS'], security: ORGANIZATION_SECURITY }

const OPERATIONS = {
  '/uploads': {
    get: {
      ...UPLOAD,
      operationId: 'listUploads',
      summary: 'List uploads',
      description: 'Lists uploads that have not expired, newest first.',
      parameters: [
        { name: 'limit', in: 'query', schema: { type: 'integer', minimum: 1, maximum: 1000, default: 100 } },
        { name: 'cursor', in: 'query', description: '`nextCursor` of the previous page', schema: { type: 'string' } },
      ],
      responses: { 200: answer('A page of uploads.', page(ref('Upload'))), ...failures(CALL) },
    },
    post: {
      ...UPLOAD,
      operationId: 'beginUpload',
      summary: 'Begin an upload',
      description:
        'Begins an upload that can be resumed, by tus 1.0 with the extensions creation, creation-with-upload, checksum, expiration and termination. Any tus client works. The complete file becomes a stored file, whose key stands for the file in every tool.',
      parameters: [
        VERSION,
        header('Upload-Length', 'Size of the file in bytes.', true, BYTES),
        header('Upload-Metadata', '`filename` and the base64 of its UTF-8; further pairs are kept for HEAD.', false),
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
        ...failures([...PROTOCOL, 'BAD_REQUEST', 'VALIDATION_FAILED', 'FILE_TOO_LARGE', 'MEDIA_TYPE_UNSUPPORTED']),
        ...failures(['UPLOAD_CHECKSUM_WRONG', 'UPLOADS_LIMITED', 'STORAGE_QUOTA_EXCEEDED']),
      },
    },
  },
  '/uploads/{id}': {
    head: {
      ...UPLOAD,
      operationId: 'getUploadOffset',
      summary: 'Get the offset of an upload',
      description: 'Says how many bytes have arrived, in `Upload-Offset`: where to go on.',
      parameters: [ID, VERSION],
      responses: {
        200: empty('The state of the upload.', { ...STATE, 'Upload-Length': sent('Size of the file.', BYTES) }),
        ...failures([...PROTOCOL, 'INPUT_UNREADABLE']),
      },
    },
    get: {
      ...UPLOAD,
      operationId: 'getUpload',
      summary: 'Get an upload',
      description:
        'Returns the state of an upload: `open`, `stored` with the key of the file, or `refused` by the virus scanner with the reason.',
      parameters: [ID],
      responses: { 200: answer('The upload.', ref('Upload')), ...failures([...CALL, 'NOT_FOUND']) },
    },
    patch: {
      ...UPLOAD,
      operationId: 'continueUpload',
      summary: 'Continue an upload',
      description:
        'Appends the body. What arrived of a body that was cut off counts, unless `Upload-Checksum` was sent. With the last byte the file is assembled, scanned and stored; if that takes longer than 10 seconds, the answer has no `X-Stored-Key`, and HEAD returns it later.',
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
    },
    delete: {
      ...UPLOAD,
      operationId: 'endUpload',
      summary: 'End an upload',
      description: 'Deletes an upload and what has arrived of it. The file that a complete one became stays stored.',
      parameters: [ID, VERSION],
      responses: {
        204: empty('The upload is gone.', { 'Tus-Resumable': sent('`1.0.0`') }),
        ...failures(PROTOCOL),
      },
    },
  },
} as const

/** Operations by path below the prefix. */
export const UPLOAD_OPERATIONS: Record<string, Json> = OPERATIONS

export const uploadOperation = (
  path: keyof typeof OPERATIONS,
  method: 'get' | 'post' | 'head' | 'patch' | 'delete',
): object => (OPERATIONS[path] as Record<string, object>)[method] as object
