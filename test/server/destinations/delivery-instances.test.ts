/** Deliveries of two instances on one PostgreSQL and one Redis (both real), to receivers on this machine. */
import { afterAll, expect, test } from 'bun:test'
import { sql } from 'drizzle-orm'
import { openServerPostgres } from '../../../src/stores/postgres/client.ts'
import { recordEvents } from '../../../src/stores/postgres/events/events.ts'
import { rowsOf } from '../../../src/stores/postgres/rows.ts'
import { openMailServer, textOf } from '../../support/destinations/mail-server.ts'
import type { Instance } from '../../support/server/instance.ts'
import { parseMetrics, sampleOf } from '../../support/server/metrics.ts'
import { removeInstances, startTwoInstances } from '../../support/server/two-instances.ts'
import { memberAccount } from '../../support/sessions.ts'
import { until } from '../../support/until.ts'

const smtp = await openMailServer()
const { stores, instances } = await startTwoInstances({
  WEBHOOK_ALLOW: '127.0.0.0/8',
  SMTP_URL: smtp.url,
  PUBLIC_URL: 'http://gis.example.org',
})
const postgres = await openServerPostgres(stores.postgres.url)
const { db } = postgres
const servers: Bun.Server<undefined>[] = []
afterAll(async () => {
  for (const server of servers) await server.stop(true)
  await postgres.close()
  await removeInstances({ stores, instances })
  await smtp.close()
})
const [one, other] = instances as [Instance, Instance]

type Arrival = { id: string; subject: string; number: number; body: string }

/** @param hold how long an answer takes */
async function destination(enterprise: string, rule: string, hold: () => Promise<unknown>) {
  const receiver = { arrivals: [] as Arrival[], open: 0, most: 0 }
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    idleTimeout: 0,
    async fetch(request) {
      receiver.most = Math.max(receiver.most, ++receiver.open)
      const gone = new Promise((resolve) => request.signal.addEventListener('abort', resolve))
      const body = await request.text()
      const { subject, number } = (JSON.parse(body) as { data: { subject: string; number: number } }).data
      receiver.arrivals.push({ id: request.headers.get('webhook-id') ?? '', subject, number, body })
      await Promise.race([hold(), gone])
      receiver.open--
      return new Response('')
    },
  })
  servers.push(server)
  const url = `http://127.0.0.1:${server.port}/`
  const draft = { kind: 'webhook', name: rule, url, events: ['job.finished'] }
  const { id } = await one.manage<{ id: string }>('POST', `/enterprises/${enterprise}/destinations`, draft)
  await db.execute(sql`UPDATE destinations SET rule_ids = ARRAY[${rule}::text] WHERE id = ${id}`)
  return receiver
}

/** Events of each rule, one after the other, in one transaction. */
async function record(enterprise: string, rules: number, subjects: number, from: number, to: number): Promise<void> {
  await db.transaction((tx) =>
    recordEvents(
      tx,
      [enterprise],
      sql`SELECT ${enterprise}::text AS enterprise_id, 'job.finished' AS type, ${enterprise} || n AS key, subject,
          NULL::text AS severity, 'rule ' || n % ${rules}::integer AS rule_id, NULL::text AS sensor_id, n AS ordinal,
          jsonb_build_object('subject', subject, 'number', n, 'sensorName', 'Sensor ' || n || '.') AS data
        FROM generate_series(${from}::integer, ${to - 1}::integer) AS n
        CROSS JOIN LATERAL (SELECT 'subject ' || n % ${subjects}::integer AS subject) AS named`,
    ),
  )
}
const statuses = async (enterprise: string): Promise<Set<string>> => {
  const rows = await db.execute(sql`SELECT DISTINCT status FROM deliveries WHERE enterprise_id = ${enterprise}`)
  return new Set(rowsOf<{ status: string }>(rows).map(({ status }) => status))
}
const untilDelivered = (enterprise: string): Promise<void> =>
  until(async () => [...(await statuses(enterprise))].join() === 'delivered', 'the deliveries')

async function attemptsOf({ url }: Instance): Promise<number> {
  const families = parseMetrics(await (await fetch(`${url()}/metrics`)).text())
  return sampleOf(families, 'delivery_attempts_total', { outcome: 'delivered' })
}

test('two instances share the deliveries: each event arrives once, in the order of its subject', async () => {
  const { id } = await one.organization('scale')
  const receivers = await Promise.all(
    Array.from({ length: 4 }, (_, rule) => destination(id, `rule ${rule}`, () => Bun.sleep(20))),
  )
  const before = await Promise.all(instances.map(attemptsOf))
  const events = 400
  for (let number = 0; number < events; number += 4) {
    await record(id, 4, 16, number, number + 4)
    await Bun.sleep(10)
  }
  await untilDelivered(id)
  const arrivals = receivers.flatMap((receiver) => receiver.arrivals)
  expect(arrivals.map(({ number }) => number).toSorted((a, b) => a - b)).toEqual(
    Array.from({ length: events }, (_, number) => number),
  )
  for (const own of Map.groupBy(arrivals, ({ subject }) => subject).values())
    expect(own.map(({ number }) => number)).toEqual(own.map(({ number }) => number).toSorted((a, b) => a - b))
  const made = (await Promise.all(instances.map(attemptsOf))).map((count, i) => count - (before[i] as number))
  expect(made[0] as number).toBeGreaterThan(0)
  expect(made[1] as number).toBeGreaterThan(0)
  expect((made[0] as number) + (made[1] as number)).toBe(events)
}, 120_000)

test('two instances send each event in one mail', async () => {
  const { id } = await one.organization('scale')
  const { email } = await memberAccount(one, id, 'admin')
  const draft = { kind: 'email', name: 'Night', to: email, events: ['job.finished'], groupSeconds: 0 }
  await one.manage('POST', `/enterprises/${id}/destinations`, draft)
  const nextMinute = sql`UPDATE destination_addresses SET next_mail_at = now() WHERE attempts = 0 AND enterprise_id = ${id}`
  const events = 40
  for (let number = 0; number < events; number += 4) {
    await record(id, 1, 40, number, number + 4)
    await db.execute(nextMinute)
    await Bun.sleep(400)
  }
  await until(async () => {
    await db.execute(nextMinute)
    return [...(await statuses(id))].join() === 'delivered'
  }, 'the mails')
  const mails = smtp.mails.filter(({ to, subject }) => to.includes(email) && !subject.startsWith('Invitation'))
  const named = mails.flatMap((mail) => [
    ...new Set(Array.from(textOf(mail, 'text/plain').matchAll(/Sensor (\d+)\./g), ([, number]) => Number(number))),
  ])
  expect(named).toEqual(Array.from({ length: events }, (_, number) => number))
  expect(mails.length).toBeGreaterThan(2)
}, 120_000)

test('a destination gets 4 connections and an enterprise 32 from both instances together', async () => {
  const { id } = await one.organization('scale')
  const release = Promise.withResolvers<void>()
  const receivers = await Promise.all(
    Array.from({ length: 10 }, (_, rule) => destination(id, `rule ${rule}`, () => release.promise)),
  )
  const open = () => receivers.reduce((sum, receiver) => sum + receiver.open, 0)
  await record(id, 10, 80, 0, 80)
  await until(() => open() >= 32, 'the connections')
  // each instance looks again
  await Bun.sleep(2_500)
  expect(open()).toBe(32)
  release.resolve()
  await untilDelivered(id)
  expect(Math.max(...receivers.map(({ most }) => most))).toBe(4)
  expect(receivers.flatMap(({ arrivals }) => arrivals)).toHaveLength(80)
}, 120_000)

test('what a killed instance had begun is delivered by the other one when its leases end, with the same bytes', async () => {
  const { id } = await one.organization('scale')
  let isHeld = true
  const receivers = await Promise.all(
    Array.from({ length: 2 }, (_, rule) =>
      destination(id, `rule ${rule}`, () => (isHeld ? new Promise(() => undefined) : Promise.resolve())),
    ),
  )
  const open = () => receivers.reduce((sum, receiver) => sum + receiver.open, 0)
  const arrivals = () => receivers.flatMap((receiver) => receiver.arrivals)
  await record(id, 2, 6, 0, 6)
  await until(() => open() === 6, 'the attempts')
  // one transaction recorded them, so one look of one of the instances has taken them
  for (const instance of [one, other]) {
    await instance.kill('SIGKILL')
    await Bun.sleep(500)
    if (open() === 0) break
    await instance.restart()
  }
  expect(open()).toBe(0)
  const count = arrivals().length
  isHeld = false
  await Bun.sleep(2_500)
  expect(arrivals()).toHaveLength(count)
  // as if the rest of the 30 seconds had passed
  await db.execute(sql`UPDATE deliveries SET leased_until = now() WHERE leased_until > now()`)
  await untilDelivered(id)
  for (const same of Map.groupBy(arrivals(), ({ number }) => number).values()) {
    expect(same.length).toBeGreaterThan(1)
    expect(new Set(same.map(({ id, body }) => `${id} ${body}`)).size).toBe(1)
  }
  const log = await db.execute(sql`SELECT attempts FROM deliveries WHERE enterprise_id = ${id}`)
  expect(rowsOf<{ attempts: number }>(log).map(({ attempts }) => attempts)).toEqual(Array(6).fill(2))
}, 120_000)
