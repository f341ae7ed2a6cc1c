/** /enterprise/v1/gis/openapi.json: OpenAPI 3.1 generated from the tools, complete enough to generate clients. */
import type { TSchema } from '@sinclair/typebox'
import type { Code } from '../../errors.ts'
import {
  answer,
  anyObject,
  failures,
  type Json,
  ORGANIZATION_SCHEMES,
  ORGANIZATION_SECURITY,
  page,
  ref,
  SESSION_SCHEME,
} from '../../http/openapi-schemas.ts'
import { REMEMBERED_HOURS } from '../../stores/postgres/idempotency.ts'
import { takesForm } from '../../tools/check.ts'
import { plainSchema } from '../../tools/plain-schema.ts'
import type { Tool } from '../../tools/tool.ts'
import { SCHEMAS } from './openapi-schemas.ts'
import { GIS_PREFIX } from './paths.ts'
import { resultSchema } from './processes.ts'

const camel = (text: string): string => text.replace(/[^A-Za-z0-9]+(.)/g, (_, letter: string) => letter.toUpperCase())

const TOOL_FAILURES: readonly Code[] = [
  ...(['BAD_REQUEST', 'API_KEY_INVALID', 'CREDITS_EXHAUSTED', 'TOOL_NOT_GRANTED', 'IDEMPOTENCY_KEY_IN_USE'] as const),
  ...(['FILE_TOO_LARGE', 'MEDIA_TYPE_UNSUPPORTED', 'VALIDATION_FAILED', 'RATE_LIMITED', 'TOOL_FAILED'] as const),
  ...(['SERVICE_BUSY', 'TOOL_TIMEOUT', 'STORAGE_FULL', 'STORAGE_QUOTA_EXCEEDED'] as const),
]
const READ_FAILURES: readonly Code[] = ['API_KEY_INVALID', 'ENTERPRISE_SUSPENDED', 'NOT_FOUND', 'RATE_LIMITED']

const header = (name: string, description: string, schema: Json = { type: 'string' }): Json => ({
  name,
  in: 'header',
  required: false,
  description,
  schema,
})
const path = (name: string, description: string): Json => ({
  name,
  in: 'path',
  required: true,
  description,
  schema: { type: 'string' },
})
const PAGE: Json[] = [
  { name: 'limit', in: 'query', schema: { type: 'integer', minimum: 1, maximum: 1000, default: 100 } },
  { name: 'cursor', in: 'query', description: '`nextCursor` of the previous page', schema: { type: 'string' } },
]
const AS_USER = header(
  'X-Api-User',
  'E-mail address of the member to attribute the run to. Default: the owner of the organization.',
)

/** The request body of a tool. */
function requestBody(tool: Tool): Json {
  const properties = Object.fromEntries(
    Object.entries(tool.input.properties).map(([name, schema]) => [name, bodyProperty(schema)]),
  )
  const required = (tool.input.required ?? []).filter((name) => tool.input.properties[name]?.default === undefined)
  const schema = { type: 'object', properties, required, additionalProperties: false }
  return { required: true, content: { [takesForm(tool) ? 'multipart/form-data' : 'application/json']: { schema } } }
}

function bodyProperty(schema: TSchema): Json {
  if (schema['x-svc-encoding'] === 'json-text') {
    const { description } = schema
    const content = plainSchema(schema, 'en', { bare: true })
    return { type: 'string', description, contentMediaType: 'application/json', contentSchema: content }
  }
  return plainSchema(schema, 'en')
}

/** The OpenAPI operation of a tool. */
export function toolOperation(tool: Tool): Json {
  const result = resultSchema(tool, 'en')
  const data = {
    type: 'object',
    required: [...result.required, 'usage'],
    properties: {
      ...result.properties,
      warnings: {
        type: 'array',
        items: { type: 'string' },
        description: 'Notes about the conversion, for example dropped attributes or shortened names',
      },
      usage: ref('Usage'),
    },
  }
  return {
    operationId: camel(tool.id),
    tags: ['GIS'],
    summary: tool.title.en,
    description: `${tool.description.en}\n\nProcess id: \`${tool.id}\`. Cost: ${tool.credits === 0 ? 'free' : `${tool.credits} ${tool.credits === 1 ? 'credit' : 'credits'} per successful run`}.${tool.async ? ' Can run as a job: send `Prefer: respond-async`.' : ''}`,
    security: ORGANIZATION_SECURITY,
    parameters: [
      AS_USER,
      header(
        'Idempotency-Key',
        `Makes the call safe to retry. For ${REMEMBERED_HOURS} hours, a repeat with the same key returns the first result without running the tool or charging credits again.`,
        { type: 'string', minLength: 1, maxLength: 255 },
      ),
      ...(tool.async ? [header('Prefer', '`respond-async` runs the tool as a job and returns 202 immediately.')] : []),
    ],
    requestBody: requestBody(tool),
    responses: {
      200: answer('The result of the tool.', data),
      ...(tool.async && {
        202: answer('The job was accepted. `Location` is the URL of its status.', ref('Job'), 'JOB_ACCEPTED'),
      }),
      ...failures(TOOL_FAILURES),
    },
  }
}

const READ = { tags: ['GIS'], security: ORGANIZATION_SECURITY }
const LANGUAGE: Json = {
  name: 'lang',
  in: 'query',
  description: 'Language of titles and descriptions.',
  schema: { type: 'string', enum: ['en', 'ar'], default: 'en' },
}
const JOB_ID = path('jobId', 'Id of the job.')
const RUN_ID = path('runId', 'Id of the run, as in the `usage` block of a result.')
const fileAnswer = (description: string): Json => ({
  description,
  content: { 'application/octet-stream': { schema: { type: 'string', contentEncoding: 'binary' } } },
})
const json = (description: string, name: string): Json => ({
  description,
  content: { 'application/json': { schema: ref(name) } },
})

/** The other operations, by path below the prefix. */
export const READ_OPERATIONS = {
  '/processes': {
    get: {
      ...READ,
      operationId: 'listProcesses',
      summary: 'List processes',
      description:
        'Lists the tools that the key pair may run, in the structure of OGC API – Processes. The response has no envelope.',
      parameters: [LANGUAGE],
      responses: { 200: json('The process list.', 'ProcessList') },
    },
  },
  '/processes/{id}': {
    get: {
      ...READ,
      operationId: 'describeProcess',
      summary: 'Describe a process',
      description: 'Returns the inputs and outputs of a tool as JSON Schema. The response has no envelope.',
      parameters: [path('id', 'Process id, for example `vector.buffer`.'), LANGUAGE],
      responses: {
        200: json('The process description.', 'Process'),
        404: {
          description: 'The process does not exist, or the key pair may not run it. The body is an exception document.',
          content: { 'application/problem+json': {} },
        },
      },
    },
  },
  '/jobs': {
    get: {
      ...READ,
      operationId: 'listJobs',
      summary: 'List jobs',
      description: 'Lists the jobs of the organization, newest first.',
      parameters: PAGE,
      responses: { 200: answer('A page of jobs.', page(ref('Job'))), ...failures(READ_FAILURES) },
    },
  },
  '/jobs/{jobId}': {
    get: {
      ...READ,
      operationId: 'getJob',
      summary: 'Get a job',
      description: 'Returns the status and the progress of a job.',
      parameters: [JOB_ID],
      responses: { 200: answer('The job.', ref('Job')), ...failures(READ_FAILURES) },
    },
    delete: {
      ...READ,
      operationId: 'dismissJob',
      summary: 'Dismiss a job',
      description: 'Stops the job if it is waiting or running. A finished job does not change.',
      parameters: [JOB_ID],
      responses: { 200: answer('The job.', ref('Job')), ...failures(READ_FAILURES) },
    },
  },
  '/jobs/{jobId}/results': {
    get: {
      ...READ,
      operationId: 'getJobResults',
      summary: 'Get the results of a job',
      description:
        'Returns the envelope that the synchronous call would have returned, with its status, also for a failed job.',
      parameters: [JOB_ID],
      responses: { 200: answer('The result of the tool.', anyObject), ...failures(READ_FAILURES) },
    },
  },
  '/runs': {
    get: {
      ...READ,
      operationId: 'listRuns',
      summary: 'List runs',
      description: 'Lists the runs of the organization, newest first.',
      parameters: PAGE,
      responses: { 200: answer('A page of runs.', page(ref('Run'))), ...failures(READ_FAILURES) },
    },
  },
  '/runs/{runId}': {
    get: {
      ...READ,
      operationId: 'getRun',
      summary: 'Get a run',
      description: 'Returns a run with its inputs and artifacts.',
      parameters: [RUN_ID],
      responses: { 200: answer('The run.', ref('Run')), ...failures(READ_FAILURES) },
    },
  },
  '/runs/{runId}/artifacts/{artifactId}': {
    get: {
      ...READ,
      operationId: 'getArtifact',
      summary: 'Download an artifact',
      description: 'Returns the content of an output file. Supports `Range` and `If-None-Match`.',
      parameters: [RUN_ID, path('artifactId', 'Id of the artifact.')],
      responses: {
        200: fileAnswer('The file.'),
        206: fileAnswer('The requested range of the file.'),
        ...failures(READ_FAILURES),
      },
    },
  },
  '/files/{key}': {
    get: {
      ...READ,
      operationId: 'getFile',
      summary: 'Download a file',
      description: 'Returns the content of a stored file. Supports `Range` and `If-None-Match`.',
      parameters: [path('key', 'Storage key of the file.')],
      responses: {
        200: fileAnswer('The file.'),
        206: fileAnswer('The requested range of the file.'),
        ...failures(READ_FAILURES),
      },
    },
    delete: {
      ...READ,
      operationId: 'deleteFile',
      summary: 'Delete a file',
      description:
        'Deletes a stored file, which frees its part of the storage quota. A file that a waiting or running job needs is kept.',
      parameters: [path('key', 'Storage key of the file.')],
      responses: {
        200: answer('The key of the deleted file.', {
          type: 'object',
          required: ['key'],
          properties: { key: { type: 'string' } },
        }),
        ...failures([...READ_FAILURES, 'CONFLICT']),
      },
    },
  },
} as const

/** The complete document. Aliases of tools are not listed. */
export function openApiDocument(tools: readonly Tool[], version: string): Json {
  const paths: Record<string, Json> = {}
  for (const tool of tools) paths[GIS_PREFIX + tool.route] = { post: toolOperation(tool) }
  for (const [route, operations] of Object.entries(READ_OPERATIONS)) paths[GIS_PREFIX + route] = operations
  return {
    openapi: '3.1.0',
    info: {
      title: 'Groundwave Enterprise GIS API',
      version,
      description:
        'Run geoprocessing tools over HTTP with an organization key pair, and read runs, jobs and files. Tools that produce files store them and return a storage `key`; download the file from `/files/{key}`.',
    },
    servers: [{ url: '/' }],
    security: ORGANIZATION_SECURITY,
    tags: [{ name: 'GIS', description: 'Tools, runs, jobs and files.' }],
    paths,
    components: { schemas: SCHEMAS, securitySchemes: { ...ORGANIZATION_SCHEMES, ...SESSION_SCHEME } },
  }
}
