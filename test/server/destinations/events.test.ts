/** Events in the transactions of what makes them, and their order, on a real PostgreSQL. */
import { beforeEach, expect, test } from 'bun:test'
import { sql } from 'drizzle-orm'
import { resolveAlerts, storeAlertChanges } from '../../../src/stores/postgres/alerts/alert-changes.ts'
import { getAlert } from '../../../src/stores/postgres/alerts/alerts.ts'
import type { Database } from '../../../src/stores/postgres/client.ts'
import {
  deleteOldEvents,
  type EventType,
  eventNumber,
  eventsAfter,
  recordEvents,
} from '../../../src/stores/postgres/events/events.ts'
import { rowsOf } from '../../../src/stores/postgres/rows.ts'
import { addJob, dismissJob, finishJob, takeJob } from '../../../src/stores/postgres/runs/jobs.ts'
import { migratedPostgres } from '../../support/stores/migrated-postgres.ts'

const { postgres } = await migratedPostgres()
const { db } = postgres
const SINCE_MS = Date.UTC(2026, 0, 1)
const START_MS = Date.UTC(2026, 0, 2)

beforeEach(async () => {
  await postgres.script(`
    DELETE FROM alert_silences; DELETE FROM zone_rules; DELETE FROM sensors; DELETE FROM assets; DELETE FROM enterprises;
    INSERT INTO enterprises (id, name, tier) VALUES ('ent_1', 'One', 'scale'), ('ent_2', 'Two', 'scale');
    INSERT INTO assets (id, enterprise_id, name) VALUES ('ass_1', 'ent_1', 'Hall');
    INSERT INTO sensors (id, enterprise_id, asset_id, name)
      SELECT 'sen_' || n, 'ent_1', 'ass_1', 'Sensor ' || n FROM generate_series(1, 2) n;
    INSERT INTO channels (sensor_id, number, name, measurement) SELECT id, 1, 't', 'number' FROM sensors;
    INSERT INTO zone_rules (id, enterprise_id, kind, name, all_sensors, definition, since)
    VALUES ('rul_1', 'ent_1', 'threshold', 'Too warm', true, '{}', '2026-01-01T00:00:00Z')`)
})

async function change(type: string, id: string, sensor: string, more: object) {
  const [row] = rowsOf<{ enterprise: number; sensor: number }>(
    await db.execute(sql`SELECT e.number AS enterprise, s.number AS sensor FROM enterprises e
      JOIN sensors s ON s.enterprise_id = e.id WHERE s.id = ${sensor}`),
  )
  return { type, id, rule: 'rul_1', sinceMs: SINCE_MS, polygon: null, ...row, ...more }
}
const fires = (id: string, sensor: string, startMs = START_MS) =>
  change('firing', id, sensor, {
    startedMs: startMs,
    firedMs: startMs + 1_000,
    severity: 'warning',
    value: 5.5,
    values: { t: 5.5 },
    late: false,
  })
const ends = (id: string, sensor: string, resolvedMs: number) => change('resolved', id, sensor, { resolvedMs })
const store = (...changes: unknown[]) => storeAlertChanges(db, JSON.stringify(changes))
const pulled = (after = 0, types: EventType[] = [], limit = 100) =>
  eventsAfter(db, 'ent_1', { after, types, limit }, 'https://example.org')
const facts = async () => (await pulled()).map(({ type, data }) => [type, data.id, data.sequence])

test('an alert begins and ends with an event, in the order of the sensor, whatever one transaction stores', async () => {
  await store(
    await fires('alr_1', 'sen_1'),
    await fires('alr_3', 'sen_1', START_MS + 20_000),
    await fires('alr_2', 'sen_2'),
    await ends('alr_1', 'sen_1', START_MS + 10_000),
  )
  expect(await facts()).toEqual([
    ['alert.firing', 'alr_1', 1],
    ['alert.firing', 'alr_2', 1],
    ['alert.resolved', 'alr_1', 2],
    ['alert.firing', 'alr_3', 3],
  ])
  await store(await fires('alr_1', 'sen_1'), await ends('alr_2', 'sen_2', START_MS + 10_000))
  await resolveAlerts(db, 'ent_1', {}, 'rule-changed')
  expect((await facts()).slice(4)).toEqual([
    ['alert.resolved', 'alr_2', 2],
    ['alert.resolved', 'alr_3', 4],
  ])
  expect(await eventsAfter(db, 'ent_2', { after: 0, types: [], limit: 100 }, '')).toEqual([])
})

test.each([
  ['its rule', `'ent_1', '{}', '{}', '{rul_1}', now() + interval '1 hour'`, [true, true]],
  ['a tag of its sensor', `'ent_1', '{}', '{cold,dry}', '{}', now() + interval '1 hour'`, [true, false]],
  ['its sensor, but has ended', `'ent_1', '{sen_1}', '{}', '{}', now() - interval '1 minute'`, [false, false]],
  ['its tag in another enterprise', `'ent_2', '{}', '{cold}', '{}', now() + interval '1 hour'`, [false, false]],
])('an event says whether a silence holds its alert: one that names %s', async (_, values, silenced) => {
  await postgres.script(`UPDATE sensors SET tags = '{cold}' WHERE id = 'sen_1';
    INSERT INTO alert_silences (id, enterprise_id, sensor_ids, tags, rule_ids, ends_at, starts_at, created_by)
    VALUES ('sil_1', ${values}, now() - interval '1 hour', 'x')`)
  await store(await fires('alr_1', 'sen_1'), await fires('alr_2', 'sen_2'))
  expect((await pulled()).map(({ data }) => data.silenced)).toEqual(silenced)
  for (const [i, id] of ['alr_1', 'alr_2'].entries())
    expect((await getAlert(db, 'ent_1', id)).silenced).toBe(silenced[i] as boolean)
})

test('the data of an event is the record of the alert, with a link', async () => {
  await postgres.script(`INSERT INTO alert_silences (id, enterprise_id, sensor_ids, starts_at, ends_at, created_by)
    VALUES ('sil_1', 'ent_1', '{sen_1}', now() - interval '1 hour', now() + interval '1 hour', 'x')`)
  await store(await fires('alr_1', 'sen_1'), await fires('alr_2', 'sen_2'))
  const link = (id: string) => `https://example.org/portal/alerts/${id}`
  const record = async (id: string) => JSON.parse(JSON.stringify(await getAlert(db, 'ent_1', id))) as object
  const firedAt = new Date(START_MS + 1_000).toISOString()
  const events = await pulled()
  for (const [i, id] of ['alr_1', 'alr_2'].entries())
    expect(events[i]?.data).toEqual({ ...(await record(id)), at: firedAt, sequence: 1, link: link(id) })
  expect(events.map(({ data }) => data.silenced)).toEqual([true, false])
  await store(await ends('alr_2', 'sen_2', START_MS + 5_000))
  const [resolved] = await pulled(0, ['alert.resolved'])
  const at = new Date(START_MS + 5_000).toISOString()
  expect(resolved?.data).toEqual({ ...(await record('alr_2')), at, sequence: 2, link: link('alr_2') })
})

test('an alert whose severity changes fires again, and its later events go where that severity went', async () => {
  await postgres.script(`
    INSERT INTO destinations (id, enterprise_id, kind, name, url, format, events, min_severity, public_key, sealed_secrets)
    VALUES ('dst_critical', 'ent_1', 'webhook', 'd', 'https://example.org', 'standard', '{alert.firing,alert.resolved}',
      'critical', '', '')`)
  const turns = (severity: string, seconds: number, id = 'alr_1') =>
    change('severity', id, 'sen_1', { severity, atMs: START_MS + seconds * 1_000 })
  await store(await fires('alr_1', 'sen_1'))
  const worse = await turns('critical', 5)
  await store(worse)
  await store(worse)
  // there and back is no change
  await store(await turns('warning', 6), await turns('critical', 7))
  await store(await turns('warning', 8))
  await store(await ends('alr_1', 'sen_1', START_MS + 10_000))
  // one that fires with its severity already
  await store(await fires('alr_2', 'sen_1', START_MS + 20_000), await turns('critical', 22, 'alr_2'))
  const at = (seconds: number) => new Date(START_MS + seconds * 1_000).toISOString()
  const events = await pulled()
  expect(
    events.map(({ type, data }) => [type, data.id, data.severity, data.previousSeverity, data.at, data.sequence]),
  ).toEqual([
    ['alert.firing', 'alr_1', 'warning', undefined, at(1), 1],
    ['alert.firing', 'alr_1', 'critical', 'warning', at(5), 2],
    ['alert.firing', 'alr_1', 'warning', 'critical', at(8), 3],
    ['alert.resolved', 'alr_1', 'critical', undefined, at(10), 4],
    ['alert.firing', 'alr_2', 'critical', undefined, at(21), 5],
  ])
  const sent = rowsOf<{ event_id: string }>(await db.execute(sql`SELECT event_id FROM deliveries ORDER BY number`))
  expect(sent.map(({ event_id }) => event_id)).toEqual(events.slice(1).map(({ id }) => id))
})

const event = (key: string, subject = 'a', enterprise = 'ent_1') =>
  sql`SELECT ${enterprise}::text AS enterprise_id, 'job.finished' AS type, ${key}::text AS key, ${subject}::text AS subject,
    NULL::text AS severity, NULL::text AS rule_id, NULL::text AS sensor_id, 1 AS ordinal,
    jsonb_build_object('key', ${key}::text) AS data`
const record = (tx: Database, key: string, subject = 'a', enterprise = 'ent_1') =>
  recordEvents(tx, [enterprise], event(key, subject, enterprise))
const keys = async () => (await pulled()).map(({ data }) => [data.key, data.sequence])

test('a transaction that commits later has later events, and no other enterprise waits for it', async () => {
  const [began, mayCommit] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const slow = db.transaction(async (tx) => {
    await record(tx, 'slow')
    began.resolve()
    await mayCommit.promise
  })
  await began.promise
  const order: string[] = []
  const fast = db.transaction((tx) => record(tx, 'fast')).then(() => order.push('fast'))
  await db.transaction((tx) => record(tx, 'other', 'a', 'ent_2'))
  // a reader who sees "fast" before "slow" would never get "slow"
  expect(await keys()).toEqual([])
  order.push('slow')
  mayCommit.resolve()
  await Promise.all([slow, fast])
  expect(order).toEqual(['slow', 'fast'])
  expect(await keys()).toEqual([
    ['slow', 1],
    ['fast', 2],
  ])
})

test('events of transactions that run at the same time are numbered without a gap, and none of one that fails', async () => {
  const made = Array.from({ length: 40 }, (_, i) =>
    db
      .transaction(async (tx) => {
        await record(tx, `key ${i}`, `subject ${i % 3}`)
        if (i % 4 === 0) throw new Error('taken back')
      })
      .catch((error: unknown) => expect(String(error)).toContain('taken back')),
  )
  await Promise.all(made)
  const events = await pulled()
  expect(events).toHaveLength(30)
  const sequences = Map.groupBy(events, ({ data }) => Number(String(data.key).slice(4)) % 3)
  for (const own of sequences.values()) expect(own.map(({ data }) => data.sequence)).toEqual(own.map((_, i) => i + 1))
})

test('what is recorded again is the same event', async () => {
  await db.transaction((tx) => record(tx, 'once'))
  await db.transaction((tx) => record(tx, 'once'))
  await db.transaction((tx) => record(tx, 'next'))
  expect(await keys()).toEqual([
    ['once', 1],
    ['next', 2],
  ])
  const [first] = await pulled()
  expect(first?.id).toMatch(/^evt_[0-9a-f]{32}$/)
  const number = await eventNumber(db, 'ent_1', first?.id as string)
  expect((await pulled(number)).map(({ data }) => data.key)).toEqual(['next'])
  expect(await eventNumber(db, 'ent_2', first?.id as string)).toBeUndefined()
})

test('each job of an enterprise ends with one event, however it ends', async () => {
  const job = (id: string, owner: object) =>
    addJob(db, {
      callback: null,
      id,
      enterpriseId: null,
      personId: null,
      applicationId: 'app_1',
      memberId: null,
      toolId: 'vector.buffer',
      toolVersion: '1',
      call: {},
      ...owner,
    })
  await job('job_1', { enterpriseId: 'ent_1' })
  await job('job_2', { enterpriseId: 'ent_1' })
  const taken = await takeJob(db, 'one')
  const end = {
    status: 'failed',
    resultStatus: 500,
    code: 'TOOL_FAILED',
    result: new TextEncoder().encode('{}'),
  } as const
  const attempt = taken as NonNullable<typeof taken>
  expect(await finishJob(db, attempt, end)).toBe(true)
  expect(await finishJob(db, attempt, end)).toBe(false)
  const scope = { ownerId: 'ent_1' } as Parameters<typeof dismissJob>[1]
  await dismissJob(db, scope, 'job_2')
  await dismissJob(db, scope, 'job_2')
  const ended = await pulled(0, ['job.finished'])
  expect(ended.map(({ data }) => [data.jobId, data.status, data.sequence])).toEqual([
    ['job_1', 'failed', 1],
    ['job_2', 'dismissed', 1],
  ])
})

test('events are kept for 30 days, and numbers of a subject continue', async () => {
  await db.transaction((tx) => record(tx, 'old'))
  await db.execute(sql`UPDATE events SET stored_at = now() - interval '30 days 1 minute'`)
  await db.transaction((tx) => record(tx, 'new'))
  await deleteOldEvents(db, () => false)
  expect(await keys()).toEqual([['new', 2]])
})
