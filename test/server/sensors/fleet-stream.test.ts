/** One stream of the events of an enterprise: readings, states, positions and zone events. */
import { describe, expect, test } from 'bun:test'
import { type MadeSensor, outcomeOf } from '../../support/server/instance.ts'
import { STREAMS, sharedInstance } from '../../support/server/shared-instance.ts'
import { connectStream, watchStream } from '../../support/server/streams.ts'
import { call, collectionOf } from '../../support/server/zones.ts'
import { until } from '../../support/until.ts'

const CHANNELS = [
  { name: 'temperature', measurement: 'number' as const },
  { name: 'open', measurement: 'boolean' as const },
]
const instance = await sharedInstance()
const organization = await instance.organization('scale')

const make = (): Promise<MadeSensor> => instance.sensor(organization.id, CHANNELS)
const iso = (agoMs: number): string => new Date(Date.now() - agoMs).toISOString()

const connect = (query: string, who = organization, signal?: AbortSignal): Promise<Response> =>
  connectStream(instance, who, query, signal)
const watch = (query: string, who = organization) => watchStream(instance, who, query)

test('new readings of the named sensors arrive once, in order, and readings of other sensors do not', async () => {
  const [watched, other] = [await make(), await make()]
  await outcomeOf(await instance.send(watched, { readings: [{ at: iso(60_000), values: { temperature: 0 } }] }))
  const stream = await watch(`topics=readings&sensors=${watched.id}`)
  await until(() => stream.lines.some((line) => /^retry: \d+$/.test(line)), 'the pause before a new attempt')
  const readings = [
    { at: iso(3000), values: { temperature: 1.5, open: true } },
    { at: iso(2000), values: { temperature: 2 }, location: [46.5, 24.25] },
    { at: iso(1000), values: {}, location: [46.5, 24.5] },
  ]
  await outcomeOf(await instance.send(other, { readings }))
  await outcomeOf(await instance.send(watched, { readings }))
  await outcomeOf(await instance.send(watched, { readings }))
  const last = { at: iso(0), values: { open: false } }
  await outcomeOf(await instance.send(watched, { readings: [last] }))
  await until(() => stream.itemsOf('readings').length >= 4, 'the readings')
  expect(stream.itemsOf('readings')).toEqual(
    [...readings, last].map((reading) => ({ sensorId: watched.id, ...reading })),
  )
  // a renamed channel has its new name
  await instance.manage('PATCH', `/sensors/${watched.id}`, { channels: [{ name: 'heat', measurement: 'number' }] })
  await outcomeOf(await instance.send(watched, { readings: [{ at: iso(-1000), values: { heat: 7 } }] }))
  await until(() => stream.itemsOf('readings').length >= 5, 'the renamed channel')
  expect(stream.itemsOf('readings')[4]).toMatchObject({ values: { heat: 7 } })
  await stream.leave()
}, 60_000)

test('changes of states arrive with counts of all', async () => {
  const own = await instance.organization('scale')
  const sensor = await instance.sensor(own.id, CHANNELS)
  const stream = await watch('topics=states', own)
  await until(() => stream.received.length > 0, 'the first counts')
  expect(stream.received[0]).toMatchObject({ event: 'states', data: { items: [], counts: { new: 1, sending: 0 } } })
  await outcomeOf(await instance.send(sensor, { readings: [{ at: iso(1000), values: { temperature: 1 } }] }))
  await until(() => stream.itemsOf('states').length === 1, 'sending')
  expect(stream.itemsOf('states')[0]).toMatchObject({ sensorId: sensor.id, state: 'sending', refused: 0 })
  await instance.send(sensor, 'nothing')
  await until(() => stream.itemsOf('states').length === 2, 'refused')
  expect(stream.itemsOf('states')[1]).toMatchObject({ sensorId: sensor.id, state: 'refused', refused: 1 })
  await instance.manage('PATCH', `/sensors/${sensor.id}`, { enabled: false })
  await until(() => stream.itemsOf('states').length === 3, 'off')
  expect(stream.received.at(-1)?.data.counts).toMatchObject({ off: 1, sending: 0, refused: 0 })
  await instance.manage('PATCH', `/enterprises/${own.id}`, { status: 'suspended' })
  await until(stream.ended, 'the end of the stream')
}, 60_000)

test('positions and zone events arrive over one connection', async () => {
  const own = await instance.organization('scale')
  const sensor = await instance.sensor(own.id, CHANNELS, 'Bus')
  const zone = { id: 'yard', west: 0, south: 0, east: 2, north: 2 }
  const layer = await instance.manage<{ id: string }>('POST', `/owners/${own.id}/layers`, {
    name: 'Yards',
    geojson: collectionOf([zone]),
  })
  await call(instance, own, 'POST', '/rules', { name: 'Arrivals', when: 'enter', layerId: layer.id, all: true })
  const move = async (agoMs: number, location: number[]) =>
    outcomeOf(await instance.send(sensor, { readings: [{ at: iso(agoMs), values: {}, location }] }))
  await move(60_000, [50, 50])
  const stream = await watch('topics=positions,events&bbox=-10,-10,10,10', own)
  await move(30_000, [1, 1])
  await until(() => stream.itemsOf('events').length === 1, 'the event')
  expect(stream.itemsOf('events')[0]).toMatchObject({
    when: 'enter',
    ruleName: 'Arrivals',
    sensorName: 'Bus',
    layerName: 'Yards',
    featureIds: ['yard'],
    sensorId: sensor.id,
    location: [1, 1],
  })
  await until(() => stream.received.some(({ event }) => event === 'positions'), 'the position')
  expect(stream.received[0]).toMatchObject({ event: 'snapshot', data: { features: [] } })
  const moved = stream.received.find(({ event }) => event === 'positions')
  expect(moved?.data.features).toMatchObject([{ geometry: { coordinates: [1, 1] } }])
  await move(20_000, [5, 5])
  await move(10_000, [2, 2])
  await until(() => stream.itemsOf('events').length === 2, 'the second event')
  await stream.leave()
}, 60_000)

test('an asset is as bad as its worst sensor, in the live layer and in the stream', async () => {
  const own = await instance.organization('scale')
  const tracker = await instance.sensor(own.id, CHANNELS, 'Truck')
  const { assetId } = await instance.manage<{ assetId: string }>('GET', `/sensors/${tracker.id}`)
  const add = () => instance.sensor(own.id, CHANNELS, 'Truck')
  const [probe, spare] = [await add(), await add()]
  await instance.manage('PATCH', `/sensors/${spare.id}`, { enabled: false })
  const stream = await watch('topics=states', own)
  await outcomeOf(await instance.send(tracker, { readings: [{ at: iso(1000), values: {}, location: [1, 1] }] }))
  const itemOf = (id: string) => stream.itemsOf('states').findLast(({ sensorId }) => sensorId === id)
  await until(() => itemOf(tracker.id) !== undefined, 'the sending tracker')
  // sensors that are new or switched off do not make the asset worse
  expect(itemOf(tracker.id)).toMatchObject({ state: 'sending', assetState: 'sending' })
  await instance.send(probe, 'nothing')
  await until(() => itemOf(probe.id) !== undefined, 'the refused probe')
  expect(itemOf(probe.id)).toMatchObject({ state: 'refused', assetState: 'refused' })
  type Columns = { states: string[]; ids: string[]; sensorIds: string[]; state: number[] }
  const { states, ids, sensorIds, state } = (await instance.query<Columns>(own, '/live?format=columns')).data
  expect([ids, sensorIds, state.map((index) => states[index])]).toEqual([[assetId], [tracker.id], ['refused']])
  await stream.leave()
}, 60_000)

test('a slow reader gets the newest readings, and its memory is bounded', async () => {
  const sensor = await make()
  const response = await connect(`topics=readings&sensors=${sensor.id}`)
  const startMs = Date.now() - 3_000_000
  for (let i = 0; i < 10; i++) {
    const readings = Array.from({ length: 500 }, (_, n) => ({
      at: new Date(startMs + (i * 500 + n) * 100).toISOString(),
      values: { temperature: i * 500 + n },
    }))
    await outcomeOf(await instance.send(sensor, { readings }))
  }
  const values: number[] = []
  const reader = (response.body as ReadableStream<Uint8Array>).getReader()
  let text = ''
  while (values.at(-1) !== 4999) {
    text += new TextDecoder().decode((await reader.read()).value)
    values.splice(0, values.length, ...[...text.matchAll(/"temperature":(\d+)/g)].map(([, value]) => Number(value)))
  }
  await reader.cancel()
  expect(values).toEqual(values.toSorted((a, b) => a - b))
  expect(values.length).toBeLessThanOrEqual(1000)
}, 60_000)

describe('bad input', () => {
  const many = Array.from({ length: 101 }, (_, i) => `sen_${i}`).join(',')
  test.each([
    ['topics=weather', 'query.topics'],
    ['topics=', 'query.topics'],
    ['bbox=1,2,3', 'query.bbox'],
    [`sensors=${many}`, 'query.sensors'],
    ['speed=1', 'query.speed'],
  ])('%s is rejected with the field name', async (query, field) => {
    const answer = await instance.query(organization, `/stream?${query}`)
    expect(answer).toMatchObject({ statusCode: 422, code: 'VALIDATION_FAILED', errors: [{ field }] })
  })
  test('a sensor of another enterprise does not exist', async () => {
    const other = await instance.organization()
    const sensor = await make()
    expect((await instance.query(other, `/stream?sensors=${sensor.id}`)).code).toBe('NOT_FOUND')
  })
  test('streams beyond the limit of an application are refused until one ends', async () => {
    const own = await instance.organization()
    const streams = await Promise.all(Array.from({ length: STREAMS }, () => watch('topics=states', own)))
    expect((await instance.query(own, '/stream?topics=events')).code).toBe('RATE_LIMITED')
    for (const stream of streams) await stream.leave()
    await until(async () => {
      const leaving = new AbortController()
      const { status } = await connect('topics=events', own, leaving.signal)
      leaving.abort()
      return status === 200
    }, 'a free stream')
  }, 60_000)
})
