/** Readings that are uploaded in place of a sensor, with an organization key pair. */
import { afterAll, describe, expect, test } from 'bun:test'
import {
  batch,
  createInstance,
  type Envelope,
  type MadeSensor,
  type Outcome,
  outcomeOf,
  readingTimes,
  untilStored,
} from '../../support/server/instance.ts'
import { until } from '../../support/until.ts'

const UPLOADS_PER_MINUTE = 40
const instance = await createInstance({
  ASSETS_UPLOADS_PER_MINUTE: String(UPLOADS_PER_MINUTE),
  SENSOR_CALLS_PER_MINUTE: '3',
})
afterAll(instance.remove)
const organization = await instance.organization('scale')

const make = (): Promise<MadeSensor> => instance.sensor(organization.id, [{ name: 'a', measurement: 'number' }])
async function upload(sensor: { id: string }, body: unknown, who = organization): Promise<Response> {
  return fetch(`${instance.url()}/enterprise/v1/assets/sensors/${sensor.id}/readings`, {
    method: 'POST',
    headers: { 'x-api-key': who.publicKey, 'x-api-secret': who.secretKey, 'content-type': 'application/json' },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
}
const failed = async (response: Response): Promise<Envelope> => (await response.json()) as Envelope

test('uploads answer like calls of the sensor, and do not count as such', async () => {
  const sensor = await make()
  const readings = [...batch(400, 3600).readings, { at: 'noon', values: { a: 1 } }]
  const first = (await (await upload(sensor, { readings })).json()) as Envelope<Outcome>
  expect(first).toMatchObject({ code: 'SENSOR_READINGS_RESULT', messageAr: expect.any(String) })
  expect(first.data.accepted).toHaveLength(400)
  expect(first.data.refused).toEqual([{ at: 'noon', reason: 'SENSOR_READING_AT_INVALID' }])
  for (let i = 0; i < 6; i++) expect((await outcomeOf(await upload(sensor, { readings }))).duplicates).toHaveLength(400)
  // three calls a minute are the sensor's
  const own = await outcomeOf(await instance.send(sensor, batch(1, 10)))
  expect(own.accepted).toHaveLength(1)
  await untilStored(() => instance, organization, sensor, 401)
  expect(await readingTimes(() => instance, organization, sensor)).toHaveLength(401)
  // a person's faulty upload does not count as refused readings of the sensor
  const refusals = await instance.query<{ items: unknown[] }>(organization, `/sensors/${sensor.id}/refusals`)
  expect(refusals.data.items).toEqual([])
}, 60_000)

test('the calls of an upload are one record of the audit log', async () => {
  const sensor = await make()
  // each call repeats half of the previous one
  const { readings } = batch(50)
  for (let i = 0; i < 5; i++) await outcomeOf(await upload(sensor, { readings: readings.slice(i * 5, i * 5 + 10) }))
  type Audit = { items: { action: string; actor: string; after: Record<string, number> }[] }
  const uploads = async () =>
    (await instance.manage<Audit>('GET', `/audit?subject=${sensor.id}`)).items.filter(
      ({ action }) => action === 'upload',
    )
  const sum = async (name: string) => (await uploads()).reduce((total, { after }) => total + (after[name] ?? 0), 0)
  await until(async () => (await sum('calls')) === 5, 'the record')
  expect((await uploads()).length).toBeLessThanOrEqual(2)
  expect((await uploads())[0]?.actor).toBe(organization.applicationId)
  expect([await sum('accepted'), await sum('duplicates'), await sum('refused')]).toEqual([30, 20, 0])
}, 90_000)

describe('an upload is refused', () => {
  test('without a key, for another enterprise, and without the grant, before the body is checked', async () => {
    const sensor = await make()
    const stranger = await instance.organization()
    expect(await failed(await upload(sensor, '{', { ...organization, secretKey: 'x' }))).toMatchObject({
      statusCode: 401,
      code: 'API_KEY_INVALID',
    })
    expect(await failed(await upload(sensor, '{', stranger))).toMatchObject({ statusCode: 404, code: 'NOT_FOUND' })
    expect(await failed(await upload({ id: 'sen_none' }, '{'))).toMatchObject({ statusCode: 404 })
    type Application = { id: string; publicKey: string; secretKey: string }
    const path = `/enterprises/${organization.id}/applications`
    const tools = await instance.manage<Application>('POST', path, { name: 'Tools', tools: ['vector.buffer'] })
    const limited = { ...organization, publicKey: tools.publicKey, secretKey: tools.secretKey }
    expect(await failed(await upload(sensor, '{', limited))).toMatchObject({
      statusCode: 403,
      code: 'ASSETS_NOT_GRANTED',
    })
  })

  test('while the sensor is off or held', async () => {
    const sensor = await make()
    await instance.manage('PATCH', `/sensors/${sensor.id}`, { held: true })
    expect(await failed(await upload(sensor, '{'))).toMatchObject({ statusCode: 403, code: 'SENSOR_HELD' })
    await instance.manage('PATCH', `/sensors/${sensor.id}`, { enabled: false })
    expect(await failed(await upload(sensor, '{'))).toMatchObject({ statusCode: 403, code: 'SENSOR_DISABLED' })
  })

  test.each([
    ['that is not JSON', '{', 400, 'SENSOR_READINGS_BATCH_INVALID'],
    ['without readings', '{"readings":[]}', 400, 'SENSOR_READINGS_BATCH_INVALID'],
    ['with too many readings', JSON.stringify(batch(501)), 400, 'SENSOR_READINGS_BATCH_INVALID'],
    ['that is too large', 'x'.repeat(1_100_000), 413, 'BODY_TOO_LARGE'],
  ])('with a body %s', async (_, body, statusCode, code) => {
    const answer = await failed(await upload(await make(), body))
    expect(answer).toMatchObject({ statusCode, code, messageAr: expect.any(String) })
  })

  test('beyond the limit of a minute and of the day', async () => {
    const other = await instance.organization('scale')
    await instance.manage('PATCH', `/enterprises/${other.id}`, { readingsPerDay: 15 })
    const sensor = await instance.sensor(other.id, [{ name: 'a', measurement: 'number' }])
    expect((await outcomeOf(await upload(sensor, batch(10, 500), other))).accepted).toHaveLength(10)
    const second = await outcomeOf(await upload(sensor, batch(10, 100), other))
    expect([second.accepted.length, second.refused.length]).toEqual([5, 5])
    expect((await failed(await upload(sensor, batch(10, 50), other))).code).toBe('SENSOR_READINGS_DAILY_LIMIT')
    let limited: Response | undefined
    for (let i = 0; i <= UPLOADS_PER_MINUTE && limited?.status !== 429; i++) limited = await upload(sensor, '{', other)
    expect(limited?.headers.get('retry-after')).toMatch(/^\d+$/)
    expect(await failed(limited as Response)).toMatchObject({ statusCode: 429, code: 'RATE_LIMITED' })
    // queries have a separate limit
    expect((await instance.query(other, `/sensors/${sensor.id}/latest`)).code).toBe('SUCCESS')
  }, 60_000)
})
