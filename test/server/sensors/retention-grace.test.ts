/** A shorter retention that is withdrawn before its grace period ends, also across a kill. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import {
  createInstance,
  type MadeSensor,
  type Organization,
  outcomeOf,
  readingTimes,
} from '../../support/server/instance.ts'
import { until } from '../../support/until.ts'

const DAY_MS = 86_400_000
const NOW = Date.now()
const AGES = [300, 100, 31, 29, 10, 1]
const times = AGES.map((days) => new Date(NOW - days * DAY_MS).toISOString())
const readings = times.map((at, i) => ({ at, values: { a: i } }))

const instance = await createInstance()
const organization = await instance.organization('business')
const sensor = await instance.sensor(organization.id, [{ name: 'a', measurement: 'number' }])
beforeAll(async () => {
  await outcomeOf(await instance.send(sensor, { readings }))
  await untilNewest(organization, sensor)
}, 120_000)
afterAll(instance.remove)

/** The insert of the readings is complete with their newest values. */
const untilNewest = (owner: Organization, { id }: MadeSensor): Promise<void> =>
  until(
    async () => (await instance.query<{ at: string | null }>(owner, `/sensors/${id}/latest`)).data.at === times.at(-1),
    'the newest value',
  )

type Changed = { affectedReadings: number; deletionAt: string | null; limits: { retentionDays: number } }
const keep = (retentionDays: number | null): Promise<Changed> =>
  instance.manage<Changed>('PATCH', `/enterprises/${organization.id}`, { retentionDays })
const visible = (): Promise<string[]> => readingTimes(() => instance, organization, sensor)
const sendAgain = async () => outcomeOf(await instance.send(sensor, { readings }))

test('readings are hidden, not deleted, and come back with the longer retention', async () => {
  const nowMs = Date.now()
  const { affectedReadings, deletionAt, limits } = await keep(30)
  expect({ affectedReadings, limits }).toMatchObject({ affectedReadings: 3, limits: { retentionDays: 30 } })
  // 60 minutes by default
  expect(Date.parse(deletionAt as string) - nowMs).toBeWithin(3_600_000, 3_660_000)
  expect(await visible()).toEqual(times.slice(3))
  expect((await sendAgain()).refused.map(({ reason }) => reason)).toEqual(Array(3).fill('SENSOR_READING_TOO_OLD'))
  await Bun.sleep(2_500)
  expect(await keep(null)).toMatchObject({ affectedReadings: 0, deletionAt: null, limits: { retentionDays: 365 } })
  expect(await visible()).toEqual(times)
  expect(await sendAgain()).toMatchObject({ accepted: [], duplicates: times, refused: [] })
  await Bun.sleep(2_500)
  expect(await visible()).toEqual(times)
}, 60_000)

test('a kill and a start in the grace period delete nothing', async () => {
  await keep(30)
  await instance.kill('SIGKILL')
  await instance.restart()
  await Bun.sleep(2_500)
  expect(await visible()).toEqual(times.slice(3))
  await keep(null)
  expect(await visible()).toEqual(times)
  expect(await sendAgain()).toMatchObject({ accepted: [], duplicates: times, refused: [] })
}, 60_000)

test('a reading that arrives in the grace period is kept as long as the others', async () => {
  await keep(30)
  const at = new Date(Date.now() - 30 * DAY_MS + 5_000).toISOString()
  expect((await outcomeOf(await instance.send(sensor, { readings: [{ at, values: { a: 9 } }] }))).accepted).toEqual([
    at,
  ])
  // its thirty days have passed by then
  await Bun.sleep(6_000)
  await keep(null)
  await instance.kill('SIGKILL')
  await instance.restart()
  expect(await visible()).toContain(at)
  expect((await outcomeOf(await instance.send(sensor, { readings: [{ at, values: { a: 9 } }] }))).duplicates).toEqual([
    at,
  ])
}, 60_000)

test('a shorter retention of a tier names the readings of all its enterprises', async () => {
  const other = await instance.organization('business')
  const second = await instance.sensor(other.id, [{ name: 'a', measurement: 'number' }])
  await outcomeOf(await instance.send(second, { readings }))
  await untilNewest(other, second)
  const tier = (retentionDays: number) => instance.manage<Changed>('PATCH', '/tiers/business', { retentionDays })
  expect(await tier(200)).toMatchObject({ affectedReadings: 2, retentionDays: 200 })
  expect(await visible()).not.toContain(times[0])
  expect(await tier(365)).toMatchObject({ affectedReadings: 0, deletionAt: null })
  expect(await visible()).toContain(times[0] as string)
}, 60_000)
