/** Lists of sensors filtered and sorted by the newest values of channels, compared with a plain loop over them. */
import { beforeAll, describe, expect, test } from 'bun:test'
import { type MadeSensor, outcomeOf } from '../../support/server/instance.ts'
import { sharedInstance } from '../../support/server/shared-instance.ts'
import { until } from '../../support/until.ts'

type Latest = { channel: string; unit: string | null; value: unknown; at: string | null }
type Row = { id: string; name: string; latest?: Latest[] }
type List = { items: Row[]; nextCursor: string | null; total: number }
type Made = MadeSensor & { name: string; temperature?: number; open?: boolean }

const ODD = 'flow "a" > b, c'
const TEMPERATURE = { name: 'temperature', measurement: 'number' as const, unit: '°C' }
const OPEN = { name: 'open', measurement: 'boolean' as const }
const COUNT = 23

const instance = await sharedInstance()
const organization = await instance.organization('scale')
const fleet: Made[] = []

const list = async (parameters: Record<string, string | string[]>): Promise<List> => {
  const query = new URLSearchParams()
  for (const [name, values] of Object.entries(parameters))
    for (const value of [values].flat()) query.append(name, value)
  return (await instance.query<List>(organization, `/sensors?${query}`)).data
}
const named = async (parameters: Record<string, string | string[]>): Promise<string[]> =>
  (await list(parameters)).items.map(({ name }) => name)
const send = async (sensor: MadeSensor, values: Record<string, number | boolean>, agoMs = 0): Promise<unknown> =>
  outcomeOf(await instance.send(sensor, { readings: [{ at: new Date(Date.now() - agoMs).toISOString(), values }] }))

beforeAll(async () => {
  for (let i = 0; i < COUNT; i++) {
    const name = `Probe ${i}`
    // the number of a channel differs between sensors
    const channels =
      i % 2 === 0 ? [TEMPERATURE, OPEN] : [OPEN, TEMPERATURE, { name: ODD, measurement: 'whole' as const }]
    const made = await instance.manage<MadeSensor>('POST', `/enterprises/${organization.id}/sensors`, {
      name,
      channels,
    })
    const sensor: Made = { ...made, name }
    fleet.push(sensor)
    if (i % 5 === 4) continue
    // few values, so that some are equal
    sensor.temperature = ((i * 7) % 8) * 5.5 - 11
    sensor.open = i % 3 === 0
    // an older reading arrives later
    await send(sensor, { temperature: sensor.temperature, open: sensor.open })
    await send(sensor, { temperature: 1000, open: !sensor.open }, 60_000)
  }
  await send(fleet[1] as Made, { [ODD]: 7 }, 1)
  await until(async () => (await list({ where: 'temperature<500', limit: '1' })).total === known().length, 'readings')
  await until(async () => (await list({ where: `"${ODD.replaceAll('"', '""')}"=7` })).total === 1, 'the odd channel')
}, 120_000)

const known = (): (Made & { temperature: number })[] =>
  fleet.filter((sensor): sensor is Made & { temperature: number } => sensor.temperature !== undefined)
/** In the order of creation, which is the order of these names. */
const namesWhere = (holds: (sensor: Made & { temperature: number }) => boolean): string[] =>
  known()
    .filter(holds)
    .map(({ name }) => name)

test('each operator compares the newest value, and sensors without one are left out', async () => {
  const expected: Record<string, (value: number) => boolean> = {
    'temperature>5.5': (value) => value > 5.5,
    'temperature >= 5.5': (value) => value >= 5.5,
    'temperature<0': (value) => value < 0,
    'temperature<=-5.5': (value) => value <= -5.5,
    'temperature=5.5': (value) => value === 5.5,
    '"temperature"!=5.5': (value) => value !== 5.5,
    'temperature>1e1': (value) => value > 10,
  }
  for (const [where, holds] of Object.entries(expected)) {
    const wanted = namesWhere(({ temperature }) => holds(temperature))
    expect({ where, found: await named({ where, sort: 'name' }) }).toEqual({ where, found: wanted })
  }
  expect(await named({ where: 'open=true', sort: 'name' })).toEqual(namesWhere(({ open }) => open === true))
  const both = namesWhere(({ temperature, open }) => temperature > 0 && temperature < 20 && open === false)
  expect(await named({ where: 'temperature>0 and  temperature<20 and "open"!=true', sort: 'name' })).toEqual(both)
  const { total, items } = await list({ where: 'temperature>0', q: 'probe 1', limit: '1' })
  expect(total).toBe(namesWhere(({ name, temperature }) => name.startsWith('Probe 1') && temperature > 0).length)
  expect(items).toHaveLength(1)
})

test('sensors are sorted by value in both directions, ties by name, and without a value last', async () => {
  const rest = fleet.filter(({ temperature }) => temperature === undefined).map(({ name }) => name)
  const rising = known().toSorted((a, b) => a.temperature - b.temperature)
  const falling = known().toSorted((a, b) => b.temperature - a.temperature)
  const [up, down] = [rising, falling].map((sensors) => [...sensors.map(({ name }) => name), ...rest])
  expect(await named({ sort: 'temperature' })).toEqual(up as string[])
  expect(await named({ sort: '-temperature' })).toEqual(down as string[])
  expect(await named({ sort: 'temperature', order: 'desc' })).toEqual(down as string[])
  expect(await named({ sort: '-"temperature"', offset: '3', limit: '4' })).toEqual((down as string[]).slice(3, 7))
  expect((await named({ sort: `"${ODD.replaceAll('"', '""')}"` }))[0]).toBe('Probe 1')
  expect(await named({ sort: '-name' })).toEqual(fleet.map(({ name }) => name).toReversed())
})

test('pages keep their place when sensors of earlier pages change, and when the last one is deleted', async () => {
  const sort = '-temperature'
  const all = await named({ sort })
  const pages: string[][] = []
  let cursor: string | undefined
  do {
    const page = await list({ sort, limit: '7', ...(cursor !== undefined && { cursor }) })
    pages.push(page.items.map(({ name }) => name))
    cursor = page.nextCursor ?? undefined
  } while (cursor !== undefined)
  expect(pages).toEqual([all.slice(0, 7), all.slice(7, 14), all.slice(14, 21), all.slice(21)])

  const first = await list({ sort, limit: '7' })
  // the hottest becomes the coldest, and the last of the page moves too
  const moved = [first.items[0], first.items.at(-1)].map((row) => fleet.find(({ id }) => id === row?.id) as Made)
  for (const [i, sensor] of moved.entries()) {
    sensor.temperature = -100 - i
    await send(sensor, { temperature: sensor.temperature })
  }
  await until(async () => (await list({ where: 'temperature<=-100' })).total === 2, 'the new values')
  const after = { cursor: first.nextCursor as string }
  const rest = (names: string[]): string[] => names.filter((name) => !moved.some((sensor) => sensor.name === name))
  expect(rest(await named({ sort, ...after }))).toEqual(all.slice(7))
  await instance.manage('DELETE', `/sensors/${moved[1]?.id}`)
  fleet.splice(fleet.indexOf(moved[1] as Made), 1)
  expect((await list({ sort, ...after })).items.length).toBeGreaterThanOrEqual(COUNT - 1 - 7)
}, 60_000)

test('rows have the newest values of three channels and of those that are named', async () => {
  const extra = { name: 'fourth', measurement: 'number' as const, unit: 'm' }
  const channels = [TEMPERATURE, OPEN, { name: 'third', measurement: 'number' as const }, extra]
  const wide = await instance.manage<MadeSensor>('POST', `/enterprises/${organization.id}/sensors`, {
    name: 'Wide',
    channels,
  })
  await send(wide, { fourth: 4.5 })
  const shown = async (more: Record<string, string | string[]>) =>
    (await list({ q: 'Wide', sort: 'name', include: 'latest', ...more })).items[0]?.latest
  await until(async () => (await list({ where: 'fourth=4.5' })).total === 1, 'the reading')
  expect((await shown({}))?.map(({ channel }) => channel)).toEqual(['temperature', 'open', 'third'])
  const all = channels.map(({ name }) => name)
  expect((await shown({ channel: 'fourth,temperature' }))?.map(({ channel }) => channel)).toEqual(all)
  expect((await shown({ channel: ['fourth', ODD] }))?.[3]).toMatchObject({ channel: 'fourth', unit: 'm', value: 4.5 })
  await instance.manage('DELETE', `/sensors/${wide.id}`)
})

test('channels are listed with the sensors, measurements and units that they have', async () => {
  type Channels = { items: object[]; nextCursor: string | null }
  const channels = async (query = '') => (await instance.query<Channels>(organization, `/channels${query}`)).data
  const odd = fleet.filter((_, i) => i % 2 === 1)
  const { items } = await channels()
  expect(items).toEqual([
    { channel: 'open', count: fleet.length, measurements: ['boolean'], units: [] },
    { channel: 'temperature', count: fleet.length, measurements: ['number'], units: ['°C'] },
    expect.objectContaining({ channel: ODD, measurements: ['whole'] }),
  ])
  expect(Math.abs((items[2] as { count: number }).count - odd.length)).toBeLessThanOrEqual(1)
  expect((await channels('?q=TEMP&limit=1')).items).toHaveLength(1)
  expect((await channels('?limit=2')).nextCursor).not.toBeNull()
  expect((await instance.query<Channels>(await instance.organization(), '/channels')).data.items).toEqual([])
  // a channel that is removed from its last sensor is unknown
  const made = await instance.manage<MadeSensor>('POST', `/enterprises/${organization.id}/sensors`, {
    name: 'Spare',
    channels: [{ name: 'rare', measurement: 'number', unit: 'm' }],
  })
  expect((await channels('?q=rare')).items).toEqual([
    { channel: 'rare', count: 1, measurements: ['number'], units: ['m'] },
  ])
  await instance.manage('PATCH', `/sensors/${made.id}`, { channels: [TEMPERATURE] })
  expect((await channels('?q=rare')).items).toEqual([])
  await instance.manage('DELETE', `/sensors/${made.id}`)
})

type AssetValues = { measurements: string[]; units: string[]; ids: string[]; values: number[]; lateIn: number[] }

test('the newest value of the sensors of an asset says in how many seconds it is late', async () => {
  const own = await instance.organization('scale')
  const add = (name: string) => instance.sensor(own.id, [OPEN, TEMPERATURE], name)
  const [older, newer, late, silent] = [await add('Truck'), await add('Truck'), await add('Depot'), await add('Yard')]
  const assetOf = async ({ id }: MadeSensor) =>
    (await instance.manage<{ assetId: string }>('GET', `/sensors/${id}`)).assetId
  await send(newer, { temperature: 4.5 })
  await send(older, { temperature: 90 }, 30_000)
  await send(late, { temperature: 7 }, 1_000_000)
  await send(silent, { open: true })
  // the rhythm is unknown: late after three times five minutes
  const expected = new Map([
    [await assetOf(newer), [4.5, 900]],
    [await assetOf(late), [7, -100]],
  ])
  const values = async () => (await instance.query<AssetValues>(own, '/live/values?channel=temperature')).data
  await until(async () => (await values()).ids.length === expected.size, 'the values')
  const found = await values()
  expect([found.measurements, found.units]).toEqual([['number'], ['°C']])
  for (const [i, id] of found.ids.entries()) {
    const [value, lateIn] = expected.get(id) as [number, number]
    expect(found.values[i]).toBe(value)
    expect(Math.abs((found.lateIn[i] as number) - lateIn)).toBeLessThan(30)
  }
  const open = (await instance.query<AssetValues>(own, '/live/values?channel=open')).data
  expect([open.measurements, open.ids, open.values]).toEqual([['boolean'], [await assetOf(silent)], [1]])
}, 60_000)

describe('bad input', () => {
  test.each([
    ['where=pressure>1', 'query.where', 'enum'],
    ['where=temperature', 'query.where', 'condition'],
    ['where=', 'query.where', 'condition'],
    ['where=temperature>', 'query.where', 'condition'],
    ['where=temperature>warm', 'query.where', 'condition'],
    ['where=temperature>1e999', 'query.where', 'condition'],
    ['where=temperature>0x10', 'query.where', 'condition'],
    ['where=temperature==1', 'query.where', 'condition'],
    ['where=temperature>1<2', 'query.where', 'condition'],
    ['where=>1', 'query.where', 'condition'],
    ['where=temperature>1 and ', 'query.where', 'condition'],
    ['where=temperature>1 or temperature<0', 'query.where', 'condition'],
    ['where=temperature>1andopen=true', 'query.where', 'condition'],
    ['where=temperature>1&where=open=true', 'query.where', 'once'],
    ['where=open>0', 'query.where', 'condition'],
    ['where=open>true', 'query.where', 'condition'],
    ['where=temperature=true', 'query.where', 'condition'],
    [`where=temperature>1${' and temperature>1'.repeat(10)}`, 'query.where', 'maxItems'],
    ['sort=-pressure', 'query.sort', 'enum'],
    ['sort="name"', 'query.sort', 'enum'],
    ['sort=-temperature&order=asc', 'query.order', 'forbidden'],
    ['sort=name&sort=state', 'query.sort', 'once'],
    ['include=latest&channel=temperature,pressure', 'query.channel', 'enum'],
    ['sort=name&cursor=kx', 'query.cursor', 'cursor'],
    [`sort=name&cursor=k${Buffer.from('[1,2,3]').toString('base64url')}`, 'query.cursor', 'cursor'],
  ])('%s is rejected with the field name', async (query, field, rule) => {
    const answer = await instance.query(organization, `/sensors?${query}`)
    expect(answer).toMatchObject({ statusCode: 422, code: 'VALIDATION_FAILED', errors: [{ field, rule }] })
  })
  test('a channel of no sensor has no values', async () => {
    for (const [query, rule] of [
      ['channel=pressure', 'enum'],
      ['', 'required'],
    ]) {
      const answer = await instance.query(organization, `/live/values?${query}`)
      expect(answer).toMatchObject({ statusCode: 422, errors: [{ field: 'query.channel', rule }] })
    }
  })
})
