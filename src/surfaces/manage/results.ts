/** Response schemas of /manage/v1 for the OpenAPI document, by operation. */
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
} from '../../http/openapi-schemas.ts'

const times = { createdAt: dateTime, updatedAt: dateTime }
const deleted = object({ id: string })
/** Keys with secrets: returned once, by the operation that creates them. */
const sensorKey = object({ key: string })
const keyPair = object({ publicKey: string, secretKey: string })
const storedKey = object({ id: string, lastFour: string, createdAt: dateTime, revokedAt: nullable(dateTime) })
const owned = { enterpriseId: nullable(string), personId: nullable(string), ownerId: string }
const scan = { scanStatus: oneOf('pending', 'clean', 'infected', 'failed'), scanReason: nullable(string) }
const limits = object({ retentionDays: integer, readingsPerDay: integer, apiRequestsPerDay: integer })
const totals = { calls: integer, failures: integer, durationMs: number, meanDurationMs: nullable(number) }
const day = { type: 'string', format: 'date' }
const days = list(object({ toolApiId: string, day, ...totals }))
const feature = object({
  ...{ type: { const: 'Feature' }, id: string },
  properties: nullable(anyObject),
  geometry: nullable(anyObject),
})
const channel = object({
  ...{ number: integer, name: string, unit: nullable(string), active: boolean },
  measurement: oneOf('number', 'whole', 'boolean'),
})

/** With the address of its page, which is shown once. */
const newLink = both(ref('OneTimeLink'), object({ path: string, isMailed: boolean }))

/** Components, by name. */
export const MANAGE_SCHEMAS: Json = {
  Tier: object({
    name: string,
    kind: oneOf('enterprise', 'person'),
    apiRequestsPerDay: nullable(integer),
    readingsPerDay: nullable(integer),
    retentionDays: nullable(integer),
    creditsPerMonth: nullable(integer),
    toolApis: boolean,
  }),
  Enterprise: object({
    ...{ id: string, number: integer, name: string, tier: string, status: oneOf('active', 'suspended') },
    ...{ assetsHeld: boolean, heldReason: nullable(string) },
    ...{ retentionDays: nullable(integer), readingsPerDay: nullable(integer) },
    ...{ apiRequestsPerDay: nullable(integer), credits: nullable(integer) },
    ...{ storedMb: nullable(integer), storedDays: nullable(integer) },
    ...times,
  }),
  Member: object({
    id: string,
    enterpriseId: string,
    email: string,
    role: oneOf('owner', 'admin', 'member'),
    accountId: nullable(string),
    ...times,
  }),
  Person: object({
    ...{ id: string, email: string, plan: string, status: oneOf('active', 'suspended') },
    ...{ accountId: nullable(string), ...times },
  }),
  OneTimeLink: object({
    ...{ id: string, kind: oneOf('operator', 'invitation', 'person', 'sign-up', 'reset'), email: nullable(string) },
    ...{ role: nullable(oneOf('owner', 'admin', 'member')), createdBy: string },
    ...{ createdAt: dateTime, expiresAt: dateTime },
  }),
  ApplicationKey: both(storedKey, object({ publicKey: string })),
  Application: object({
    ...{ id: string, enterpriseId: string, name: string, ...times },
    tools: { anyOf: [{ const: 'all' }, list(string)] },
    assets: nullable(boolean),
    keys: list(ref('ApplicationKey')),
  }),
  Asset: object({ id: string, enterpriseId: string, name: string, ...times }),
  StoredKey: storedKey,
  SensorKey: both(storedKey, object({ name: string, expiresAt: nullable(dateTime), lastUsedAt: nullable(dateTime) })),
  Sensor: object({
    ...{ id: string, number: integer, enterpriseId: string, name: string, assetId: string, assetName: string },
    tags: list(string),
    ...{ enabled: boolean, held: boolean, heldReason: nullable(string), ...times },
    channels: list(channel),
    keys: list(ref('SensorKey')),
  }),
  Layer: object({
    ...{ id: string, ...owned, name: string, version: integer, featureCount: integer, ...times },
    ...{ dimensions: list(integer), fields: list(string) },
  }),
  Feature: feature,
  FileVersion: object({
    ...{ id: string, fileId: string, version: integer, filename: string, bytes: integer, kind: nullable(string) },
    ...{ ...scan, scannedAt: nullable(dateTime), createdAt: dateTime },
  }),
  File: object({
    ...{ id: string, ...owned, name: string, ...times, version: nullable(integer), kind: nullable(string) },
    ...{ bytes: nullable(integer), scanStatus: nullable(scan.scanStatus), scanReason: nullable(string) },
    versions: list(ref('FileVersion')),
  }),
  ToolApi: object({
    ...{ id: string, ...owned, name: string, tool: string, path: string, settings: anyObject },
    binding: nullable(
      object({ kind: oneOf('layer', 'file', 'file-version'), id: string, version: integer }, ['kind', 'id']),
    ),
    rule: nullable(object({ kind: oneOf('inside', 'partly', 'percent'), percent: number }, ['kind'])),
    ...{ referenceFields: nullable(list(string)), enabled: boolean, held: boolean, heldReason: nullable(string) },
    ...{ ...times, keys: list(ref('StoredKey')) },
  }),
  AuditRecord: object({
    ...{ id: string, at: dateTime, actor: string, action: oneOf('create', 'update', 'delete', 'revoke') },
    ...{ subjectKind: string, subjectId: string },
    ...{ before: nullable(anyObject), after: nullable(anyObject) },
  }),
}

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
  'POST /manage/v1/sensors/{id}/keys': newKey(sensorKey, ref('SensorKey')),
  'GET /manage/v1/sensors/{id}/keys': page(ref('SensorKey')),
  'DELETE /manage/v1/sensors/{id}/keys/{keyId}': deleted,
  'POST /manage/v1/enterprises/{id}/assets': ref('Asset'),
  'GET /manage/v1/enterprises/{id}/assets': page(ref('Asset')),
  'GET /manage/v1/assets/{id}': ref('Asset'),
  'PATCH /manage/v1/assets/{id}': ref('Asset'),
  'DELETE /manage/v1/assets/{id}': deleted,
  [`GET ${OWNER}/layers`]: page(ref('Layer')),
  [`POST ${OWNER}/layers`]: ref('Layer'),
  [`GET ${OWNER}/layers/{id}`]: ref('Layer'),
  [`PATCH ${OWNER}/layers/{id}`]: ref('Layer'),
  [`DELETE ${OWNER}/layers/{id}`]: deleted,
  [`GET ${OWNER}/layers/{id}/features`]: page(ref('Feature')),
  [`PUT ${OWNER}/layers/{id}/features`]: ref('Layer'),
  [`PATCH ${OWNER}/layers/{id}/features`]: ref('Layer'),
  [`GET ${OWNER}/layers/{id}/features/{featureId}`]: ref('Feature'),
  [`PUT ${OWNER}/layers/{id}/features/{featureId}`]: ref('Layer'),
  [`DELETE ${OWNER}/layers/{id}/features/{featureId}`]: ref('Layer'),
  [`GET ${OWNER}/files`]: page(ref('File')),
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
  [`GET ${OWNER}/tool-apis`]: page(ref('ToolApi')),
  [`GET ${OWNER}/usage`]: object({
    ...{ from: day, to: day, ...totals, days },
    requests: object({ day, used: integer, allowance: integer }),
  }),
  'GET /manage/v1/tool-apis/{id}': ref('ToolApi'),
  'PATCH /manage/v1/tool-apis/{id}': ref('ToolApi'),
  'DELETE /manage/v1/tool-apis/{id}': deleted,
  'GET /manage/v1/tool-apis/{id}/usage': object({ from: day, to: day, ...totals, days }),
  'POST /manage/v1/tool-apis/{id}/keys': newKey(sensorKey, ref('StoredKey')),
  'GET /manage/v1/tool-apis/{id}/keys': page(ref('StoredKey')),
  'DELETE /manage/v1/tool-apis/{id}/keys/{keyId}': deleted,
  'GET /manage/v1/audit': page(ref('AuditRecord')),
}
