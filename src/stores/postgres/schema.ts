/** The tables of sql/postgres for drizzle. */
import { sql } from 'drizzle-orm'
import { bigint, boolean, doublePrecision, integer, pgTable, primaryKey, text, timestamp } from 'drizzle-orm/pg-core'
import type { FieldError } from '../../errors.ts'
import { createdAt, jsonb, revokedAt, timestampColumn, updatedAt } from './columns.ts'

export const tiers = pgTable('tiers', {
  name: text('name').primaryKey(),
  kind: text('kind', { enum: ['enterprise', 'person'] }).notNull(),
  apiRequestsPerDay: integer('api_requests_per_day'),
  readingsPerDay: bigint('readings_per_day', { mode: 'number' }),
  retentionDays: integer('retention_days'),
  creditsPerMonth: bigint('credits_per_month', { mode: 'number' }),
  toolApis: boolean('tool_apis').notNull().default(false),
})

export const enterprises = pgTable('enterprises', {
  id: text('id').primaryKey(),
  number: integer('number').notNull().generatedAlwaysAsIdentity(),
  name: text('name').notNull(),
  tier: text('tier').notNull(),
  status: text('status', { enum: ['active', 'suspended'] })
    .notNull()
    .default('active'),
  suspendedReason: text('suspended_reason'),
  assetsHeld: boolean('assets_held').notNull().default(false),
  heldReason: text('held_reason'),
  retentionDays: integer('retention_days'),
  readingsPerDay: bigint('readings_per_day', { mode: 'number' }),
  apiRequestsPerDay: integer('api_requests_per_day'),
  credits: bigint('credits', { mode: 'number' }),
  storedMb: integer('stored_mb'),
  storedDays: integer('stored_days'),
  createdAt: createdAt(),
  updatedAt: updatedAt(),
})

/** How far readings have been deleted according to the retention. */
export const retentions = pgTable('retentions', {
  enterpriseId: text('enterprise_id').primaryKey(),
  settingDays: integer('setting_days').notNull(),
  setAt: timestampColumn('set_at').notNull(),
  keptDays: integer('kept_days').notNull(),
  isDeleting: boolean('is_deleting').notNull().default(false),
  extensions: integer('extensions').notNull().default(0),
  deletedBefore: timestampColumn('deleted_before'),
})

export const members = pgTable('members', {
  id: text('id').primaryKey(),
  enterpriseId: text('enterprise_id').notNull(),
  email: text('email').notNull(),
  role: text('role', { enum: ['owner', 'admin', 'member'] }).notNull(),
  /** The account that signs in as this member; null while nobody has accepted an invitation. */
  accountId: text('account_id'),
  createdAt: createdAt(),
  updatedAt: updatedAt(),
})

export const people = pgTable('people', {
  id: text('id').primaryKey(),
  email: text('email').notNull(),
  plan: text('plan').notNull(),
  status: text('status', { enum: ['active', 'suspended'] })
    .notNull()
    .default('active'),
  suspendedReason: text('suspended_reason'),
  /** Days for which files are stored; null for the server's. */
  storedDays: integer('stored_days'),
  accountId: text('account_id'),
  createdAt: createdAt(),
  updatedAt: updatedAt(),
})

export const applications = pgTable('applications', {
  id: text('id').primaryKey(),
  enterpriseId: text('enterprise_id').notNull(),
  name: text('name').notNull(),
  tools: jsonb('tools').$type<'all' | string[]>().notNull(),
  assets: boolean('assets'),
  createdAt: createdAt(),
  updatedAt: updatedAt(),
})

export const applicationKeys = pgTable('application_keys', {
  id: text('id').primaryKey(),
  applicationId: text('application_id').notNull(),
  name: text('name').notNull().default('Key'),
  publicKey: text('public_key').notNull(),
  secretSha256: text('secret_sha256').notNull(),
  lastFour: text('last_four').notNull(),
  createdAt: createdAt(),
  expiresAt: timestampColumn('expires_at'),
  lastUsedAt: timestampColumn('last_used_at'),
  revokedAt: revokedAt(),
})

export const assets = pgTable('assets', {
  id: text('id').primaryKey(),
  enterpriseId: text('enterprise_id').notNull(),
  name: text('name').notNull(),
  createdAt: createdAt(),
  updatedAt: updatedAt(),
})

export const sensors = pgTable('sensors', {
  id: text('id').primaryKey(),
  number: integer('number').notNull().generatedAlwaysAsIdentity(),
  enterpriseId: text('enterprise_id').notNull(),
  assetId: text('asset_id').notNull(),
  /** The id that the enterprise has given to the device; unique in the enterprise. */
  externalId: text('external_id'),
  name: text('name').notNull(),
  tags: text('tags').array().notNull().default([]),
  enabled: boolean('enabled').notNull().default(true),
  held: boolean('held').notNull().default(false),
  heldReason: text('held_reason'),
  /** The last event of the device that was no reading. */
  lastEvent: jsonb('last_event').$type<{ kind: string; at: string }>(),
  createdAt: createdAt(),
  updatedAt: updatedAt(),
})

export const channels = pgTable(
  'channels',
  {
    sensorId: text('sensor_id').notNull(),
    number: integer('number').notNull(),
    name: text('name').notNull(),
    measurement: text('measurement', { enum: ['number', 'whole', 'boolean'] }).notNull(),
    unit: text('unit'),
    active: boolean('active').notNull().default(true),
  },
  (table) => [primaryKey({ columns: [table.sensorId, table.number] })],
)

export const sensorKeys = pgTable('sensor_keys', {
  id: text('id').primaryKey(),
  sensorId: text('sensor_id').notNull(),
  name: text('name').notNull().default('Key'),
  keySha256: text('key_sha256').notNull(),
  lastFour: text('last_four').notNull(),
  createdAt: createdAt(),
  expiresAt: timestamp('expires_at', { withTimezone: true, mode: 'date' }),
  lastUsedAt: timestamp('last_used_at', { withTimezone: true, mode: 'date' }),
  revokedAt: revokedAt(),
})

/** sql/postgres/0058-fleet-keys.sql */
export const fleetKeySecrets = pgTable('fleet_key_secrets', {
  id: text('id').primaryKey(),
  fleetKeyId: text('fleet_key_id').notNull(),
  name: text('name').notNull().default('Key'),
  keySha256: text('key_sha256').notNull(),
  lastFour: text('last_four').notNull(),
  createdAt: createdAt(),
  expiresAt: timestampColumn('expires_at'),
  lastUsedAt: timestampColumn('last_used_at'),
  revokedAt: revokedAt(),
})

/** sql/postgres/0048-personal-keys.sql */
export const personalKeys = pgTable('personal_keys', {
  id: text('id').primaryKey(),
  personId: text('person_id').notNull(),
  name: text('name').notNull().default('Key'),
  keySha256: text('key_sha256').notNull(),
  lastFour: text('last_four').notNull(),
  createdAt: createdAt(),
  expiresAt: timestamp('expires_at', { withTimezone: true, mode: 'date' }),
  lastUsedAt: timestamp('last_used_at', { withTimezone: true, mode: 'date' }),
  revokedAt: revokedAt(),
})

export const audit = pgTable('audit', {
  id: text('id').primaryKey(),
  at: timestamp('at', { withTimezone: true, mode: 'date' }).notNull().defaultNow(),
  actor: text('actor').notNull(),
  action: text('action').notNull(),
  subjectKind: text('subject_kind').notNull(),
  subjectId: text('subject_id').notNull(),
  before: jsonb('before').$type<Record<string, unknown> | null>(),
  after: jsonb('after').$type<Record<string, unknown> | null>(),
  ownerId: text('owner_id'),
})

/** The owner: an enterprise or a person. */
const ownership = {
  enterpriseId: text('enterprise_id'),
  personId: text('person_id'),
  ownerId: text('owner_id').notNull().generatedAlwaysAs(sql`coalesce(enterprise_id, person_id)`),
}

/** A file that was stored before the run: `key` as the caller gave it, `storageKey` for the content. */
export type RunInput = { field: string; key: string; storageKey: string; filename: string; bytes: number }

export const runs = pgTable('runs', {
  id: text('id').primaryKey(),
  ...ownership,
  applicationId: text('application_id'),
  memberId: text('member_id'),
  toolId: text('tool_id').notNull(),
  toolVersion: text('tool_version').notNull(),
  requestId: text('request_id').notNull(),
  jobId: text('job_id'),
  /** Given by a person. */
  name: text('name'),
  /** The folder into which a person put the result. */
  folder: text('folder'),
  status: text('status', { enum: ['running', 'successful', 'failed'] }).notNull(),
  settings: jsonb('settings').$type<Record<string, unknown>>().notNull(),
  credits: integer('credits').notNull(),
  periodStart: timestampColumn('period_start').notNull(),
  fileCount: integer('file_count').notNull(),
  inputBytes: bigint('input_bytes', { mode: 'number' }).notNull(),
  outputBytes: bigint('output_bytes', { mode: 'number' }).notNull().default(0),
  code: text('code'),
  instanceId: text('instance_id').notNull(),
  startedAt: timestampColumn('started_at').notNull().defaultNow(),
  finishedAt: timestampColumn('finished_at'),
  durationMs: doublePrecision('duration_ms'),
  inputs: jsonb('inputs').$type<RunInput[] | null>(),
})

export const storedFiles = pgTable('stored_files', {
  id: text('id').primaryKey(),
  ...ownership,
  memberId: text('member_id'),
  /** Null for a file that was uploaded without a run. */
  runId: text('run_id'),
  artifactId: text('artifact_id'),
  role: text('role', { enum: ['input', 'output', 'preview', 'upload'] }).notNull(),
  field: text('field'),
  filename: text('filename').notNull(),
  mediaType: text('media_type').notNull(),
  crs: text('crs'),
  bytes: bigint('bytes', { mode: 'number' }).notNull(),
  createdAt: createdAt(),
})

/** Rows of earlier releases have no Arabic text. */
export type StoredFieldError = Omit<FieldError, 'messageAr'> & { messageAr?: string }

/** The answer of a call: the data of a success, or the code, message and fields of a failure. */
export type RunAnswer =
  | { data: Record<string, unknown> }
  | { code: string; message: string; messageAr?: string; errors?: StoredFieldError[] }

export const runAnswers = pgTable('run_answers', {
  runId: text('run_id').primaryKey(),
  status: integer('status').notNull(),
  answer: jsonb('answer').$type<RunAnswer>().notNull(),
  createdAt: createdAt(),
})

export const idempotencyKeys = pgTable(
  'idempotency_keys',
  {
    keyPairId: text('key_pair_id').notNull(),
    route: text('route').notNull(),
    key: text('key').notNull(),
    requestSha256: text('request_sha256').notNull(),
    instanceId: text('instance_id').notNull(),
    claimId: text('claim_id'),
    status: integer('status'),
    headers: jsonb('headers').$type<Record<string, string> | null>(),
    body: text('body'),
    createdAt: createdAt(),
  },
  (table) => [primaryKey({ columns: [table.keyPairId, table.route, table.key] })],
)

export const jobs = pgTable('jobs', {
  id: text('id').primaryKey(),
  ...ownership,
  applicationId: text('application_id'),
  memberId: text('member_id'),
  toolId: text('tool_id').notNull(),
  toolVersion: text('tool_version').notNull(),
  call: jsonb('call').$type<Record<string, unknown>>().notNull(),
  status: text('status', { enum: ['accepted', 'running', 'successful', 'failed', 'dismissed'] }).notNull(),
  progress: integer('progress').notNull().default(0),
  resultStatus: integer('result_status'),
  /** The result of a job of an earlier release. */
  result: jsonb('result').$type<Record<string, unknown> | null>(),
  resultText: text('result_text'),
  instanceId: text('instance_id'),
  leasedUntil: timestampColumn('leased_until'),
  attempts: integer('attempts').notNull().default(0),
  /** The newest run of the job. */
  runId: text('run_id'),
  /** A destination that gets the end of the job besides those that subscribe to it. */
  callback: text('callback'),
  createdAt: createdAt(),
  startedAt: timestampColumn('started_at'),
  finishedAt: timestampColumn('finished_at'),
  updatedAt: updatedAt(),
})
