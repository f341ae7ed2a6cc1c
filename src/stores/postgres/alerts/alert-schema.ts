/** Tables of alerts and of silences (sql/postgres/0045-alerts.sql). */
import { boolean, doublePrecision, pgTable, text } from 'drizzle-orm/pg-core'
import { createdAt, jsonb, timestampColumn } from '../columns.ts'
import { SEVERITIES } from './rule-schema.ts'

export const ALERT_ENDS = ['cleared', 'rule-changed', 'rule-deleted', 'sensor-deleted', 'sensor-off'] as const

export const alerts = pgTable('alerts', {
  id: text('id').primaryKey(),
  enterpriseId: text('enterprise_id').notNull(),
  ruleId: text('rule_id').notNull(),
  sensorId: text('sensor_id').notNull(),
  /** Id of the polygon of a dwell rule. */
  polygon: text('polygon'),
  severity: text('severity', { enum: SEVERITIES }).notNull(),
  startedAt: timestampColumn('started_at').notNull(),
  firedAt: timestampColumn('fired_at').notNull(),
  detectedAt: timestampColumn('detected_at').notNull().defaultNow(),
  resolvedAt: timestampColumn('resolved_at'),
  resolvedBy: text('resolved_by', { enum: ALERT_ENDS }),
  value: doublePrecision('value'),
  /** {channel: value} */
  values: jsonb('values').notNull().default({}),
  late: boolean('late').notNull().default(false),
  acknowledgedBy: text('acknowledged_by'),
  acknowledgedAt: timestampColumn('acknowledged_at'),
  comment: text('comment'),
  /** Set by the database with each change. */
  changedAt: timestampColumn('changed_at').notNull().defaultNow(),
})

export const alertSilences = pgTable('alert_silences', {
  id: text('id').primaryKey(),
  enterpriseId: text('enterprise_id').notNull(),
  sensorIds: text('sensor_ids').array().notNull().default([]),
  tags: text('tags').array().notNull().default([]),
  ruleIds: text('rule_ids').array().notNull().default([]),
  startsAt: timestampColumn('starts_at').notNull(),
  endsAt: timestampColumn('ends_at').notNull(),
  comment: text('comment').notNull().default(''),
  createdBy: text('created_by').notNull(),
  createdAt: createdAt(),
})
