/** Sensors that fleet keys make, when several calls name the same devices at once. */
import { expect, test } from 'bun:test'
import { createNewcomers, MAX_MADE } from '../../../src/access/fleet/newcomers.ts'
import { AppError } from '../../../src/errors.ts'
import { createChanges } from '../../../src/stores/changes.ts'
import type { SensorInput } from '../../../src/stores/postgres/sensors/sensors.ts'

const DAY = Date.UTC(2026, 5, 1, 12)
const owner = { fleetKeyId: 'fky_1', enterpriseId: 'ent_1', tags: ['roof'], template: null }
const namesOf = (prefix: string, count: number): string[] => Array.from({ length: count }, (_, i) => `${prefix}${i}`)

/** An enterprise in memory. */
function openNewcomers() {
  const sensors = new Map<string, SensorInput>()
  let counted = 0
  const newcomers = createNewcomers({
    changes: createChanges(),
    maxChannels: 256,
    notes: { waited: () => undefined },
    pendingNames: async () => [],
    addPending: async () => [],
    async countMade(_, count, limit) {
      const before = counted
      counted = Math.max(0, Math.min(before + count, limit))
      return counted - before
    },
    async createSensor(_, input) {
      const name = input.externalId as string
      if (sensors.has(name)) throw new AppError('CONFLICT')
      sensors.set(name, input)
    },
  })
  return { newcomers, sensors }
}

test('a device that several calls name at once counts once for the day', async () => {
  const { newcomers, sensors } = openNewcomers()
  const names = namesOf('a', MAX_MADE / 2)
  const sent = (): unknown => ({ values: { a: 1 } })
  const both = await Promise.all([1, 2].map(() => newcomers.make(owner, names, sent, DAY)))
  expect(both).toEqual([names, names])
  const others = namesOf('b', MAX_MADE / 2)
  expect(await newcomers.make(owner, others, sent, DAY)).toEqual(others)
  expect(sensors.size).toBe(MAX_MADE)
  expect(await newcomers.make(owner, ['one more'], sent, DAY)).toEqual([])
})

test('a sensor has 20 tags at most, first the tags of its key', async () => {
  const { newcomers, sensors } = openNewcomers()
  const [tags, more] = [namesOf('k', 15), namesOf('t', 20)]
  await newcomers.make({ ...owner, tags, template: { tags: more } }, ['a'], () => ({}), DAY)
  expect(sensors.get('a')?.tags).toEqual([...tags, ...more.slice(0, 5)])
})
