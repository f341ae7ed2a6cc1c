/** POST /sensors/{id}/readings: upload of readings. */
import { Elysia } from 'elysia'
import { AppError, MAX_READINGS } from '../../errors.ts'
import { type BodyLimits, readBody } from '../../http/body/body.ts'
import { JSON_TYPE, respond } from '../../http/envelope.ts'
import { operationsOf } from '../../http/openapi/openapi-schemas.ts'
import { requestContextOf } from '../../http/request-context.ts'
import { bilingual } from '../../http/route-options.ts'
import { readingsContent, readingsResult } from '../../ingest/answer-schema.ts'
import type { ReadingsCall } from './readings-call.ts'

const operation = operationsOf('Sensors', [{ sensorKey: [] }])

/** The path as declared in routers. */
export const READINGS_ROUTE = '/sensors/:id/readings'

function notFound(): never {
  throw new AppError('NOT_FOUND')
}

/** @throws AppError as `call` and `readBody` do */
export const answerReadings = (
  call: ReadingsCall,
  request: Request,
  id: string,
  limits: BodyLimits,
): Promise<Response> =>
  call(
    id,
    requestContextOf(request),
    request.headers,
    () => readBody(request, limits),
    (answer) => respond(request, answer, JSON_TYPE),
  )

export function sensorSurface(readingsCall: ReadingsCall, limits: BodyLimits) {
  const app = new Elysia({ name: 'sensors' })
  // unknown paths, so that their failures are in both languages as well
  app.all('/sensors/*', notFound, { transform: bilingual, parse: 'none', detail: { hide: true } })
  return app.post(READINGS_ROUTE, ({ request, params }) => answerReadings(readingsCall, request, params.id, limits), {
    // ingestion validates the body reading by reading, so Elysia must not parse or reject it first
    parse: 'none',
    transform: bilingual,
    ...operation({
      summary: 'Send a batch of readings',
      description: `Uploads 1 to ${MAX_READINGS} readings of one sensor. Each reading ends up in exactly one list of the response: \`accepted\`, \`duplicates\` or \`refused\` with a reason. Accepted readings are stored durably. The sensor and \`at\` identify a reading, so a batch can safely be sent again after a timeout: readings that are already stored are reported as duplicates. Without a known \`Content-Type\`, the body is read as JSON.`,
      requestBody: { required: true, content: readingsContent },
      responses: {
        200: {
          description: '`SENSOR_READINGS_RESULT`: the outcome of each reading',
          content: { 'application/json': { schema: readingsResult } },
        },
        400: {
          description: `\`SENSOR_READINGS_BATCH_INVALID\`: not 1 to ${MAX_READINGS} readings in the format of \`Content-Type\``,
        },
        401: { description: '`SENSOR_KEY_INVALID`: key missing, wrong, expired or revoked, or unknown sensor' },
        403: {
          description:
            '`SENSOR_DISABLED`, `SENSOR_HELD`, `ASSETS_HELD`, `ASSETS_SUSPENDED` or `LICENSE_FEATURE_MISSING`: the sensor may not send',
        },
        408: { description: '`REQUEST_TIMEOUT`: the body did not arrive in time' },
        413: { description: '`BODY_TOO_LARGE`: the body exceeds the size limit' },
        415: { description: '`MEDIA_TYPE_UNSUPPORTED`: unknown `Content-Encoding`' },
        429: {
          description:
            '`SENSOR_RATE_LIMITED` or `SENSOR_READINGS_DAILY_LIMIT`; `Retry-After` gives the wait in seconds',
        },
        503: {
          description:
            '`INGEST_UNAVAILABLE`: readings cannot be stored; send the same batch again after `Retry-After` seconds',
        },
      },
    }),
  })
}
