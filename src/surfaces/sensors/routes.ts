/** POST /sensors/{id}/readings: where fleets send to. */
import { Elysia } from 'elysia'
import type { SensorGate } from '../../access/sensors.ts'
import { AppError } from '../../errors.ts'
import { type BodyLimits, readBody } from '../../http/body.ts'
import { JSON_TYPE, respond } from '../../http/envelope.ts'
import { requestContextOf } from '../../http/request-context.ts'
import { bilingual } from '../../http/route-options.ts'
import type { SensorProfile } from '../../ingest/batch.ts'
import type { Ingest } from '../../ingest/ingest.ts'
import { readingsBody, readingsResult } from './model.ts'
import { readingsResponse } from './response.ts'

export type SensorSurfaceDeps = { gate: SensorGate<SensorProfile>; ingest: Ingest; body: BodyLimits }

function notFound(): never {
  throw new AppError('NOT_FOUND')
}

export function sensorSurface({ gate, ingest, body: limits }: SensorSurfaceDeps) {
  const app = new Elysia({ name: 'sensors' })
  // addresses of nothing, so that their failures are in both languages as well
  app.all('/sensors/*', notFound, { transform: bilingual, parse: 'none', detail: { hide: true } })
  return app.post(
    '/sensors/:id/readings',
    async ({ request, params }) => {
      const nowMs = Date.now()
      const admitted = gate.admit(params.id, request.headers, nowMs)
      const { profile, readingsPerDay } = admitted instanceof Promise ? await admitted : admitted
      let body: Uint8Array
      try {
        body = await readBody(request, limits)
      } catch (error) {
        await ingest.countCall(profile, nowMs)
        throw error
      }
      const { path, requestId } = requestContextOf(request)
      return ingest.accept({ profile, readingsPerDay, body, nowMs }, (batch) =>
        respond(request, readingsResponse(batch, path, requestId, nowMs), JSON_TYPE),
      )
    },
    {
      // the body is judged reading by reading, so nothing may parse or refuse it as a whole before
      parse: 'none',
      transform: bilingual,
      detail: {
        tags: ['Sensors'],
        summary: 'Send a batch of readings',
        description:
          'Each reading ends in exactly one list. The sensor and `at` are its idempotency key, so a batch can be sent again after a time-out. Accepted means that the reading is on disk.',
        security: [{ sensorKey: [] }],
        requestBody: { required: true, content: { 'application/json': { schema: readingsBody as never } } },
        responses: {
          200: {
            description: 'SENSOR_READINGS_RESULT',
            content: { 'application/json': { schema: readingsResult as never } },
          },
          400: { description: 'SENSOR_READINGS_BATCH_INVALID' },
          401: { description: 'SENSOR_KEY_INVALID' },
          403: {
            description: 'SENSOR_DISABLED, SENSOR_HELD, ASSETS_HELD, ASSETS_SUSPENDED or LICENSE_FEATURE_MISSING',
          },
          413: { description: 'BODY_TOO_LARGE' },
          415: { description: 'MEDIA_TYPE_UNSUPPORTED' },
          429: { description: 'SENSOR_RATE_LIMITED or SENSOR_READINGS_DAILY_LIMIT; Retry-After in seconds' },
          503: { description: 'INGEST_UNAVAILABLE; Retry-After in seconds' },
        },
      },
    },
  )
}
