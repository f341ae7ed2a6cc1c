/** States of sensors, and lists that are filtered, sorted and counted by them. */
import { beforeAll, describe, expect, test } from 'bun:test'
import { type MadeSensor, type Organization, outcomeOf } from '../../support/server/instance.ts'
import { sharedInstance } from '../../support/server/shared-instance.ts'
import { until } from '../../support/until.ts'

type Row = {
  id: string
  name: string
  state?: string
  lastAt?: string | null
  intervalMs?: number | null
  latest?: { channel: string; unit: string | null; value: unknown; at: string | null }[]
  sparkline?: { channel: string; from: string; stepMs: number; values: (number | null)[] } | null
  refused?: number
}
type List = { items: Row[]; nextCursor: string | null; total: number; states: Record<string, number> }

const MINUTE_MS = 60_000
const HOUR_MS = 3_600_000
const CHANNELS = [
  { name: 'open', measurement: 'boolean' as const },
  { name: 'temperature', measurement: 'number' as const, unit: '°C' },
  { name: 'count', measurement: 'whole' as const },
  { name: 'fourth', measurement: 'number' as const },
]
const NOW = Date.now()
const iso = (agoMs: number): string => new Date(NOW - agoMs).toISOString()

const fleet = new Map<string, MadeSensor>()

async function make(name: string, tags: string[] = []): Promise<MadeSensor> {
  const input = { name, tags, assetName: `Asset of ${name}`, channels: CHANNELS }
  const made = await instance.manage<MadeSensor>('POST', `/enterprises/${organization.id}/sensors`, input)
  fleet.set(name, made)
  return made
}
/** Calls with one reading each. */
async function call(sensor: MadeSensor, ...agosMs: number[]): Promise<void> {
  for (const agoMs of agosMs)
    await outcomeOf(
      await instance.send(sensor, { readings: [{ at: iso(agoMs), values: { temperature: agoMs / HOUR_MS } }] }),
    )
}
const list = async (query: string): Promise<List> =>
  (await instance.query<List>(organization, `/sensors?${query}`)).data
const named = async (query: string): Promise<string[]> => (await list(query)).items.map(({ name }) => name)
const hourly = (lastAgoMs: number): number[] => Array.from({ length: 6 }, (_, i) => lastAgoMs + (5 - i) * HOUR_MS)

const instance = await sharedInstance()
const organization = await instance.organization('scale')
beforeAll(async () => {
  await call(await make('Pump 2', ['north']), ...hourly(2.9 * HOUR_MS))
  await call(await make('Pump 10', ['north']), ...hourly(3.1 * HOUR_MS))
  await call(await make('Pump 1', ['south']), ...hourly(10.1 * HOUR_MS))
  await make('Valve')
  await call(await make('Held'), MINUTE_MS)
  await call(await make('Off'), MINUTE_MS)
  await instance.manage('PATCH', `/sensors/${fleet.get('Held')?.id}`, { held: true })
  await instance.manage('PATCH', `/sensors/${fleet.get('Off')?.id}`, { enabled: false })
  const wrong = await make('Wrong')
  await call(wrong, 2 * HOUR_MS)
  await instance.send(wrong, { readings: [{ at: iso(0), values: { temperature: 'hot' } }] })
  await until(async () => (await list('include=state')).states.refused === 1, 'the refused state')
  await until(
    async () => (await list('include=state')).items.filter(({ lastAt }) => lastAt !== null).length === 6,
    'readings',
  )
  await until(async () => (await list('q=pump 1&sort=name&include=state')).items[0]?.intervalMs === HOUR_MS, 'rhythms')
}, 120_000)

test('a sensor is late after 3 and silent after 10 times its usual interval', async () => {
  const { items, total, states, nextCursor } = await list('sort=state&include=state,refused')
  expect(items.map(({ name, state }) => [name, state])).toEqual([
    ['Wrong', 'refused'],
    ['Pump 1', 'silent'],
    ['Pump 10', 'late'],
    ['Valve', 'new'],
    ['Held', 'held'],
    ['Off', 'off'],
    ['Pump 2', 'sending'],
  ])
  expect({ total, nextCursor }).toEqual({ total: 7, nextCursor: null })
  expect(states).toEqual({ refused: 1, silent: 1, late: 1, new: 1, held: 1, off: 1, sending: 1 })
  const of = (name: string) => items.find((item) => item.name === name)
  expect(of('Pump 10')).toMatchObject({ lastAt: iso(3.1 * HOUR_MS), intervalMs: HOUR_MS, refused: 0 })
  expect(of('Valve')).toMatchObject({ lastAt: null, intervalMs: null })
  expect(of('Wrong')).toMatchObject({ lastAt: iso(2 * HOUR_MS), intervalMs: null, refused: 1 })
})

test('one long pause and readings that arrive late do not change the usual interval', async () => {
  const sensor = await make('Rhythm')
  const agos = [100, 40, 39, 38, 37, 36, 35].map((hours) => hours * HOUR_MS)
  await call(sensor, ...agos, 36.5 * HOUR_MS, 80 * HOUR_MS)
  const row = async () => (await list('q=Rhythm&include=state')).items[0]
  await until(async () => (await row())?.intervalMs === HOUR_MS, 'the rhythm')
  // also when the state comes from ClickHouse alone
  await instance.kill('SIGTERM')
  await instance.restart()
  expect(await row()).toMatchObject({ state: 'silent', intervalMs: HOUR_MS, lastAt: iso(35 * HOUR_MS) })
  await instance.manage('DELETE', `/sensors/${sensor.id}`)
  expect(await list('q=Rhythm&include=state')).toMatchObject({ items: [], total: 0 })
}, 120_000)

test('lists are filtered by text, tag and state', async () => {
  expect(await named('q=pUMP&sort=name')).toEqual(['Pump 1', 'Pump 2', 'Pump 10'])
  expect(await named('q=asset of valve&sort=name')).toEqual(['Valve'])
  expect(await named(`q=${fleet.get('Off')?.id}&sort=name`)).toEqual(['Off'])
  expect(await named('tag=north&sort=name')).toEqual(['Pump 2', 'Pump 10'])
  expect(await named('state=late,silent&sort=name')).toEqual(['Pump 1', 'Pump 10'])
  const { total, states } = await list('state=late&tag=north')
  expect(total).toBe(1)
  expect(states).toMatchObject({ late: 1, sending: 1, silent: 0 })
})

test('lists are sorted by name, state, time and refusals, in both directions, page by page', async () => {
  const byName = ['Held', 'Off', 'Pump 1', 'Pump 2', 'Pump 10', 'Valve', 'Wrong']
  expect(await named('sort=name')).toEqual(byName)
  expect(await named('sort=name&order=desc')).toEqual(byName.toReversed())
  const byTime = ['Held', 'Off', 'Wrong', 'Pump 2', 'Pump 10', 'Pump 1', 'Valve']
  expect(await named('sort=lastAt')).toEqual(byTime)
  expect(await named('sort=lastAt&order=asc')).toEqual(['Pump 1', 'Pump 10', 'Pump 2', 'Wrong', 'Held', 'Off', 'Valve'])
  expect((await named('sort=refused'))[0]).toBe('Wrong')
  const pages: string[][] = []
  for (let cursor = ''; ; ) {
    const page = await list(`sort=name&limit=3${cursor}`)
    pages.push(page.items.map(({ name }) => name))
    expect(page.total).toBe(7)
    if (page.nextCursor === null) break
    cursor = `&cursor=${page.nextCursor}`
  }
  expect(pages).toEqual([byName.slice(0, 3), byName.slice(3, 6), byName.slice(6)])
  expect(await named('sort=name&offset=5')).toEqual(byName.slice(5))
  expect(await named('sort=name&offset=500')).toEqual([])
})

test('rows have the newest values of three channels and hourly averages of the first numeric one', async () => {
  const sensor = await make('Spark')
  const at = (hours: number, minutes: number): number =>
    Math.floor(NOW / HOUR_MS) * HOUR_MS - hours * HOUR_MS + minutes * MINUTE_MS
  const send = async (ms: number, values: Record<string, number | boolean>) =>
    outcomeOf(await instance.send(sensor, { readings: [{ at: new Date(ms).toISOString(), values }] }))
  await send(at(30, 0), { temperature: 1000 })
  await send(at(23, 0), { temperature: 1, count: 5 })
  await send(at(23, 59), { temperature: 3 })
  await send(at(5, 10), { temperature: -4, open: true })
  await send(at(1, 10), { fourth: 9 })
  const row = async (): Promise<Row | undefined> => (await list('q=Spark&include=latest,sparkline')).items[0]
  await until(async () => (await row())?.sparkline?.values[18] === -4, 'the sparkline')
  const values: (number | null)[] = new Array(24).fill(null)
  values[0] = 2
  values[18] = -4
  expect(await row()).toMatchObject({
    sparkline: { channel: 'temperature', from: new Date(at(23, 0)).toISOString(), stepMs: HOUR_MS, values },
    latest: [
      { channel: 'open', unit: null, value: true, at: new Date(at(5, 10)).toISOString() },
      { channel: 'temperature', unit: '°C', value: -4, at: new Date(at(5, 10)).toISOString() },
      { channel: 'count', unit: null, value: 5, at: new Date(at(23, 0)).toISOString() },
    ],
  })
  expect(await row()).not.toHaveProperty('state')
  await instance.manage('DELETE', `/sensors/${sensor.id}`)
}, 60_000)

test('tags are listed with the number of their sensors, the most used first, page by page', async () => {
  const tags = async (query = '') =>
    (
      await instance.query<{ items: { tag: string; count: number }[]; nextCursor: string | null }>(
        organization,
        `/tags${query}`,
      )
    ).data
  expect(await tags()).toEqual({
    items: [
      { tag: 'north', count: 2 },
      { tag: 'south', count: 1 },
    ],
    nextCursor: null,
  })
  const odd = await make('Tagged', ['south', 'ميناء', '<b>&', 'X\u202e'])
  expect((await tags('?limit=2')).items.map(({ tag, count }) => [tag, count])).toEqual([
    ['north', 2],
    ['south', 2],
  ])
  const { nextCursor } = await tags('?limit=2')
  expect((await tags(`?limit=2&cursor=${nextCursor}`)).items.map(({ tag }) => tag)).toEqual(['<b>&', 'X\u202e'])
  expect((await tags(`?q=${encodeURIComponent('مينا')}`)).items).toEqual([{ tag: 'ميناء', count: 1 }])
  expect((await tags('?q=SOU')).items).toEqual([{ tag: 'south', count: 2 }])
  expect((await instance.query(organization, '/tags?cursor=x')).code).toBe('VALIDATION_FAILED')
  expect((await instance.query<{ items: [] }>(await instance.organization(), '/tags')).data.items).toEqual([])
  await instance.manage('DELETE', `/sensors/${odd.id}`)
  expect((await tags()).items).toHaveLength(2)
})

test('a renamed, retagged or switched sensor is found by its new record', async () => {
  const sensor = await make('Before', ['old'])
  expect(await named('tag=old&sort=name')).toEqual(['Before'])
  await instance.manage('PATCH', `/sensors/${sensor.id}`, { name: 'After', tags: ['fresh'], enabled: false })
  expect(await named('tag=old&sort=name')).toEqual([])
  expect(await named('tag=fresh&state=off')).toEqual(['After'])
  await instance.manage('DELETE', `/sensors/${sensor.id}`)
  expect(await named('tag=fresh&sort=name')).toEqual([])
})

test('an enterprise sees only its own sensors, and its figures', async () => {
  const other = await instance.organization()
  const { data } = await instance.query<List>(other, '/sensors?sort=state')
  expect(data).toMatchObject({ items: [], total: 0, nextCursor: null })
  type Overview = { total: number; states: Record<string, number>; readingsPerMinute: number; refusedLastHour: number }
  const overview = async (who: Organization) => (await instance.query<Overview>(who, '/sensors/states')).data
  expect(await overview(other)).toMatchObject({ total: 0, readingsPerMinute: 0, refusedLastHour: 0 })
  const own = await make('Counted')
  const readings = Array.from({ length: 90 }, (_, i) => ({ at: iso(i * 1000), values: { count: i } }))
  await outcomeOf(await instance.send(own, { readings }))
  await until(async () => (await overview(organization)).readingsPerMinute >= 90, 'the count of readings')
  expect(await overview(organization)).toMatchObject({ total: 8, refusedLastHour: 1 })
  await instance.manage('DELETE', `/sensors/${own.id}`)
}, 60_000)

describe('bad input', () => {
  test.each([
    ['state=broken', 'query.state'],
    ['state=late,', 'query.state'],
    ['sort=age', 'query.sort'],
    ['order=up', 'query.order'],
    ['include=state,all', 'query.include'],
    ['include=', 'query.include'],
    ['sort=name&limit=0', 'query.limit'],
    ['sort=name&limit=1001', 'query.limit'],
    ['sort=name&offset=-1', 'query.offset'],
    ['sort=name&offset=1.5', 'query.offset'],
    ['sort=name&cursor=x', 'query.cursor'],
    ['sort=name&cursor=o1&offset=1', 'query.offset'],
    ['colour=red', 'query.colour'],
  ])('%s is rejected with the field name', async (query, field) => {
    const answer = await instance.query(organization, `/sensors?${query}`)
    expect(answer).toMatchObject({ statusCode: 422, code: 'VALIDATION_FAILED', errors: [{ field }] })
  })
})
