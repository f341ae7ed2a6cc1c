/**
 * InfluxDB line protocol, as senders of InfluxDB 1 and 2 expect it: Telegraf halves a batch after 413, drops it after
 * 400, keeps it after 401 and 403, and waits after 429 and 503.
 */
import { Elysia } from 'elysia'
import type { FleetCall, FleetGate } from '../../access/fleet-gate.ts'
import { AppError, CODES, fieldFailure } from '../../errors.ts'
import { fieldText } from '../../field-texts/field-text.ts'
import { peerOf } from '../../http/address.ts'
import { type BodyLimits, readBody } from '../../http/body/body.ts'
import { failureBody, JSON_TYPE, respond } from '../../http/envelope.ts'
import { list, object, operationsOf } from '../../http/openapi/openapi-schemas.ts'
import { requestContextOf } from '../../http/request-context.ts'
import { bilingual } from '../../http/route-options.ts'
import type { SensorProfile } from '../../ingest/batch.ts'
import { MAX_LINES, type Precision } from '../../ingest/line-protocol/lines.ts'
import type { LinesOutcome, WriteLines } from '../../ingest/line-protocol/write-lines.ts'

export type LinesDeps = { fleetGate: FleetGate<SensorProfile>; writeLines: WriteLines; manyBody: BodyLimits }

/** The units of times that each version takes; nanoseconds by default. */
const PRECISIONS = {
  v1: ['n', 'ns', 'u', 'us', 'ms', 's', 'm', 'h'],
  v2: ['ns', 'us', 'ms', 's'],
} as const satisfies Record<string, readonly Precision[]>
type Version = keyof typeof PRECISIONS

/** Clients that ask for it only want to know which requests the server takes. */
const INFLUX_VERSION = '2.7.0'
const CREATE_DATABASE = /^\s*CREATE\s+DATABASE\s/i
const MAX_QUERY_BYTES = 64 * 1024
/** Names of sensors and fields in an answer may have any length. */
const MAX_DETAIL = 200

const operation = operationsOf('Sensors', [{ fleetKey: [] }])
const open = operationsOf('Sensors')
const json = (description: string, properties: Parameters<typeof object>[0]) => ({
  description,
  content: { [JSON_TYPE]: { schema: object(properties) } },
})
const options = { parse: 'none', transform: bilingual } as const

export function linesSurface({ fleetGate, writeLines, manyBody }: LinesDeps) {
  /** @throws AppError as the gate does */
  async function admitted(request: Request, nowMs: number) {
    const call = await fleetGate.admit(peerOf(request), nowMs)
    requestContextOf(request).caller = call.fleetKeyId
    return call
  }

  async function write(request: Request, version: Version): Promise<Response> {
    const nowMs = Date.now()
    const call = await admitted(request, nowMs)
    const outcome = await written(request, version, call, nowMs)
    if (outcome.refused === 0) return respond(request, null, JSON_TYPE, 204)
    throw new AppError('SENSOR_LINES_PARTIAL', {
      message: { en: partialWrite(outcome), ar: CODES.SENSOR_LINES_PARTIAL.ar },
    })
  }

  /** Lists a body that is refused as a whole with its key. */
  async function written(
    request: Request,
    version: Version,
    call: FleetCall<SensorProfile>,
    nowMs: number,
  ): Promise<LinesOutcome> {
    try {
      const precision = precisionOf(request, version)
      return await writeLines(call, await readBody(request, manyBody), precision, nowMs)
    } catch (error) {
      // a spent day is listed with its sensors
      if (error instanceof AppError && error.status < 500 && error.status !== 429)
        call.noteRefused([{ reason: error.code }], nowMs)
      throw error
    }
  }

  async function query(request: Request): Promise<Response> {
    await admitted(request, Date.now())
    const sent = new TextDecoder().decode(await readBody(request, { ...manyBody, maxBytes: MAX_QUERY_BYTES }))
    const text = new URL(request.url).searchParams.get('q') ?? new URLSearchParams(sent).get('q') ?? ''
    if (!CREATE_DATABASE.test(text))
      throw fieldFailure('BAD_REQUEST', 'q', 'enum', fieldText('oneOf', { values: 'CREATE DATABASE' }))
    return respond(request, JSON.stringify({ results: [{ statement_id: 0 }] }), JSON_TYPE)
  }

  const ping = ({ request }: { request: Request }): Response => {
    const response = respond(request, null, JSON_TYPE, 204)
    response.headers.set('x-influxdb-version', INFLUX_VERSION)
    return response
  }

  return new Elysia({ name: 'lines' })
    .post('/api/v2/write', ({ request }) => answered(request, 'v2', () => write(request, 'v2')), {
      ...options,
      ...operation(describeWrite('v2')),
    })
    .post('/write', ({ request }) => answered(request, 'v1', () => write(request, 'v1')), {
      ...options,
      ...operation(describeWrite('v1')),
    })
    .post('/query', ({ request }) => answered(request, 'v1', () => query(request)), {
      ...options,
      ...operation({
        summary: 'Create a database (InfluxDB 1)',
        description:
          'Accepts `CREATE DATABASE`, which clients of InfluxDB 1 send when they start, in the parameter or form field `q`. Nothing is created, and every other statement is refused.',
        responses: {
          200: json('The outcome, as InfluxDB sends it', { results: list(object({ statement_id: { const: 0 } })) }),
          ...FAILURES,
        },
      }),
    })
    .get('/ping', ping, open(PING))
    .head('/ping', ping, open(PING))
    .get(
      '/health',
      ({ request }) => respond(request, JSON.stringify({ name: 'groundwave', status: 'pass' }), JSON_TYPE),
      open({
        summary: 'Check health (InfluxDB 2)',
        description: 'For clients of InfluxDB. `/health/ready` checks the stores.',
        responses: { 200: json('The server runs', { name: { const: 'groundwave' }, status: { const: 'pass' } }) },
      }),
    )
}

/** Failures have `error` as well, which clients of InfluxDB 1 read. */
async function answered(request: Request, version: Version, answer: () => Promise<Response>): Promise<Response> {
  try {
    return await answer()
  } catch (thrown) {
    if (!(thrown instanceof AppError)) throw thrown
    if (thrown.status === 400) {
      const requestContext = requestContextOf(request)
      requestContext.code = thrown.code
      const body = { ...failureBody(requestContext, thrown), error: thrown.message }
      return respond(request, JSON.stringify(body), JSON_TYPE, 400)
    }
    // clients of InfluxDB 1 drop what they have sent on any 4xx
    if (version === 'v1' && thrown.status === 429) {
      const { message: en, messageAr: ar, retryAfterS } = thrown
      throw new AppError('INGEST_UNAVAILABLE', { message: { en, ar }, retryAfterS: retryAfterS ?? 5, cause: thrown })
    }
    throw thrown
  }
}

function precisionOf(request: Request, version: Version): Precision {
  const allowed: readonly Precision[] = PRECISIONS[version]
  const sent = new URL(request.url).searchParams.get('precision') || 'ns'
  const precision = allowed.find((one) => one === sent)
  if (precision === undefined)
    throw fieldFailure('BAD_REQUEST', 'precision', 'enum', fieldText('oneOf', { values: allowed.join(', ') }))
  return precision
}

function partialWrite({ accepted, duplicates, refused, first }: LinesOutcome): string {
  const counts = `partial write: ${accepted} accepted, ${duplicates} duplicates, dropped=${refused}`
  if (first === undefined) return counts
  const detail = first.detail === undefined ? '' : ` (${first.detail.slice(0, MAX_DETAIL)})`
  return `${counts}: line ${first.line}: ${first.reason}${detail}`
}

const FAILURES = {
  400: { description: '`SENSOR_LINES_PARTIAL` or `BAD_REQUEST`: `message` and `error` say what was refused' },
  401: { description: '`SENSOR_KEY_INVALID`: key missing, wrong, expired or revoked, or not of a fleet' },
  403: { description: '`ASSETS_HELD`, `ASSETS_SUSPENDED` or `LICENSE_FEATURE_MISSING`: the enterprise may not send' },
  408: { description: '`REQUEST_TIMEOUT`: the body did not arrive in time' },
  413: { description: '`BODY_TOO_LARGE`: the body exceeds the limit of bytes or lines' },
  415: { description: '`MEDIA_TYPE_UNSUPPORTED`: unknown `Content-Encoding`' },
  503: { description: '`INGEST_UNAVAILABLE`: send the same body again after `Retry-After` seconds' },
}
const TOO_MANY = {
  429: {
    description:
      '`RATE_LIMITED`, or `SENSOR_READINGS_DAILY_LIMIT` if a point was refused only for that: send the same body again after `Retry-After` seconds. Points that were stored are then duplicates.',
  },
}

const describeWrite = (version: Version) => ({
  summary: `Write line protocol (InfluxDB ${version === 'v1' ? 1 : 2})`,
  description: `Stores points of line protocol, at most 5 MB and ${MAX_LINES} lines, plain or gzip. The settings of the fleet key say which tag names the sensor and how channels are named. \`precision\` is one of ${PRECISIONS[version].map((unit) => `\`${unit}\``).join(', ')}; nanoseconds by default. Points of a sensor and millisecond become one reading. Text is left out.${version === 'v1' ? ' Where another route answers 429, this one answers 503, because clients of InfluxDB 1 drop what they have sent on any 4xx.' : ''}`,
  requestBody: { required: true, content: { 'text/plain': { schema: { type: 'string' as const } } } },
  responses: {
    204: { description: 'Every point is stored, or was already' },
    ...FAILURES,
    ...(version === 'v2' && TOO_MANY),
  },
})

const PING = {
  summary: 'Check the connection (InfluxDB)',
  description: 'For clients of InfluxDB.',
  responses: { 204: { description: 'Reached' } },
}
