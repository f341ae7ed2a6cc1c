/** Tables of layers, files and Tool APIs, which belong to an enterprise or a person (sql/postgres/0003-owners.sql). */
import { sql } from 'drizzle-orm'
import {
  bigint,
  boolean,
  customType,
  date,
  doublePrecision,
  integer,
  pgTable,
  primaryKey,
  smallint,
  text,
} from 'drizzle-orm/pg-core'
import { createdAt, jsonb, revokedAt, timestampColumn, updatedAt } from '../columns.ts'

/** Columns that name the owner. */
const owned = () => ({
  enterpriseId: text('enterprise_id'),
  personId: text('person_id'),
  ownerId: text('owner_id').notNull().generatedAlwaysAs(sql`coalesce(enterprise_id, person_id)`),
})

const bytea = customType<{ data: Uint8Array; driverData: Uint8Array }>({ dataType: () => 'bytea' })

export const layers = pgTable('layers', {
  id: text('id').primaryKey(),
  ...owned(),
  name: text('name').notNull(),
  version: integer('version').notNull().default(1),
  completeSince: integer('complete_since').notNull().default(1),
  nextOrdinal: bigint('next_place', { mode: 'number' }).notNull().default(0),
  featureCount: integer('feature_count').notNull().default(0),
  /** Size of its features; maintained by triggers. */
  bytes: bigint('bytes', { mode: 'number' }).notNull().default(0),
  dimensions: jsonb('dimensions').$type<number[]>().notNull().default([]),
  fields: jsonb('fields').$type<string[]>().notNull().default([]),
  /** The last editor; null for a layer without edits since versions are kept. */
  changedBy: text('changed_by'),
  /** Size of its earlier versions. */
  historyBytes: bigint('history_bytes', { mode: 'number' }).notNull().default(0),
  createdAt: createdAt(),
  updatedAt: updatedAt(),
})

/** The versions of a layer that are kept (sql/postgres/0018-layer-versions.sql). */
export const layerVersions = pgTable(
  'layer_versions',
  {
    layerId: text('layer_id').notNull(),
    version: integer('version').notNull(),
    actor: text('actor'),
    createdAt: createdAt(),
    featureCount: integer('feature_count').notNull(),
    fields: jsonb('fields').$type<string[]>().notNull(),
    added: integer('added'),
    changed: integer('changed'),
    removed: integer('removed'),
    restored: integer('restored'),
    bytes: bigint('bytes', { mode: 'number' }).notNull().default(0),
  },
  (table) => [primaryKey({ columns: [table.layerId, table.version] })],
)

export const layerFeatures = pgTable(
  'layer_features',
  {
    layerId: text('layer_id').notNull(),
    featureId: text('feature_id').notNull(),
    ordinal: bigint('place', { mode: 'number' }).notNull(),
    version: integer('version').notNull(),
    since: integer('since').notNull().default(1),
    gone: boolean('gone').notNull().default(false),
    dimension: smallint('dimension'),
    properties: text('properties'),
    geometry: bytea('geometry'),
  },
  (table) => [primaryKey({ columns: [table.layerId, table.featureId] })],
)

export const ownerFiles = pgTable('owner_files', {
  id: text('id').primaryKey(),
  ...owned(),
  name: text('name').notNull(),
  createdAt: createdAt(),
  updatedAt: updatedAt(),
})

export const ownerFileVersions = pgTable('owner_file_versions', {
  id: text('id').primaryKey(),
  fileId: text('file_id').notNull(),
  version: integer('version').notNull(),
  filename: text('filename').notNull(),
  bytes: bigint('bytes', { mode: 'number' }).notNull(),
  kind: text('kind'),
  scanStatus: text('scan_status', { enum: ['pending', 'clean', 'infected', 'failed'] })
    .notNull()
    .default('pending'),
  scanReason: text('scan_reason'),
  scannedAt: timestampColumn('scanned_at'),
  createdAt: createdAt(),
})

/** The source of a saved tool's second input. */
export type Binding = { kind: 'layer' | 'file' | 'file-version'; id: string; version?: number }
/** When a feature passes an inside check. */
export type InsideRule = { kind: 'inside' | 'partly' | 'percent'; percent?: number }

export const toolApis = pgTable('tool_apis', {
  id: text('id').primaryKey(),
  ...owned(),
  name: text('name').notNull(),
  toolId: text('tool_id').notNull(),
  settings: jsonb('settings').$type<Record<string, unknown>>().notNull(),
  binding: jsonb('binding').$type<Binding | null>(),
  rule: jsonb('rule').$type<InsideRule | null>(),
  referenceFields: jsonb('reference_fields').$type<string[] | null>(),
  enabled: boolean('enabled').notNull().default(true),
  held: boolean('held').notNull().default(false),
  heldReason: text('held_reason'),
  createdAt: createdAt(),
  updatedAt: updatedAt(),
})

export const toolApiKeys = pgTable('tool_api_keys', {
  id: text('id').primaryKey(),
  toolApiId: text('tool_api_id').notNull(),
  name: text('name').notNull().default('Key'),
  keySha256: text('key_sha256').notNull(),
  lastFour: text('last_four').notNull(),
  createdAt: createdAt(),
  expiresAt: timestampColumn('expires_at'),
  lastUsedAt: timestampColumn('last_used_at'),
  revokedAt: revokedAt(),
})

export const apiRequestDays = pgTable(
  'api_request_days',
  {
    ownerId: text('owner_id').notNull(),
    day: date('day', { mode: 'string' }).notNull(),
    used: integer('used').notNull(),
  },
  (table) => [primaryKey({ columns: [table.ownerId, table.day] })],
)

export const toolApiDays = pgTable(
  'tool_api_days',
  {
    toolApiId: text('tool_api_id').notNull(),
    day: date('day', { mode: 'string' }).notNull(),
    calls: integer('calls').notNull(),
    failures: integer('failures').notNull(),
    durationMs: doublePrecision('duration_ms').notNull(),
  },
  (table) => [primaryKey({ columns: [table.toolApiId, table.day] })],
)

/** sql/postgres/0017-tool-api-statistics.sql */
export const toolApiStatistics = pgTable(
  'tool_api_statistics',
  {
    toolApiId: text('tool_api_id').notNull(),
    step: text('step', { enum: ['hour', 'day'] }).notNull(),
    isTrial: boolean('is_trial').notNull(),
    startsAt: timestampColumn('starts_at').notNull(),
    code: text('code').notNull(),
    calls: bigint('calls', { mode: 'number' }).notNull(),
    features: bigint('features', { mode: 'number' }).notNull(),
    longestMs: doublePrecision('longest_ms').notNull(),
    durations: integer('durations').array().notNull(),
    lastAt: timestampColumn('last_at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.toolApiId, table.step, table.isTrial, table.startsAt, table.code] })],
)

export const toolApiRefusals = pgTable(
  'tool_api_refusals',
  {
    toolApiId: text('tool_api_id').notNull(),
    code: text('code').notNull(),
    at: timestampColumn('at').notNull(),
    message: text('message').notNull(),
    requestId: text('request_id').notNull(),
    isTrial: boolean('is_trial').notNull(),
  },
  (table) => [primaryKey({ columns: [table.toolApiId, table.code] })],
)
