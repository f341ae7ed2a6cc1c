/** POST /ingest/readings: readings of many sensors, with the key of a fleet. */
import { Elysia } from 'elysia'
import { AppError, MAX_READINGS_OF_MANY } from '../../errors.ts'
import { type BodyLimits, readBody } from '../../http/body/body.ts'
import { JSON_TYPE, respond } from '../../http/envelope.ts'
import { operationsOf } from '../../http/openapi/openapi-schemas.ts'
import { requestContextOf } from '../../http/request-context.ts'
import { bilingual } from '../../http/route-options.ts'
import { manyReadingsBody, manyReadingsResult } from '../../ingest/answer-schema.ts'
import type { ManyCall } from './many-call.ts'

const operation = operationsOf('Sensors', [{ fleetKey: [] }])

function notFound(): never {
  throw new AppError('NOT_FOUND')
}

export function manySurface(manyCall: ManyCall, limits: BodyLimits) {
  const app = new Elysia({ name: 'many-sensors' })
  // unknown paths, so that their failures are in both languages as well
  app.all('/ingest/*', notFound, { transform: bilingual, parse: 'none', detail: { hide: true } })
  return app.post(
    '/ingest/readings',
    ({ request }) =>
      manyCall(
        requestContextOf(request),
        request.headers,
        () => readBody(request, limits),
        (answer) => respond(request, answer, JSON_TYPE),
      ),
    {
      // ingestion validates the body reading by reading, so Elysia must not parse or reject it first
      parse: 'none',
      transform: bilingual,
      ...operation({
        summary: 'Send readings of many sensors',
        description: `Uploads 1 to ${MAX_READINGS_OF_MANY} readings of the sensors of a fleet key. Each reading is judged as by \`POST /sensors/{id}/readings\` and ends up in \`accepted\`, \`duplicates\` or \`refused\`, with its sensor as it was sent. A call counts for the limit of the fleet key, and not for the limits of its sensors.`,
        requestBody: { required: true, content: { 'application/json': { schema: manyReadingsBody } } },
        responses: {
          200: {
            description: '`SENSOR_READINGS_RESULT`: the outcome of each reading',
            content: { 'application/json': { schema: manyReadingsResult } },
          },
          400: {
            description: `\`SENSOR_READINGS_BATCH_INVALID\`: not JSON, or not a list of 1 to ${MAX_READINGS_OF_MANY} readings`,
          },
          401: { description: '`SENSOR_KEY_INVALID`: key missing, wrong, expired or revoked, or not of a fleet' },
          403: {
            description: '`ASSETS_HELD`, `ASSETS_SUSPENDED` or `LICENSE_FEATURE_MISSING`: the enterprise may not send',
          },
          408: { description: '`REQUEST_TIMEOUT`: the body did not arrive in time' },
          413: { description: '`BODY_TOO_LARGE`: the body exceeds the size limit' },
          415: { description: '`MEDIA_TYPE_UNSUPPORTED`: unknown `Content-Encoding`' },
          429: {
            description:
              '`RATE_LIMITED`, or `SENSOR_READINGS_DAILY_LIMIT` if a reading was refused only for that; `Retry-After` gives the wait in seconds. When the call is sent again, readings that were stored are duplicates.',
          },
          503: {
            description:
              '`INGEST_UNAVAILABLE`: readings cannot be stored; send the same call again after `Retry-After` seconds',
          },
        },
      }),
    },
  )
}
