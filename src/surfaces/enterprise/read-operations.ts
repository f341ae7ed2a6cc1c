/** The OpenAPI operations of processes, jobs, runs and files. */
import type { Code } from '../../errors.ts'
import {
  answer,
  anyObject,
  failures,
  type Json,
  ORGANIZATION_SECURITY,
  page,
  ref,
} from '../../http/openapi/openapi-schemas.ts'
import { RUN_STATES } from '../../stores/postgres/runs/run-list.ts'
import { MAX_FOLDER_NAME, MAX_RUN_NAME } from './run-query.ts'

const READ_FAILURES: readonly Code[] = ['API_KEY_INVALID', 'ENTERPRISE_SUSPENDED', 'NOT_FOUND', 'RATE_LIMITED']

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
const queryOf = (name: string, description: string, schema: Json = { type: 'string' }): Json => ({
  name,
  in: 'query',
  description,
  schema,
})
const FILTERS: Json[] = [
  queryOf('processID', 'Return only runs of this tool.'),
  queryOf('status', `Only those in one of these states, separated by commas: ${RUN_STATES.join(', ')}.`),
  queryOf('memberId', 'Return only runs of this member.'),
  queryOf('applicationId', 'Return only runs of this application.'),
  queryOf('from', 'Start of the range in which they were started, inclusive (RFC 3339).', {
    type: 'string',
    format: 'date-time',
  }),
  queryOf('to', 'End of that range, exclusive (RFC 3339).', { type: 'string', format: 'date-time' }),
]
const text = (maxLength: number): Json => ({ type: ['string', 'null'], minLength: 1, maxLength })
const FLAG: Json = { type: 'string', enum: ['true', 'false'], default: 'false' }
const LINKED = queryOf(
  'enterprise',
  'With a session: the enterprise, instead of `X-Enterprise`, for links on pages of this server.',
)

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
      parameters: [...PAGE, ...FILTERS],
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
      description:
        'Lists the runs of the organization, newest first. With `jobs=true` also jobs that no run stands for: they wait, are running, or ended before their run began. Their `runId` is null.',
      parameters: [
        ...PAGE,
        ...FILTERS,
        queryOf('jobs', '`true` adds jobs that no run stands for.', FLAG),
        queryOf('named', '`true` for runs that have a name only.', FLAG),
        queryOf('q', 'Part of the name of the run, in any case.'),
        queryOf('folder', 'Name of a folder; runs in it only.'),
      ],
      responses: { 200: answer('A page of runs.', page(ref('ListedRun'))), ...failures(READ_FAILURES) },
    },
  },
  '/run-folders': {
    get: {
      ...READ,
      operationId: 'listRunFolders',
      summary: 'List folders of results',
      description:
        'Lists the folders that runs were put into, by name, with the number of runs in each; at most 1,000. A folder exists as long as a run is in it.',
      responses: {
        200: answer('The folders.', {
          type: 'object',
          required: ['items'],
          properties: { items: { type: 'array', items: ref('RunFolder') } },
        }),
        ...failures(READ_FAILURES),
      },
    },
  },
  '/runs/{runId}': {
    get: {
      ...READ,
      operationId: 'getRun',
      summary: 'Get a run',
      description: 'Returns a run with its inputs and artifacts.',
      parameters: [RUN_ID],
      responses: { 200: answer('The run.', ref('RunDetail')), ...failures(READ_FAILURES) },
    },
    patch: {
      ...READ,
      operationId: 'nameRun',
      summary: 'Name a run, or put it into a folder',
      description:
        'Sets the name or the folder of the run, by which its results are found later; null removes either. A member that is not sent stays unchanged. A folder need not exist before.',
      parameters: [
        RUN_ID,
        { name: 'If-Match', in: 'header', required: false, description: 'Tag of the run', schema: { type: 'string' } },
      ],
      requestBody: {
        required: true,
        content: {
          'application/json': {
            schema: {
              type: 'object',
              minProperties: 1,
              additionalProperties: false,
              properties: { name: text(MAX_RUN_NAME), folder: text(MAX_FOLDER_NAME) },
            },
          },
        },
      },
      responses: {
        200: answer('The run.', ref('RunDetail')),
        ...failures([...READ_FAILURES, 'VALIDATION_FAILED', 'PRECONDITION_FAILED']),
      },
    },
  },
  '/runs/{runId}/result': {
    get: {
      ...READ,
      operationId: 'getRunResult',
      summary: 'Get the result of a run',
      description:
        'Returns the result as the call returned it, with its status, also for a failed run. It is kept for jobs, and for calls of accounts unless it is long; `hasResult` of the run says whether it is there.',
      parameters: [RUN_ID],
      responses: { 200: answer('The result of the tool.', anyObject), ...failures(READ_FAILURES) },
    },
  },
  '/runs/{runId}/artifacts/{artifactId}': {
    get: {
      ...READ,
      operationId: 'getArtifact',
      summary: 'Download an artifact',
      description: 'Returns the content of an output file. Supports `Range` and `If-None-Match`.',
      parameters: [RUN_ID, path('artifactId', 'Id of the artifact.'), LINKED],
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
      parameters: [path('key', 'Storage key of the file.'), LINKED],
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

export const operation = (path: keyof typeof READ_OPERATIONS, method: 'get' | 'patch' | 'delete' = 'get'): object =>
  (READ_OPERATIONS[path] as Record<string, object>)[method] as object
