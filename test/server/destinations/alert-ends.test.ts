/** The end of an alert goes where its beginning went, and nowhere else; on a real PostgreSQL. */
import { beforeEach, expect, test } from 'bun:test'
import { sql } from 'drizzle-orm'
import { resolveAlerts, storeAlertChanges } from '../../../src/stores/postgres/alerts/alert-changes.ts'
import { replayEvents } from '../../../src/stores/postgres/destinations/deliveries.ts'
import { releaseHeldAlerts } from '../../../src/stores/postgres/events/held-alerts.ts'
import { rowsOf } from '../../../src/stores/postgres/rows.ts'
import { migratedPostgres } from '../../support/stores/migrated-postgres.ts'

const { postgres } = await migratedPostgres()
const { db } = postgres
const SINCE_MS = Date.UTC(2026, 0, 1)
const START_MS = Date.UTC(2026, 0, 2)

beforeEach(async () => {
  await postgres.script(`
    DELETE FROM alert_silences; DELETE FROM zone_rules; DELETE FROM sensors; DELETE FROM assets; DELETE FROM enterprises;
    INSERT INTO enterprises (id, name, tier) VALUES ('ent_1', 'One', 'scale');
    INSERT INTO assets (id, enterprise_id, name) VALUES ('ass_1', 'ent_1', 'Hall');
    INSERT INTO sensors (id, enterprise_id, asset_id, name, tags) VALUES ('sen_1', 'ent_1', 'ass_1', 'One', '{cold}');
    INSERT INTO channels (sensor_id, number, name, measurement) VALUES ('sen_1', 1, 't', 'number');
    INSERT INTO zone_rules (id, enterprise_id, kind, name, all_sensors, definition, since)
    VALUES ('rul_1', 'ent_1', 'threshold', 'Too warm', true, '{}', '2026-01-01T00:00:00Z');`)
  await destination('all')
})

const destination = (name: string, more = 'name = name'): Promise<void> =>
  postgres.script(`
    INSERT INTO destinations (id, enterprise_id, kind, name, url, format, events, public_key, sealed_secrets)
    VALUES ('dst_${name}', 'ent_1', 'webhook', '${name}', 'https://example.org', 'standard', '{alert.firing,alert.resolved}',
      '', '');
    UPDATE destinations SET ${more} WHERE id = 'dst_${name}'`)
const silence = (): Promise<void> =>
  postgres.script(`INSERT INTO alert_silences (id, enterprise_id, rule_ids, starts_at, ends_at, created_by)
    VALUES ('sil_1', 'ent_1', '{rul_1}', now() - interval '1 hour', now() + interval '1 hour', 'x')`)
const unsilence = (): Promise<void> => postgres.script('DELETE FROM alert_silences')

async function store(...changes: object[]): Promise<void> {
  const [row] = rowsOf<object>(
    await db.execute(sql`SELECT e.number AS enterprise, s.number AS sensor FROM enterprises e, sensors s`),
  )
  const common = { id: 'alr_1', rule: 'rul_1', sinceMs: SINCE_MS, polygon: null, ...row }
  await storeAlertChanges(db, JSON.stringify(changes.map((change) => ({ ...common, ...change }))))
}
const fires = {
  type: 'firing',
  startedMs: START_MS,
  firedMs: START_MS,
  severity: 'warning',
  value: 5,
  values: { t: 5 },
  late: false,
}
const turns = (severity: string, seconds: number) => ({ type: 'severity', severity, atMs: START_MS + seconds * 1_000 })
const ends = { type: 'resolved', resolvedMs: START_MS + 60_000 }
/** What was sent, in order: destination, and what happened. */
const sent = async (): Promise<string[]> =>
  rowsOf<{ text: string }>(
    await db.execute(sql`
      SELECT l.destination_id || ' ' || l.type AS text FROM deliveries l ORDER BY l.number, l.destination_id`),
  ).map(({ text }) => text)

test('the end of an alert is delivered although a silence holds it then, if its beginning was', async () => {
  await store(fires)
  await silence()
  await store(ends)
  expect(await sent()).toEqual(['dst_all alert.firing', 'dst_all alert.resolved'])
})

test('the end is not delivered when a silence held the beginning, though the silence has just ended', async () => {
  await silence()
  await store(fires)
  await unsilence()
  await store(ends)
  expect(await releaseHeldAlerts(db, 'ent_1')).toBe(false)
  expect(await sent()).toEqual([])
})

test('the end follows a beginning that was delivered after its silence', async () => {
  await silence()
  await store(fires)
  await unsilence()
  await releaseHeldAlerts(db, 'ent_1')
  await silence()
  await store(ends)
  expect(await sent()).toEqual(['dst_all alert.firing', 'dst_all alert.resolved'])
})

test('a severity that rose under a silence makes no end without a beginning', async () => {
  await destination('critical', `min_severity = 'critical'`)
  await store(fires)
  await silence()
  await store(turns('critical', 5))
  await store(ends)
  expect(await sent()).toEqual(['dst_all alert.firing', 'dst_all alert.resolved'])
})

test('a severity that was reached and left in one step makes no end without a beginning', async () => {
  await destination('critical', `min_severity = 'critical'`)
  await store(fires)
  await store(turns('critical', 5), turns('warning', 6))
  await store(ends)
  expect(await sent()).toEqual(['dst_all alert.firing', 'dst_all alert.resolved'])
})

test('an alert that fires and ends in one step is delivered with its end', async () => {
  await destination('critical', `min_severity = 'critical'`)
  await store(fires, turns('critical', 5), turns('warning', 6), ends)
  expect(await sent()).toEqual([
    'dst_all alert.firing',
    'dst_critical alert.firing',
    'dst_all alert.resolved',
    'dst_critical alert.resolved',
  ])
})

test('a destination for a tag gets the end when the sensor is deleted or has lost the tag', async () => {
  await destination('cold', `tags = '{cold}'`)
  await store(fires)
  await store({ ...fires, id: 'alr_2', startedMs: START_MS + 120_000, firedMs: START_MS + 120_000 })
  await postgres.script(`UPDATE sensors SET tags = '{}'`)
  await store(ends)
  await db.transaction(async (tx) => {
    await tx.execute(sql`DELETE FROM sensors`)
    await resolveAlerts(tx, 'ent_1', { sensorIds: ['sen_1'] }, 'sensor-deleted')
  })
  expect((await sent()).filter((text) => text.startsWith('dst_cold'))).toEqual([
    'dst_cold alert.firing',
    'dst_cold alert.firing',
    'dst_cold alert.resolved',
    'dst_cold alert.resolved',
  ])
})

test('a destination that was made while an alert fired gets its end alone only if it asked for ends alone', async () => {
  await store(fires)
  await destination('later')
  await destination('ends', `events = '{alert.resolved}'`)
  await store(ends)
  expect(await sent()).toEqual(['dst_all alert.firing', 'dst_all alert.resolved', 'dst_ends alert.resolved'])
})

test('a replay has the end of each alert whose beginning it has', async () => {
  await destination('off', `enabled = false, disabled_reason = 'owner'`)
  await store(fires)
  await silence()
  await store(ends)
  await store({ ...fires, id: 'alr_2', startedMs: START_MS + 120_000, firedMs: START_MS + 120_000 })
  await unsilence()
  await store({ ...ends, id: 'alr_2', resolvedMs: START_MS + 180_000 })
  const period = { from: new Date(0), to: new Date(Date.now() + 60_000), failedOnly: false }
  expect(await replayEvents(db, 'dst_off', period)).toBe(2)
  expect((await sent()).filter((text) => text.startsWith('dst_off'))).toEqual([
    'dst_off alert.firing',
    'dst_off alert.resolved',
  ])
})
