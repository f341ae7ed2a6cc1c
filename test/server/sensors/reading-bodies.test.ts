/** Bodies of readings by content type, over HTTP: outcomes, refusals with examples, uploads, damaged bodies. */
import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { mutated } from '../../support/fuzz.ts'
import { testSeed } from '../../support/random.ts'
import { fromNow, type MadeSensor, outcomeOf, untilStored } from '../../support/server/instance.ts'
import { CHANNELS, failure } from '../../support/server/readings.ts'
import { sharedInstance } from '../../support/server/shared-instance.ts'
import { eventually, until } from '../../support/until.ts'

const instance = await sharedInstance()
const organization = await instance.organization('scale')
const make = (): Promise<MadeSensor> => instance.sensor(organization.id, CHANNELS)

const [NDJSON, CSV, SENML] = ['application/x-ndjson', 'text/csv', 'application/senml+json']
const send = (sensor: MadeSensor, type: string, body: string | Uint8Array): Promise<Response> =>
  instance.send(sensor, body, { 'content-type': type })

/** One reading at each time, in each format. */
const bodiesOf = (times: string[]): [type: string, body: string][] => [
  [NDJSON, times.map((at, i) => JSON.stringify({ at, values: { temperature: i, open: true } })).join('\n')],
  [
    `${CSV}; charset=utf-8; header=present`,
    `at,temperature,open\r\n${times.map((at, i) => `${at},${i},true\r\n`).join('')}`,
  ],
  [
    SENML,
    JSON.stringify(
      times.flatMap((at, i) => [
        { n: 'temperature', u: 'Cel', t: Date.parse(at) / 1000, v: i },
        { n: 'open', t: Date.parse(at) / 1000, vb: true },
      ]),
    ),
  ],
]

test('readings are accepted once, whatever format they have when they are sent again', async () => {
  const sensor = await make()
  const times = Array.from({ length: 30 }, (_, i) => fromNow(-60_000 + i * 1000))
  const bodies = bodiesOf(times)
  for (const [i, [type, body]] of bodies.entries()) {
    const part = bodiesOf(times.slice(0, (i + 1) * 10))[i]?.[1] ?? ''
    const { accepted, duplicates, refused } = await outcomeOf(await send(sensor, type, part))
    expect([accepted.length, duplicates.length, refused.length]).toEqual([10, i * 10, 0])
    expect(body.length).toBeGreaterThanOrEqual(part.length)
  }
  for (const [type, body] of bodies) expect((await outcomeOf(await send(sensor, type, body))).duplicates).toEqual(times)
  await untilStored(() => instance, organization, sensor, 30)
  type Page = { items: { at: string; values: object }[] }
  const { data } = await instance.query<Page>(organization, `/sensors/${sensor.id}/readings?limit=100`)
  expect(data.items).toEqual(times.map((at, i) => ({ at, values: { temperature: i, open: true } })))
}, 60_000)

test('a body of another or of no content type is read as JSON', async () => {
  const sensor = await make()
  for (const type of ['', 'text/plain', 'application/octet-stream']) {
    const body = JSON.stringify({ readings: [{ at: fromNow(-1000), values: { count: 1 } }] })
    const response = await fetch(`${instance.url()}/sensors/${sensor.id}/readings`, {
      method: 'POST',
      headers: { authorization: `Bearer ${sensor.key}`, ...(type !== '' && { 'content-type': type }) },
      body: new TextEncoder().encode(body),
    })
    expect((await outcomeOf(response)).accepted).toHaveLength(1)
  }
})

test('a call is refused as a whole, with the fault in both languages', async () => {
  const sensor = await make()
  expect(await failure(await send(sensor, CSV, 'at,pressure\n'))).toMatchObject({
    status: 400,
    code: 'SENSOR_READINGS_BATCH_INVALID',
    errors: [
      {
        field: 'body',
        rule: 'column',
        message: 'has a column that is no channel of the sensor: pressure',
        messageAr: expect.stringContaining('pressure'),
      },
    ],
  })
})

test('refused readings are counted by reason, with an example as it was sent', async () => {
  const sensor = await make()
  const at = fromNow(-5000)
  const record = { n: 'temperature', u: 'K', t: Date.parse(at) / 1000, v: 300 }
  await outcomeOf(await send(sensor, NDJSON, `{"at":"${at}","values":{"temperature":1}`))
  await outcomeOf(await send(sensor, CSV, `at,temperature\nnoon,20`))
  await outcomeOf(await send(sensor, SENML, JSON.stringify([record])))
  type Refused = { reason: string; count: number; example: string; message: string; messageAr: string }
  const read = async () =>
    (await instance.query<{ items: Refused[] }>(organization, `/sensors/${sensor.id}/refusals`)).data.items
  await until(async () => (await read()).length === 3, 'three reasons')
  const found = new Map((await read()).map((item) => [item.reason, item]))
  const unreadable = found.get('SENSOR_READING_UNREADABLE')
  expect(unreadable).toMatchObject({ count: 1, example: `{"at":"${at}","values":{"temperature":1}` })
  expect([unreadable?.message, unreadable?.messageAr]).toEqual([
    expect.stringMatching(/^[A-Z].*\.$/),
    expect.stringMatching(/[\u0600-\u06ff]/),
  ])
  expect(JSON.parse(found.get('SENSOR_READING_AT_INVALID')?.example ?? '')).toEqual({
    at: 'noon',
    temperature: '20',
  })
  expect(JSON.parse(found.get('SENSOR_READING_BAD_VALUE')?.example ?? '')).toEqual(record)
}, 60_000)

test('the example of an unknown channel names it, where what was sent names it only in part', async () => {
  const sensor = await make()
  const record = { v: 3 }
  const pack = [{ bn: 'urn:dev:1:', bt: Date.parse(fromNow(-5000)) / 1000 }, record]
  const { refused } = await outcomeOf(await send(sensor, SENML, JSON.stringify(pack)))
  expect(refused).toMatchObject([{ reason: 'SENSOR_READING_UNKNOWN_CHANNEL', channel: 'urn:dev:1:' }])
  await eventually(async () => {
    const { data } = await instance.query<{ items: { example: string }[] }>(
      organization,
      `/sensors/${sensor.id}/refusals`,
    )
    expect(data.items.map(({ example }) => JSON.parse(example))).toEqual([{ channel: 'urn:dev:1:', sent: record }])
  })
}, 60_000)

test('an upload in place of a sensor takes the same formats', async () => {
  const sensor = await make()
  for (const [i, [type, body]] of bodiesOf([fromNow(-3000), fromNow(-2000)]).entries()) {
    const response = await fetch(`${instance.url()}/enterprise/v1/assets/sensors/${sensor.id}/readings`, {
      method: 'POST',
      headers: { 'x-api-key': organization.publicKey, 'x-api-secret': organization.secretKey, 'content-type': type },
      body,
    })
    const { accepted, duplicates } = await outcomeOf(response)
    expect([accepted.length, duplicates.length]).toEqual(i === 0 ? [2, 0] : [0, 2])
  }
})

test('damaged bodies never make the server fail', async () => {
  const sensor = await make()
  const statuses = new Map<number, number>()
  for (const [type, body] of bodiesOf(Array.from({ length: 4 }, (_, i) => fromNow(-9000 + i)))) {
    const damaged = fc.sample(mutated(new TextEncoder().encode(body)), { numRuns: 150, seed: testSeed })
    for (const bytes of damaged) {
      const { status } = await send(sensor, type, bytes)
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
    }
  }
  expect([...statuses.keys()].sort()).toEqual([200, 400])
  expect(statuses.get(400)).toBeGreaterThan(20)
}, 120_000)
