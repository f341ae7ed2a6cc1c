/** Two PostgreSQL servers (both real) with synchronous streaming replication, of which the primary fails under load. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { sql } from 'drizzle-orm'
import { openServerPostgres, type Postgres } from '../../src/stores/postgres/client.ts'
import { recordEvents } from '../../src/stores/postgres/events/events.ts'
import { OK, openReceivers } from '../support/destinations/receivers.ts'
import { killRandom } from '../support/random.ts'
import { createInstance, type Instance } from '../support/server/instance.ts'
import { type PostgresServer, startPostgres } from '../support/stores/postgres.ts'
import { until } from '../support/until.ts'

const random = killRandom('postgres-failover.test.ts')('kill')
let instance: Instance | undefined
const open: Postgres[] = []
const receivers = openReceivers()

const hostOf = (server: PostgresServer | undefined): string => new URL((server as PostgresServer).url).host
/** The standby is named first, so that the order alone does not lead to the primary. */
const bothHosts = (): string => `${hostOf(standby)},${hostOf(primary)}`
const bothUrl = (): string => `postgres://groundwave:secret@${bothHosts()}/postgres`

async function onServer(server: PostgresServer | undefined, sql: string): Promise<Record<string, unknown>[]> {
  const client = new Bun.SQL((server as PostgresServer).url, { max: 1 })
  try {
    return await client.unsafe(sql)
  } finally {
    await client.close()
  }
}

const primary = await startPostgres()
const standby = await startPostgres([], undefined, primary.url)
beforeAll(async () => {
  // a commit is acknowledged when the standby has it on its disk
  await onServer(primary, `ALTER SYSTEM SET synchronous_standby_names = '*'`)
  await onServer(primary, 'SELECT pg_reload_conf()')
  const isSynchronous = async (): Promise<boolean> => {
    const rows = await onServer(primary, 'SELECT sync_state FROM pg_stat_replication')
    return rows.length === 1 && rows[0]?.sync_state === 'sync'
  }
  await until(isSynchronous, 'the standby to be synchronous')
  instance = await createInstance({ POSTGRES_URL: bothUrl(), WEBHOOK_ALLOW: '127.0.0.0/8' })
}, 120_000)
afterAll(async () => {
  receivers.close()
  await instance?.remove()
  await Promise.all(open.map((postgres) => postgres.close()))
  await standby?.remove()
  await primary?.remove()
}, 120_000)

test('a server that is only a standby, and an unknown attribute, are refused', async () => {
  const only = `${standby?.url}?target_session_attrs=read-write`
  await expect(openServerPostgres(only)).rejects.toThrow(`${hostOf(standby)}: it is read-only`)
  const unknown = `${standby?.url}?target_session_attrs=any`
  await expect(openServerPostgres(unknown)).rejects.toThrow(
    'target_session_attrs=any must be one of read-write, primary',
  )
})

test('the primary is killed under load: nothing acknowledged is lost, and both clients continue on the standby', async () => {
  const switched: string[] = []
  const postgres = await openServerPostgres(bothUrl(), undefined, (server) => switched.push(server))
  open.push(postgres)
  await postgres.script('CREATE TABLE acknowledged (writer int, number int, PRIMARY KEY (writer, number))')
  const served = instance as Instance
  const before = await served.organization()
  let running = true
  const writers = Array.from({ length: 4 }, async (_, writer) => {
    const done: number[] = []
    for (let number = 0; running; number++)
      try {
        await postgres.script(`INSERT INTO acknowledged VALUES (${writer}, ${number})`)
        done.push(number)
      } catch {
        // not acknowledged, so it may be lost; the next number is used
        await Bun.sleep(10)
      }
    return done
  })
  const count = async (): Promise<number> =>
    Number((await onServer(standby, 'SELECT count(*) AS n FROM acknowledged'))[0]?.n)
  await until(async () => (await count()) > 100 + random() * 200, 'writing')
  await primary?.stop('SIGKILL')
  await onServer(standby, 'SELECT pg_promote()')
  await until(() => switched.length > 0, 'following the promotion')
  const atSwitch = await count()
  await until(async () => (await count()) > atSwitch + 100, 'writing on')
  running = false
  const done = await Promise.all(writers)
  const rows = await onServer(standby, 'SELECT writer, number FROM acknowledged')
  const there = new Set(rows.map(({ writer, number }) => `${writer} ${number}`))
  const lost = done.flatMap((numbers, writer) => numbers.filter((number) => !there.has(`${writer} ${number}`)))
  expect(lost).toEqual([])
  expect(switched).toEqual([hostOf(standby)])
  // the server switches too, with its data
  let after: { id: string } | undefined
  await until(async () => {
    after = await served.organization().catch(() => undefined)
    return after !== undefined
  }, 'the server to follow the promotion')
  const ids = (await onServer(standby, 'SELECT id FROM enterprises')).map(({ id }) => id)
  expect(ids).toContain(before.id)
  expect(ids).toContain(after?.id)
}, 180_000)

test('after the failover a delivery begins when its event is committed, and not with the next look', async () => {
  const served = instance as Instance
  const { id } = await served.organization()
  const arrivals: number[] = []
  const port = await receivers.receiver((socket) =>
    socket.once('data', () => {
      arrivals.push(performance.now())
      socket.end(OK)
    }),
  )
  const target = { kind: 'webhook', name: 'Receiver', url: `http://127.0.0.1:${port}/`, events: ['job.finished'] }
  await served.manage('POST', `/enterprises/${id}/destinations`, target)
  const { db } = open[0] as Postgres
  const delays: number[] = []
  for (let number = 0; number < 12; number++) {
    // at any time between two looks, which are a second apart
    await Bun.sleep(200 + random() * 1_000)
    const key = `job ${number}`
    const source = sql`SELECT ${id}::text AS enterprise_id, 'job.finished' AS type, ${key}::text AS key, ${key}::text AS subject,
      NULL::text AS severity, NULL::text AS rule_id, NULL::text AS sensor_id, 1 AS ordinal, '{}'::jsonb AS data`
    const committing = db.transaction((tx) => recordEvents(tx, [id], source))
    const beganMs = performance.now()
    await committing
    await until(() => arrivals.length > number, 'the delivery')
    delays.push((arrivals[number] as number) - beganMs)
  }
  // looks alone would take half a second at the median
  expect(delays.toSorted((a, b) => a - b)[6]).toBeLessThan(250)
}, 60_000)

test('who begins to listen while the server is away hears what is notified afterwards', async () => {
  const postgres = open[0] as Postgres
  await standby?.stop('SIGKILL')
  let heard = 0
  const errors: unknown[] = []
  postgres.listen(
    'later',
    () => heard++,
    (error) => errors.push(error),
  )
  await until(() => errors.length > 0, 'the first failure')
  await standby?.start()
  const isHeard = async (): Promise<boolean> => {
    await postgres.script('NOTIFY later').catch(() => undefined)
    return heard > 0
  }
  await until(isHeard, 'a notification')
}, 60_000)
