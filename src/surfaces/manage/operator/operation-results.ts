/** Response schemas of the operator's routes for the OpenAPI document, by operation. */
import {
  boolean,
  both,
  dateTime,
  integer,
  type Json,
  list,
  nullable,
  number,
  object,
  oneOf,
  page,
  ref,
  string,
} from '../../../http/openapi/openapi-schemas.ts'

const deleted = object({ id: string })
const readings = object({ accepted: number, duplicates: number, refused: number })
const state = oneOf('ok', 'degraded', 'failing', 'stopped')
const span = object({ avg: number, min: number, max: number })

export const OPERATION_SCHEMAS: Json = {
  ListedEnterprise: object({
    ...{ id: string, name: string, tier: string, status: oneOf('active', 'suspended') },
    ...{ assetsHeld: boolean, heldReason: nullable(string), createdAt: dateTime, sensors: integer },
    ...{ readingsToday: integer, readingsPerDay: nullable(integer), storedBytes: integer, storedMb: nullable(integer) },
    ...{ creditsUsed: integer, creditsPerMonth: nullable(integer), lastActiveAt: nullable(dateTime) },
  }),
  ListedPerson: object({
    ...{ id: string, email: string, plan: string, status: oneOf('active', 'suspended'), accountId: nullable(string) },
    ...{ createdAt: dateTime, toolApis: integer, toolApisHeld: integer, lastSignInAt: nullable(dateTime) },
  }),
  Operator: object({ id: string, email: string, name: string, createdAt: dateTime, lastUsedAt: nullable(dateTime) }),
  KeyReminder: object({
    ...{ kind: oneOf('sensor-key', 'application-key', 'tool-api-key', 'operator-token'), id: string, name: string },
    ...{ lastFour: string, holderId: nullable(string), holderName: nullable(string), createdAt: dateTime },
    ...{ expiresAt: nullable(dateTime), lastUsedAt: nullable(dateTime) },
    reasons: list(oneOf('expired', 'expiring', 'old', 'unused')),
  }),
  OperatorToken: object({
    ...{ id: string, name: string, lastFour: string, createdBy: string, createdAt: dateTime },
    ...{ expiresAt: nullable(dateTime), lastUsedAt: nullable(dateTime), revokedAt: nullable(dateTime) },
  }),
  HealthPart: object({
    ...{ part: string, state, since: dateTime, detail: nullable(string), durationMs: number },
    lastError: nullable(object({ at: dateTime, text: string })),
  }),
  WorkerProcess: object({
    ...{ pid: integer, state: oneOf('starting', 'idle', 'running', 'ending'), isReserved: boolean },
    ...{
      tool: nullable(string),
      tenant: nullable(string),
      runningMs: nullable(integer),
      bytes: integer,
      runs: integer,
    },
  }),
  Lane: object({
    ...{ lane: string, isAvailable: boolean, reason: nullable(string), workers: integer },
    ...{ waiting: integer, background: integer, processes: list(ref('WorkerProcess')) },
    tenants: list(object({ tenant: string, running: integer, waiting: integer, background: integer })),
  }),
  InstanceState: object({
    ...{ id: string, name: string, version: string, status: oneOf('running', 'silent', 'stopped') },
    ...{ startedAt: dateTime, reportedAt: dateTime, stoppedAt: nullable(dateTime) },
    report: object({
      parts: list(ref('HealthPart')),
      figures: object({
        ...{ readingsPerSecond: readings, serverBytes: integer, serverCpu: number, workersBytes: integer },
        ...{ workersCpu: number, cores: integer, loopDelayMs: number, diskFreeBytes: integer, diskTotalBytes: integer },
      }),
      ingest: nullable(
        object({
          ...{ takesMore: boolean, loading: oneOf('ok', 'failing'), bytesWaiting: integer, segmentsWaiting: integer },
          ...{ segmentsChecked: integer, sensorsInMemory: integer, lagSeconds: number },
        }),
      ),
      lanes: list(ref('Lane')),
      uploads: list(object({ path: string, caller: string, bytes: integer, startedAt: dateTime })),
    }),
  }),
  HealthEvent: object({
    ...{ id: integer, instanceId: string, part: string, state, detail: nullable(string), at: dateTime },
  }),
  HealthSample: object({
    ...{ at: dateTime, accepted: span, duplicates: span, refused: span, lagSeconds: span, segments: span },
    ...{ logBytes: span, loopDelayMs: span, serverBytes: span, serverCpu: span, workersBytes: span, workersCpu: span },
    diskFreeBytes: span,
  }),
  ListedJob: object({
    ...{ id: string, toolId: string, status: oneOf('accepted', 'running', 'successful', 'failed', 'dismissed') },
    ...{ progress: integer, attempts: integer, ownerId: string, ownerName: nullable(string) },
    ...{
      instanceId: nullable(string),
      createdAt: dateTime,
      startedAt: nullable(dateTime),
      finishedAt: nullable(dateTime),
    },
  }),
}

const OPERATOR = '/manage/v1/operator'

export const OPERATION_RESULTS: Record<string, Json> = {
  'GET /manage/v1/operators': page(ref('Operator')),
  'DELETE /manage/v1/operators/{id}': deleted,
  'GET /manage/v1/operators/token-reminders': page(ref('KeyReminder')),
  'GET /manage/v1/owners/{ownerId}/key-reminders': page(ref('KeyReminder')),
  'GET /manage/v1/operators/tokens': page(ref('OperatorToken')),
  'POST /manage/v1/operators/tokens': both(ref('OperatorToken'), object({ token: string })),
  'DELETE /manage/v1/operators/tokens/{id}': deleted,
  [`GET ${OPERATOR}/enterprises`]: page(ref('ListedEnterprise')),
  [`GET ${OPERATOR}/enterprises/{id}`]: ref('ListedEnterprise'),
  [`GET ${OPERATOR}/people`]: page(ref('ListedPerson')),
  [`GET ${OPERATOR}/health`]: object({
    items: list(ref('InstanceState')),
    openUploads: list(object({ ownerId: string, count: integer, receivedBytes: integer, bytes: integer })),
    owners: list(object({ id: string, name: string })),
  }),
  [`GET ${OPERATOR}/health/events`]: both(page(ref('HealthEvent')), object({ before: list(ref('HealthEvent')) })),
  [`GET ${OPERATOR}/health/samples`]: object({ stepSeconds: integer, items: list(ref('HealthSample')) }),
  [`GET ${OPERATOR}/jobs`]: page(ref('ListedJob')),
  [`DELETE ${OPERATOR}/jobs/{id}`]: deleted,
}
