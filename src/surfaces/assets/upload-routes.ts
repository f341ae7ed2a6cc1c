/** POST /enterprise/v1/assets/sensors/{id}/readings: readings that a person or a system sends in place of a sensor. */
import { Elysia } from 'elysia'
import { MANAGERS } from '../../access/authorization.ts'
import type { Organization } from '../../access/organization.ts'
import type { RateWindows } from '../../access/rate-windows.ts'
import type { SensorGate } from '../../access/sensor-gate.ts'
import type { UploadAudit } from '../../access/upload-audit.ts'
import { AppError, MAX_READINGS } from '../../errors.ts'
import { type BodyLimits, mediaTypeOf, readBody } from '../../http/body/body.ts'
import type { Callers } from '../../http/callers.ts'
import { JSON_TYPE, respond } from '../../http/envelope.ts'
import { callerOf, requestContextOf } from '../../http/request-context.ts'
import { bilingual } from '../../http/route-options.ts'
import { readingsResponse } from '../../ingest/answer.ts'
import { readingsContent, readingsResult } from '../../ingest/answer-schema.ts'
import { type Batch, OUTCOME, type SensorProfile } from '../../ingest/batch.ts'
import { sourceOf } from '../../ingest/bodies/body-source.ts'
import type { Ingest } from '../../ingest/ingest.ts'
import { operation } from './operation.ts'

export type UploadRoutesDeps = {
  /** Callers that are not subject to the limit of queries, since uploads have their own. */
  callers: Callers<Organization>
  gate: SensorGate<SensorProfile>
  ingest: Ingest
  audit: UploadAudit
  windows: RateWindows
  uploadsPerMinute: number
  body: BodyLimits
}

const MINUTE_MS = 60_000

function countsOf({ count, outcomes, refused }: Batch) {
  let accepted = 0
  for (let i = 0; i < count; i++) if (outcomes[i] === OUTCOME.NEW) accepted++
  return { accepted, duplicates: count - accepted - refused.length, refused: refused.length }
}

export function uploadRoutes(deps: UploadRoutesDeps) {
  const { callers, gate, ingest, audit, windows, uploadsPerMinute, body: limits } = deps
  return new Elysia({ name: 'uploads' }).post(
    '/sensors/:id/readings',
    async ({ request, params }) => {
      const nowMs = Date.now()
      const { enterprise, caller } = await callers.of(request)
      const { profile, readingsPerDay } = await gate.admitOwned(params.id, enterprise.id)
      const waitMs = await windows.take(`uploads:${caller.id}`, 1, uploadsPerMinute, MINUTE_MS)
      if (waitMs > 0) throw new AppError('RATE_LIMITED', { retryAfterS: Math.ceil(waitMs / 1000) })
      const body = await readBody(request, limits)
      const { path, requestId } = requestContextOf(request)
      let counts = { accepted: 0, duplicates: 0, refused: 0 }
      const source = sourceOf(mediaTypeOf(request.headers.get('content-type')), body)
      const call = { profile, readingsPerDay, body, source, nowMs, isUpload: true }
      const response = await ingest.accept(call, (batch) => {
        counts = countsOf(batch)
        return respond(request, readingsResponse(batch, path, requestId, nowMs), JSON_TYPE)
      })
      audit.count(callerOf(request), params.id, counts)
      return response
    },
    {
      // ingestion validates the body reading by reading, so Elysia must not parse or reject it first
      parse: 'none',
      transform: [bilingual, callers.check],
      ...operation({
        summary: 'Upload readings of a sensor',
        description: `Takes the body of \`POST /sensors/{id}/readings\` and answers like it, for uploads of files without the sensor's key: 1 to ${MAX_READINGS} readings, each of which ends up in \`accepted\`, \`duplicates\` or \`refused\`. Uploads do not count as calls of the sensor; one application may send \`ASSETS_UPLOADS_PER_MINUTE\`. They count for the readings of the day. The audit log has one record for the calls of an upload.`,
        rights: { of: 'enterprise-in-header', for: MANAGERS },
        requestBody: { required: true, content: readingsContent },
        responses: {
          200: {
            description: '`SENSOR_READINGS_RESULT`: the outcome of each reading',
            content: { 'application/json': { schema: readingsResult } },
          },
          400: {
            description: `\`SENSOR_READINGS_BATCH_INVALID\`: not 1 to ${MAX_READINGS} readings in the format of \`Content-Type\``,
          },
          403: { description: '`SENSOR_DISABLED`, `SENSOR_HELD`: the sensor may get no readings' },
          413: { description: '`BODY_TOO_LARGE`: the body exceeds the size limit' },
          429: {
            description: '`RATE_LIMITED` or `SENSOR_READINGS_DAILY_LIMIT`; `Retry-After` gives the wait in seconds',
          },
        },
      }),
    },
  )
}
