/** /enterprise/v1/gis/openapi.json: OpenAPI 3.1 generated from the tools, complete enough to generate clients. */
import type { TSchema } from '@sinclair/typebox'
import { type Code, IDEMPOTENCY_HOURS } from '../../errors.ts'
import {
  answer,
  type Contract,
  failures,
  type Json,
  ORGANIZATION_SCHEMES,
  ORGANIZATION_SECURITY,
  PERSONAL_KEY_SCHEME,
  ref,
  SESSION_SCHEME,
} from '../../http/openapi/openapi-schemas.ts'
import { isFileField, isFilesField, takesFeatures, takesForm } from '../../tools/check.ts'
import { plainSchema } from '../../tools/plain-schema.ts'
import type { Tool } from '../../tools/tool.ts'
import { SCHEMAS } from './openapi-schemas.ts'
import { resultSchema } from './processes.ts'

const camel = (text: string): string => text.replace(/[^A-Za-z0-9]+(.)/g, (_, letter: string) => letter.toUpperCase())

const TOOL_FAILURES: readonly Code[] = [
  'BAD_REQUEST',
  'API_KEY_INVALID',
  'CREDITS_EXHAUSTED',
  'TOOL_NOT_GRANTED',
  'IDEMPOTENCY_KEY_IN_USE',
  'FILE_TOO_LARGE',
  'MEDIA_TYPE_UNSUPPORTED',
  'VALIDATION_FAILED',
  'RATE_LIMITED',
  'TOOL_FAILED',
  'SERVICE_BUSY',
  'TOOL_TIMEOUT',
  'STORAGE_FULL',
  'STORAGE_QUOTA_EXCEEDED',
]
const header = (name: string, description: string, schema: Json = { type: 'string' }): Json => ({
  name,
  in: 'header',
  required: false,
  description,
  schema,
})
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
  const plain = plainSchema(schema, 'en')
  if (!isFileField(schema)) return plain
  const { description, ...file } = plain
  const takesLayer = takesFeatures(schema)
  if (isFilesField(schema)) return { ...plain, items: fileOrKey(plain.items as Json, takesLayer) }
  return { description, ...fileOrKey(file, takesLayer) }
}

/** A file is a part with its bytes, or a text with the key of a stored file or the id of a layer. */
const fileOrKey = (file: Json, takesLayer: boolean): Json => ({
  anyOf: [file, ref('StoredKey'), ...(takesLayer ? [ref('LayerId')] : [])],
})

/** The documentation of a tool's route. */
export function toolContract(tool: Tool): Contract {
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
      warningsAr: { type: 'array', items: { type: 'string' }, description: 'The same notes in Arabic' },
      usage: ref('Usage'),
    },
  }
  return {
    operationId: camel(tool.id),
    summary: tool.title.en,
    description: `${tool.description.en}\n\nProcess id: \`${tool.id}\`. Cost: ${tool.credits === 0 ? 'free' : `${tool.credits} ${tool.credits === 1 ? 'credit' : 'credits'} per successful run`}.${tool.async ? ' Can run as a job: send `Prefer: respond-async`.' : ''}`,
    parameters: [
      AS_USER,
      header(
        'Idempotency-Key',
        `Makes the call safe to retry. For ${IDEMPOTENCY_HOURS} hours, a repeat with the same key returns the first result without running the tool or charging credits again.`,
        { type: 'string', minLength: 1, maxLength: 255 },
      ),
      ...(tool.async
        ? [
            header('Prefer', '`respond-async` runs the tool as a job and returns 202 immediately.'),
            header(
              'X-Callback',
              'Id of a destination of the enterprise that gets `job.finished` of this job, besides those that subscribe to it. Only with `Prefer: respond-async`.',
            ),
          ]
        : []),
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

type DeclaredRoute = { method: string; path: string; hooks: { detail?: Partial<Contract> & { rights?: unknown } } }

/** The document of the surface's routes, with the names of parameters as they are documented. Aliases are not listed. */
export function openApiDocument(routes: readonly DeclaredRoute[], version: string): Json {
  const paths: Record<string, Json> = {}
  for (const { method, path, hooks } of routes) {
    const { rights: _, ...operation } = hooks.detail ?? {}
    if (operation.hide) continue
    const names = (operation.parameters ?? []).filter(({ in: at }) => at === 'path').map(({ name }) => `{${name}}`)
    const shown = path.replace(/:\w+/g, () => names.shift() ?? '')
    paths[shown] = { ...paths[shown], [method.toLowerCase()]: operation }
  }
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
    components: {
      schemas: SCHEMAS,
      securitySchemes: { ...ORGANIZATION_SCHEMES, ...SESSION_SCHEME, ...PERSONAL_KEY_SCHEME },
    },
  }
}
