/** Schemas of records in responses of /manage/v1 for the OpenAPI document, by name. */
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
  ref,
  string,
} from '../../http/openapi/openapi-schemas.ts'
import { AUDIT_ACTIONS } from '../../stores/postgres/accounts/audit.ts'

const times = { createdAt: dateTime, updatedAt: dateTime }
const storedKey = object({
  ...{ id: string, name: string, lastFour: string, createdAt: dateTime },
  ...{ expiresAt: nullable(dateTime), lastUsedAt: nullable(dateTime), revokedAt: nullable(dateTime) },
})
const owned = { enterpriseId: nullable(string), personId: nullable(string), ownerId: string }
const scan = { scanStatus: oneOf('pending', 'clean', 'infected', 'failed'), scanReason: nullable(string) }
const feature = object({
  ...{ type: { const: 'Feature' }, id: string },
  properties: nullable(anyObject),
  geometry: nullable(anyObject),
})
const channel = object({
  ...{ number: integer, name: string, unit: nullable(string), active: boolean },
  measurement: oneOf('number', 'whole', 'boolean'),
})

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
  ReadingDeletion: object({
    ...{ id: string, sensorId: string, from: dateTime, to: dateTime, channel: nullable(string), refill: boolean },
    channels: nullable(list(string)),
    ...{ status: oneOf('waiting', 'running', 'done'), readings: nullable(integer) },
    ...{ createdAt: dateTime, finishedAt: nullable(dateTime) },
  }),
  DataExport: object({
    ...{ id: string, ownerId: string, status: oneOf('waiting', 'running', 'done', 'failed') },
    ...{ parts: nullable(integer), partsDone: integer, bytes: nullable(integer) },
    ...{ createdAt: dateTime, finishedAt: nullable(dateTime), expiresAt: dateTime },
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
    ...{ storedDays: nullable(integer), accountId: nullable(string), ...times },
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
  Sensor: object({
    ...{ id: string, number: integer, enterpriseId: string, name: string, assetId: string, assetName: string },
    tags: list(string),
    ...{ enabled: boolean, held: boolean, heldReason: nullable(string), ...times },
    channels: list(channel),
    keys: list(ref('StoredKey')),
  }),
  Layer: object({
    ...{ id: string, ...owned, name: string, version: integer, featureCount: integer, ...times },
    ...{ dimensions: list(integer), fields: list(string), changedBy: nullable(string) },
    ...{ bytes: integer, historyBytes: integer },
  }),
  LayerVersion: object({
    ...{ version: integer, actor: nullable(string), createdAt: dateTime, featureCount: integer, fields: list(string) },
    ...{ added: nullable(integer), changed: nullable(integer), removed: nullable(integer) },
    restored: nullable(integer),
  }),
  Use: object({
    ...{ kind: oneOf('zone-rule', 'tool-api'), id: string, name: string, enabled: boolean, version: nullable(integer) },
  }),
  FeatureDifference: object({
    ...{ featureId: string, change: oneOf('added', 'changed', 'removed'), geometryChanged: boolean },
    attributes: list(object({ name: string, before: {}, after: {} }, ['name'])),
    ...{ before: nullable(ref('Feature')), after: nullable(ref('Feature')) },
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
  ToolApiCounts: object({
    ...{ calls: integer, results: integer, refused: integer, failed: integer, features: integer, trials: integer },
    codes: { type: 'object', additionalProperties: integer },
    latency: nullable(object({ p50Ms: number, p95Ms: number, maxMs: number })),
  }),
  ToolApiWithActivity: both(
    ref('ToolApi'),
    object({
      activity: object({
        state: oneOf('on', 'off', 'held', 'refused'),
        ...{ reason: nullable(string), boundName: nullable(string), lastCallAt: nullable(dateTime) },
        today: ref('ToolApiCounts'),
      }),
    }),
  ),
  AuditRecord: object({
    ...{ id: string, at: dateTime, actor: string, actorName: nullable(string), action: oneOf(...AUDIT_ACTIONS) },
    ...{ subjectKind: string, subjectId: string, subjectName: nullable(string), ownerId: nullable(string) },
    ...{ before: nullable(anyObject), after: nullable(anyObject) },
  }),
}
