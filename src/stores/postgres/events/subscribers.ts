/** Which destinations an event goes to. */
import { type SQL, sql } from 'drizzle-orm'
import { SEVERITIES } from '../alerts/rule-schema.ts'

const rankOf = (severity: SQL): SQL => sql`array_position(${sql.param([...SEVERITIES])}::text[], ${severity})`

/**
 * Whether an event goes to the destination `d`. Severities, rules and tags restrict only events that have a severity,
 * a rule or a sensor. A silence holds deliveries back. A repetition goes to the destination that asks for it.
 */
const matches = (event: string): SQL => {
  const e = sql.raw(event)
  return sql`(${e}.type = ANY(d.events)
  AND (d.min_severity IS NULL OR ${e}.severity IS NULL OR ${rankOf(sql`${e}.severity`)} >= ${rankOf(sql`d.min_severity`)})
  AND (d.rule_ids = '{}' OR ${e}.rule_id IS NULL OR ${e}.rule_id = ANY(d.rule_ids))
  AND (d.tags = '{}' OR ${e}.sensor_id IS NULL OR EXISTS (
    SELECT FROM sensors s WHERE s.id = ${e}.sensor_id AND s.tags && d.tags))
  AND coalesce(${e}.data ->> 'silenced', 'false') = 'false' AND coalesce(${e}.data ->> 'repeatedFor', d.id) = d.id)`
}
export const subscribes = matches('e')

/** Whether the end `e` of an alert goes to the destination `d` with its beginning: it asked for both. */
const hasBeginning = sql`(e.type = 'alert.resolved' AND d.events @> '{alert.firing,alert.resolved}')`
/** The events `f` with which the alert of `e` began, rose or was sent again, for as long as events are kept. */
const firingOf = sql`f.enterprise_id = e.enterprise_id AND f.type = 'alert.firing' AND f.data ->> 'id' = e.data ->> 'id'`
const wasDelivered = sql`EXISTS (SELECT FROM deliveries l WHERE l.destination_id = d.id AND l.event_id = f.id)`

/** The same for a replay of stored events: the end of an alert follows a beginning that was delivered, or is sent again too. */
export const subscribesToStored = sql`CASE WHEN ${hasBeginning} AND EXISTS (SELECT FROM events f WHERE ${firingOf})
  THEN EXISTS (SELECT FROM events f WHERE ${firingOf} AND (${matches('f')} OR ${wasDelivered})) ELSE ${subscribes} END`

/** A new id of a delivery: ids sort by the time, and by the events. @param number of the event */
export const newDeliveryId = (number: SQL): SQL => sql`'dlv_'
  || lpad(to_hex((extract(epoch FROM clock_timestamp()) * 1000)::bigint), 12, '0') || lpad(to_hex(${number}), 12, '0')
  || left(replace(gen_random_uuid()::text, '-', ''), 8)`

/** The addresses `a` of the destination `d`; a webhook has none. Joined once for each delivery, which is then `isReachable`. */
export const ofAddresses = sql`LEFT JOIN destination_addresses a ON a.destination_id = d.id AND a.state = 'confirmed'`
export const isReachable = sql`(d.kind = 'webhook' OR a.email IS NOT NULL)`
/** The columns `recipient` and `waits` of a new delivery: one to an address never stands in the queue of webhooks. */
export const toAddress = sql`a.email, a.email IS NOT NULL`

/**
 * The end of a WITH: adds deliveries of `events`, rows of that table, to their destinations. Where a destination groups
 * events, the first one of a rule opens a window, and those that follow until its end are held, or in mails
 * due at its end. The end of an alert goes where its beginning went, whatever a silence, a severity or a tag is by then.
 * The caller has the lock of the enterprise's events.
 */
export const addDeliveries = (events: SQL): SQL => sql`firing AS MATERIALIZED (
    SELECT enterprise_id, id, data ->> 'id' AS alert FROM events
    WHERE type = 'alert.firing' AND data ->> 'id' = ANY(ARRAY(SELECT data ->> 'id' FROM ${events} e WHERE type = 'alert.resolved'))
  ), begun AS MATERIALIZED (
    SELECT f.alert, l.destination_id FROM firing f JOIN destinations d ON d.enterprise_id = f.enterprise_id
    JOIN deliveries l ON l.destination_id = d.id AND l.event_id = f.id
    -- an alert may begin and end in one step
    UNION SELECT f.data ->> 'id', d.id FROM ${events} f JOIN destinations d ON d.enterprise_id = f.enterprise_id
    WHERE f.type = 'alert.firing' AND ${matches('f')}
      AND f.data ->> 'id' IN (SELECT data ->> 'id' FROM ${events} e WHERE type = 'alert.resolved')
  ), wanted AS MATERIALIZED (
    SELECT e.*, d.id AS destination_id, d.group_seconds, w.ends_at, d.group_seconds > 0 AND e.rule_id IS NOT NULL AS is_grouped,
      row_number() OVER (PARTITION BY d.id, e.rule_id ORDER BY e.number) AS place
    FROM ${events} e JOIN destinations d ON d.enterprise_id = e.enterprise_id AND d.enabled
    LEFT JOIN delivery_windows w ON w.destination_id = d.id AND w.rule_id = e.rule_id AND w.ends_at > statement_timestamp()
    WHERE CASE WHEN ${hasBeginning} AND e.data ->> 'id' IN (SELECT alert FROM firing UNION ALL SELECT data ->> 'id' FROM ${events} f WHERE type = 'alert.firing')
      THEN (e.data ->> 'id', d.id) IN (SELECT alert, destination_id FROM begun) ELSE ${subscribes} END
  ), placed AS MATERIALIZED (
    SELECT *, statement_timestamp() + make_interval(secs => group_seconds) AS next_end,
      is_grouped AND (ends_at IS NOT NULL OR place > 1) AS is_held
    FROM wanted
  ), opened AS (
    INSERT INTO delivery_windows (destination_id, rule_id, ends_at)
    SELECT destination_id, rule_id, next_end FROM placed WHERE is_grouped AND NOT is_held
    ON CONFLICT (destination_id, rule_id) DO UPDATE SET ends_at = excluded.ends_at
  )
  INSERT INTO deliveries (id, destination_id, enterprise_id, event_id, number, type, subject, rule_id, held, ready_at,
    next_attempt_at, recipient, waits)
  SELECT ${newDeliveryId(sql`number`)}, d.id, p.enterprise_id, p.id, number, type, subject,
    CASE WHEN is_held THEN rule_id END, is_held AND a.email IS NULL, CASE WHEN is_held THEN coalesce(ends_at, next_end) END,
    CASE WHEN is_held THEN coalesce(ends_at, next_end) ELSE now() END, a.email, is_held OR a.email IS NOT NULL
  FROM placed p JOIN destinations d ON d.id = p.destination_id ${ofAddresses} WHERE ${isReachable} ORDER BY number`
