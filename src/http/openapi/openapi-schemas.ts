/** Parts of OpenAPI documents that every surface uses: the envelope, its failures, pages. */
import type { TSchema } from '@sinclair/typebox'
import { CODES, type Code } from '../../errors.ts'

export type Json = Record<string, unknown>

export const ref = (name: string): Json => ({ $ref: `#/components/schemas/${name}` })

export const string: Json = { type: 'string' }
export const integer: Json = { type: 'integer' }
export const number: Json = { type: 'number' }
export const boolean: Json = { type: 'boolean' }
export const dateTime: Json = { type: 'string', format: 'date-time' }
/** An object with any members. Without `additionalProperties` generators assume an empty one. */
export const anyObject: Json = { type: 'object', additionalProperties: true }
export const oneOf = (...values: string[]): Json => ({ type: 'string', enum: values })
export const list = (items: Json): Json => ({ type: 'array', items })
/** Longitude and latitude. */
export const position: Json = { type: 'array', items: number, minItems: 2, maxItems: 2 }
export const nullable = (schema: Json): Json => ({ anyOf: [schema, { type: 'null' }] })
/** All properties are required unless `required` names fewer. */
export const object = (properties: Json, required = Object.keys(properties)): Json => ({
  type: 'object',
  required,
  properties,
})
/** An object with the properties of two schemas. */
export const both = (first: Json, second: Json): Json => ({ allOf: [first, second] })
/** @param more further members of some pages */
export const page = (items: Json, more: Json = {}): Json =>
  object({ items: list(items), nextCursor: nullable(string), ...more }, ['items', 'nextCursor'])

export const ENVELOPE_SCHEMAS: Json = {
  Envelope: object({
    ok: boolean,
    statusCode: integer,
    code: string,
    message: string,
    path: string,
    method: string,
    timestamp: dateTime,
    requestId: string,
  }),
  Failure: both(
    ref('Envelope'),
    object(
      {
        ok: { const: false },
        messageAr: string,
        errors: list(
          object(
            {
              field: string,
              rule: string,
              message: string,
              messageAr: string,
              feature: integer,
              row: integer,
            },
            ['field', 'rule', 'message', 'messageAr'],
          ),
        ),
      },
      ['ok'],
    ),
  ),
}

const inEnvelope = (data: Json, code = 'SUCCESS'): Json =>
  both(ref('Envelope'), { type: 'object', required: ['data'], properties: { code: { const: code }, data } })

/** A successful response with data in the envelope. */
export const answer = (description: string, data: Json, code?: string): Json => ({
  description,
  content: { 'application/json': { schema: inEnvelope(data, code) } },
})

export const failure = (description: string): Json => ({
  description,
  content: { 'application/json': { schema: ref('Failure') } },
})

/** Responses of failures by status; a status that several codes share has the text of the last one. */
export const failures = (codes: readonly Code[]): Json =>
  Object.fromEntries(codes.map((code) => [String(CODES[code].status), failure(CODES[code].en)]))

/** Security of an enterprise's operations. */
export const ORGANIZATION_SECURITY: Record<string, string[]>[] = [
  { keyPair: [], keySecret: [] },
  { keyBearer: [] },
  { session: [] },
]

/** How callers with an organization key authenticate. */
export const ORGANIZATION_SCHEMES: Json = {
  keyPair: { type: 'apiKey', in: 'header', name: 'X-Api-Key', description: 'Public key (`svc_pk_…`).' },
  keySecret: {
    type: 'apiKey',
    in: 'header',
    name: 'X-Api-Secret',
    description: 'Secret key (`svc_sk_…`). Keep it on the server side.',
  },
  keyBearer: {
    type: 'http',
    scheme: 'bearer',
    description: 'Public and secret key in one header: `<public key>:<secret key>`.',
  },
}

/** A session of the portal; access/sessions/session-cookie.ts names the cookie. */
export const SESSION_SCHEME: Json = {
  session: {
    type: 'apiKey',
    in: 'cookie',
    name: 'groundwave_session',
    description:
      'Session of the portal; over TLS the name has the prefix `__Host-`. Changes need its token (`GET /auth/session`) as `X-CSRF-Token`. Below `/enterprise/v1`, `X-Enterprise` names the enterprise. A key that is sent beside the cookie counts.',
  },
}

/** The key of a person, on routes with `personalKeys`. */
export const PERSONAL_KEY_SCHEME: Json = {
  personalKey: {
    type: 'http',
    scheme: 'bearer',
    description:
      'Personal API key (`svcpa_…`) of a person with the plan pro or max. It acts for the person alone, without `X-Enterprise`. Each call counts as one API request of the day.',
  },
}

export const SECURITY_SCHEMES: Json = {
  sensorKey: { type: 'http', scheme: 'bearer', description: 'Sensor key (`svcsn_…`), also as Token or Basic.' },
  fleetKey: { type: 'http', scheme: 'bearer', description: 'Fleet key (`svcfl_…`), also as Token or Basic.' },
  ...ORGANIZATION_SCHEMES,
  ...SESSION_SCHEME,
  ...PERSONAL_KEY_SCHEME,
  toolApiKey: { type: 'http', scheme: 'bearer', description: 'Key of the Tool API (`svcapi_…`).' },
  shareLink: { type: 'http', scheme: 'bearer', description: 'Token of a link to a dashboard (`svcsh_…`).' },
  operatorToken: {
    type: 'http',
    scheme: 'bearer',
    description: 'Operator token, found in the file `operator.token` in `DATA_DIR`.',
  },
}

type Schemas = { body?: TSchema; query?: TSchema; params?: TSchema }
/** What a route declares about itself, besides its path, its request schemas and its handler. */
export type Contract = {
  summary: string
  description?: string
  /** Schema of `data` in the envelope of a successful answer; `file` for content without an envelope. */
  result?: Json | 'file'
  /** Parts of the OpenAPI operation that cannot be derived. */
  operationId?: string
  parameters?: readonly Json[]
  requestBody?: Json
  responses?: Json
  /** Leaves the route out of the document. */
  hide?: true
}
type Details = { tags: string[]; summary: string }

/**
 * Makes the options of a surface's routes. The description of the API (openapi.ts) and the table of rights
 * (access/authorization.ts) are derived from them.
 * @template Own what every route of the surface declares besides its contract
 */
export const operationsOf =
  <Own = unknown>(tag: string, schemes?: Record<string, string[]>[]) =>
  <Declared extends Contract & Schemas>(
    declared: Declared & Own,
  ): Pick<Declared, keyof Declared & keyof Schemas> & { detail: Details } => {
    const { body, query, params, ...contract } = declared
    const schemas = Object.entries({ body, query, params }).filter(([, schema]) => schema !== undefined)
    const { rights } = declared as { rights?: { personalKeys?: true } }
    const security = schemes && [...schemes, ...(rights?.personalKeys ? [{ personalKey: [] }] : [])]
    const detail = { tags: [tag], ...(security && { security }), ...contract }
    return { ...(Object.fromEntries(schemas) as Pick<Declared, keyof Declared & keyof Schemas>), detail }
  }
