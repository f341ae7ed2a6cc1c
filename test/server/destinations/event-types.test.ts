/** Every type of event: made by real calls, delivered to a receiver, pulled, true to its schema, and once over a kill. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import Ajv2020 from 'ajv/dist/2020.js'
import { createInstance, fromNow, outcomeOf } from '../../support/server/instance.ts'
import { toolApisOf } from '../../support/server/tool-apis.ts'
import { call, collectionOf, sendPositions } from '../../support/server/zones.ts'
import { callAs, memberAccount } from '../../support/sessions.ts'
import { connectTo } from '../../support/stores/with-sql.ts'
import { until } from '../../support/until.ts'
import { callTool } from '../../support/workers/tools.ts'

const TYPES = [
  'alert.firing',
  'alert.resolved',
  'zone.entered',
  'zone.left',
  'zone.dwelled',
  'sensor.state',
  'job.finished',
  'run.failed',
  'credits.low',
  'key.expiring',
  'tool-api.held',
  'tool-api.refusing',
  'destination.disabled',
]

const instance = await createInstance({ WEBHOOK_ALLOW: '127.0.0.1' })
let sql = connectTo(instance)
afterAll(async () => {
  await sql.close()
  await instance.remove()
})

type Data = Record<string, unknown>
type Event = { id: string; type: string; timestamp: string; data: Data }
const received: Event[] = []
const server = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  async fetch(request) {
    if (new URL(request.url).pathname === '/gone') return new Response('', { status: 410 })
    received.push({ id: request.headers.get('webhook-id') ?? '', ...((await request.json()) as Omit<Event, 'id'>) })
    return new Response('')
  },
})
afterAll(() => server.stop(true))

const organization = await instance.organization('starter')
const home = organization.id
const owner = await memberAccount(instance, home, 'owner')
const tools = toolApisOf(() => instance)
const pull = async (query = ''): Promise<Event[]> => {
  const path = `/enterprise/v1/events?limit=1000${query}`
  const { status, data } = await callAs<{ items: Event[] }>(instance.url(), owner, 'GET', path, { enterprise: home })
  expect(status).toBe(200)
  return data.items
}
const dataOf = async (type: string): Promise<Data[]> => (await pull(`&types=${type}`)).map(({ data }) => data)
const untilThere = (type: string, count = 1) =>
  until(async () => (await dataOf(type)).length >= count, `${count} of ${type}`, 60_000)
const rule = async (body: object): Promise<string> => {
  const made = await call<{ id: string }>(instance, organization, 'POST', '/rules', body)
  if (made.code !== 'SUCCESS') throw new Error(made.message)
  return made.data.id
}
const hook = (path: string, events: string[]) =>
  instance.manage<{ id: string }>('POST', `/enterprises/${home}/destinations`, {
    kind: 'webhook',
    name: 'Hook',
    url: `http://127.0.0.1:${server.port}${path}`,
    events,
  })

const days = (count: number): number => count * 86_400_000
let sensor: Awaited<ReturnType<typeof instance.sensor>>
let person: string

beforeAll(async () => {
  await hook('/all', TYPES)
  sensor = await instance.sensor(home, [{ name: 't', measurement: 'number' }])
  person = (await instance.manage<{ id: string }>('POST', '/people', { email: 'keys@example.org', plan: 'max' })).id
})

test('a sensor that sends makes events of alerts and of zones', async () => {
  const box = { id: 'yard', west: 0, south: 0, east: 10, north: 10 }
  const { id: layerId } = await tools.layer(home, ...collectionOf([box]).features)
  const zone = { kind: 'zone', layerId, all: true }
  await rule({ ...zone, name: 'In', when: 'enter', severity: 'info' })
  await rule({ ...zone, name: 'Out', when: 'leave', severity: 'critical' })
  // this one is judged with the alert rules, the others beside the segments
  await rule({ ...zone, name: 'Surely out', when: 'leave', minReadings: 2 })
  await rule({ ...zone, name: 'Stays', when: 'dwell', dwellSeconds: 60 })
  const conditions = [{ channel: 't', op: '>', value: 10 }]
  await rule({ kind: 'threshold', name: 'Hot', all: true, conditions, steps: [{ severity: 'critical', value: 50 }] })
  const startMs = Date.now() - 600_000
  const positions = [
    { ms: startMs, x: 20, y: 5 },
    { ms: startMs + 60_000, x: 5, y: 5 },
    { ms: startMs + 180_000, x: 6, y: 5 },
    { ms: startMs + 240_000, x: 20, y: 5 },
    { ms: startMs + 300_000, x: 21, y: 5 },
  ]
  await outcomeOf(await sendPositions(instance, sensor, positions))
  const send = async (...values: number[]) => {
    const readings = values.map((t, i) => ({ at: fromNow(i - values.length), values: { t } }))
    await outcomeOf(await instance.send(sensor, { readings }))
  }
  await send(20)
  const hot = async () => (await dataOf('alert.firing')).filter(({ ruleName }) => ruleName === 'Hot')
  await until(async () => (await hot()).length === 1, 'the alert', 60_000)
  await send(60, 5)
  await until(async () => (await hot()).length === 2, 'its other severity', 60_000)
  for (const type of ['zone.entered', 'zone.dwelled', 'alert.resolved']) await untilThere(type)
  await untilThere('zone.left', 2)
  const at = (index: number) => new Date(positions[index]?.ms as number).toISOString()
  const named = { sensorId: sensor.id, sensorName: 'Asset', assetName: 'Asset', layerId }
  expect(await dataOf('zone.entered')).toMatchObject([
    { ...named, ruleName: 'In', severity: 'info', at: at(1), location: [5, 5], featureIds: ['yard'], sequence: 1 },
  ])
  const left = (await dataOf('zone.left')).toSorted((a, b) => String(a.ruleName).localeCompare(String(b.ruleName)))
  expect(left).toMatchObject([
    { ...named, ruleName: 'Out', severity: 'critical', at: at(3), location: [20, 5], featureIds: ['yard'] },
    { ...named, ruleName: 'Surely out', severity: 'warning', at: at(3), location: [20, 5], featureIds: ['yard'] },
  ])
  const alerts = await dataOf('alert.firing')
  const stay = alerts.find(({ ruleName }) => ruleName === 'Stays')
  expect(await dataOf('zone.dwelled')).toMatchObject([
    { ...named, ruleName: 'Stays', alertId: stay?.id, at: at(2), startedAt: at(1), featureIds: ['yard'], sequence: 1 },
  ])
}, 120_000)

test('each change of state of a sensor is an event', async () => {
  // after one call it is late after a quarter of an hour
  const other = await instance.sensor(home, [{ name: 't', measurement: 'number' }])
  await outcomeOf(await instance.send(other, { readings: [{ at: fromNow(0), values: { t: 1 } }] }))
  const states = async () => (await dataOf('sensor.state')).filter(({ sensorId }) => sensorId === other.id)
  const untilStates = (count: number) => until(async () => (await states()).length >= count, 'the state', 60_000)
  await untilStates(1)
  await instance.manage('PATCH', `/sensors/${other.id}`, { enabled: false })
  await untilStates(2)
  await instance.manage('PATCH', `/sensors/${other.id}`, { enabled: true })
  await untilStates(3)
  const known = await instance.query<{ items: { id: string }[] }>(organization, '/sensors?state=sending')
  expect(known.data.items.map(({ id }) => id)).toContain(other.id)
  expect(await states()).toMatchObject([
    { previousState: 'new', state: 'sending', sequence: 1 },
    { previousState: 'sending', state: 'off', sequence: 2 },
    { previousState: 'off', state: 'sending', sequence: 3 },
  ])
}, 120_000)

test('credits of a month make one event at a fifth and one at none', async () => {
  const buffer = () =>
    callTool(
      instance,
      organization,
      '/buffer',
      { file: 'stations.geojson', distance_m: 10, target_format: 'geojson' },
      true,
    )
  const first = (await (await buffer()).json()) as { data: { usage: { creditsCharged: number } } }
  const price = first.data.usage.creditsCharged
  expect(price).toBeGreaterThan(0)
  const [{ credits }] = (await sql`SELECT credits_per_month::float8 AS credits FROM tiers WHERE name = 'starter'`) as [
    { credits: number },
  ]
  const leave = (left: number) => sql`UPDATE credit_periods SET used = ${credits - left} WHERE enterprise_id = ${home}`
  await leave(credits / 5 + 2 * price)
  for (let run = 0; run < 3; run++) expect((await buffer()).status).toBe(200)
  const fifth = { level: 'fifth', creditsLeft: credits / 5, creditsPerMonth: credits, sequence: 1 }
  expect(await dataOf('credits.low')).toMatchObject([fifth])
  await leave(price)
  expect((await buffer()).status).toBe(200)
  await leave(price)
  expect((await buffer()).status).toBe(200)
  expect(await dataOf('credits.low')).toMatchObject([fifth, { level: 'none', creditsLeft: 0, sequence: 2 }])
}, 60_000)

test('keys of every kind make events before their end, once, and a revoked one none', async () => {
  const soon = { expiresAt: fromNow(days(400)) }
  const made = await Promise.all([
    instance.manage<{ id: string }>('POST', `/sensors/${sensor.id}/keys`, soon),
    instance.manage<{ id: string }>('POST', `/applications/${organization.applicationId}/keys`, soon),
    tools
      .save(home, 'vector.buffer', { settings: { distance_m: 1 } })
      .then(({ id }) => instance.manage<{ id: string }>('POST', `/tool-apis/${id}/keys`, soon)),
    instance.manage<{ id: string }>('POST', `/sensors/${sensor.id}/keys`, soon),
  ])
  const fleetKeys = `/enterprises/${home}/fleet-keys`
  const gateway = await instance.manage<{ id: string; keys: { id: string }[] }>('POST', fleetKeys, {
    name: 'Gateway',
    ...soon,
  })
  const ofFleet = gateway.keys[0]?.id ?? ''
  // the earlier key of a rotation ends as it should
  const rotated = await instance.manage<{ id: string; keys: { id: string }[] }>('POST', fleetKeys, {
    name: 'Rotated',
    ...soon,
  })
  await instance.manage('POST', `/fleet-keys/${rotated.id}/keys`)
  const [ofSensor, ofApplication, ofToolApi, revoked] = made.map(({ id }) => id) as [string, string, string, string]
  await instance.manage('DELETE', `/sensors/${sensor.id}/keys/${revoked}`)
  const account = await instance.manage<{ id: string }>('POST', `/people/${person}/api-keys`, {
    name: 'Script',
    ...soon,
  })
  // each is made a year ago, and is soon as many days from its end
  const ending = (table: string, id: string, left: number) =>
    sql`UPDATE ${sql(table)} SET created_at = now() - interval '1 year',
      expires_at = now() + ${`${left} days 2 seconds`}::interval WHERE id = ${id}`
  await ending('sensor_keys', ofSensor, 14)
  await ending('sensor_keys', revoked, 14)
  await ending('application_keys', ofApplication, 3)
  await ending('fleet_key_secrets', rotated.keys[0]?.id ?? '', 0)
  await ending('fleet_key_secrets', ofFleet, 3)
  await ending('tool_api_keys', ofToolApi, 0)
  await ending('personal_keys', account.id, 3)
  await untilThere('key.expiring', 4)
  const data = await dataOf('key.expiring')
  expect(new Set(data.map(({ keyId, kind, daysLeft }) => `${keyId} ${kind} ${daysLeft}`))).toEqual(
    new Set([
      `${ofSensor} sensor-key 14`,
      `${ofFleet} fleet-key-secret 3`,
      `${ofApplication} application-key 3`,
      `${ofToolApi} tool-api-key 0`,
    ]),
  )
  expect(data.find(({ keyId }) => keyId === ofSensor)).toMatchObject({ sensorId: sensor.id, sensorName: 'Asset' })
  const kept = async () =>
    [...(await sql`SELECT type, data FROM person_events WHERE person_id = ${person} ORDER BY stored_at`)] as Event[]
  await until(async () => (await kept()).length > 0, 'the event of the person', 30_000)
  expect(await kept()).toMatchObject([
    { type: 'key.expiring', data: { keyId: account.id, kind: 'personal-key', daysLeft: 3, holderId: person } },
  ])
}, 90_000)

test('a Tool API makes events of its hold, and one when it begins to refuse', async () => {
  const api = await tools.save(home, 'vector.buffer', { settings: { distance_m: 1 } })
  const change = (id: string, body: object) => instance.manage('PATCH', `/tool-apis/${id}`, body)
  await change(api.id, { held: true, heldReason: 'Too many calls' })
  await change(api.id, { name: 'Other' })
  await change(api.id, { held: false, heldReason: null })
  expect(await dataOf('tool-api.held')).toMatchObject([
    { toolApiId: api.id, held: true, reason: 'Too many calls', sequence: 1 },
    { toolApiId: api.id, held: false, reason: null, sequence: 2 },
  ])
  const ofPerson = await tools.save(person, 'vector.buffer', { settings: { distance_m: 1 } })
  await change(ofPerson.id, { held: true, heldReason: 'No' })
  const kept = await sql`SELECT data FROM person_events WHERE person_id = ${person} AND type = 'tool-api.held'`
  expect([...kept]).toMatchObject([{ data: { toolApiId: ofPerson.id, held: true, reason: 'No' } }])
  // strangers count in nothing
  for (let i = 0; i < 30; i++) expect((await tools.run({ ...api, key: 'wrong' }, {})).status).toBe(401)
  for (let i = 0; i < 9; i++) expect((await tools.run(api, {})).status).toBe(422)
  const looked = async () =>
    (
      (await sql`SELECT sum(calls)::integer AS calls FROM tool_api_minutes WHERE tool_api_id = ${api.id}`) as [
        { calls: number | null },
      ]
    )[0].calls
  await until(async () => (await looked()) === 9, 'the calls', 30_000)
  await Bun.sleep(11_000)
  expect(await dataOf('tool-api.refusing')).toEqual([])
  for (let i = 0; i < 3; i++) expect((await tools.run(api, {})).status).toBe(422)
  await untilThere('tool-api.refusing')
  for (let i = 0; i < 5; i++) expect((await tools.run(api, {})).status).toBe(422)
  await until(async () => (await looked()) === 17, 'all calls', 30_000)
  const isRefusing = async () => (await sql`SELECT FROM refusing_tool_apis`).length
  expect(await isRefusing()).toBe(1)
  // after a quarter of an hour without calls it has recovered
  await sql`UPDATE tool_api_minutes SET minute = minute - interval '16 minutes'`
  await until(async () => (await isRefusing()) === 0, 'its recovery', 30_000)
  for (let i = 0; i < 10; i++) expect((await tools.run(api, {})).status).toBe(422)
  await untilThere('tool-api.refusing', 2)
  const refusing = await dataOf('tool-api.refusing')
  expect(refusing[0]?.calls).toBeWithin(10, 13)
  expect(refusing).toMatchObject([
    { toolApiId: api.id, name: 'Other', sequence: 3 },
    { toolApiId: api.id, calls: 10, refused: 10, sequence: 4 },
  ])
}, 150_000)

test('a run and a job that the server fails make events; one that the caller fails, or dismisses, none', async () => {
  const wrong = await callTool(instance, organization, '/buffer', { file: { name: 'a.geojson', content: '{' } }, true)
  expect(wrong.status).toBeLessThan(500)
  const lost = readFileSync(join(instance.dir, 'instance.id'), 'utf8').trim()
  await sql`INSERT INTO runs (id, enterprise_id, application_id, tool_id, tool_version, request_id, status, settings, credits,
      period_start, file_count, input_bytes, instance_id)
    VALUES ('run_lost', ${home}, ${organization.applicationId}, 'vector.buffer', '1', 'req_1', 'running', '{}', 0,
      date_trunc('month', now(), 'UTC'), 0, 0, ${lost})`
  // three attempts have died, and one job is dismissed
  await sql`INSERT INTO jobs (id, enterprise_id, application_id, tool_id, tool_version, call, status, attempts)
    VALUES ('job_lost', ${home}, ${organization.applicationId}, 'vector.buffer', '1', '{"path": "/", "method": "POST",
      "requestId": "req_1", "settings": {}, "files": [], "inputBytes": 0}', 'accepted', 3),
    ('job_unwanted', ${home}, ${organization.applicationId}, 'vector.buffer', '1', '{}', 'running', 1)`
  const dismissed = `/enterprise/v1/gis/jobs/job_unwanted`
  expect((await callAs(instance.url(), owner, 'DELETE', dismissed, { enterprise: home })).status).toBe(200)
  await until(async () => (await dataOf('run.failed')).length > 0, 'the failure of the job', 30_000)
  await sql.close()
  await instance.kill('SIGKILL')
  await instance.restart()
  sql = connectTo(instance)
  await untilThere('run.failed', 2)
  const failed = await dataOf('run.failed')
  expect(failed).toMatchObject([
    { jobId: 'job_lost', runId: null, code: 'TOOL_FAILED', toolId: 'vector.buffer', sequence: 2 },
    { jobId: null, runId: 'run_lost', code: 'TOOL_FAILED', toolId: 'vector.buffer', sequence: 1 },
  ])
  expect((await dataOf('job.finished')).map(({ jobId, status }) => `${jobId} ${status}`).toSorted()).toEqual([
    'job_lost failed',
    'job_unwanted dismissed',
  ])
}, 120_000)

test('each type arrives once by webhook as it is pulled, over another kill, and is true to its schema', async () => {
  await hook('/gone', ['tool-api.held'])
  const api = await tools.save(home, 'vector.buffer', { settings: { distance_m: 1 } })
  await instance.manage('PATCH', `/tool-apis/${api.id}`, { held: true, heldReason: 'Test' })
  await untilThere('destination.disabled')
  // from then on nothing changes by itself
  const isSilent = async () =>
    (await dataOf('sensor.state')).some(({ sensorId, state }) => sensorId === sensor.id && state === 'silent')
  await until(isSilent, 'the silence of the sensor', 90_000)
  const all = await pull()
  expect(new Set(all.map(({ type }) => type))).toEqual(new Set(TYPES))
  await sql.close()
  await instance.kill('SIGKILL')
  await instance.restart()
  sql = connectTo(instance)
  // two looks
  await Bun.sleep(21_000)
  expect(await pull()).toEqual(all)
  const ids = () => new Set(received.map(({ id }) => id))
  await until(() => ids().size >= all.length, 'the deliveries', 30_000)
  const byId = new Map(received.map((event) => [event.id, event]))
  expect(all.map(({ id }) => byId.get(id))).toEqual(all)
  expect(ids().size).toBe(all.length)
  const document = (await (await fetch(`${instance.url()}/openapi.json`)).json()) as {
    components: object
    webhooks: Record<string, { post: { requestBody: { content: Record<string, { schema: { $ref: string } }> } } }>
  }
  expect(Object.keys(document.webhooks)).toEqual([...TYPES, 'group', 'destination.test'])
  const ajv = new Ajv2020({ strict: false, allErrors: true })
  ajv.addFormat('date-time', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  ajv.addSchema({ $id: 'document', components: document.components })
  const refOf = (type: string): string =>
    document.webhooks[type]?.post.requestBody.content['application/json']?.schema.$ref ?? ''
  const problems = all.flatMap(({ id: _, ...body }) => {
    const isValid = ajv.compile({ $ref: `document${refOf(body.type)}` })
    // with nothing that the schema does not have
    const data = { $ref: `document${refOf(body.type)}/properties/data`, unevaluatedProperties: false }
    const { type } = body
    const hasNoMore = ajv.compile(data)
    return isValid(body) && hasNoMore(body.data) ? [] : [{ type, errors: isValid.errors ?? hasNoMore.errors }]
  })
  expect(problems).toEqual([])
  const pulled = ajv.compile({ $ref: 'document#/components/schemas/Event' })
  expect(all.filter((event) => !pulled(event))).toEqual([])
  const other = ajv.compile({ $ref: 'document#/components/schemas/ZoneLeftEvent' })
  expect(other(all.find(({ type }) => type === 'zone.entered'))).toBe(false)
}, 180_000)

test('metrics count pending deliveries, attempts and disabled destinations', async () => {
  const figures = async () => {
    const text = await (await fetch(`${instance.url()}/metrics`)).text()
    return (name: string): number => Number(new RegExp(`^${name} (.+)$`, 'm').exec(text)?.[1])
  }
  const delivered = 'delivery_attempts_total\\{outcome="delivered"\\}'
  // states of sensors change by themselves meanwhile
  await until(async () => (await figures())('deliveries_pending') === 0, 'no pending delivery')
  const before = await figures()
  expect(before('destinations_disabled')).toBe(1)
  expect(before('deliveries_oldest_pending_seconds')).toBeLessThan(10)
  expect(before('delivery_attempts_total\\{outcome="internal"\\}')).toBe(0)
  await hook('/all', ['job.finished']).then(({ id }) =>
    instance.manage('POST', `/enterprises/${home}/destinations/${id}/test`),
  )
  await until(async () => (await figures())(delivered) > before(delivered), 'the attempt')
}, 30_000)
