/** Which deliveries are due, in which order, and what replaces them, on a real PostgreSQL. */
import { beforeEach, expect, test } from 'bun:test'
import { sql } from 'drizzle-orm'
import {
  type AttemptEnd,
  endAttempts,
  releaseDelivery,
} from '../../../src/stores/postgres/destinations/attempt-ends.ts'
import {
  deleteOldDeliveries,
  listDeliveries,
  resendDelivery,
} from '../../../src/stores/postgres/destinations/deliveries.ts'
import { type DueDelivery, takeDeliveries } from '../../../src/stores/postgres/destinations/delivery-queue.ts'
import { failPending } from '../../../src/stores/postgres/destinations/destination-health.ts'
import { recordEvents } from '../../../src/stores/postgres/events/events.ts'
import { rowsOf } from '../../../src/stores/postgres/rows.ts'
import { seeded, whole } from '../../support/random.ts'
import { migratedPostgres } from '../../support/stores/migrated-postgres.ts'
import { until } from '../../support/until.ts'

const { postgres } = await migratedPostgres()
const { db } = postgres

beforeEach(async () => {
  await postgres.script(`
    DELETE FROM sensors; DELETE FROM assets; DELETE FROM enterprises;
    INSERT INTO enterprises (id, name, tier) VALUES ('ent_1', 'One', 'scale'), ('ent_2', 'Two', 'scale');
    INSERT INTO assets (id, enterprise_id, name) VALUES ('ass_1', 'ent_1', 'a');
    INSERT INTO sensors (id, enterprise_id, asset_id, name, tags) VALUES ('sen_1', 'ent_1', 'ass_1', 's', '{cold}');
    INSERT INTO destinations (id, enterprise_id, kind, name, url, format, events, public_key, sealed_secrets)
    VALUES ('dst_1', 'ent_1', 'webhook', 'd', 'https://example.org', 'standard', '{alert.firing,alert.resolved,job.finished}', '', '')`)
})

type Made = {
  key: string
  type?: string
  subject?: string
  severity?: string
  rule?: string
  sensor?: string
  silenced?: boolean
}
function record(...made: Made[]): Promise<void> {
  const rows = made.map(
    ({ key, type = 'alert.firing', subject = 'a', severity, rule, sensor, silenced = false }, i) => {
      const data = JSON.stringify({ id: key, silenced })
      return sql`('ent_1', ${type}, ${key}, ${subject}, ${severity ?? null}, ${rule ?? null}, ${sensor ?? null}, ${data}::text::jsonb, ${i}::integer)`
    },
  )
  const source = sql`SELECT * FROM (VALUES ${sql.join(rows, sql`, `)})
    AS v (enterprise_id, type, key, subject, severity, rule_id, sensor_id, data, ordinal)`
  return db.transaction((tx) => recordEvents(tx, ['ent_1'], source))
}
const options = { limit: 100, timeScale: 1, publicUrl: 'https://example.org', bodyOf: () => null }
/** All that is due: a look may leave the rest to the next one. */
async function take(limit = 100): Promise<DueDelivery[]> {
  const { deliveries, isMore } = await takeDeliveries(db, { ...options, limit })
  return isMore && deliveries.length < limit ? [...deliveries, ...(await take(limit - deliveries.length))] : deliveries
}
const keyOf = ({ event }: DueDelivery): unknown => event?.data.id
const keys = async (limit?: number) => (await take(limit)).map(keyOf).toSorted()
const facts = { statusCode: 200, failure: null, answer: '', durationMs: 1 }
const delivered: AttemptEnd = { ...facts, status: 'delivered' }
const failed = (inMs: number, notBeforeMs?: number): AttemptEnd => ({
  ...facts,
  statusCode: 500,
  status: 'failed',
  next: new Date(Date.now() + inMs),
  notBefore: notBeforeMs === undefined ? undefined : new Date(Date.now() + notBeforeMs),
  isGone: false,
  giveUpAfterMs: 72 * 3_600_000,
})
async function endAttempt(delivery: DueDelivery, end: AttemptEnd): Promise<void> {
  expect(await endAttempts(db, [{ delivery, end }])).toEqual([])
}
const statuses = async () =>
  (await listDeliveries(db, 'dst_1', { limit: 100, cursor: undefined })).items
    .toReversed()
    .map(({ status, replacedBy }) => (replacedBy === null ? status : `${status} by ${replacedBy}`))
/** As if time had passed, but for the next attempts. */
const age = (minutes: number) =>
  db.execute(sql`UPDATE deliveries SET created_at = created_at - make_interval(mins => ${minutes}::integer),
    replaces_at = replaces_at - make_interval(mins => ${minutes}::integer)`)

test('of a subject one event is under way at a time, in its order', async () => {
  await record({ key: '1', type: 'job.finished' }, { key: '2', type: 'job.finished' }, { key: '3', subject: 'b' })
  const [first, other] = (await take()).toSorted((a, b) => (String(keyOf(a)) < String(keyOf(b)) ? -1 : 1))
  expect([first, other].map((one) => keyOf(one as DueDelivery))).toEqual(['1', '3'])
  expect(await keys()).toEqual([])
  await endAttempt(first as DueDelivery, failed(3_600_000))
  // an event that is no state waits for the one before, however long that takes
  await age(600)
  expect(await keys()).toEqual([])
  await db.execute(sql`UPDATE deliveries SET next_attempt_at = now() WHERE status = 'pending'`)
  const [again] = await take()
  expect([keyOf(again as DueDelivery), again?.attempts]).toEqual(['1', 2])
  await endAttempt(again as DueDelivery, delivered)
  expect(await keys()).toEqual(['2'])
})

test('after five minutes the newest state takes the place of undelivered ones, and begins its pauses again', async () => {
  await record({ key: 'old' })
  const [old] = await take()
  await endAttempt(old as DueDelivery, failed(3_600_000))
  await record({ key: 'between', type: 'alert.resolved' }, { key: 'new' })
  expect(await keys()).toEqual([])
  await age(4)
  expect(await keys()).toEqual([])
  await age(1)
  const [newest] = await take()
  expect([keyOf(newest as DueDelivery), newest?.attempts]).toEqual(['new', 1])
  expect(await statuses()).toEqual([`replaced by ${newest?.eventId}`, `replaced by ${newest?.eventId}`, 'pending'])
})

test('a state that is under way is not replaced', async () => {
  await record({ key: 'old' })
  const [old] = await take()
  await record({ key: 'new' })
  await age(10)
  expect(await keys()).toEqual([])
  await endAttempt(old as DueDelivery, delivered)
  expect(await keys()).toEqual(['new'])
  expect(await statuses()).toEqual(['delivered', 'pending'])
})

test('one replacement a minute is tried at once, and none before the time that the receiver asked for', async () => {
  await record({ key: 'a1', subject: 'a' }, { key: 'b1', subject: 'b' }, { key: 'c1', subject: 'c' })
  for (const one of await take()) await endAttempt(one, failed(3_600_000, keyOf(one) === 'c1' ? 1_800_000 : undefined))
  await record({ key: 'c2', subject: 'c' })
  await age(10)
  expect(await keys()).toEqual([])
  await record({ key: 'a2', subject: 'a' }, { key: 'b2', subject: 'b' })
  await age(10)
  expect(await keys()).toHaveLength(1)
  expect(await keys()).toEqual([])
  expect((await statuses()).filter((status) => status.startsWith('replaced'))).toHaveLength(3)
  const waiting =
    await db.execute(sql`SELECT round(extract(epoch FROM next_attempt_at - now()) / 60)::integer AS minutes
    FROM deliveries WHERE status = 'pending' AND leased_until IS NULL ORDER BY 1`)
  expect((waiting as unknown as { minutes: number }[]).map(({ minutes }) => minutes)).toEqual([30, 60])
})

test('four connections a destination, thirty-two an enterprise, and instances that take at the same time share them', async () => {
  await postgres.script(`
    INSERT INTO destinations (id, enterprise_id, kind, name, url, format, events, public_key, sealed_secrets)
    SELECT 'dst_more_' || n, 'ent_1', 'webhook', 'd', 'https://example.org', 'standard', '{job.finished}', '', ''
    FROM generate_series(1, 10) n`)
  await record(...Array.from({ length: 6 }, (_, i) => ({ key: String(i), subject: String(i), type: 'job.finished' })))
  const taken = (await Promise.all([take(), take(), take()])).flat()
  expect(taken).toHaveLength(32)
  const each = [...Map.groupBy(taken, ({ destinationId }) => destinationId).values()].map((own) => own.length)
  expect(Math.max(...each)).toBe(4)
  expect(new Set(taken.map(({ id }) => id)).size).toBe(32)
  for (const one of taken) await endAttempt(one, delivered)
  // three destinations have six left, of which four go at once, and eight have two
  expect(await keys()).toHaveLength(3 * 4 + 8 * 2)
})

test('the lease of a dead instance ends, its late answer changes nothing, and a stop gives the attempt back', async () => {
  await record({ key: '1' })
  const [lost] = await take()
  await db.execute(sql`UPDATE deliveries SET leased_until = now() - interval '1 second'`)
  const [again] = await take()
  expect(again?.id).toBe(lost?.id as string)
  await endAttempt(lost as DueDelivery, delivered)
  expect(await statuses()).toEqual(['pending'])
  await releaseDelivery(db, again as DueDelivery)
  const [third] = await take()
  expect(third?.attempts).toBe(2)
  await endAttempt(third as DueDelivery, delivered)
  expect(await statuses()).toEqual(['delivered'])
})

test('an event goes to the destinations that subscribe to it', async () => {
  const add = (id: string, more: string) =>
    postgres.script(`INSERT INTO destinations (id, enterprise_id, kind, name, url, format, events, public_key, sealed_secrets)
      VALUES ('${id}', '${id === 'dst_foreign' ? 'ent_2' : 'ent_1'}', 'webhook', 'd', 'https://example.org', 'standard',
        '{alert.firing,job.finished}', '', ''); UPDATE destinations SET ${more} WHERE id = '${id}'`)
  await add('dst_foreign', `name = 'x'`)
  await add('dst_critical', `min_severity = 'critical'`)
  await add('dst_rule', `rule_ids = '{rul_1}'`)
  await add('dst_tag', `tags = '{cold}'`)
  await add('dst_off', `enabled = false, disabled_reason = 'owner'`)
  await record(
    { key: 'warning', subject: '1', severity: 'warning', rule: 'rul_1', sensor: 'sen_1' },
    { key: 'critical', subject: '2', severity: 'critical', rule: 'rul_2', sensor: 'sen_2' },
    { key: 'silenced', subject: '3', severity: 'critical', rule: 'rul_1', sensor: 'sen_1', silenced: true },
    // it has neither a severity nor a rule nor a sensor
    { key: 'job', subject: '4', type: 'job.finished' },
  )
  const sent = (await take()).map((one) => `${one.destinationId} ${keyOf(one)}`).toSorted()
  expect(sent).toEqual(
    [
      ['dst_1', ['warning', 'critical', 'job']],
      ['dst_critical', ['critical', 'job']],
      ['dst_rule', ['warning', 'job']],
      ['dst_tag', ['warning', 'job']],
    ]
      .flatMap(([id, own]) => (own as string[]).map((key) => `${id} ${key}`))
      .toSorted(),
  )
})

/** Subjects whose first pending delivery waits: nobody would ever take it. */
const stuckSubjects = async () =>
  rowsOf(
    await db.execute(sql`SELECT subject FROM (
    SELECT DISTINCT ON (destination_id, subject) subject, waits FROM deliveries WHERE status = 'pending'
    ORDER BY destination_id, subject, number, id) AS first WHERE waits`),
  )

test('whatever ends a delivery lets the next one of its subject go', async () => {
  const job = (key: string) => ({ key, type: 'job.finished' })
  await record(job('1'), job('2'), job('3'))
  const [first] = await take()
  await endAttempt(first as DueDelivery, { ...failed(0), next: undefined } as AttemptEnd)
  expect(await keys()).toEqual(['2'])
  // one that is older comes first
  await db.execute(sql`UPDATE deliveries SET leased_until = now() - interval '1 second' WHERE status = 'pending'
    AND leased_until IS NOT NULL`)
  await resendDelivery(db, 'dst_1', first?.id as string)
  const [again] = await take()
  expect(keyOf(again as DueDelivery)).toBe('1')
  await endAttempt(again as DueDelivery, delivered)
  const [second] = await take()
  expect(keyOf(second as DueDelivery)).toBe('2')
  await db.execute(
    sql`UPDATE deliveries SET created_at = now() - interval '31 days' WHERE id = ${second?.id as string}`,
  )
  await deleteOldDeliveries(db, () => false)
  expect(await keys()).toEqual(['3'])
  await record(job('4'))
  await take()
  await db.transaction((tx) => failPending(tx, 'dst_1'))
  await record(job('5'))
  expect(await keys()).toEqual(['5'])
})

test('a state that waits longer than five minutes before its first attempt is replaced as well', async () => {
  await record({ key: '1' }, { key: 'job', type: 'job.finished', subject: 'b' })
  await age(6)
  await record({ key: '2', type: 'alert.resolved' }, { key: '3' })
  expect(await keys()).toEqual(['3', 'job'])
  expect((await statuses()).filter((status) => status.startsWith('replaced'))).toHaveLength(2)
})

test('thousands of older states are replaced, in parts', async () => {
  await record(...Array.from({ length: 2_500 }, (_, i) => ({ key: String(i) })))
  await age(6)
  expect(await keys()).toEqual(['2499'])
  const counted = await db.execute(sql`SELECT count(*)::integer AS replaced FROM deliveries WHERE status = 'replaced'`)
  expect(rowsOf<{ replaced: number }>(counted)[0]?.replaced).toBe(2_499)
})

test('any order of events, attempts, failures, resends and ends leaves no subject without a delivery that can be taken', async () => {
  const seed = whole(Math.random, 2 ** 31)
  const random = seeded(seed)
  const underWay: DueDelivery[] = []
  for (let step = 0, key = 0; step < 300; step++) {
    const choice = random()
    if (choice < 0.3)
      await record(
        ...Array.from({ length: 1 + whole(random, 5) }, () => ({
          key: String(key++),
          subject: `s${whole(random, 3)}`,
          type: ['alert.firing', 'alert.resolved', 'job.finished'][whole(random, 3)] as string,
        })),
      )
    else if (choice < 0.55) underWay.push(...(await take(1 + whole(random, 4))))
    else if (choice < 0.85) {
      const [one] = underWay.splice(whole(random, Math.max(1, underWay.length)), 1)
      if (one !== undefined) await endAttempt(one, random() < 0.5 ? delivered : failed(-1_000))
    } else if (choice < 0.9) await age(2)
    else if (choice < 0.95) {
      const { items } = await listDeliveries(db, 'dst_1', { limit: 20, cursor: undefined })
      const one = items[whole(random, Math.max(1, items.length))]
      if (one !== undefined) await resendDelivery(db, 'dst_1', one.id)
    } else
      await db.execute(
        sql`UPDATE deliveries SET leased_until = now() - interval '1 second' WHERE leased_until IS NOT NULL`,
      )
    expect({ seed, step, stuck: await stuckSubjects() }).toEqual({ seed, step, stuck: [] })
  }
  for (const one of underWay) await endAttempt(one, delivered)
  await db.execute(sql`UPDATE deliveries SET next_attempt_at = now() WHERE status = 'pending'`)
  for (let taken = await take(); taken.length > 0; taken = await take())
    for (const one of taken) await endAttempt(one, delivered)
  expect({ seed, left: (await statuses()).filter((status) => status === 'pending') }).toEqual({ seed, left: [] })
})

test('a look reads few rows, however many wait behind a failure', async () => {
  for (const type of ['job.finished', 'alert.firing']) {
    await record({ key: `${type} 0`, type, subject: type })
    for (const one of await take()) await endAttempt(one, failed(3_600_000))
    await record(...Array.from({ length: 5_000 }, (_, i) => ({ key: `${type} ${i + 1}`, type, subject: type })))
  }
  expect(await take()).toEqual([])
  await record({ key: 'new', subject: 'new' })
  await db.execute(sql`VACUUM (ANALYZE) deliveries`)
  const read = await db.transaction(async (tx) => {
    const rowsRead = async () =>
      rowsOf<{ rows: number }>(
        await tx.execute(sql`SELECT (idx_tup_fetch + seq_tup_read)::float8 AS rows
          FROM pg_stat_xact_user_tables WHERE relname = 'deliveries'`),
      )[0]?.rows as number
    const before = await rowsRead()
    const { deliveries } = await takeDeliveries(tx, options)
    expect(deliveries.map(keyOf)).toEqual(['new'])
    return (await rowsRead()) - before
  })
  expect(read).toBeLessThan(50)
})

test('a server hears of new deliveries when they are committed', async () => {
  const heard: string[] = []
  const fail = (error: unknown): never => {
    throw error
  }
  postgres.listen('deliveries', (payload) => heard.push(payload), fail)
  // the connection that listens is opened meanwhile
  const untilHeard = (name: string): Promise<void> =>
    until(async () => {
      await postgres.script(`NOTIFY deliveries, '${name}'`)
      return heard.includes(name)
    }, name)
  await untilHeard('ready')
  await db.execute(sql`UPDATE destinations SET events = '{job.finished}'`)
  let ends = 0
  const announced = async (work: () => Promise<unknown>): Promise<boolean> => {
    heard.length = 0
    await work()
    // notifications come in the order of the commits, and an earlier end may still come
    await untilHeard(`end ${ends++}`)
    return heard.includes('')
  }
  expect(await announced(() => record({ key: 'nobody subscribes' }))).toBe(false)
  expect(await announced(() => record({ key: 'subscribed', type: 'job.finished' }))).toBe(true)
})

test('deliveries are kept for 30 days', async () => {
  await record({ key: '1' })
  await age(30 * 24 * 60 + 1)
  await record({ key: '2' })
  await deleteOldDeliveries(db, () => false)
  expect(await statuses()).toEqual(['pending'])
})
