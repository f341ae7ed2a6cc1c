/** Which destinations an event goes to. */
import { type SQL, sql } from 'drizzle-orm'
import { SEVERITIES } from '../alerts/rule-schema.ts'

const rankOf = (severity: SQL): SQL => sql`array_position(${sql.param([...SEVERITIES])}::text[], ${severity})`

/**
 * Whether the event `e` goes to the destination `d`. Severities, rules and tags restrict only events that have a severity,
 * a rule or a sensor. A silence holds deliveries back.
 */
export const subscribes = sql`(e.type = ANY(d.events)
  AND (d.min_severity IS NULL OR e.severity IS NULL OR ${rankOf(sql`e.severity`)} >= ${rankOf(sql`d.min_severity`)})
  AND (d.rule_ids = '{}' OR e.rule_id IS NULL OR e.rule_id = ANY(d.rule_ids))
  AND (d.tags = '{}' OR e.sensor_id IS NULL OR EXISTS (
    SELECT FROM sensors s WHERE s.id = e.sensor_id AND s.tags && d.tags))
  AND coalesce(e.data ->> 'silenced', 'false') = 'false')`

/** A new id of a delivery: ids sort by the time, and by the events. @param number of the event */
export const newDeliveryId = (number: SQL): SQL => sql`'dlv_'
  || lpad(to_hex((extract(epoch FROM clock_timestamp()) * 1000)::bigint), 12, '0') || lpad(to_hex(${number}), 12, '0')
  || left(replace(gen_random_uuid()::text, '-', ''), 8)`
