/** /enterprise/v1/gis/openapi.json: OpenAPI 3.1 from the tools themselves, whole enough to generate a client from. */
import type { TSchema } from '@sinclair/typebox'
import { CODES, type Code } from '../../errors.ts'
import { REMEMBERED_HOURS } from '../../stores/postgres/idempotency.ts'
import { takesForm } from '../../tools/check.ts'
import type { Tool } from '../../tools/tool.ts'
import { type Json, ref, SCHEMAS, SECURITY_SCHEMES } from './openapi-schemas.ts'
import { GIS_PREFIX } from './paths.ts'
import { plainSchema, resultSchema } from './processes.ts'

export const SECURITY: Record<string, string[]>[] = [{ keyPair: [], keySecret: [] }, { keyBearer: [] }]
const camel = (text: string): string => text.replace(/[^A-Za-z0-9]+(.)/g, (_, letter: string) => letter.toUpperCase())

const TOOL_FAILURES: readonly Code[] = [
  ...(['BAD_REQUEST', 'API_KEY_INVALID', 'CREDITS_EXHAUSTED', 'TOOL_NOT_GRANTED', 'IDEMPOTENCY_KEY_IN_USE'] as const),
  ...(['FILE_TOO_LARGE', 'MEDIA_TYPE_UNSUPPORTED', 'VALIDATION_FAILED', 'RATE_LIMITED', 'TOOL_FAILED'] as const),
  ...(['SERVICE_BUSY', 'TOOL_TIMEOUT'] as const),
]
const READ_FAILURES: readonly Code[] = ['API_KEY_INVALID', 'ENTERPRISE_SUSPENDED', 'NOT_FOUND', 'RATE_LIMITED']

function failures(codes: readonly Code[]): Json {
  return Object.fromEntries(
    codes.map((code) => [
      String(CODES[code].status),
      { description: CODES[code].en, content: { 'application/json': { schema: ref('Failure') } } },
    ]),
  )
}

function envelopeOf(data: Json, code = 'SUCCESS'): Json {
  return {
    allOf: [ref('Envelope'), { type: 'object', required: ['data'], properties: { code: { const: code }, data } }],
  }
}

const answer = (description: string, data: Json, code?: string): Json => ({
  description,
  content: { 'application/json': { schema: envelopeOf(data, code) } },
})

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
  { name: 'cursor', in: 'query', description: 'nextCursor of the page before', schema: { type: 'string' } },
]
const AS_USER = header('X-Api-User', 'E-mail of the member whom the run is attributed to; the owner when left out')

/** The body of a tool's call. */
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
    const content = plainSchema(schema, 'en', true)
    return { type: 'string', description, contentMediaType: 'application/json', contentSchema: content }
  }
  return plainSchema(schema, 'en')
}

/** The operation of a tool's route, with its operationId after the tool's id. */
export function toolOperation(tool: Tool): Json {
  const result = resultSchema(tool, 'en')
  const data = {
    type: 'object',
    required: [...result.required, 'usage'],
    properties: {
      ...result.properties,
      warnings: { type: 'array', items: { type: 'string' }, description: 'What had to be given up or decided' },
      usage: ref('Usage'),
    },
  }
  return {
    operationId: camel(tool.id),
    tags: ['GIS'],
    summary: tool.title.en,
    description: `${tool.description.en}\n\nProcess id \`${tool.id}\`, ${tool.credits === 0 ? 'no credits' : `${tool.credits} ${tool.credits === 1 ? 'credit' : 'credits'}`} a run.`,
    security: SECURITY,
    parameters: [
      AS_USER,
      header('Idempotency-Key', `A call that may come again: the first outcome is kept for ${REMEMBERED_HOURS} hours`, {
        type: 'string',
        minLength: 1,
        maxLength: 255,
      }),
      ...(tool.async ? [header('Prefer', '`respond-async` starts a job')] : []),
    ],
    requestBody: requestBody(tool),
    responses: {
      200: answer('The result', data),
      ...(tool.async && { 202: answer('The job was stored; Location tells where', ref('Job'), 'JOB_ACCEPTED') }),
      ...failures(TOOL_FAILURES),
    },
  }
}

const READ = { tags: ['GIS'], security: SECURITY }
const fileAnswer = (description: string): Json => ({
  description,
  content: { 'application/octet-stream': { schema: { type: 'string', contentEncoding: 'binary' } } },
})
const page = (name: string): Json => ({
  type: 'object',
  required: ['items', 'nextCursor'],
  properties: { items: { type: 'array', items: ref(name) }, nextCursor: { type: ['string', 'null'] } },
})

/** Operations beside the tools', by path below the prefix. */
export const READ_OPERATIONS = {
  '/processes': {
    get: {
      ...READ,
      operationId: 'listProcesses',
      summary: 'The tools that the key may run',
      parameters: [{ name: 'lang', in: 'query', schema: { type: 'string', enum: ['en', 'ar'], default: 'en' } }],
      responses: { 200: { description: 'The document itself', content: { 'application/json': {} } } },
    },
  },
  '/processes/{id}': {
    get: {
      ...READ,
      operationId: 'describeProcess',
      summary: 'What a tool takes and gives, as JSON Schema',
      parameters: [
        path('id', 'Process id, as vector.buffer'),
        { name: 'lang', in: 'query', schema: { type: 'string', enum: ['en', 'ar'], default: 'en' } },
      ],
      responses: {
        200: { description: 'The document itself', content: { 'application/json': {} } },
        404: { description: 'An exception document', content: { 'application/problem+json': {} } },
      },
    },
  },
  '/jobs': {
    get: {
      ...READ,
      operationId: 'listJobs',
      summary: 'Jobs, newest first',
      parameters: PAGE,
      responses: { 200: answer('Jobs', page('Job')), ...failures(READ_FAILURES) },
    },
  },
  '/jobs/{jobId}': {
    get: {
      ...READ,
      operationId: 'getJob',
      summary: 'How far a job is',
      parameters: [path('jobId', 'jobID')],
      responses: { 200: answer('The job', ref('Job')), ...failures(READ_FAILURES) },
    },
    delete: {
      ...READ,
      operationId: 'dismissJob',
      summary: 'Dismiss a job; its work stops',
      parameters: [path('jobId', 'jobID')],
      responses: { 200: answer('The job', ref('Job')), ...failures(READ_FAILURES) },
    },
  },
  '/jobs/{jobId}/results': {
    get: {
      ...READ,
      operationId: 'getJobResults',
      summary: 'What the synchronous call would have answered',
      parameters: [path('jobId', 'jobID')],
      responses: { 200: answer('The result', { type: 'object' }), ...failures(READ_FAILURES) },
    },
  },
  '/runs': {
    get: {
      ...READ,
      operationId: 'listRuns',
      summary: 'Runs, newest first',
      parameters: PAGE,
      responses: { 200: answer('Runs', page('Run')), ...failures(READ_FAILURES) },
    },
  },
  '/runs/{runId}': {
    get: {
      ...READ,
      operationId: 'getRun',
      summary: 'A run with its inputs and artifacts',
      parameters: [path('runId', 'runId of the usage block')],
      responses: { 200: answer('The run', ref('Run')), ...failures(READ_FAILURES) },
    },
  },
  '/runs/{runId}/artifacts/{artifactId}': {
    get: {
      ...READ,
      operationId: 'getArtifact',
      summary: 'The bytes of an artifact; ranges are served',
      parameters: [path('runId', 'runId'), path('artifactId', 'artifactId')],
      responses: { 200: fileAnswer('The file'), 206: fileAnswer('A range of it'), ...failures(READ_FAILURES) },
    },
  },
  '/files/{key}': {
    get: {
      ...READ,
      operationId: 'getFile',
      summary: 'The bytes of a stored file; ranges are served',
      parameters: [path('key', 'Storage key')],
      responses: { 200: fileAnswer('The file'), 206: fileAnswer('A range of it'), ...failures(READ_FAILURES) },
    },
  },
} as const

/** The whole document. Older names of tools go on working and are not in it. */
export function openApiDocument(tools: readonly Tool[], version: string): Json {
  const paths: Record<string, Json> = {}
  for (const tool of tools) paths[GIS_PREFIX + tool.route] = { post: toolOperation(tool) }
  for (const [route, operations] of Object.entries(READ_OPERATIONS)) paths[GIS_PREFIX + route] = operations
  return {
    openapi: '3.1.0',
    info: {
      title: 'Groundwave Enterprise GIS API',
      version,
      description: 'Geoprocessing tools over HTTP with an organization key pair.',
    },
    servers: [{ url: '/' }],
    security: SECURITY,
    tags: [{ name: 'GIS', description: 'Tools, their runs, jobs and files' }],
    paths,
    components: { schemas: SCHEMAS, securitySchemes: SECURITY_SCHEMES },
  }
}
