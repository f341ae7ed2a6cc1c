/** Refused readings of a sensor in the last hour, by reason, with an example of each. */
import { expect, test } from 'bun:test'
import { type MadeSensor, outcomeOf } from '../../support/server/instance.ts'
import { CHANNELS, codeOf, one } from '../../support/server/readings.ts'
import { limitedInstance } from '../../support/server/shared-instance.ts'
import { until } from '../../support/until.ts'

type Refused = {
  reason: string
  count: number
  lastAt: string
  example: string | null
  message: string
  messageAr: string
}
/** The default limit of a sensor. */
const CALLS_PER_MINUTE = 60

const instance = await limitedInstance()
const organization = await instance.organization('scale')

const make = (): Promise<MadeSensor> => instance.sensor(organization.id, CHANNELS)
const now = (): string => new Date().toISOString()
async function refusalsOf(sensor: MadeSensor, reasons: number): Promise<Map<string, Refused>> {
  const read = async () =>
    (await instance.query<{ items: Refused[] }>(organization, `/sensors/${sensor.id}/refusals`)).data.items
  await until(async () => (await read()).length >= reasons, `${reasons} reasons`)
  return new Map((await read()).map((item) => [item.reason, item]))
}

test('readings are counted by reason, with an example of each', async () => {
  const sensor = await make()
  const old = new Date(Date.now() - 5000 * 86_400_000).toISOString()
  const at = now()
  const bad = [
    { at: 'noon', values: { temperature: 1 } },
    { at: '12:00', values: { temperature: 2 } },
    { at: new Date(Date.now() + 3_600_000).toISOString(), values: { temperature: 1 } },
    { at: old, values: { temperature: 1 } },
    { at, values: { pressure: 1, note: '\u202egnihtemos' } },
    { at, values: { temperature: 'hot' } },
    { at, location: [200, 0] },
    { at, values: { temperature: 5 } },
    { at, values: { temperature: 6 } },
  ]
  const outcome = await outcomeOf(await instance.send(sensor, { readings: bad }))
  const found = await refusalsOf(sensor, 7)
  const counts = new Map<string, number>()
  for (const { reason } of outcome.refused) counts.set(reason, (counts.get(reason) ?? 0) + 1)
  expect(new Map([...found].map(([reason, { count }]) => [reason, count]))).toEqual(counts)
  const exampleOf = (reason: string): unknown => JSON.parse(found.get(reason)?.example ?? 'null')
  expect(exampleOf('SENSOR_READING_AT_INVALID')).toEqual(bad[0])
  expect(exampleOf('SENSOR_READING_TOO_OLD')).toEqual(bad[3])
  expect(exampleOf('SENSOR_READING_BAD_VALUE')).toEqual(bad[5])
  expect(exampleOf('SENSOR_READING_DUPLICATE_IN_BATCH')).toEqual(bad[8])
  // a character that reverses the direction of text is not shown
  expect(exampleOf('SENSOR_READING_UNKNOWN_CHANNEL')).toEqual({ at, values: { pressure: 1, note: '\ufffdgnihtemos' } })
  for (const { message, messageAr, lastAt } of found.values()) {
    expect(message).toMatch(/^[A-Z].*\.$/)
    expect(messageAr).toMatch(/[\u0600-\u06ff]/)
    expect(Math.abs(Date.parse(lastAt) - Date.now())).toBeLessThan(60_000)
  }
}, 60_000)

test('calls are counted by their code, without secrets', async () => {
  const sensor = await make()
  const wrong = { ...sensor, key: `${sensor.key.slice(0, -4)}WxYz` }
  expect(await codeOf(await instance.send(wrong, one()))).toBe('SENSOR_KEY_INVALID')
  expect(await codeOf(await instance.send(wrong, one()))).toBe('SENSOR_KEY_INVALID')
  expect(await codeOf(await instance.send(sensor, 'temperature=5'))).toBe('SENSOR_READINGS_BATCH_INVALID')
  expect(await codeOf(await instance.send(sensor, 'x'.repeat(2_000_000)))).toBe('BODY_TOO_LARGE')
  await instance.manage('PATCH', `/sensors/${sensor.id}`, { held: true })
  expect(await codeOf(await instance.send(sensor, one()))).toBe('SENSOR_HELD')
  await instance.manage('PATCH', `/sensors/${sensor.id}`, { held: false, enabled: false })
  expect(await codeOf(await instance.send(sensor, one()))).toBe('SENSOR_DISABLED')
  await instance.manage('PATCH', `/sensors/${sensor.id}`, { enabled: true })
  for (let i = 0; i < CALLS_PER_MINUTE * 2; i++) await instance.send(sensor, { readings: [{ at: 'never' }] })
  const found = await refusalsOf(sensor, 7)
  expect(found.get('SENSOR_KEY_INVALID')).toMatchObject({ count: 2, example: '…WxYz' })
  expect(found.get('SENSOR_READINGS_BATCH_INVALID')).toMatchObject({ count: 1, example: 'temperature=5' })
  expect(found.get('BODY_TOO_LARGE')).toMatchObject({ count: 1, example: null })
  expect(found.get('SENSOR_HELD')).toMatchObject({ count: 1, example: null })
  expect(found.get('SENSOR_DISABLED')).toMatchObject({ count: 1, example: null })
  const count = (reason: string): number => found.get(reason)?.count ?? 0
  await until(async () => {
    const all = await refusalsOf(sensor, 7)
    return (all.get('SENSOR_RATE_LIMITED')?.count ?? 0) + (all.get('SENSOR_READING_AT_INVALID')?.count ?? 0) === 120
  }, 'all calls')
  expect(count('SENSOR_RATE_LIMITED')).toBeGreaterThan(0)
  expect(JSON.stringify([...found.values()])).not.toContain(sensor.key.slice(8, 20))
}, 60_000)

test('a long or deeply nested reading is cut to a kilobyte', async () => {
  const sensor = await make()
  let nested: unknown = 1
  for (let i = 0; i < 500; i++) nested = [nested]
  await instance.send(sensor, { readings: [{ at: 'ق'.repeat(100_000), values: { temperature: nested } }] })
  const { example } = (await refusalsOf(sensor, 1)).get('SENSOR_READING_AT_INVALID') as Refused
  expect(Buffer.byteLength(example ?? '')).toBeLessThanOrEqual(1024)
  expect(example?.startsWith('{"at":"قق')).toBe(true)
  expect(example?.endsWith('ق…')).toBe(true)
  await instance.send(sensor, { readings: [{ at: now(), values: { temperature: nested } }] })
  const bad = (await refusalsOf(sensor, 2)).get('SENSOR_READING_BAD_VALUE') as Refused
  expect(bad.example).toContain('[[[[[[[[')
}, 60_000)

test('a wrong key does not make a working sensor look refused', async () => {
  const sensor = await make()
  await outcomeOf(await instance.send(sensor, one(now())))
  const state = async () =>
    (
      await instance.query<{ items: { state: string; refused: number }[] }>(
        organization,
        `/sensors?q=${sensor.id}&include=state,refused`,
      )
    ).data.items[0]
  await until(async () => (await state())?.state === 'sending', 'the first reading')
  await instance.send({ ...sensor, key: 'svcsn_wrong' }, one())
  await until(async () => (await state())?.refused === 1, 'the refusal')
  expect((await state())?.state).toBe('sending')
  // the sensor's own refused call does, until the next accepted one
  await instance.send(sensor, 'nothing')
  await until(async () => (await state())?.state === 'refused', 'the refused call')
  await outcomeOf(await instance.send(sensor, one(new Date(Date.now() - 60_000).toISOString())))
  await until(async () => (await state())?.state === 'sending', 'the accepted call')
}, 60_000)

test('refusals survive a restart and are only visible to their enterprise', async () => {
  const sensor = await make()
  await instance.send(sensor, { readings: [{ at: 'before' }] })
  await instance.kill('SIGTERM')
  await instance.restart()
  expect((await refusalsOf(sensor, 1)).get('SENSOR_READING_AT_INVALID')).toMatchObject({
    count: 1,
    example: '{"at":"before"}',
  })
  const other = await instance.organization()
  expect((await instance.query(other, `/sensors/${sensor.id}/refusals`)).code).toBe('NOT_FOUND')
  expect((await instance.query(organization, '/sensors/sen_none/refusals')).code).toBe('NOT_FOUND')
}, 60_000)
