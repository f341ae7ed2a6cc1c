/** States, refusals and streams of a fleet whose readings arrive at several instances. */
import { afterAll, expect, test } from 'bun:test'
import { batch, type Envelope, type Instance, type MadeSensor, outcomeOf } from '../../support/server/instance.ts'
import { exchange } from '../../support/server/raw-http.ts'
import { watchStream } from '../../support/server/streams.ts'
import { removeInstances, startTwoInstances } from '../../support/server/two-instances.ts'
import { inOneMinute, until } from '../../support/until.ts'

const CHANNELS = [{ name: 'a', measurement: 'number' as const }]
const SENSOR_CALLS = 30
const limit = { SENSOR_CALLS_PER_MINUTE: String(SENSOR_CALLS) }
const { stores, instances, organization } = await startTwoInstances(limit)
afterAll(() => removeInstances({ stores, instances }))
const [one, other] = instances as [Instance, Instance]

const at = (i: number): Instance => instances[i % 2] as Instance
const make = (): Promise<MadeSensor> => one.sensor(organization.id, CHANNELS)
type Row = { id: string; state: string; intervalMs: number | null; lastAt: string; refused: number }
async function rowAt(instance: Instance, { id }: MadeSensor): Promise<Row | undefined> {
  const { data } = await instance.query<{ items: Row[] }>(organization, `/sensors?q=${id}&include=state,refused`)
  return data.items[0]
}

test('a stream has every reading once, whichever instance received it', async () => {
  const sensor = await make()
  const streams = [
    await watchStream(one, organization, `topics=readings&sensors=${sensor.id}`),
    await watchStream(other, organization, `topics=readings&sensors=${sensor.id}`),
  ]
  // from now on both instances have polled the sensor once
  await until(async () => (await rowAt(one, sensor))?.state === 'new')
  await outcomeOf(await one.send(sensor, batch(1, 40)))
  for (const stream of streams) await until(() => stream.itemsOf('readings').length > 0, 'the first reading')
  const sent: string[] = []
  for (let i = 0; i < 20; i++) {
    const time = new Date(Date.now() - 20_000 + i * 500).toISOString()
    await outcomeOf(await at(i).send(sensor, { readings: [{ at: time, values: { a: i } }] }))
    sent.push(time)
  }
  for (const stream of streams) {
    const times = (): string[] =>
      stream
        .itemsOf('readings')
        .map((item) => String(item.at))
        .slice(1)
    await until(() => times().length >= 20, 'all readings')
    expect(times().toSorted()).toEqual(sent)
    await stream.leave()
  }
}, 120_000)

test('states and refusals are the same at every instance', async () => {
  const sensor = await make()
  const hours = [7, 6, 5, 4, 3, 2, 1]
  for (const [i, ago] of hours.entries()) {
    const time = new Date(Date.now() - ago * 3_600_000).toISOString()
    await outcomeOf(await at(i).send(sensor, { readings: [{ at: time, values: { a: ago } }] }))
  }
  for (const instance of instances) {
    await until(async () => ((await rowAt(instance, sensor))?.intervalMs ?? null) !== null, 'the rhythm')
    await until(async () => (await rowAt(instance, sensor))?.state === 'sending', 'the state')
    const row = await rowAt(instance, sensor)
    // each instance sees every other call
    expect(Math.round((row?.intervalMs ?? 0) / 3_600_000)).toBeOneOf([1, 2])
  }
  await other.send(sensor, 'nothing')
  await one.send(sensor, { readings: [{ at: 'never' }] })
  for (const instance of instances) {
    await until(async () => (await rowAt(instance, sensor))?.refused === 2, 'both refusals')
    expect((await rowAt(instance, sensor))?.state).toBe('refused')
    const { data } = await instance.query<{ items: { reason: string; example: string }[] }>(
      organization,
      `/sensors/${sensor.id}/refusals`,
    )
    expect(data.items.map(({ reason, example }) => [reason, example]).toSorted()).toEqual([
      ['SENSOR_READINGS_BATCH_INVALID', 'nothing'],
      ['SENSOR_READING_AT_INVALID', '{"at":"never"}'],
    ])
  }
  const renamed = await one.manage<{ name: string }>('PATCH', `/sensors/${sensor.id}`, { enabled: false })
  expect(renamed).toBeDefined()
  await until(async () => (await rowAt(other, sensor))?.state === 'off', 'the change at the other instance')
}, 120_000)

test('uploads are not counted as calls of the sensor in Redis', async () => {
  const sensor = await make()
  const upload = (body: unknown) =>
    fetch(`${one.url()}/enterprise/v1/assets/sensors/${sensor.id}/readings`, {
      method: 'POST',
      headers: { 'x-api-key': organization.publicKey, 'x-api-secret': organization.secretKey },
      body: JSON.stringify(body),
    })
  for (let i = 0; i < 40; i++)
    expect((await upload(i % 2 === 0 ? batch(1, 100 + i) : {})).status).toBe(i % 2 === 0 ? 200 : 400)
  const statuses: number[] = []
  for (let i = 0; i < 5; i++) statuses.push((await other.send(sensor, batch(1, i))).status)
  expect(statuses).toEqual([200, 200, 200, 200, 200])
  const answer = (await (await upload({})).json()) as Envelope
  expect(answer.code).toBe('SENSOR_READINGS_BATCH_INVALID')
}, 120_000)

test('calls per minute of a sensor are counted across both instances', async () => {
  const { statuses, early } = await inOneMinute(async () => {
    const sensor = await make()
    const statuses: number[] = []
    for (let i = 0; i < SENSOR_CALLS + 4; i++)
      statuses.push((await at(i).send(sensor, i % 3 === 0 ? 'x' : batch(1, i))).status)
    // refused before the body, of which a part has arrived
    const early: string[] = []
    for (const { port } of [at(0), at(1)]) {
      const head = `Host: x\r\nAuthorization: Bearer ${sensor.key}\r\nContent-Length: 1000`
      const part = `POST /sensors/${sensor.id}/readings HTTP/1.1\r\n${head}\r\n\r\n{"readings":`
      early.push((await exchange([part], { port: port(), firstMs: 5_000 })).text.slice(0, 'HTTP/1.1 429'.length))
    }
    return { statuses, early }
  })
  expect(early).toEqual(['HTTP/1.1 429', 'HTTP/1.1 429'])
  expect(statuses.filter((status) => status === 429)).toHaveLength(4)
  expect(statuses.slice(SENSOR_CALLS)).toEqual([429, 429, 429, 429])
}, 120_000)
