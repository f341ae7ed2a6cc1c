/** Storing judged changes and ending alerts, on a real PostgreSQL. */
import { beforeEach, expect, test } from 'bun:test'
import { sql } from 'drizzle-orm'
import type { JudgedChange } from '../../../src/alerts/protocol.ts'
import { updateEnterprise } from '../../../src/stores/postgres/accounts/enterprises.ts'
import { resolveAlerts, storeAlertChanges } from '../../../src/stores/postgres/alerts/alert-changes.ts'
import { endAlertsOfChangedLayer } from '../../../src/stores/postgres/alerts/alert-ends.ts'
import { rowsOf } from '../../../src/stores/postgres/rows.ts'
import { deleteSensor, updateSensor } from '../../../src/stores/postgres/sensors/sensors.ts'
import { migratedPostgres } from '../../support/stores/migrated-postgres.ts'
import { until } from '../../support/until.ts'

const { postgres } = await migratedPostgres()
const { db } = postgres
const SINCE_MS = Date.UTC(2026, 0, 1, 0, 0, 0, 123)
const START_MS = Date.UTC(2026, 0, 2)

beforeEach(async () => {
  await postgres.script(`
    DELETE FROM alerts; DELETE FROM zone_rules; DELETE FROM sensors; DELETE FROM assets; DELETE FROM enterprises;
    INSERT INTO enterprises (id, name, tier) VALUES ('ent_1', 'One', 'scale'), ('ent_2', 'Two', 'scale');
    INSERT INTO assets (id, enterprise_id, name) VALUES ('ass_1', 'ent_1', 'a');
    INSERT INTO sensors (id, enterprise_id, asset_id, name, tags)
      SELECT 'sen_' || n, 'ent_1', 'ass_1', 's', CASE n WHEN 1 THEN ARRAY['cold'] ELSE '{}' END FROM generate_series(1, 3) n;
    INSERT INTO channels (sensor_id, number, name, measurement) SELECT id, 1, 't', 'number' FROM sensors;
    INSERT INTO channels (sensor_id, number, name, measurement) SELECT id, 2, 'h', 'number' FROM sensors;
    INSERT INTO zone_rules (id, enterprise_id, kind, name, all_sensors, tags, layer_id, event, definition, since)
    VALUES ('rul_all', 'ent_1', 'threshold', 'r', true, '{}', 'lay_1', NULL, '{"conditions": [{"channel": "t", "op": ">", "value": 1}]}', '2026-01-01T00:00:00.123Z'),
      ('rul_tag', 'ent_1', 'silence', 'r', false, '{cold}', NULL, NULL, '{"channel": "h"}', '2026-01-01T00:00:00.123Z'),
      ('rul_one', 'ent_1', 'zone', 'r', false, '{}', 'lay_1', 'enter', '{}', '2026-01-01T00:00:00.123Z');
    INSERT INTO zone_rule_sensors VALUES ('rul_one', 'sen_2')`)
})

const numbers = async (): Promise<{ enterprise: number; of: Record<string, number> }> => {
  const [row] = rowsOf<{ number: number }>(await db.execute(sql`SELECT number FROM enterprises WHERE id = 'ent_1'`))
  const sensors = rowsOf<{ id: string; number: number }>(await db.execute(sql`SELECT id, number FROM sensors`))
  return { enterprise: Number(row?.number), of: Object.fromEntries(sensors.map(({ id, number }) => [id, number])) }
}
type Firing = JudgedChange & { type: 'firing' }
async function firing(id: string, sensor: string, rule = 'rul_all', more: Partial<Firing> = {}): Promise<Firing> {
  const { enterprise, of } = await numbers()
  const times = { startedMs: START_MS, firedMs: START_MS + 60_000 }
  const about = { id, rule, sinceMs: SINCE_MS, enterprise, sensor: of[sensor] as number, polygon: null }
  return { type: 'firing', ...about, ...times, severity: 'warning', value: 5, values: { t: 5 }, late: false, ...more }
}
const next = <T extends Partial<JudgedChange>>(
  { id, rule, sinceMs, enterprise, sensor, polygon }: Firing,
  more: T,
) => ({
  id,
  rule,
  sinceMs,
  enterprise,
  sensor,
  polygon,
  ...more,
})
const store = (...changes: unknown[]) => storeAlertChanges(db, JSON.stringify(changes))

type Row = { id: string; severity: string; resolved_by: string | null; resolved_at: Date | null; fired_at: Date }
const stored = async (): Promise<Row[]> =>
  rowsOf<Row>(await db.execute(sql`SELECT * FROM alerts ORDER BY id`)).map((row) => ({ ...row }))
const ends = async (): Promise<Record<string, string | null>> =>
  Object.fromEntries((await stored()).map(({ id, resolved_by }) => [id, resolved_by]))

test('an episode is stored once, whatever is judged again', async () => {
  const fired = await firing('alr_1', 'sen_1', 'rul_all', { value: 5.5, values: { t: 5.5, h: 2 } })
  const worse = next(fired, {
    type: 'severity',
    atMs: START_MS + 70_000,
    severity: 'critical',
    previousSeverity: 'warning',
  })
  const better = next(fired, {
    type: 'severity',
    atMs: START_MS + 80_000,
    severity: 'warning',
    previousSeverity: 'critical',
  })
  const resolved = next(fired, { type: 'resolved', resolvedMs: START_MS + 90_000 })
  expect([...(await store(fired))]).toEqual(['ent_1'])
  expect([...(await store(fired))]).toEqual([])
  expect([...(await store(worse, better))]).toEqual(['ent_1'])
  expect([...(await store(worse))]).toEqual([])
  expect((await stored()).map(({ severity }) => severity)).toEqual(['warning'])
  expect([...(await store(fired, worse, better, resolved))]).toEqual(['ent_1'])
  const once = await stored()
  expect([...(await store(fired, worse, better, resolved))]).toEqual([])
  expect(await stored()).toEqual(once)
  // once resolved, the highest severity that was reached
  expect(once).toMatchObject([
    { id: 'alr_1', enterprise_id: 'ent_1', rule_id: 'rul_all', sensor_id: 'sen_1', severity: 'critical', value: 5.5 },
  ])
  expect(once).toMatchObject([{ values: { t: 5.5, h: 2 }, resolved_by: 'cleared', late: false, polygon: null }])
  expect(once.map(({ resolved_at }) => resolved_at?.getTime())).toEqual([START_MS + 90_000])
})

test('an episode of a rule or sensor that changed meanwhile is dropped', async () => {
  const valid = await firing('alr_0', 'sen_1')
  await store(
    valid,
    { ...valid, id: 'alr_since', sinceMs: SINCE_MS - 1 },
    { ...valid, id: 'alr_rule', rule: 'rul_gone' },
    { ...valid, id: 'alr_sensor', sensor: 1_000_000 },
    { ...valid, id: 'alr_enterprise', enterprise: 1_000_000 },
    { ...valid, id: 'alr_channel', values: { t: 1, gone: 1 } },
    await firing('alr_untagged', 'sen_2', 'rul_tag'),
    await firing('alr_tagged', 'sen_1', 'rul_tag'),
    await firing('alr_unlisted', 'sen_1', 'rul_one'),
    await firing('alr_listed', 'sen_2', 'rul_one'),
  )
  expect(Object.keys(await ends())).toEqual(['alr_0', 'alr_listed', 'alr_tagged'])
})

test('a rule that fires for thousands of sensors ends all of its alerts, each with one event', async () => {
  await postgres.script(`INSERT INTO alerts (id, enterprise_id, rule_id, sensor_id, severity, started_at, fired_at)
    SELECT 'alr_' || n, 'ent_1', 'rul_' || (CASE WHEN n = 7 THEN 'one' ELSE 'all' END), 'sen_' || n, 'info', now(), now()
    FROM generate_series(1, 2001) n`)
  expect(await resolveAlerts(db, 'ent_1', { ruleIds: ['rul_all'] }, 'rule-deleted')).toBe(2_000)
  const count = async (query: string) => rowsOf<{ n: number }>(await db.execute(sql.raw(query)))[0]?.n
  expect(await count('SELECT count(*)::integer AS n FROM alerts WHERE resolved_at IS NULL')).toBe(1)
  expect(await count(`SELECT count(DISTINCT data ->> 'id')::integer AS n FROM events`)).toBe(2_000)
  expect(await count('SELECT count(*)::integer AS n FROM events')).toBe(2_000)
})

test('an end by the server is never before the beginning, and no judged end replaces it', async () => {
  const future = await firing('alr_1', 'sen_1', 'rul_all', { firedMs: Date.now() + 3_600_000 })
  await store(future, await firing('alr_2', 'sen_2'))
  expect(await resolveAlerts(db, 'ent_1', { ruleIds: ['rul_all'] }, 'rule-deleted')).toBe(2)
  const [first, second] = await stored()
  expect(first?.resolved_at).toEqual(first?.fired_at as Date)
  expect(Math.abs(Date.now() - Number(second?.resolved_at))).toBeLessThan(60_000)
  await store(next(future, { type: 'resolved', resolvedMs: START_MS }))
  expect(await ends()).toEqual({ alr_1: 'rule-deleted', alr_2: 'rule-deleted' })
})

test('changes of sensors end their alerts with the reason', async () => {
  for (const [change, sensor, rule, reason] of [
    [{ held: true }, 'sen_1', 'rul_all', 'sensor-off'],
    [{ enabled: false }, 'sen_1', 'rul_all', 'sensor-off'],
    [{ name: 'x' }, 'sen_1', 'rul_all', null],
    [{ tags: [] }, 'sen_1', 'rul_tag', 'rule-changed'],
    [{ tags: [] }, 'sen_1', 'rul_all', null],
    [{ channels: [{ name: 'h', measurement: 'number' as const }] }, 'sen_1', 'rul_all', 'rule-changed'],
    [{ channels: [{ name: 't', measurement: 'number' as const }] }, 'sen_1', 'rul_all', null],
    [{ channels: [{ name: 't', measurement: 'number' as const }] }, 'sen_1', 'rul_tag', 'rule-changed'],
  ] as const) {
    await postgres.script(`DELETE FROM alerts; UPDATE sensors SET held = false, enabled = true, quiet_since = NULL, tags = '{cold}';
      UPDATE channels SET active = true`)
    await store(await firing('alr_1', sensor, rule), await firing('alr_2', 'sen_3', 'rul_all'))
    await updateSensor(db, 'test', sensor, change as never)
    expect([change, rule, await ends()]).toEqual([change, rule, { alr_1: reason, alr_2: null }])
  }
  await deleteSensor(db, 'test', 'sen_3')
  expect(await ends()).toEqual({ alr_1: 'rule-changed', alr_2: 'sensor-deleted' })
})

test('an alert that is stored after its sensor was switched off is ended, until the sensor is on again', async () => {
  await updateSensor(db, 'test', 'sen_1', { enabled: false })
  await store(await firing('alr_1', 'sen_1'))
  await updateSensor(db, 'test', 'sen_1', { enabled: true })
  await updateEnterprise(db, 'test', 'ent_1', { status: 'suspended' })
  await store(await firing('alr_2', 'sen_1'))
  await updateEnterprise(db, 'test', 'ent_1', { status: 'active' })
  await store(await firing('alr_3', 'sen_1'))
  expect(await ends()).toEqual({ alr_1: 'sensor-off', alr_2: 'sensor-off', alr_3: null })
  await updateEnterprise(db, 'test', 'ent_1', { assetsHeld: true })
  expect(await ends()).toEqual({ alr_1: 'sensor-off', alr_2: 'sensor-off', alr_3: 'sensor-off' })
})

test('a changed layer ends the alerts of its rules, which start again; plain crossings continue', async () => {
  await store(await firing('alr_1', 'sen_1'), await firing('alr_2', 'sen_1', 'rul_tag'))
  await db.transaction((tx) => endAlertsOfChangedLayer(tx, 'lay_1'))
  expect(await ends()).toEqual({ alr_1: 'rule-changed', alr_2: null })
  const rules = rowsOf<{ id: string; since: Date }>(await db.execute(sql`SELECT id, since FROM zone_rules ORDER BY id`))
  const unchanged = rules.filter(({ since }) => since.getTime() === SINCE_MS).map(({ id }) => id)
  expect(unchanged).toEqual(['rul_one', 'rul_tag'])
})

test('an alert that is stored beside a change of its rule is ended by it or dropped', async () => {
  const change = Promise.withResolvers<void>()
  const changing = db.transaction(async (tx) => {
    await tx.execute(sql`UPDATE zone_rules SET since = now() WHERE id = 'rul_all'`)
    await store(await firing('alr_before', 'sen_1'))
    await resolveAlerts(tx, 'ent_1', { ruleIds: ['rul_all'] }, 'rule-changed')
    change.resolve()
    await until(() => waitsForLock())
  })
  await change.promise
  const storing = store(await firing('alr_meanwhile', 'sen_2'))
  await changing
  await storing
  expect(await ends()).toEqual({ alr_before: 'rule-changed' })
})

async function waitsForLock(): Promise<boolean> {
  const waiting = rowsOf(
    await db.execute(sql`SELECT 1 FROM pg_locks JOIN pg_database d ON d.oid = database
      WHERE locktype = 'advisory' AND NOT granted AND d.datname = current_database()`),
  )
  return waiting.length > 0
}
