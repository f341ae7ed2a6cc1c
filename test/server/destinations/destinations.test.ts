/** Destinations over HTTP, with receivers on this machine. */
import { afterAll, expect, test } from 'bun:test'
import { createHmac, createPublicKey, verify } from 'node:crypto'
import { createInstance, lacksArabic } from '../../support/server/instance.ts'
import { callAs, memberAccount } from '../../support/sessions.ts'
import { connectTo } from '../../support/stores/with-sql.ts'
import { until } from '../../support/until.ts'

// three days are 26 seconds, five minutes 30 milliseconds
const instance = await createInstance({ WEBHOOK_ALLOW: '127.0.0.1', DELIVERY_TIME_SCALE: '10000' })
const sql = connectTo(instance)
afterAll(async () => {
  await sql.close()
  await instance.remove()
})

type Received = { id: string; at: string; signature: string; body: string; authorization: string | null }
type Receiver = { url: string; received: Received[]; answer: (nth: number) => Response | Promise<Response> }
function receiver(answer: Receiver['answer'] = () => new Response('thanks')): Receiver {
  const received: Received[] = []
  const one: Receiver = { url: '', received, answer }
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      const header = (name: string) => request.headers.get(name) ?? ''
      received.push({
        id: header('webhook-id'),
        at: header('webhook-timestamp'),
        signature: header('webhook-signature'),
        body: await request.text(),
        authorization: request.headers.get('authorization'),
      })
      return one.answer(received.length)
    },
  })
  afterAll(() => server.stop(true))
  one.url = `http://127.0.0.1:${server.port}/hook`
  return one
}

type Destination = { id: string; secret: string; publicKey: string; enabled: boolean; disabledReason: string | null }
type Delivery = {
  id: string
  eventId: string
  status: string
  replacedBy: string | null
  attempts: number
  statusCode: number | null
  answer: string | null
}
const of = (enterprise: string, id = '') => `/enterprises/${enterprise}/destinations${id && `/${id}`}`
const create = (enterprise: string, url: string, more: object = {}) =>
  instance.manage<Destination>('POST', of(enterprise), {
    kind: 'webhook',
    name: 'Hook',
    url,
    events: ['job.finished'],
    ...more,
  })
const log = async (enterprise: string, id: string): Promise<Delivery[]> =>
  (await instance.manage<{ items: Delivery[] }>('GET', `${of(enterprise, id)}/deliveries`)).items.toReversed()
const statuses = async (enterprise: string, id: string) => (await log(enterprise, id)).map(({ status }) => status)

const home = async () => (await instance.organization('scale')).id
let jobs = 0
/** A job that ends: its event is recorded by the server. */
async function job(enterprise: string): Promise<string> {
  const id = `job_${process.pid}_${++jobs}`
  await sql`INSERT INTO jobs (id, enterprise_id, application_id, tool_id, tool_version, call, status)
    VALUES (${id}, ${enterprise}, 'app_1', 'vector.buffer', '1', '{}', 'running')`
  const owner = await memberAccount(instance, enterprise, 'owner')
  const { status } = await callAs(instance.url(), owner, 'DELETE', `/enterprise/v1/gis/jobs/${id}`, { enterprise })
  expect(status).toBe(200)
  return id
}
const jobOf = ({ body }: Received): string => (JSON.parse(body) as { data: { jobId: string } }).data.jobId

/** By the specification of Standard Webhooks. */
function isSigned({ id, at, signature, body }: Received, secret: string, publicKey: string): boolean {
  const content = `${id}.${at}.${body}`
  const mac = createHmac('sha256', Buffer.from(secret.slice('whsec_'.length), 'base64')).update(content)
  const x = Buffer.from(publicKey.slice('whpk_'.length), 'base64').toString('base64url')
  const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' })
  const parts = signature.split(' ')
  const byKey = Buffer.from(parts.find((part) => part.startsWith('v1a,'))?.slice(4) ?? '', 'base64')
  return parts.includes(`v1,${mac.digest('base64')}`) && verify(null, Buffer.from(content), key, byKey)
}

test('an event is delivered once, signed, with the id and the data that can be pulled', async () => {
  const enterprise = await home()
  const { url, received } = receiver()
  const { id, secret, publicKey } = await create(enterprise, url, { headers: { Authorization: 'Bearer abc' } })
  const made = await job(enterprise)
  await until(async () => (await statuses(enterprise, id)).join() === 'delivered', 'the delivery')
  expect(received).toHaveLength(1)
  const [got] = received as [Received]
  expect(got.authorization).toBe('Bearer abc')
  expect(isSigned(got, secret, publicKey)).toBe(true)
  expect(isSigned({ ...got, body: `${got.body} ` }, secret, publicKey)).toBe(false)
  const owner = await memberAccount(instance, enterprise, 'owner')
  const { data } = await callAs<{ items: { id: string }[] }>(instance.url(), owner, 'GET', '/enterprise/v1/events', {
    enterprise,
  })
  expect(data.items).toEqual([{ id: got.id, ...(JSON.parse(got.body) as object) }])
  expect(jobOf(got)).toBe(made)
  expect(await log(enterprise, id)).toMatchObject([{ eventId: got.id, attempts: 1, statusCode: 200, answer: 'thanks' }])
})

test('secrets are shown once, are encrypted, and rotate with both valid', async () => {
  const enterprise = await home()
  const { url, received } = receiver()
  const made = await create(enterprise, url, { headers: { 'X-Token': 'open sesame' } })
  const read = await instance.manage<object>('GET', of(enterprise, made.id))
  expect(read).toMatchObject({ headerNames: ['X-Token'], publicKey: made.publicKey })
  const shown = JSON.stringify([
    read,
    await sql`SELECT * FROM destinations`,
    await sql`SELECT before, after FROM audit`,
  ])
  for (const hidden of ['open sesame', made.secret]) expect(shown).not.toContain(hidden)
  const { secret } = await instance.manage<{ secret: string }>('POST', `${of(enterprise, made.id)}/secrets`)
  expect(secret).not.toBe(made.secret)
  await instance.manage('POST', `${of(enterprise, made.id)}/test`)
  await until(() => received.length > 0, 'the test')
  const [got] = received as [Received]
  expect([secret, made.secret].map((one) => isSigned(got, one, made.publicKey))).toEqual([true, true])
  expect(JSON.parse(got.body)).toMatchObject({ type: 'destination.test' })
})

test('a failed delivery is tried again with the same id and body', async () => {
  const enterprise = await home()
  const { url, received } = receiver((nth) => new Response('', { status: nth < 4 ? 500 : 204 }))
  const { id } = await create(enterprise, url)
  await job(enterprise)
  await until(async () => (await statuses(enterprise, id)).join() === 'delivered', 'the delivery')
  expect(received).toHaveLength(4)
  expect(new Set(received.map((got) => `${got.id} ${got.body}`)).size).toBe(1)
  expect(await log(enterprise, id)).toMatchObject([{ attempts: 4, statusCode: 204 }])
})

test('410 disables, nothing more is sent, and a replay delivers what was missed', async () => {
  const enterprise = await home()
  const gone = receiver(() => new Response('', { status: 410 }))
  const watch = receiver()
  const { id } = await create(enterprise, gone.url)
  await create(enterprise, watch.url, { events: ['destination.disabled'] })
  const from = new Date(Date.now() - 60_000).toISOString()
  const first = await job(enterprise)
  await until(() => watch.received.length > 0, 'the event of the end')
  expect(JSON.parse(watch.received[0]?.body ?? '')).toMatchObject({ data: { destinationId: id, reason: 'gone' } })
  expect(await instance.manage<Destination>('GET', of(enterprise, id))).toMatchObject({
    enabled: false,
    disabledReason: 'gone',
  })
  const second = await job(enterprise)
  expect(await statuses(enterprise, id)).toEqual(['failed'])
  gone.answer = () => new Response('')
  await instance.manage('PATCH', of(enterprise, id), { enabled: true })
  const to = new Date(Date.now() + 60_000).toISOString()
  const replay = { from, to, failedOnly: true }
  expect(await instance.manage<object>('POST', `${of(enterprise, id)}/replay`, replay)).toEqual({ deliveries: 2 })
  await until(() => gone.received.length === 3, 'the replay')
  expect(gone.received.slice(1).map(jobOf).toSorted()).toEqual([first, second].toSorted())
  await until(async () => !(await statuses(enterprise, id)).includes('pending'), 'the log')
  expect(await instance.manage<object>('POST', `${of(enterprise, id)}/replay`, replay)).toEqual({ deliveries: 0 })
})

test('the health of a destination is its last success and the first failure since, and no edit of the record', async () => {
  const enterprise = await home()
  const { url } = receiver((nth) => new Response('', { status: nth === 1 ? 200 : 503 }))
  const { id } = await create(enterprise, url)
  const path = `/manage/v1${of(enterprise, id)}`
  const owner = await memberAccount(instance, enterprise, 'owner')
  const read = async () => {
    const headers = { authorization: `Bearer ${instance.operatorToken()}` }
    const response = await fetch(instance.url() + path, { headers })
    const { data } = (await response.json()) as {
      data: { health: { lastSuccessAt: string | null; failingSince: string | null } }
    }
    return { ...data.health, etag: response.headers.get('etag') ?? '' }
  }
  const fresh = await read()
  expect(fresh).toMatchObject({ lastSuccessAt: null, failingSince: null })
  const startMs = Date.now()
  await job(enterprise)
  await until(async () => (await read()).lastSuccessAt !== null, 'the success')
  const well = await read()
  const [clockSkewMs, atMs] = [1_000, Date.parse(well.lastSuccessAt ?? '')]
  expect(atMs).toBeGreaterThan(startMs - clockSkewMs)
  expect(well.failingSince).toBeNull()
  await job(enterprise)
  await until(async () => (await read()).failingSince !== null, 'the failure')
  const failing = await read()
  expect(Date.parse(failing.failingSince ?? '')).toBeGreaterThanOrEqual(atMs)
  expect([failing.lastSuccessAt, failing.etag]).toEqual([well.lastSuccessAt, fresh.etag])
  const renamed = await callAs(instance.url(), owner, 'PATCH', path, {
    enterprise,
    headers: { 'if-match': fresh.etag },
    body: { name: 'Other' },
  })
  expect(renamed.status).toBe(200)

  const statusesOf = async (status: string) =>
    (
      await instance.manage<{ items: Delivery[] }>('GET', `${of(enterprise, id)}/deliveries?status=${status}`)
    ).items.map((delivery) => delivery.status)
  expect([await statusesOf('delivered'), await statusesOf('pending'), await statusesOf('replaced')]).toEqual([
    ['delivered'],
    ['pending'],
    [],
  ])
  const unknown = await callAs(instance.url(), owner, 'GET', `${path}/deliveries?status=lost`, { enterprise })
  expect(unknown.status).toBe(422)
})

test('a destination that fails for three days is disabled', async () => {
  const enterprise = await home()
  const { url } = receiver(() => new Response('', { status: 503 }))
  const { id } = await create(enterprise, url)
  await job(enterprise)
  await until(async () => (await log(enterprise, id)).some(({ attempts }) => attempts > 1), 'two attempts')
  await sql`UPDATE destinations SET failing_since = now() - interval '30 seconds' WHERE id = ${id}`
  await until(async () => (await statuses(enterprise, id)).join() === 'failed', 'the end')
  expect(await instance.manage<Destination>('GET', of(enterprise, id))).toMatchObject({ disabledReason: 'failing' })
})

test('while an enterprise is suspended nothing is sent, and afterwards what was recorded', async () => {
  const enterprise = await home()
  const { url, received } = receiver()
  await create(enterprise, url)
  // an event of the time before, which was not sent yet
  await sql`UPDATE enterprises SET status = 'suspended' WHERE id = ${enterprise}`
  const [destination] = (await sql`SELECT id FROM destinations WHERE enterprise_id = ${enterprise}`) as { id: string }[]
  await instance.manage('POST', `${of(enterprise, destination?.id)}/test`)
  await Bun.sleep(2_500)
  expect(received).toEqual([])
  await sql`UPDATE enterprises SET status = 'active' WHERE id = ${enterprise}`
  await until(() => received.length === 1, 'the delivery')
})

test('a receiver gets at most four connections, and each event of a burst', async () => {
  const enterprise = await home()
  let [open, most] = [0, 0]
  const slow = receiver(async () => {
    most = Math.max(most, ++open)
    await Bun.sleep(300)
    open--
    return new Response('')
  })
  const { id } = await create(enterprise, slow.url, { events: ['alert.firing'] })
  await sql`INSERT INTO events (id, enterprise_id, type, subject, sequence, data)
    SELECT ${`evt_${enterprise}_`} || n, ${enterprise}, 'alert.firing', 'rule sensor ' || n, 1, '{}' FROM generate_series(1, 12) n`
  const period = { from: new Date(Date.now() - 60_000).toISOString(), to: new Date(Date.now() + 60_000).toISOString() }
  expect(await instance.manage<object>('POST', `${of(enterprise, id)}/replay`, period)).toEqual({ deliveries: 12 })
  await until(async () => (await statuses(enterprise, id)).every((status) => status === 'delivered'), 'the burst')
  expect(most).toBe(4)
  expect(new Set(slow.received.map((got) => got.id)).size).toBe(12)
  expect(slow.received).toHaveLength(12)
})

test('wrong targets, headers and rules are refused, and the 51st destination', async () => {
  const enterprise = await home()
  const owner = await memberAccount(instance, enterprise, 'owner')
  const body = { kind: 'webhook', name: 'Hook', url: 'https://example.org/a', events: ['job.finished'] }
  const post = async (more: object) => {
    const call = { body: { ...body, ...more } }
    const { status, errors = [] } = await callAs(instance.url(), owner, 'POST', `/manage/v1${of(enterprise)}`, call)
    expect(errors.filter(lacksArabic)).toEqual([])
    return status
  }
  for (const url of ['http://10.0.0.1/', 'https://0x7f000001/', 'https://a:b@example.org/', 'ftp://example.org/', 'x'])
    expect([url, await post({ url })]).toEqual([url, 422])
  for (const header of ['Host', 'content-length', 'Webhook-Id', 'Connection', 'a b'])
    expect([header, await post({ headers: { [header]: 'x' } })]).toEqual([header, 422])
  expect(await post({ headers: { a: 'x\ny' } })).toBe(422)
  expect(await post({ headers: { a: 'x', A: 'y' } })).toBe(422)
  expect(await post({ to: 'a@example.org' })).toBe(422)
  expect(await post({ ruleIds: ['rul_none'] })).toBe(422)
  expect(await post({ events: [] })).toBe(422)
  for (let n = 0; n < 50; n++) expect(await post({})).toBe(200)
  expect(await post({})).toBe(422)
  const member = await memberAccount(instance, enterprise, 'member')
  expect((await callAs(instance.url(), member, 'GET', `/manage/v1${of(enterprise)}`)).status).toBe(403)
})

test('a destination gets the form of its service, and no routing key is stored in the open', async () => {
  const enterprise = await home()
  const receivers = {
    slack: receiver(),
    teams: receiver(),
    pagerduty: receiver((nth) => new Response('', { status: nth === 1 ? 500 : 202 })),
  }
  const routingKey = 'R0123456789012345678901234567890'
  const ids: string[] = []
  for (const [format, { url }] of Object.entries(receivers))
    ids.push((await create(enterprise, url, { format, ...(format === 'pagerduty' && { routingKey }) })).id)
  await job(enterprise)
  for (const id of ids)
    await until(async () => (await statuses(enterprise, id)).join() === 'delivered', `the delivery of ${id}`)
  const bodies = Object.values(receivers).map(({ received }) => JSON.parse(received.at(-1)?.body ?? '') as object)
  const eventId = receivers.slack.received[0]?.id as string
  expect(bodies).toMatchObject([
    { text: expect.stringContaining('Job finished') },
    { type: 'message', attachments: [{ contentType: 'application/vnd.microsoft.card.adaptive' }] },
    { routing_key: routingKey, dedup_key: eventId, event_action: 'trigger' },
  ])
  const sent = receivers.pagerduty.received.map(({ body }) => body)
  expect([sent.length, new Set(sent).size]).toEqual([2, 1])
  const stored = await sql`SELECT d::text, l::text, convert_from(l.body, 'UTF8') AS body
    FROM destinations d JOIN deliveries l ON l.destination_id = d.id WHERE d.enterprise_id = ${enterprise}`
  expect(stored).toHaveLength(3)
  expect(JSON.stringify([stored, await sql`SELECT before, after FROM audit`])).not.toContain(routingKey)
  // a test has the form too
  await instance.manage('POST', `${of(enterprise, ids[0])}/test`)
  await until(() => receivers.slack.received.length === 2, 'the test')
  expect(JSON.parse(receivers.slack.received[1]?.body ?? '')).toMatchObject({ text: expect.stringContaining('Test') })
})

test('a routing key belongs to PagerDuty', async () => {
  const enterprise = await home()
  const owner = await memberAccount(instance, enterprise, 'owner')
  const body = { kind: 'webhook', name: 'Hook', url: 'https://example.org/a', events: ['job.finished'] }
  const post = (more: object) =>
    callAs<{ id: string }>(instance.url(), owner, 'POST', `/manage/v1${of(enterprise)}`, { body: { ...body, ...more } })
  for (const more of [
    { format: 'pagerduty' },
    { routingKey: 'a' },
    { format: 'pagerduty', routingKey: 'a', groupSeconds: 5 },
  ]) {
    const { status, errors = [] } = await post(more)
    expect([more, status, errors.filter(lacksArabic)]).toEqual([more, 422, []])
  }
  const { data } = await post({ format: 'slack' })
  const change = { body: { routingKey: 'a' } }
  expect((await callAs(instance.url(), owner, 'PATCH', `/manage/v1${of(enterprise, data.id)}`, change)).status).toBe(
    422,
  )
})
