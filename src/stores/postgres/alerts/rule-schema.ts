/** Tables of rules (sql/postgres/0004-zone-rules.sql, 0045-alerts.sql). They keep their first names. */
import { boolean, pgTable, primaryKey, text } from 'drizzle-orm/pg-core'
import { createdAt, jsonb, timestampColumn, updatedAt } from '../columns.ts'

export const RULE_KINDS = ['threshold', 'silence', 'change', 'zone'] as const
export const ZONE_EVENTS = ['enter', 'leave', 'inside', 'outside', 'dwell'] as const
export const SEVERITIES = ['info', 'warning', 'critical'] as const
export type RuleKind = (typeof RULE_KINDS)[number]
export type ZoneEventKind = (typeof ZONE_EVENTS)[number]
/** Zone rules with these make events, all others alerts. */
export type Crossing = Extract<ZoneEventKind, 'enter' | 'leave'>
export type Severity = (typeof SEVERITIES)[number]

/** Fields of a rule's kind, as the API names them. Null stands for a default that depends on the sensor. */
export type RuleDefinition = {
  conditions?: {
    channel: string
    op: '>' | '>=' | '<' | '<=' | '=' | '!='
    value: number | boolean
    clearValue?: number
  }[]
  match?: 'all' | 'any'
  steps?: { severity: Severity; value: number; clearValue?: number }[]
  forSeconds?: number | null
  keepFiringSeconds?: number
  maxGapSeconds?: number | null
  gap?: 'reset' | 'hold'
  within?: { layerId: string; when: 'inside' | 'outside' } | null
  channel?: string | null
  withinSeconds?: number
  by?: number
  direction?: 'up' | 'down' | 'both'
  dwellSeconds?: number | null
  minReadings?: number
  minSeconds?: number
  bufferM?: number
}
export type RuleSchedule = {
  tz: string
  weekly: { days: ('mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun')[]; from: string; to: string }[]
}

export const zoneRules = pgTable('zone_rules', {
  id: text('id').primaryKey(),
  enterpriseId: text('enterprise_id').notNull(),
  kind: text('kind', { enum: RULE_KINDS }).notNull().default('zone'),
  name: text('name').notNull(),
  note: text('note').notNull().default(''),
  severity: text('severity', { enum: SEVERITIES }).notNull().default('warning'),
  /** The layer of a zone rule, or of `within`. */
  layerId: text('layer_id'),
  /** `when` of a zone rule. */
  event: text('event', { enum: ZONE_EVENTS }),
  allSensors: boolean('all_sensors').notNull(),
  tags: text('tags').array().notNull().default([]),
  schedule: jsonb('schedule').$type<RuleSchedule>(),
  /** The other fields of the kind, as the API names them. */
  definition: jsonb('definition').$type<RuleDefinition>().notNull().default({}),
  enabled: boolean('enabled').notNull().default(true),
  /** Readings received before are not judged: the rule was created, changed in its meaning, or enabled then. */
  since: timestampColumn('since').notNull(),
  createdAt: createdAt(),
  updatedAt: updatedAt(),
})

export const zoneRuleSensors = pgTable(
  'zone_rule_sensors',
  {
    ruleId: text('rule_id').notNull(),
    sensorId: text('sensor_id').notNull(),
  },
  (table) => [primaryKey({ columns: [table.ruleId, table.sensorId] })],
)
