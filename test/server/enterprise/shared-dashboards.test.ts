/** Panels and links to dashboards over HTTP: figures compared with a plain loop, and what a link reads and when it ends. */
import { beforeAll, expect, test } from 'bun:test'
import { A } from '../../support/role-policy.ts'
import { type MadeSensor, type Organization, untilStored } from '../../support/server/instance.ts'
import { sharedInstance } from '../../support/server/shared-instance.ts'
import { type Account, type Answer, callAs, memberAccount } from '../../support/sessions.ts'
import { withSql } from '../../support/stores/with-sql.ts'

const COUNT = 300
const STEP_MS = 60_000
const END_MS = Date.now() - 60_000
const START_MS = END_MS - COUNT * STEP_MS
const CHANNELS = [
  { name: 'temperature', measurement: 'number' as const, unit: '°C' },
  { name: 'secret', measurement: 'number' as const },
]

const instance = await sharedInstance()
let home = {} as Organization
let admin = {} as Account
let [cold, warm, hidden] = [] as unknown as [MadeSensor, MadeSensor, MadeSensor]
const sentValue = (sensor: number, i: number): number => sensor * 100 + (i % 50) / 2

beforeAll(async () => {
  home = await instance.organization()
  admin = await memberAccount(instance, home.id, 'admin')
  ;[cold, warm, hidden] = [
    await instance.sensor(home.id, CHANNELS, 'Cold'),
    await instance.sensor(home.id, CHANNELS, 'Warm'),
    await instance.sensor(home.id, CHANNELS, 'Hidden'),
  ]
  for (const [sensor, { id }] of [cold, warm, hidden].entries()) {
    await instance.manage('PATCH', `/sensors/${id}`, { tags: sensor === 2 ? ['vault'] : ['room'] })
    await instance.send([cold, warm, hidden][sensor] as MadeSensor, {
      readings: Array.from({ length: COUNT }, (_, i) => ({
        at: new Date(START_MS + i * STEP_MS).toISOString(),
        values: { temperature: sentValue(sensor, i), secret: 1 },
        location: [10 + sensor, 50],
      })),
    })
    await untilStored(() => instance, home, { id }, COUNT)
  }
})

const base = { id: 'p', x: 0, y: 0, w: 6, h: 4, channels: ['temperature'] }
const ROOM = { tag: 'room' }
const range = { from: new Date(START_MS).toISOString(), to: new Date(END_MS).toISOString() }
async function panel<T = Record<string, unknown>>(body: object, more: object = {}): Promise<T> {
  const call = { enterprise: home.id, body: { ...range, ...more, panel: { ...base, ...body } } }
  const answer = await callAs<T>(instance.url(), admin, 'POST', `${A}/panels`, call)
  if (answer.status !== 200) throw new Error(`${answer.code}: ${answer.message}`)
  return answer.data
}

const both = Array.from({ length: COUNT }, (_, i) => [sentValue(0, i), sentValue(1, i)]).flat()

test.each([
  ['avg', both.reduce((sum, value) => sum + value, 0) / both.length],
  ['min', Math.min(...both)],
  ['max', Math.max(...both)],
  ['sum', both.reduce((sum, value) => sum + value, 0)],
])('a number over several sensors: %s', async (agg, expected) => {
  const data = await panel<{ value: number; unit: string; sensors: number }>({ type: 'number', sensors: ROOM, agg })
  expect(data).toMatchObject({ unit: '°C', sensors: 2, before: null })
  expect(data.value).toBeCloseTo(expected, 6)
})

test('a number of one sensor is its newest value, with its time and the value of the period before', async () => {
  const half = START_MS + (COUNT / 2) * STEP_MS
  const data = await panel(
    { type: 'number', sensors: { sensorIds: [cold.id] } },
    { from: new Date(half).toISOString(), to: range.to },
  )
  expect(data).toMatchObject({
    agg: 'last',
    value: sentValue(0, COUNT - 1),
    lastAt: new Date(START_MS + (COUNT - 1) * STEP_MS).toISOString(),
    before: sentValue(0, COUNT / 2 - 1),
  })
})

type Chart = { stepMs: number; series: { sensorId: string | null; points: [string, number][] }[] }
test('a chart has a line for each sensor, or one over all of them', async () => {
  const expectedAt = (values: (i: number) => number[], stepMs: number): Map<number, number> => {
    const found = new Map<number, number[]>()
    for (let i = 0; i < COUNT; i++) {
      const start = Math.floor((START_MS + i * STEP_MS) / stepMs) * stepMs
      found.set(start, [...(found.get(start) ?? []), ...values(i)])
    }
    return new Map([...found].map(([at, all]) => [at, all.reduce((sum, value) => sum + value, 0) / all.length]))
  }
  const each = await panel<Chart>({ type: 'chart', sensors: ROOM }, { points: 50 })
  expect(each.series.map(({ sensorId }) => sensorId).toSorted()).toEqual([cold.id, warm.id].toSorted())
  const all = await panel<Chart>({ type: 'chart', sensors: ROOM, over: 'sensors' }, { points: 50 })
  expect(all.series).toHaveLength(1)
  for (const [series, values] of [
    [each.series.find(({ sensorId }) => sensorId === cold.id), (i: number) => [sentValue(0, i)]],
    [all.series[0], (i: number) => [sentValue(0, i), sentValue(1, i)]],
  ] as const) {
    const expected = expectedAt(values, all.stepMs)
    expect(series?.points).toHaveLength(expected.size)
    for (const [at, value] of series?.points ?? [])
      expect(value).toBeCloseTo(expected.get(Date.parse(at)) ?? Number.NaN, 6)
  }
})

test('a table is ordered by value, and states, maps and variables choose the same sensors', async () => {
  type Table = { items: { sensorId: string; values: { value: number }[] }[] }
  const table = await panel<Table>({ type: 'table', sort: 'highest', sensors: { variables: true } })
  expect(table.items.map(({ sensorId }) => sensorId)).toEqual([hidden.id, warm.id, cold.id])
  const some = await panel<Table>(
    { type: 'table', sort: 'lowest', sensors: { variables: true } },
    { variables: { tag: 'room' } },
  )
  expect(some.items.map(({ values }) => values[0]?.value)).toEqual([sentValue(0, COUNT - 1), sentValue(1, COUNT - 1)])
  expect(await panel({ type: 'states', sensors: ROOM })).toMatchObject({ sensors: 2 })
  const map = await panel<{ items: { location: number[] }[] }>({ type: 'map', sensors: ROOM })
  expect(map.items.map(({ location }) => location[0]).toSorted()).toEqual([10, 11])
})

const DOCUMENT = {
  version: 1,
  range: '24h',
  panels: [
    { ...base, id: 'chart', type: 'chart', sensors: ROOM },
    { ...base, id: 'table', type: 'table', sensors: ROOM },
  ],
}
type Link = { id: string; token: string; path: string; expiresAt: string }
async function linkOf(account: Account, document: object = DOCUMENT, shared = true) {
  const call = { enterprise: home.id, body: { name: 'Rooms', shared, document } }
  const { data } = await callAs<{ id: string }>(instance.url(), account, 'POST', `${A}/dashboards`, call)
  const made = await callAs<Link>(instance.url(), account, 'POST', `${A}/dashboards/${data.id}/links`, {
    enterprise: home.id,
    body: { days: 7 },
  })
  return { dashboard: data.id, ...made.data }
}
function withLink<T = Record<string, unknown>>(token: string, method = 'GET', path = '', body?: object) {
  const headers = { authorization: `Bearer ${token}` }
  return callAs<T>(instance.url(), undefined, method, `/shared-dashboard${path}`, { headers, body })
}
const refusal = async (token: string): Promise<string[]> => [
  (await withLink(token)).code,
  (await withLink(token, 'POST', '/panels', { panelId: 'chart' })).code,
]
const ENDED = ['SHARE_LINK_INVALID', 'SHARE_LINK_INVALID']
const OPEN = ['SUCCESS', 'SUCCESS']

test('a link reads the panels of its dashboard, and nothing else', async () => {
  const { token, path, id } = await linkOf(admin)
  expect(token).toMatch(/^svcsh_[\w-]{43}$/)
  expect(path).toBe(`/portal/shared#${token}`)
  expect((await withLink(token)).data).toMatchObject({ name: 'Rooms', document: DOCUMENT })
  const chart = await withLink<Chart>(token, 'POST', '/panels', { panelId: 'chart' })
  expect(chart.data.series.map(({ sensorId }) => sensorId).toSorted()).toEqual([cold.id, warm.id].toSorted())
  const table = await withLink(token, 'POST', '/panels', { panelId: 'table' })
  for (const answer of [chart, table]) {
    expect(JSON.stringify(answer)).not.toContain(hidden.id)
    expect(JSON.stringify(answer)).not.toContain('secret')
  }
  // other panels, ranges, variables and sensors cannot be named
  expect((await withLink(token, 'POST', '/panels', { panelId: 'other' })).status).toBe(404)
  const panel = { ...base, type: 'table', sensors: { sensorIds: [hidden.id] } }
  for (const more of [{ panel }, { ...range }, { variables: { tag: 'vault' } }, { sensors: {} }])
    expect((await withLink(token, 'POST', '/panels', { panelId: 'chart', ...more })).status).toBe(422)
  // and the token is no key of any other route
  for (const route of ['/sensors', '/series?channel=temperature', '/dashboards', '/export?format=csv', '/live']) {
    const answer = await callAs(instance.url(), undefined, 'GET', A + route, {
      headers: { authorization: `Bearer ${token}`, 'x-enterprise': home.id },
    })
    expect([route, answer.status]).toEqual([route, 401])
  }
  // only its hash is stored
  const rows = await withSql(instance, (sql) => sql`SELECT share_links::text AS row FROM share_links WHERE id = ${id}`)
  expect(String(rows[0]?.row)).not.toContain(token)
})

test('a link ends when it is revoked or expired, and with its dashboard', async () => {
  const [revoked, expired, deleted] = [await linkOf(admin), await linkOf(admin), await linkOf(admin)]
  const links = (method: string, path = '') =>
    callAs<{ items: Link[] }>(instance.url(), admin, method, `${A}/dashboards/${revoked.dashboard}/links${path}`, {
      enterprise: home.id,
    })
  expect((await links('GET')).data.items.map(({ id }) => id)).toEqual([revoked.id])
  expect((await links('DELETE', `/${revoked.id}`)).status).toBe(200)
  expect((await links('GET')).data.items).toEqual([])
  await withSql(
    instance,
    (sql) => sql`UPDATE share_links SET expires_at = now() - interval '1 second' WHERE id = ${expired.id}`,
  )
  await callAs(instance.url(), admin, 'DELETE', `${A}/dashboards/${deleted.dashboard}`, { enterprise: home.id })
  for (const { token } of [revoked, expired, deleted]) expect(await refusal(token)).toEqual(ENDED)
})

test('a link ends with the right of its maker', async () => {
  const maker = await memberAccount(instance, home.id, 'admin')
  const { token: before } = await linkOf(maker)
  const member = `/members/${maker.memberIds[home.id]}`
  expect(await refusal(before)).toEqual(OPEN)
  await instance.manage('PATCH', member, { role: 'member' })
  expect(await refusal(before)).toEqual(ENDED)
  await instance.manage('PATCH', member, { role: 'admin' })
  expect(await refusal(before)).toEqual(ENDED)
  const { token } = await linkOf(maker)
  for (const [held, back] of [
    [{ status: 'suspended' }, { status: 'active' }],
    [{ assetsHeld: true }, { assetsHeld: false }],
  ]) {
    await instance.manage('PATCH', `/enterprises/${home.id}`, held)
    expect(await refusal(token)).toEqual(ENDED)
    await instance.manage('PATCH', `/enterprises/${home.id}`, back)
    expect(await refusal(token)).toEqual(OPEN)
  }
  await instance.manage('DELETE', member)
  expect(await refusal(token)).toEqual(ENDED)
})

test('a link to a dashboard that somebody else made private ends', async () => {
  const maker = await memberAccount(instance, home.id, 'admin')
  const { token, dashboard } = await linkOf(maker)
  const change = (shared: boolean) =>
    callAs(instance.url(), admin, 'PATCH', `${A}/dashboards/${dashboard}`, { enterprise: home.id, body: { shared } })
  expect((await change(false)).status).toBe(200)
  expect(await refusal(token)).toEqual(ENDED)
})

test('links last at most 90 days, and are made by administrators and owners', async () => {
  const { dashboard } = await linkOf(admin)
  const create = (account: Account, days: number): Promise<Answer> =>
    callAs(instance.url(), account, 'POST', `${A}/dashboards/${dashboard}/links`, {
      enterprise: home.id,
      body: { days },
    })
  expect((await create(admin, 91)).errors?.[0]?.field).toBe('body.days')
  expect((await create(await memberAccount(instance, home.id, 'member'), 1)).status).toBe(403)
})
