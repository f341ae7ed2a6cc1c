/** Shared OpenAPI components: envelope, usage, jobs, runs and security schemes. */
export type Json = Record<string, unknown>

export const ref = (name: string): Json => ({ $ref: `#/components/schemas/${name}` })

const string = { type: 'string' }
const integer = { type: 'integer' }
const dateTime = { type: 'string', format: 'date-time' }
const object = (properties: Json, required = Object.keys(properties)): Json => ({
  type: 'object',
  required,
  properties,
})
const nullable = (schema: Json): Json => ({ anyOf: [schema, { type: 'null' }] })

const storedFile = object({ key: string, role: string, filename: string, mediaType: string, bytes: integer })

export const SCHEMAS: Json = {
  Envelope: object({
    ok: { type: 'boolean' },
    statusCode: integer,
    code: string,
    message: string,
    path: string,
    method: string,
    timestamp: dateTime,
    requestId: string,
  }),
  Failure: {
    allOf: [
      ref('Envelope'),
      object(
        {
          ok: { const: false },
          errors: { type: 'array', items: object({ field: string, rule: string, message: string }) },
        },
        ['ok'],
      ),
    ],
  },
  Usage: object({
    channel: string,
    requestId: string,
    runId: string,
    creditsCharged: integer,
    creditsRemaining: integer,
    inputBytes: integer,
    outputBytes: integer,
    totalBytes: integer,
    periodStartAt: dateTime,
    periodEndAt: dateTime,
  }),
  Job: object({
    jobID: string,
    processID: string,
    type: { const: 'process' },
    status: { type: 'string', enum: ['accepted', 'running', 'successful', 'failed', 'dismissed'] },
    progress: { type: 'integer', minimum: 0, maximum: 100 },
    message: string,
    created: dateTime,
    started: nullable(dateTime),
    finished: nullable(dateTime),
    updated: dateTime,
    links: { type: 'array', items: object({ rel: string, href: string, type: string }) },
  }),
  Run: object({
    runId: string,
    processID: string,
    version: string,
    memberId: nullable(string),
    applicationId: string,
    requestId: string,
    jobId: nullable(string),
    status: { type: 'string', enum: ['running', 'successful', 'failed'] },
    code: nullable(string),
    settings: { type: 'object' },
    creditsCharged: integer,
    inputBytes: integer,
    outputBytes: integer,
    durationMs: nullable({ type: 'number' }),
    startedAt: dateTime,
    finishedAt: nullable(dateTime),
    inputs: { type: 'array', items: storedFile },
    artifacts: { type: 'array', items: storedFile },
  }),
}

export const SECURITY_SCHEMES: Json = {
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
