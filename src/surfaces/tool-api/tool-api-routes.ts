/** /tool-apis/{id}: a saved tool with its own key. */
import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { AppError, IDEMPOTENCY_HOURS } from '../../errors.ts'
import { peerOf } from '../../http/address.ts'
import { respond } from '../../http/envelope.ts'
import { operationsOf, ref } from '../../http/openapi/openapi-schemas.ts'
import { identify } from '../../http/request-context.ts'
import type { Tool } from '../../tools/tool.ts'
import type { ToolApiCalls } from './calls.ts'
import type { ToolApiDeps } from './deps.ts'
import { anyResultSchema, describeToolApi, INPUT_SCHEMA, INPUT_TEXT } from './describe.ts'

const operation = operationsOf('Tool API', [{ toolApiKey: [] }])
const envelopeOf = (data: object) => ({
  type: 'object',
  required: ['ok', 'statusCode', 'code', 'message', 'data'],
  properties: {
    ok: { type: 'boolean' },
    statusCode: { type: 'integer' },
    code: { type: 'string' },
    message: { type: 'string' },
    path: { type: 'string' },
    method: { type: 'string' },
    timestamp: { type: 'string', format: 'date-time' },
    requestId: { type: 'string' },
    data,
  },
})
const json = (schema: object) => ({ content: { 'application/json': { schema } } })

const runContract = (tools: readonly Tool[]) => ({
  summary: 'Run a saved tool (beta)',
  description:
    'Runs the saved tool on the sent input. The tool, its settings and its second input are part of the Tool API. Every call counts as one API request against the daily allowance of the owner, even if the tool fails.',
  parameters: [
    {
      name: 'Idempotency-Key',
      in: 'header',
      required: false,
      description: `Makes the call safe to retry. For ${IDEMPOTENCY_HOURS} hours, a repeat with the same key returns the first result without running the tool, with \`Idempotency-Replayed: true\`. It counts in the minute, not in the day.`,
      schema: { type: 'string', minLength: 1, maxLength: 255 },
    },
  ],
  requestBody: {
    required: true,
    ...json({
      type: 'object',
      required: ['input'],
      additionalProperties: false,
      properties: { input: { ...INPUT_SCHEMA, description: INPUT_TEXT.en } },
    }),
  },
  responses: {
    200: {
      description: '`TOOL_API_RESULT`: the verdict of an inside check, or the resulting layer of any other tool',
      ...json(envelopeOf(anyResultSchema(tools))),
    },
    401: { description: '`TOOL_API_KEY_INVALID`: key missing, wrong, expired or revoked, or unknown Tool API' },
    403: {
      description:
        '`TOOL_API_SUSPENDED`, `TOOL_API_HELD`, `TOOL_API_DISABLED`, `TOOL_API_PLAN` or `GIS_TIER_REQUIRED`: the Tool API does not answer calls',
    },
    409: {
      description:
        '`TOOL_API_BINDING_MISSING`: the bound layer or file cannot be used; `IDEMPOTENCY_KEY_IN_USE`: the first call with the key is still running',
    },
    413: { description: '`TOOL_API_INPUT_TOO_LARGE` or `TOOL_API_RESULT_TOO_LARGE`: send fewer features' },
    415: { description: '`MEDIA_TYPE_UNSUPPORTED`: the body must be `application/json`' },
    422: {
      description:
        '`TOOL_API_INPUT_INVALID`: the message names the feature and the broken rule; `IDEMPOTENCY_KEY_REUSED`: the key was used for another input',
    },
    429: {
      description:
        '`TOOL_API_RATE_LIMITED`, `API_KEY_QUOTA` or `ENTERPRISE_API_DAILY_LIMIT`; `Retry-After` gives the wait in seconds',
    },
    503: { description: '`SERVICE_BUSY` or `TOOL_UNAVAILABLE`; `Retry-After` gives the wait in seconds' },
    504: { description: '`TOOL_TIMEOUT`: the tool exceeded its time limit' },
  },
})

const languageQuery = Type.Object(
  { lang: Type.Optional(Type.Union([Type.Literal('en'), Type.Literal('ar')])) },
  { additionalProperties: false },
)

export function toolApiSurface(deps: ToolApiDeps, calls: ToolApiCalls) {
  return new Elysia({ name: 'tool-api', prefix: '/tool-apis' })
    .onAfterHandle(deps.idempotency.requireKept)
    .post(
      '/:id/run',
      ({ request, params }) => calls.withKey(request, params.id),
      // the worker process reads the body
      { parse: 'none', ...operation(runContract(deps.registry.tools)) },
    )
    .get(
      '/:id',
      async ({ request, params, query }) => {
        const { api } = await deps.gate.authenticate(params.id, peerOf(request))
        identify(request, api.id)
        const tool = deps.registry.byId(api.toolId)
        if (tool === undefined) throw new AppError('TOOL_UNAVAILABLE')
        const description = describeToolApi(api, tool, deps.limits.features, query.lang ?? 'en')
        return respond(request, JSON.stringify(description), 'application/json')
      },
      operation({
        summary: 'Describe a saved tool (beta)',
        description:
          'Returns the input and the output of the Tool API as JSON Schema, in the structure of OGC API – Processes. The response has no envelope.',
        query: languageQuery,
        responses: {
          200: { description: 'The process description', ...json(ref('Process')) },
          401: { description: '`TOOL_API_KEY_INVALID`: key missing, wrong, expired or revoked, or unknown Tool API' },
        },
      }),
    )
}
