/** Response schemas of /manage/v1 for the OpenAPI document, by operation; records are in result-schemas.ts. */
import {
  anyObject,
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
} from '../../http/openapi/openapi-schemas.ts'
import { toolApiFacts } from './tool-apis/tool-api-model.ts'

const deleted = object({ id: string })
/** Keys with secrets: returned once, by the operation that creates them. */
const sensorKey = object({ key: string })
const keyPair = object({ publicKey: string, secretKey: string })
const expiring = object({ files: integer, bytes: integer, firstAt: nullable(dateTime) })
const limits = object({ retentionDays: integer, readingsPerDay: integer, apiRequestsPerDay: integer })
const totals = { calls: integer, failures: integer, durationMs: number, meanDurationMs: nullable(number) }
const day = { type: 'string', format: 'date' }
const days = list(object({ toolApiId: string, day, ...totals }))
const ofDay = object({ day, used: integer, allowance: integer })
const runCounts = { runs: integer, failures: integer, credits: integer }
/** A link with the address of its page, which is shown once. */
const newLink = both(ref('OneTimeLink'), object({ path: string, isMailed: boolean }))
const usedBy = object({ usedBy: object({ zoneRules: integer, toolApis: integer }) })
const title = object({ en: string, ar: string })
const toolApiTool = object({
  ...{ id: string, version: string, title, description: title, tier: nullable(string) },
  ...{ secondInput: nullable({}), tellsFields: boolean, settings: anyObject },
})
const limited = both(ref('Enterprise'), object({ limits }))
const retentionChange = object({ affectedReadings: nullable(integer), deletionAt: nullable(dateTime) })
const newKey = (secrets: Json, record: Json): Json => both(record, both(object({ keyId: string }), secrets))
const OWNER = '/manage/v1/owners/{ownerId}'

/** Schemas of `data` in the envelope; `undefined` for a response that is a file. */
export const MANAGE_RESULTS: Record<string, Json | undefined> = {
  'GET /manage/v1/tiers': object({ items: list(ref('Tier')) }),
  'PATCH /manage/v1/tiers/{name}': both(ref('Tier'), retentionChange),
  'POST /manage/v1/enterprises': ref('Enterprise'),
  'GET /manage/v1/enterprises': page(ref('Enterprise')),
  'GET /manage/v1/enterprises/{id}': limited,
  'PATCH /manage/v1/enterprises/{id}': both(limited, retentionChange),
  'DELETE /manage/v1/enterprises/{id}': deleted,
  'GET /manage/v1/enterprises/{id}/belongings': object({
    ...{ members: integer, applications: integer, sensors: integer, readings: nullable(integer), zoneRules: integer },
    ...{ layers: integer, files: integer, toolApis: integer },
  }),
  'POST /manage/v1/enterprises/{id}/members': ref('Member'),
  'GET /manage/v1/enterprises/{id}/members': page(ref('Member')),
  'GET /manage/v1/members/{id}': ref('Member'),
  'PATCH /manage/v1/members/{id}': ref('Member'),
  'DELETE /manage/v1/members/{id}': deleted,
  'POST /manage/v1/enterprises/{id}/invitations': newLink,
  'GET /manage/v1/enterprises/{id}/invitations': page(ref('OneTimeLink')),
  'DELETE /manage/v1/invitations/{id}': deleted,
  'POST /manage/v1/members/{id}/reset-link': newLink,
  'POST /manage/v1/people/{id}/links': newLink,
  'GET /manage/v1/people/{id}/links': page(ref('OneTimeLink')),
  'POST /manage/v1/operators/invitations': newLink,
  'GET /manage/v1/operators/invitations': page(ref('OneTimeLink')),
  'DELETE /manage/v1/operators/invitations/{id}': deleted,
  'POST /manage/v1/enterprises/{id}/applications': both(ref('Application'), keyPair),
  'GET /manage/v1/enterprises/{id}/applications': page(ref('Application')),
  'GET /manage/v1/applications/{id}': ref('Application'),
  'PATCH /manage/v1/applications/{id}': ref('Application'),
  'DELETE /manage/v1/applications/{id}': deleted,
  'GET /manage/v1/applications/{id}/usage': object({
    ...{ from: day, to: day },
    days: list(object({ day, requests: integer, ...runCounts })),
    tools: list(object({ tool: string, ...runCounts })),
  }),
  'POST /manage/v1/applications/{id}/keys': newKey(keyPair, ref('ApplicationKey')),
  'GET /manage/v1/applications/{id}/keys': page(ref('ApplicationKey')),
  'DELETE /manage/v1/applications/{id}/keys/{keyId}': deleted,
  'POST /manage/v1/people': ref('Person'),
  'GET /manage/v1/people': page(ref('Person')),
  'GET /manage/v1/people/{id}': ref('Person'),
  'PATCH /manage/v1/people/{id}': ref('Person'),
  'DELETE /manage/v1/people/{id}': deleted,
  'POST /manage/v1/enterprises/{id}/sensors': both(ref('Sensor'), sensorKey),
  'GET /manage/v1/enterprises/{id}/sensors': page(ref('Sensor')),
  'GET /manage/v1/sensors/{id}': ref('Sensor'),
  'PATCH /manage/v1/sensors/{id}': ref('Sensor'),
  'DELETE /manage/v1/sensors/{id}': deleted,
  'POST /manage/v1/sensors/{id}/keys': newKey(sensorKey, ref('StoredKey')),
  'GET /manage/v1/sensors/{id}/keys': page(ref('StoredKey')),
  'DELETE /manage/v1/sensors/{id}/keys/{keyId}': deleted,
  'DELETE /manage/v1/sensors/{id}/readings': ref('ReadingDeletion'),
  'GET /manage/v1/sensors/{id}/deletions': page(ref('ReadingDeletion')),
  'GET /manage/v1/sensors/{id}/deletions/preview': object({
    ...{ readings: nullable(integer), oldest: nullable(dateTime), newest: nullable(dateTime) },
  }),
  'GET /manage/v1/sensors/{id}/deletions/{deletionId}': ref('ReadingDeletion'),
  'POST /manage/v1/enterprises/{id}/assets': ref('Asset'),
  'GET /manage/v1/enterprises/{id}/assets': page(ref('Asset')),
  'GET /manage/v1/assets/{id}': ref('Asset'),
  'PATCH /manage/v1/assets/{id}': ref('Asset'),
  'DELETE /manage/v1/assets/{id}': deleted,
  [`GET ${OWNER}/layers`]: page(both(ref('Layer'), usedBy)),
  [`GET ${OWNER}/layers/{id}/uses`]: page(ref('Use')),
  [`POST ${OWNER}/layers`]: ref('Layer'),
  [`POST ${OWNER}/layers/from-file`]: ref('Layer'),
  [`GET ${OWNER}/layers/{id}`]: ref('Layer'),
  [`PATCH ${OWNER}/layers/{id}`]: ref('Layer'),
  [`DELETE ${OWNER}/layers/{id}`]: deleted,
  [`GET ${OWNER}/layers/{id}/features`]: page(ref('Feature')),
  [`PUT ${OWNER}/layers/{id}/features`]: ref('Layer'),
  [`PATCH ${OWNER}/layers/{id}/features`]: ref('Layer'),
  [`GET ${OWNER}/layers/{id}/features/{featureId}`]: ref('Feature'),
  [`PUT ${OWNER}/layers/{id}/features/{featureId}`]: ref('Layer'),
  [`DELETE ${OWNER}/layers/{id}/features/{featureId}`]: ref('Layer'),
  [`GET ${OWNER}/layers/{id}/export`]: undefined,
  [`POST ${OWNER}/exports`]: ref('DataExport'),
  [`GET ${OWNER}/exports`]: page(ref('DataExport')),
  [`GET ${OWNER}/exports/{id}`]: ref('DataExport'),
  [`GET ${OWNER}/exports/{id}/content`]: undefined,
  [`DELETE ${OWNER}/exports/{id}`]: deleted,
  [`GET ${OWNER}/layers/{id}/versions`]: page(ref('LayerVersion')),
  [`DELETE ${OWNER}/layers/{id}/versions`]: ref('Layer'),
  [`GET ${OWNER}/layers/{id}/versions/compare`]: page(ref('FeatureDifference')),
  [`GET ${OWNER}/layers/{id}/versions/{version}/features`]: page(ref('Feature')),
  [`POST ${OWNER}/layers/{id}/versions/{version}/restore`]: ref('Layer'),
  [`GET ${OWNER}/files`]: page(both(ref('File'), usedBy)),
  [`GET ${OWNER}/files/{id}/uses`]: page(ref('Use')),
  [`POST ${OWNER}/files`]: ref('File'),
  [`GET ${OWNER}/files/{id}`]: ref('File'),
  [`PATCH ${OWNER}/files/{id}`]: ref('File'),
  [`DELETE ${OWNER}/files/{id}`]: deleted,
  [`GET ${OWNER}/files/{id}/versions`]: page(ref('FileVersion')),
  [`POST ${OWNER}/files/{id}/versions`]: both(ref('FileVersion'), object({ storageKey: string })),
  [`GET ${OWNER}/files/{id}/versions/{version}`]: ref('FileVersion'),
  [`PATCH ${OWNER}/files/{id}/versions/{version}`]: ref('FileVersion'),
  [`DELETE ${OWNER}/files/{id}/versions/{version}`]: object({ id: string, version: integer }),
  [`GET ${OWNER}/files/{id}/versions/{version}/content`]: undefined,
  'GET /manage/v1/tool-api-tools': object({ items: list(toolApiTool) }),
  [`POST ${OWNER}/tool-apis`]: both(ref('ToolApi'), sensorKey),
  [`GET ${OWNER}/tool-apis`]: page(ref('ToolApiWithActivity'), toolApiFacts),
  [`GET ${OWNER}/usage`]: object({
    ...{ from: day, to: day, ...totals, days },
    ...{ requests: ofDay, readings: nullable(ofDay) },
    credits: nullable(object({ periodStart: dateTime, periodEnd: dateTime, used: integer, allowance: integer })),
    storage: object({ bytes: integer, quotaBytes: integer, expiring }),
  }),
  [`GET ${OWNER}/usage/daily`]: object({
    ...{ from: day, to: day, by: oneOf('tool', 'application') },
    days: list(object({ day, ...runCounts, requests: integer, readings: nullable(integer) })),
    groups: list(
      object({
        ...{ id: nullable(string), name: nullable(string), ...runCounts },
        daily: nullable(object({ runs: list(integer), credits: list(integer) })),
      }),
    ),
    months: list(object({ month: string, credits: integer })),
  }),
  'GET /manage/v1/tool-apis/{id}': ref('ToolApiWithActivity'),
  'PATCH /manage/v1/tool-apis/{id}': ref('ToolApiWithActivity'),
  'DELETE /manage/v1/tool-apis/{id}': deleted,
  'GET /manage/v1/tool-apis/{id}/usage': object({ from: day, to: day, ...totals, days }),
  'GET /manage/v1/tool-apis/{id}/statistics': object({
    ...{ step: oneOf('hour', 'day'), from: dateTime, to: dateTime, total: ref('ToolApiCounts') },
    items: list(both(ref('ToolApiCounts'), object({ start: dateTime }))),
    refusals: list(object({ code: string, at: dateTime, message: string, requestId: string, isTrial: boolean })),
  }),
  'POST /manage/v1/tool-apis/{id}/try': {},
  [`POST ${OWNER}/tool-api-previews`]: {},
  'POST /manage/v1/tool-apis/{id}/keys': newKey(sensorKey, ref('StoredKey')),
  'GET /manage/v1/tool-apis/{id}/keys': page(ref('StoredKey')),
  'DELETE /manage/v1/tool-apis/{id}/keys/{keyId}': deleted,
  'GET /manage/v1/audit': page(ref('AuditRecord')),
  'GET /manage/v1/audit/actors': object({ items: list(object({ actor: string, name: nullable(string) })) }),
  'GET /manage/v1/audit/export': undefined,
}
