/** Events of states of sensors on a real PostgreSQL, with the figures of ClickHouse given. */
import { beforeEach, expect, test } from 'bun:test'
import { sql } from 'drizzle-orm'
import { startStateWatch } from '../../../src/analytics/fleet/state-watch.ts'
import { createChanges } from '../../../src/stores/changes.ts'
import type { ClickHouse } from '../../../src/stores/clickhouse/client.ts'
import { eventsAfter } from '../../../src/stores/postgres/events/events.ts'
import { storeStates, takeStateWatch } from '../../../src/stores/postgres/events/state-events.ts'
import { rowsOf } from '../../../src/stores/postgres/rows.ts'
import { migratedPostgres } from '../../support/stores/migrated-postgres.ts'

const { postgres } = await migratedPostgres()
const { db } = postgres

/** Newest readings by sensor number; each sensor sends every 5 seconds: late after 15, silent after 50. */
let newestMs = new Map<number, number>()
let oldestRowMs: number | undefined
let numbers: number[] = []
const errors: unknown[] = []
const clickhouse = {
  askNumbers: async () => {
    const cells = Float64Array.from([...newestMs].flatMap(([number, ms]) => [number, ms, 5_000, 0, 0]))
    return { rows: newestMs.size, columns: 5, cells }
  },
} as unknown as ClickHouse

/** An instance that looks when it is asked to. */
function watch(instanceId: string) {
  const changes = createChanges()
  const deps = { db, clickhouse, changes, instanceId, oldestRowMs: () => oldestRowMs }
  return { ...startStateWatch({ ...deps, onError: (error) => errors.push(error) }), changes }
}

beforeEach(async () => {
  await postgres.script(`
    DELETE FROM sensors; DELETE FROM assets; DELETE FROM enterprises;
    UPDATE sensor_state_watch SET instance_id = NULL, seen_at = now(), away_from = now(), away_until = now();
    INSERT INTO enterprises (id, name, tier) VALUES ('ent_1', 'One', 'scale');
    INSERT INTO assets (id, enterprise_id, name) VALUES ('ass_1', 'ent_1', 'Hall');
    INSERT INTO sensors (id, enterprise_id, asset_id, name)
      SELECT 'sen_' || n, 'ent_1', 'ass_1', 'Sensor ' || n FROM generate_series(1, 3) n`)
  const found = await db.execute(sql`SELECT number FROM sensors ORDER BY id`)
  numbers = rowsOf<{ number: number }>(found).map(({ number }) => number)
  newestMs = new Map()
  oldestRowMs = undefined
  expect(errors).toEqual([])
})

const sent = (sensor: number, agoS: number) => newestMs.set(numbers[sensor - 1] as number, Date.now() - agoS * 1_000)
async function changesSeen(): Promise<string[]> {
  const events = await eventsAfter(db, 'ent_1', { after: 0, types: ['sensor.state'], limit: 1_000 }, '')
  return events.map(({ data }) => `${data.sensorId} ${data.previousState} ${data.state} ${data.sequence}`)
}
const lastLook = (agoS: number) =>
  db.execute(sql`UPDATE sensor_state_watch SET seen_at = now() - make_interval(secs => ${agoS})`)

test('each change is one event, also after a restart, and a look without a change makes none', async () => {
  const first = watch('a')
  sent(1, 1)
  sent(2, 20)
  await first.flush()
  await first.flush()
  const seen = ['sen_1 new sending 1', 'sen_2 new late 1']
  expect(await changesSeen()).toEqual(seen)
  await first.stop()
  const second = watch('a')
  await second.flush()
  expect(await changesSeen()).toEqual(seen)
  sent(1, 60)
  newestMs.delete(numbers[1] as number)
  await second.flush()
  expect((await changesSeen()).slice(2)).toEqual(['sen_1 sending silent 2', 'sen_2 late new 2'])
  await second.stop()
})

test('switched and held sensors have that state until they are on again', async () => {
  const { flush, stop, changes } = watch('a')
  for (const sensor of [1, 2]) sent(sensor, 1)
  await flush()
  await db.execute(sql`UPDATE sensors SET enabled = id <> 'sen_1', held = id = 'sen_2' WHERE id <> 'sen_3'`)
  for (const id of ['sen_1', 'sen_2']) await changes.publish({ kind: 'sensor', id, ownerId: 'ent_1', deleted: false })
  await flush()
  await db.execute(sql`UPDATE sensors SET enabled = true`)
  await changes.publish({ kind: 'sensor', id: 'sen_1', ownerId: 'ent_1', deleted: false })
  await flush()
  expect((await changesSeen()).slice(2)).toEqual(['sen_1 sending off 2', 'sen_2 sending held 2', 'sen_1 off sending 3'])
  await stop()
})

test('time without looks, and readings that wait in the log, make no sensor late or silent', async () => {
  const first = watch('a')
  for (const sensor of [1, 2]) sent(sensor, 0)
  sent(3, 70)
  await first.flush()
  await first.stop()
  const before = await changesSeen()
  expect(before).toContain('sen_3 new silent 1')
  // an hour passes
  for (const [sensor, agoS] of [3_600, 3_616, 3_670].entries()) sent(sensor + 1, agoS)
  await lastLook(3_598)
  const { flush, stop } = watch('a')
  await flush()
  expect((await changesSeen()).slice(3)).toEqual(['sen_2 sending late 2'])
  await stop()
  await db.execute(sql`UPDATE sensor_state_watch SET away_until = now() - interval '200 seconds'`)
  const ofFirst = async () => (await changesSeen()).filter((change) => change.startsWith('sen_1'))
  sent(1, 100)
  oldestRowMs = Date.now() - 98_000
  const third = watch('a')
  await third.flush()
  expect(await ofFirst()).toEqual(['sen_1 new sending 1'])
  oldestRowMs = undefined
  await third.flush()
  expect(await ofFirst()).toEqual(['sen_1 new sending 1', 'sen_1 sending silent 2'])
  await third.stop()
})

test('one instance looks; another one follows when it has gone, and the first can store nothing more', async () => {
  const [one, other] = [watch('a'), watch('b')]
  sent(1, 1)
  await one.flush()
  const held = (await takeStateWatch(db, 'a')) as { term: number }
  sent(1, 60)
  await other.flush()
  expect(await changesSeen()).toHaveLength(1)
  await lastLook(31)
  await other.flush()
  // at the last look the reading was 29 seconds old
  const seen = ['sen_1 new sending 1', 'sen_1 sending late 2']
  expect(await changesSeen()).toEqual(seen)
  await one.flush()
  expect(await storeStates(db, held.term, [{ number: numbers[0] as number, state: 'sending' }])).toBe(false)
  expect(await changesSeen()).toEqual(seen)
  await Promise.all([one.stop(), other.stop()])
})

test('a sensor that is older than these events has no change at first', async () => {
  await db.execute(sql`UPDATE sensors SET created_at = '2020-01-01' WHERE id = 'sen_1'`)
  const { flush, stop } = watch('a')
  for (const sensor of [1, 2]) sent(sensor, 1)
  await flush()
  expect(await changesSeen()).toEqual(['sen_2 new sending 1'])
  sent(1, 60)
  await flush()
  expect((await changesSeen()).slice(1)).toEqual(['sen_1 sending silent 1'])
  await stop()
})
