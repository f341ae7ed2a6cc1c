/** Groups, repetitions and callbacks over HTTP, with receivers on this machine. */
import { afterAll, expect, test } from 'bun:test'
import { above, putRules } from '../../support/alerts/alert-rules.ts'
import {
  createInstance,
  type Envelope,
  lacksArabic,
  type MadeSensor,
  type Organization,
} from '../../support/server/instance.ts'
import { callAs, memberAccount } from '../../support/sessions.ts'
import { withSql } from '../../support/stores/with-sql.ts'
import { until } from '../../support/until.ts'
import { callTool, STATIONS } from '../../support/workers/tools.ts'

const instance = await createInstance({ WEBHOOK_ALLOW: '127.0.0.1' })
afterAll(() => instance.remove())

type Said = { id: string; type: string; timestamp: string; data: Record<string, unknown> }
function receiver() {
  const got: { id: string; body: Omit<Said, 'id'> & { text?: string } }[] = []
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      got.push({ id: request.headers.get('webhook-id') ?? '', body: (await request.json()) as Said })
      return new Response('')
    },
  })
  afterAll(() => server.stop(true))
  return { url: `http://127.0.0.1:${server.port}/hook`, got }
}
type Destination = { id: string; groupSeconds: number; repeatSeconds: number | null }
const at = (enterprise: string, rest = '') => `/enterprises/${enterprise}/destinations${rest}`
const create = ({ id }: Organization, url: string, more: object = {}) =>
  instance.manage<Destination>('POST', at(id), {
    kind: 'webhook',
    name: 'Hook',
    url,
    events: ['job.finished'],
    ...more,
  })
async function pulled({ publicKey, secretKey }: Organization): Promise<Said[]> {
  const headers = { 'x-api-key': publicKey, 'x-api-secret': secretKey }
  const response = await fetch(`${instance.url()}/enterprise/v1/events`, { headers })
  return ((await response.json()) as { data: { items: Said[] } }).data.items
}

test('followers of an alert come as one message, also when the server is killed while they wait', async () => {
  const organization = await instance.organization('scale')
  const { id: enterprise } = organization
  const [standard, slack] = [receiver(), receiver()]
  const events = ['alert.firing', 'alert.resolved']
  const { id } = await create(organization, standard.url, { events, groupSeconds: 6 })
  await create(organization, slack.url, { events, groupSeconds: 6, format: 'slack' })
  const sensors: MadeSensor[] = []
  for (let n = 0; n < 4; n++) sensors.push(await instance.sensor(enterprise, [{ name: 'a', measurement: 'number' }]))
  await putRules(instance, organization, [{ id: `rul_${enterprise}`, kind: 'threshold', definition: above(70) }])
  const send = async (n: number) => {
    const sent = await instance.send(sensors[n] as MadeSensor, {
      readings: [{ at: new Date().toISOString(), values: { a: 71 } }],
    })
    expect(sent.status).toBe(200)
  }
  await send(0)
  await until(() => standard.got.length === 1 && slack.got.length === 1, 'the first event')
  expect(standard.got[0]?.body).toMatchObject({ type: 'alert.firing', data: { sensorId: sensors[0]?.id } })
  for (const n of [1, 2, 3]) await send(n)
  await until(async () => (await pulled(organization)).length === 4, 'the events')
  expect(standard.got).toHaveLength(1)
  await instance.kill('SIGKILL')
  await instance.restart()
  await until(() => standard.got.length > 1 && slack.got.length > 1, 'the group')
  const all = await pulled(organization)
  const [, group] = standard.got
  expect(group?.body).toEqual({
    type: 'group',
    timestamp: expect.stringMatching(/Z$/),
    data: { ruleId: `rul_${enterprise}`, count: 3, events: all.slice(1) },
  })
  expect(group?.id).toMatch(/^evt_/)
  expect(all.map((event) => event.id)).not.toContain(group?.id as string)
  expect(slack.got[1]?.body.text).toStartWith('3 events: ')
  type Log = { items: { type: string; status: string; groupId: string | null; eventId: string }[] }
  const log = () => instance.manage<Log>('GET', `${at(enterprise, `/${id}`)}/deliveries`)
  await until(async () => (await log()).items.every(({ status }) => status === 'delivered'), 'the log')
  expect((await log()).items.map(({ type, groupId }) => [type, groupId]).toSorted()).toEqual(
    [['alert.firing', null], ...Array(3).fill(['alert.firing', group?.id]), ['group', null]].toSorted(),
  )

  // nobody reacts for a minute
  const again = receiver()
  const { id: repeating } = await create(organization, again.url, { events, repeatSeconds: 60 })
  const aged = (sql: Bun.SQL) =>
    sql.unsafe(`ALTER TABLE alerts DISABLE TRIGGER alert_changed;
      UPDATE alerts SET changed_at = changed_at - interval '61 seconds';
      ALTER TABLE alerts ENABLE TRIGGER alert_changed;
      UPDATE destinations SET repeats_since = repeats_since - interval '61 seconds'`)
  await withSql(instance, aged)
  await until(() => again.got.length === 4, 'the repetitions')
  for (const { body } of again.got)
    expect(body).toMatchObject({ type: 'alert.firing', data: { repeat: 1, repeatedFor: repeating, sequence: 2 } })
  expect([standard.got.length, slack.got.length]).toEqual([2, 2])
}, 60_000)

test('the end of a job goes to the destination that its call names, once', async () => {
  const organization = await instance.organization('scale')
  const [named, subscribed] = [receiver(), receiver()]
  const { id } = await create(organization, named.url, { events: ['alert.firing'] })
  const { id: both } = await create(organization, subscribed.url)
  const post = async (headers: Record<string, string>, who = organization) => {
    const response = await callTool(instance, who, '/buffer', { ...STATIONS, distance_m: 10 }, true, headers)
    const { data, errors = [] } = (await response.json()) as Envelope<{ jobID: string } | null>
    expect(errors.filter(lacksArabic)).toEqual([])
    return { status: response.status, job: data?.jobID ?? '' }
  }
  const prefer = 'respond-async'
  const jobOf = ({ got }: typeof named) => got.map(({ body }) => body.data.jobId)
  const first = await post({ prefer, 'x-callback': id })
  expect(first.status).toBe(202)
  await until(() => named.got.length === 1 && subscribed.got.length === 1, 'the end of the job')
  const second = await post({ prefer, 'x-callback': both })
  await until(() => subscribed.got.length === 2, 'the end of the job')
  expect([jobOf(named), jobOf(subscribed)]).toEqual([[first.job], [first.job, second.job]])
  expect(named.got[0]).toEqual(subscribed.got[0] as never)

  const foreign = await instance.organization('scale')
  const refused = [
    await post({ prefer, 'x-callback': 'dst_none' }),
    await post({ prefer, 'x-callback': id }, foreign),
    await post({ 'x-callback': id }),
  ]
  expect(refused.map(({ status }) => status)).toEqual([422, 422, 422])
  const jobs = await withSql(
    instance,
    (sql) => sql`SELECT id FROM jobs WHERE enterprise_id IN (${organization.id}, ${foreign.id})`,
  )
  expect((jobs as { id: string }[]).map((job) => job.id).toSorted()).toEqual([first.job, second.job].toSorted())
})

test('a group and a repetition have defaults and limits', async () => {
  const organization = await instance.organization('scale')
  const owner = await memberAccount(instance, organization.id, 'owner')
  const call = (method: string, rest: string, body: object) =>
    callAs<Destination>(instance.url(), owner, method, `/manage/v1${at(organization.id, rest)}`, { body })
  const draft = { kind: 'webhook', name: 'Hook', url: 'https://example.org/a', events: ['job.finished'] }
  const made: Record<string, Destination> = {}
  for (const format of ['standard', 'slack', 'teams', 'pagerduty'])
    made[format] = (
      await call('POST', '', { ...draft, format, ...(format === 'pagerduty' && { routingKey: 'R1' }) })
    ).data
  expect(Object.values(made).map(({ groupSeconds, repeatSeconds }) => [groupSeconds, repeatSeconds])).toEqual([
    [0, null],
    [10, null],
    [10, null],
    [0, null],
  ])
  const change = (format: string, body: object) => call('PATCH', `/${made[format]?.id}`, body)
  for (const body of [
    { groupSeconds: -1 },
    { groupSeconds: 3_601 },
    { groupSeconds: 1.5 },
    { repeatSeconds: 59 },
    { repeatSeconds: 86_401 },
  ])
    expect([body, (await change('slack', body)).status]).toEqual([body, 422])
  expect((await change('pagerduty', { groupSeconds: 1 })).status).toBe(422)
  expect((await change('slack', { groupSeconds: 3_600, repeatSeconds: 86_400 })).data).toMatchObject({
    groupSeconds: 3_600,
    repeatSeconds: 86_400,
  })
  expect((await change('slack', { repeatSeconds: null })).data).toMatchObject({ repeatSeconds: null })
  expect((await call('POST', '', { ...draft, format: 'pagerduty', routingKey: 'R1', groupSeconds: 1 })).status).toBe(
    422,
  )
})
