/**
 * Readings that are deleted and sent again, across kills of the server at any moment of the deletion, and with two
 * instances on one Redis: every reading ends up stored once.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { killRandom } from '../support/random.ts'
import { rounds } from '../support/rounds.ts'
import {
  createInstance,
  type Instance,
  type MadeSensor,
  type Organization,
  type Outcome,
  outcomeOf,
  readingTimes,
  untilStored,
} from '../support/server/instance.ts'
import { sharedPair } from '../support/server/two-instances.ts'
import { until } from '../support/until.ts'

const DAY_MS = 86_400_000
const CHANNELS = [{ name: 'a', measurement: 'number' as const }]
const GRACE_OVER = { RETENTION_GRACE_MINUTES: '0', SENSOR_CALLS_PER_MINUTE: '100000' }
/** Every half day from 60 to 28 days ago. */
const readingsFrom = (nowMs: number) =>
  Array.from({ length: 64 }, (_, i) => {
    const ms = nowMs - 60 * DAY_MS + i * (DAY_MS / 2) + DAY_MS / 4
    return { at: new Date(ms).toISOString(), values: { a: i } }
  })

describe('one server', () => {
  const random = killRandom('retention-kills.test.ts')('moment')
  let instance: Instance
  let organization: Organization
  let sensor: MadeSensor
  beforeAll(async () => {
    instance = await createInstance(GRACE_OVER)
    organization = await instance.organization('business')
    sensor = await instance.sensor(organization.id, CHANNELS)
  }, 120_000)
  afterAll(() => instance.remove())

  const keep = (retentionDays: number) => instance.manage('PATCH', `/enterprises/${organization.id}`, { retentionDays })

  test('a kill during the deletion leaves no reading that is neither stored nor accepted', async () => {
    const readings = readingsFrom(Date.now())
    const times = readings.map(({ at }) => at)
    await outcomeOf(await instance.send(sensor, { readings }))
    await untilStored(() => instance, organization, sensor, readings.length)
    for (let round = 0; round < rounds(1, 3); round++) {
      await keep(30)
      // the deletion starts half a second after the change and takes about as long
      await Bun.sleep(400 + random() * 1200)
      await instance.kill('SIGKILL')
      await instance.restart()
      await keep(365)
      const outcomes: Outcome[] = []
      // a deletion that has begun is completed before the longer retention takes effect
      await until(async () => {
        const outcome = await outcomeOf(await instance.send(sensor, { readings }))
        expect(outcome.refused.every(({ reason }) => reason === 'SENSOR_READING_TOO_OLD')).toBe(true)
        outcomes.push(outcome)
        return outcome.refused.length === 0
      }, 'the deletion')
      // no reading is accepted twice
      const accepted = outcomes.flatMap((outcome) => outcome.accepted)
      expect(new Set(accepted).size).toBe(accepted.length)
      await untilStored(() => instance, organization, sensor, readings.length)
      await Bun.sleep(1_500)
      expect(await readingTimes(() => instance, organization, sensor)).toEqual(times)
      expect((await outcomeOf(await instance.send(sensor, { readings }))).duplicates).toEqual(times)
    }
  }, 120_000)
})

const pair = await sharedPair()

describe('two instances with Redis', () => {
  const one = (): Instance => pair.one
  const other = (): Instance => pair.other
  let organization: Organization
  beforeAll(async () => {
    organization = await one().organization('business')
  }, 120_000)
  const keep = (retentionDays: number) => one().manage('PATCH', `/enterprises/${organization.id}`, { retentionDays })

  const limits = async () =>
    (await one().manage<{ limits: { retentionDays: number } }>('GET', `/enterprises/${organization.id}`)).limits

  test('deleted readings can be sent again to any instance; the remaining ones are duplicates', async () => {
    const sensor = await one().sensor(organization.id, CHANNELS)
    const readings = readingsFrom(Date.now())
    const times = readings.map(({ at }) => at)
    await outcomeOf(await one().send(sensor, { readings }))
    await untilStored(one, organization, sensor, readings.length)
    for (let round = 0; round < rounds(1, 2); round++) {
      await keep(30)
      // Redis still has the times of deleted readings. Readings are hidden at once and deleted later; queries see no
      // difference
      await Bun.sleep(6_000)
      await keep(365)
      // a deletion that has begun is completed before the longer retention takes effect
      await until(async () => (await limits()).retentionDays === 365, 'the deletion')
      const left = new Set(await readingTimes(one, organization, sensor))
      expect(left.size).toBeWithin(1, 10)
      const { accepted, duplicates, refused } = await outcomeOf(await other().send(sensor, { readings }))
      expect({ accepted, duplicates, refused }).toEqual({
        accepted: times.filter((time) => !left.has(time)),
        duplicates: times.filter((time) => left.has(time)),
        refused: [],
      })
      expect((await outcomeOf(await one().send(sensor, { readings }))).duplicates).toEqual(times)
      await untilStored(one, organization, sensor, readings.length)
      expect(await readingTimes(one, organization, sensor)).toEqual(times)
    }
  }, 120_000)
})
