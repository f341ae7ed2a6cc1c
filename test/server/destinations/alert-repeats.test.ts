/** Firing alerts that are sent again, on a real PostgreSQL. */
import { beforeEach, expect, test } from 'bun:test'
import { sql } from 'drizzle-orm'
import { resolveAlerts } from '../../../src/stores/postgres/alerts/alert-changes.ts'
import { acknowledge } from '../../../src/stores/postgres/alerts/alerts.ts'
import { enterprisesThatRepeat, repeatAlerts } from '../../../src/stores/postgres/destinations/alert-repeats.ts'
import { replayEvents } from '../../../src/stores/postgres/destinations/deliveries.ts'
import { updateDestination } from '../../../src/stores/postgres/destinations/destinations.ts'
import { recordAlertEvents } from '../../../src/stores/postgres/events/alert-events.ts'
import { eventsAfter } from '../../../src/stores/postgres/events/events.ts'
import { enterprisesWithHeldAlerts, releaseHeldAlerts } from '../../../src/stores/postgres/events/held-alerts.ts'
import { rowsOf } from '../../../src/stores/postgres/rows.ts'
import { migratedPostgres } from '../../support/stores/migrated-postgres.ts'

const { postgres } = await migratedPostgres()
const { db } = postgres

beforeEach(async () => {
  await postgres.script(`
    DELETE FROM alert_silences; DELETE FROM enterprises;
    INSERT INTO enterprises (id, name, tier) VALUES ('ent_1', 'One', 'scale');
    INSERT INTO alerts (id, enterprise_id, rule_id, sensor_id, severity, started_at, fired_at)
    VALUES ('alr_1', 'ent_1', 'rul_1', 'sen_1', 'warning', now(), now());
    INSERT INTO destinations (id, enterprise_id, kind, name, url, format, events, public_key, sealed_secrets, repeat_seconds)
    SELECT 'dst_' || name, 'ent_1', 'webhook', name, 'https://example.org', 'standard', '{alert.firing}', '', '', seconds
    FROM (VALUES ('often', 60), ('seldom', 3600), ('never', NULL)) AS d (name, seconds)`)
})

/** Time goes by for what decides when a repetition is due. */
async function pass(seconds: number): Promise<void> {
  const by = `- interval '${seconds} seconds'`
  await postgres.script(`
    ALTER TABLE alerts DISABLE TRIGGER alert_changed;
    UPDATE alerts SET changed_at = changed_at ${by}, detected_at = detected_at ${by};
    ALTER TABLE alerts ENABLE TRIGGER alert_changed;
    UPDATE destinations SET repeats_since = repeats_since ${by};
    UPDATE alert_repeats SET repeated_at = repeated_at ${by}`)
}
async function repeat(): Promise<void> {
  for (const id of await enterprisesThatRepeat(db)) expect(await repeatAlerts(db, id)).toBe(false)
}
const pulled = () => eventsAfter(db, 'ent_1', { after: 0, types: [], limit: 1_000 }, 'https://example.org')
const repeats = async () => (await pulled()).map(({ data }) => `${data.repeatedFor} ${data.repeat}`)
const deliveries = async () =>
  rowsOf<{ to: string; event_id: string }>(
    await db.execute(sql`SELECT destination_id AS to, event_id FROM deliveries ORDER BY number`),
  )

test('an alert is sent again after each pause, to the destination that asked for it alone, as events of the stream', async () => {
  await pass(59)
  await repeat()
  expect(await repeats()).toEqual([])
  await pass(2)
  await repeat()
  await repeat()
  expect(await repeats()).toEqual(['dst_often 1'])
  // two instances at the same time
  await pass(3_600)
  await Promise.all([repeat(), repeat(), repeat()])
  expect((await repeats()).toSorted()).toEqual(['dst_often 1', 'dst_often 2', 'dst_seldom 1'])
  const events = await pulled()
  expect(events.map(({ type, data }) => [type, data.id, data.sequence])).toEqual(
    [1, 2, 3].map((sequence) => ['alert.firing', 'alr_1', sequence]),
  )
  expect(await deliveries()).toEqual(events.map(({ id, data }) => ({ to: String(data.repeatedFor), event_id: id })))
  // a replay gives nobody the repetitions of others
  const period = { from: new Date(0), to: new Date(Date.now() + 60_000), failedOnly: false }
  expect(await replayEvents(db, 'dst_never', period)).toBe(0)
})

test('it ends when somebody acknowledges, with the alert, and pauses by a silence, a suspension and a switch', async () => {
  const due = async () => {
    const before = (await repeats()).length
    await pass(61)
    await repeat()
    return (await repeats()).length > before
  }
  await postgres.script(`INSERT INTO alert_silences (id, enterprise_id, rule_ids, starts_at, ends_at, created_by)
    VALUES ('sil_1', 'ent_1', '{rul_1}', now() - interval '1 hour', now() + interval '1 hour', 'x')`)
  expect(await due()).toBe(false)
  await postgres.script('DELETE FROM alert_silences')
  expect(await due()).toBe(true)
  await postgres.script(`UPDATE enterprises SET status = 'suspended'`)
  expect(await due()).toBe(false)
  await postgres.script(`UPDATE enterprises SET status = 'active'`)
  expect(await due()).toBe(true)
  const often = { enterpriseId: 'ent_1', id: 'dst_often' }
  await updateDestination(db, 'x', often, () => ({ enabled: false }))
  expect(await due()).toBe(false)
  // the pause begins when it is switched on
  await updateDestination(db, 'x', often, () => ({ enabled: true }))
  await repeat()
  expect(await due()).toBe(true)
  await acknowledge(db, 'x', 'ent_1', ['alr_1'], { comment: null })
  expect(await due()).toBe(false)
  await acknowledge(db, 'x', 'ent_1', ['alr_1'], null)
  expect(await due()).toBe(true)
  expect(await repeats()).toEqual([1, 2, 3, 4].map((n) => `dst_often ${n}`))
  await db.transaction((tx) => resolveAlerts(tx, 'ent_1', {}, 'rule-changed'))
  const events = (await pulled()).length
  await pass(61)
  await repeat()
  expect((await pulled()).length).toBe(events)
})

test('severity, rules and types of a destination hold for repetitions too', async () => {
  await postgres.script(`
    UPDATE destinations SET repeat_seconds = 60;
    UPDATE destinations SET min_severity = 'critical' WHERE id = 'dst_often';
    UPDATE destinations SET rule_ids = '{rul_2}' WHERE id = 'dst_seldom';
    UPDATE destinations SET events = '{alert.resolved}' WHERE id = 'dst_never'`)
  await pass(61)
  await repeat()
  expect(await repeats()).toEqual([])
  await postgres.script(`UPDATE alerts SET highest_severity = 'critical'`)
  await pass(61)
  await repeat()
  expect(await repeats()).toEqual(['dst_often 1'])
})

test('thousands of alerts are repeated once each', async () => {
  await postgres.script(`INSERT INTO alerts (id, enterprise_id, rule_id, sensor_id, severity, started_at, fired_at)
    SELECT 'alr_more_' || n, 'ent_1', 'rul_1', 'sen_' || n, 'warning', now(), now() FROM generate_series(1, 1499) n`)
  await pass(61)
  expect(await repeatAlerts(db, 'ent_1')).toBe(true)
  expect(await repeatAlerts(db, 'ent_1')).toBe(false)
  expect(new Set((await deliveries()).map(({ event_id }) => event_id)).size).toBe(1_500)
})

const silence = (id: string, lists: string): Promise<void> =>
  postgres.script(`INSERT INTO alert_silences (id, enterprise_id, ${lists.split(' ')[0]}, starts_at, ends_at, created_by)
    VALUES ('${id}', 'ent_1', '${lists.split(' ')[1]}', now() - interval '1 hour', now() + interval '1 hour', 'x')`)
const fire = (id: string): Promise<void> =>
  db.transaction((tx) => recordAlertEvents(tx, { fired: [{ id, enterprise_id: 'ent_1' }] }))
async function release(): Promise<void> {
  for (const id of await enterprisesWithHeldAlerts(db)) expect(await releaseHeldAlerts(db, id)).toBe(false)
}

test('an alert that fires while it is silenced is delivered when no silence holds it, once, and only if it still fires', async () => {
  await postgres.script(`INSERT INTO alerts (id, enterprise_id, rule_id, sensor_id, severity, started_at, fired_at)
    VALUES ('alr_2', 'ent_1', 'rul_1', 'sen_2', 'warning', now(), now()),
      ('alr_3', 'ent_1', 'rul_2', 'sen_3', 'warning', now(), now())`)
  await silence('sil_1', 'rule_ids {rul_1}')
  await silence('sil_2', 'sensor_ids {sen_1}')
  for (const id of ['alr_1', 'alr_2', 'alr_3']) await fire(id)
  const sent = async (): Promise<string[]> => {
    await release()
    const shown = new Map((await pulled()).map(({ id, data }) => [id, String(data.id)]))
    return (await deliveries()).filter(({ to }) => to === 'dst_never').map(({ event_id }) => shown.get(event_id) ?? '')
  }
  expect(await sent()).toEqual(['alr_3'])
  // one of them ended under its silence
  await db.transaction((tx) => resolveAlerts(tx, 'ent_1', { sensorIds: ['sen_2'] }, 'rule-changed'))
  await postgres.script(`UPDATE alert_silences SET ends_at = now() WHERE id = 'sil_1'`)
  // the other one is still held by its sensor
  expect(await sent()).toEqual(['alr_3'])
  await postgres.script(`DELETE FROM alert_silences WHERE id = 'sil_2'`)
  await Promise.all([release(), release(), release()])
  expect(await sent()).toEqual(['alr_3', 'alr_1'])
  const [last] = (await pulled()).slice(-1)
  expect([last?.type, last?.data.id, last?.data.silenced, last?.data.sequence]).toEqual([
    'alert.firing',
    'alr_1',
    false,
    2,
  ])
  expect(await enterprisesWithHeldAlerts(db)).toEqual([])
})
