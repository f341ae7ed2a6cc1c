/** Tables of zone rules (sql/postgres/0004-zone-rules.sql). */
import { boolean, pgTable, primaryKey, text } from 'drizzle-orm/pg-core'
import { createdAt, timestampColumn, updatedAt } from '../columns.ts'

export const ZONE_EVENTS = ['enter', 'leave', 'inside', 'outside'] as const

export const zoneRules = pgTable('zone_rules', {
  id: text('id').primaryKey(),
  enterpriseId: text('enterprise_id').notNull(),
  name: text('name').notNull(),
  layerId: text('layer_id').notNull(),
  event: text('event', { enum: ZONE_EVENTS }).notNull(),
  allSensors: boolean('all_sensors').notNull(),
  enabled: boolean('enabled').notNull().default(true),
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
