/** Which events of a rule are sent together, on a real PostgreSQL. */
import { beforeEach, expect, test } from 'bun:test'
import { sql } from 'drizzle-orm'
import { type AttemptEnd, endAttempts } from '../../../src/stores/postgres/destinations/attempt-ends.ts'
import { listDeliveries, resendDelivery } from '../../../src/stores/postgres/destinations/deliveries.ts'
import { type DueDelivery, takeDeliveries } from '../../../src/stores/postgres/destinations/delivery-queue.ts'
import { recordEvents } from '../../../src/stores/postgres/events/events.ts'
import { rowsOf } from '../../../src/stores/postgres/rows.ts'
import { seeded, whole } from '../../support/random.ts'
import { migratedPostgres } from '../../support/stores/migrated-postgres.ts'

const { postgres } = await migratedPostgres()
const { db } = postgres

beforeEach(async () => {
  await postgres.script(`
    DELETE FROM enterprises;
    INSERT INTO enterprises (id, name, tier) VALUES ('ent_1', 'One', 'scale');
    INSERT INTO destinations (id, enterprise_id, kind, name, url, format, events, public_key, sealed_secrets, group_seconds)
    VALUES ('dst_1', 'ent_1', 'webhook', 'd', 'https://example.org', 'standard', '{alert.firing,zone.entered,job.finished}',
      '', '', 60)`)
})

type Made = { key: string; subject?: string; type?: string; rule?: string | null }
const record = (...made: Made[]): Promise<void> => db.transaction((tx) => recordIn(tx, made))
function recordIn(tx: Parameters<typeof recordEvents>[0], made: readonly Made[]): Promise<void> {
  const rows = made.map(
    ({ key, type = 'alert.firing', subject = key, rule = 'rul_1' }, i) =>
      sql`('ent_1', ${type}, ${key}, ${subject}, NULL, ${rule}, 'sen_1', jsonb_build_object('id', ${key}::text), ${i}::integer)`,
  )
  const source = sql`SELECT * FROM (VALUES ${sql.join(rows, sql`, `)})
    AS v (enterprise_id, type, key, subject, severity, rule_id, sensor_id, data, ordinal)`
  return recordEvents(tx, ['ent_1'], source)
}
const options = { limit: 100, timeScale: 1, publicUrl: 'https://example.org', bodyOf: () => null }
async function take(): Promise<DueDelivery[]> {
  const taken: DueDelivery[] = []
  for (let isMore = true; isMore; ) {
    const look = await takeDeliveries(db, options)
    taken.push(...look.deliveries)
    isMore = look.isMore
  }
  return taken
}
type Member = { id: string; type: string; timestamp: string; data: { id: string } }
/** The id that the event was recorded with; of a group, its members. */
function said({ event }: DueDelivery): string {
  const { events, count } = (event?.data ?? {}) as { events?: Member[]; count?: number }
  return events === undefined
    ? String(event?.data.id)
    : `${count}: ${events
        .map(({ data }) => data.id)
        .toSorted()
        .join(' ')}`
}
const facts = { statusCode: 200, failure: null, answer: 'ok', durationMs: 1 }
const delivered: AttemptEnd = { ...facts, status: 'delivered' }
const failed = {
  ...facts,
  statusCode: 500,
  status: 'failed',
  next: new Date(Date.now() + 3_600_000),
  notBefore: undefined,
  isGone: false,
  giveUpAfterMs: 72 * 3_600_000,
} satisfies AttemptEnd
async function endAttempt(delivery: DueDelivery, end: AttemptEnd): Promise<void> {
  expect(await endAttempts(db, [{ delivery, end }])).toEqual([])
}
async function deliver(end: AttemptEnd = delivered): Promise<string[]> {
  const taken = await take()
  for (const one of taken) await endAttempt(one, end)
  return taken.map(said).toSorted()
}
/** Time goes by: windows and deliveries are as much older. */
const pass = (seconds: number) =>
  postgres.script(`
    UPDATE delivery_windows SET ends_at = ends_at - interval '${seconds} seconds';
    UPDATE deliveries SET created_at = created_at - interval '${seconds} seconds',
      replaces_at = replaces_at - interval '${seconds} seconds', ready_at = ready_at - interval '${seconds} seconds', next_attempt_at = next_attempt_at - interval '${seconds} seconds'`)
const retry = () =>
  postgres.script(
    `UPDATE deliveries SET next_attempt_at = now() WHERE status = 'pending' AND next_attempt_at IS NOT NULL`,
  )
const log = async () => (await listDeliveries(db, 'dst_1', { limit: 100, cursor: undefined })).items.toReversed()

test('the first event of a rule goes at once, and those that follow go together when the window ends', async () => {
  await record({ key: 'a' }, { key: 'b' }, { key: 'other', rule: 'rul_2' }, { key: 'none', rule: null })
  expect(await deliver()).toEqual(['a', 'none', 'other'])
  await record({ key: 'c', type: 'zone.entered' }, { key: 'none too', rule: null })
  expect(await deliver()).toEqual(['none too'])
  await pass(59)
  expect(await deliver()).toEqual([])
  await pass(2)
  const [group, ...more] = await take()
  expect(more).toEqual([])
  expect(group?.event).toMatchObject({
    type: 'group',
    id: expect.stringMatching(/^evt_[0-9a-f]{32}$/),
    data: {
      ruleId: 'rul_1',
      count: 2,
      events: [
        { type: 'alert.firing', data: { id: 'b', sequence: 1, link: 'https://example.org/portal/alerts/b' } },
        { type: 'zone.entered', data: { id: 'c', sequence: 1 } },
      ],
    },
  })
  await endAttempt(group as DueDelivery, delivered)
  const members = (await log()).filter(({ groupId }) => groupId !== null)
  expect(members.map(({ groupId, status, statusCode }) => [groupId, status, statusCode])).toEqual(
    Array(2).fill([group?.eventId, 'delivered', 200]),
  )
})

test('one that follows alone goes as itself, and the next event opens a window', async () => {
  await record({ key: 'a' }, { key: 'b' })
  await deliver()
  await pass(61)
  await record({ key: 'c' }, { key: 'd' })
  expect(await deliver()).toEqual(['b', 'c'])
  expect(await deliver()).toEqual([])
  expect((await log()).map(({ groupId }) => groupId)).toEqual([null, null, null, null])
})

test('a group names its first 100 events, and counts all of them', async () => {
  await record(...Array.from({ length: 151 }, (_, i) => ({ key: String(i).padStart(3, '0') })))
  await deliver()
  await pass(61)
  const [group] = await take()
  const { count, events } = (group?.event?.data ?? {}) as { count: number; events: Member[] }
  expect([count, events.length, events[0]?.data.id, events[99]?.data.id]).toEqual([150, 100, '001', '100'])
})

test('an event that is still being committed when its window ends is in the group', async () => {
  await record({ key: 'a' }, { key: 'b' })
  await deliver()
  const [recorded, committed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const slow = db.transaction(async (tx) => {
    await recordIn(tx, [{ key: 'c' }])
    recorded.resolve()
    await committed.promise
  })
  await recorded.promise
  await pass(61)
  expect(await deliver()).toEqual([])
  committed.resolve()
  await slow
  await pass(61)
  expect(await deliver()).toEqual(['2: b c'])
})

test('two instances make one group of a window, and its lease ends with a dead one', async () => {
  await record({ key: 'a' }, ...Array.from({ length: 40 }, (_, i) => ({ key: `f${i}` })))
  await deliver()
  await pass(61)
  const [first, ...more] = (await Promise.all([take(), take(), take()])).flat()
  expect([first?.type, more.length]).toEqual(['group', 0])
  await db.execute(sql`UPDATE deliveries SET leased_until = now() - interval '1 second' WHERE leased_until IS NOT NULL`)
  const [again] = await take()
  expect([again?.id, again && said(again)]).toEqual([first?.id, first && said(first)])
  await endAttempt(first as DueDelivery, failed)
  await endAttempt(again as DueDelivery, delivered)
  expect(new Set((await log()).map(({ status }) => status))).toEqual(new Set(['delivered']))
})

test('events of a subject wait for the group of an earlier one, and for a first one that failed', async () => {
  await record(
    { key: 'a1', subject: 'a' },
    { key: 'b1', subject: 'b' },
    { key: 'a2', subject: 'a' },
    { key: 'c1', subject: 'c' },
  )
  expect(await deliver(failed)).toEqual(['a1'])
  await pass(61)
  const [group] = await take()
  expect(group && said(group)).toBe('2: b1 c1')
  // it opens a window, and goes at once but for its subject
  await record({ key: 'b2', subject: 'b' })
  expect(await deliver()).toEqual([])
  await endAttempt(group as DueDelivery, delivered)
  expect(await deliver()).toEqual(['b2'])
  await retry()
  expect(await deliver()).toEqual(['a1'])
  expect(await deliver()).toEqual(['a2'])
})

test('a newer state takes the place of one in a group that waits, and the others go in another group', async () => {
  await record({ key: 'a' }, { key: 'b1', subject: 'b' }, { key: 'c' }, { key: 'd' })
  expect(await deliver()).toEqual(['a'])
  await pass(61)
  const [group] = await take()
  expect(group && said(group)).toBe('3: b1 c d')
  await record({ key: 'b2', subject: 'b' })
  // not while it is under way
  await pass(301)
  expect(await deliver()).toEqual([])
  await endAttempt(group as DueDelivery, failed)
  expect(await deliver(failed)).toEqual(['b2'])
  const newer = (await log()).find(({ status, type }) => status === 'pending' && type === 'alert.firing')?.eventId
  const replaced = (await log()).filter(({ status }) => status === 'replaced')
  expect(replaced.map(({ type }) => type)).toEqual(['alert.firing', 'group'])
  expect(new Set(replaced.map(({ replacedBy }) => replacedBy)).size).toBe(1)
  expect(newer).toBeDefined()
  await retry()
  expect(await deliver()).toEqual(['2: c d', 'b2'])
  expect((await log()).filter(({ status }) => status === 'pending')).toEqual([])
  // the attempt of the group that was broken up counts
  const others = (await log()).filter(({ groupId, status }) => groupId !== null && status === 'delivered')
  expect([...others, replaced[0]].map((one) => one?.attempts)).toEqual([2, 2, 1])
})

test('a first event that failed is replaced by a held one of its subject', async () => {
  await record({ key: 'a1', subject: 'a' }, { key: 'a2', subject: 'a' }, { key: 'b' })
  expect(await deliver(failed)).toEqual(['a1'])
  await pass(301)
  expect(await deliver()).toEqual(['b'])
  expect(await deliver()).toEqual(['a2'])
  expect((await log()).map(({ status }) => status).toSorted()).toEqual(['delivered', 'delivered', 'replaced'])
})

test('a group is sent again with its events, and a failed member has a success then', async () => {
  await record({ key: 'a' }, { key: 'b' }, { key: 'c' })
  await deliver()
  await pass(61)
  const [group] = await take()
  await endAttempt(group as DueDelivery, { ...failed, next: undefined })
  expect((await log()).map(({ status }) => status)).toEqual(['delivered', 'failed', 'failed', 'failed'])
  await resendDelivery(db, 'dst_1', group?.id as string)
  expect(await deliver()).toEqual(['2: b c'])
  expect((await log()).map(({ status }) => status)).toEqual([
    'delivered',
    'delivered',
    'delivered',
    'failed',
    'delivered',
  ])
})

test('while the enterprise is suspended nothing is sent, and afterwards what was held', async () => {
  await record({ key: 'a' }, { key: 'b' }, { key: 'c' })
  await deliver()
  await postgres.script(`UPDATE enterprises SET status = 'suspended'`)
  await pass(61)
  expect(await deliver()).toEqual([])
  await postgres.script(`UPDATE enterprises SET status = 'active'`)
  expect(await deliver()).toEqual(['2: b c'])
})

test('any order of events, attempts, failures and deaths delivers each event once and in its order, or a newer one', async () => {
  const seed = whole(Math.random, 2 ** 31)
  const random = seeded(seed)
  const underWay: DueDelivery[] = []
  const received: string[] = []
  let groups = 0
  async function end(one: DueDelivery, isDelivered: boolean): Promise<void> {
    const next = new Date(Date.now() + whole(random, 2) * 600_000 - 1_000)
    await endAttempt(one, isDelivered ? delivered : { ...failed, next })
    if (!isDelivered) return
    if (one.type === 'group') groups++
    received.push(
      ...said(one)
        .replace(/^\d+: /, '')
        .split(' '),
    )
  }
  const recorded: string[] = []
  for (let step = 0; step < 250; step++) {
    const choice = random()
    if (choice < 0.3) {
      const made = Array.from({ length: 1 + whole(random, 5) }, (_, i) => {
        const rule = `rul_${whole(random, 2)}`
        const subject = `${rule}/${whole(random, 4)}`
        const type = random() < 0.7 ? 'alert.firing' : 'zone.entered'
        return { key: `${subject}/${String(recorded.length + i).padStart(4, '0')}`, subject, type, rule }
      })
      recorded.push(...made.map(({ key }) => key))
      await record(...made)
    } else if (choice < 0.55) underWay.push(...(await take()))
    else if (choice < 0.8) {
      const [one] = underWay.splice(whole(random, Math.max(1, underWay.length)), 1)
      if (one !== undefined) await end(one, random() < 0.5)
    } else if (choice < 0.96) await pass([5, 61, 200][whole(random, 3)] as number)
    else {
      // an instance dies: what it sends ends nothing
      underWay.length = 0
      await postgres.script(
        `UPDATE deliveries SET leased_until = now() - interval '1 second' WHERE leased_until IS NOT NULL`,
      )
    }
  }
  for (const one of underWay) await end(one, true)
  for (let rounds = 0; rounds < 50 && (await pending()) > 0; rounds++) {
    await pass(61)
    await retry()
    for (const one of await take()) await end(one, true)
  }
  const replaced = (await everything()).filter(({ status, type }) => status === 'replaced' && type !== 'group')
  expect({ seed, pending: await pending() }).toEqual({ seed, pending: 0 })
  expect({ seed, all: [...received, ...replaced.map(({ key }) => key)].toSorted() }).toEqual({
    seed,
    all: recorded.toSorted(),
  })
  const subjectOf = (key: string): string => key.slice(0, key.lastIndexOf('/'))
  for (const [subject, keys] of Map.groupBy(received, subjectOf))
    expect({ seed, subject, keys }).toEqual({ seed, subject, keys: keys.toSorted() })
  expect(groups).toBeGreaterThan(0)
}, 120_000)

const pending = () => db.$count(sql`deliveries`, sql`status = 'pending'`)
const everything = async () =>
  rowsOf<{ key: string; type: string; status: string }>(
    await db.execute(
      sql`SELECT e.data ->> 'id' AS key, l.type, l.status FROM deliveries l LEFT JOIN events e ON e.id = l.event_id`,
    ),
  )
