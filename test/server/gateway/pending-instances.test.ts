/** A full list of waiting devices, emptied at one of two instances. */
import { expect, test } from 'bun:test'
import { fromNow } from '../../support/server/instance.ts'
import { makeFleetKey, manyOutcomeOf, sendMany } from '../../support/server/many-readings.ts'
import { sharedPair } from '../../support/server/two-instances.ts'
import { until } from '../../support/until.ts'

test('a list full of invented devices has places again at every instance once these are dismissed', async () => {
  const { one, other } = await sharedPair()
  const { id } = await one.organization('scale')
  const key = await makeFleetKey(one, id, { autoCreate: 'pending' })
  const reasonsAt = async (instance: typeof one, names: readonly string[]): Promise<string[]> => {
    const readings = names.map((sensor) => ({ sensor, at: fromNow(-60_000), values: { a: 1 } }))
    const { refused } = await manyOutcomeOf(await sendMany(instance, key, readings))
    return [...new Set(refused.map(({ reason }) => reason))]
  }
  const waiting = async (): Promise<string[]> => {
    const path = `/enterprises/${id}/pending-sensors?limit=1000`
    const { items } = await other.manage<{ items: { externalId: string }[] }>('GET', path)
    return items.map(({ externalId }) => externalId)
  }
  const invented = Array.from({ length: 1_000 }, (_, i) => `invented-${i}`)
  for (const instance of [one, other]) {
    expect(await reasonsAt(instance, invented)).toEqual(['SENSOR_PENDING'])
    expect(await reasonsAt(instance, ['real'])).toEqual(['SENSOR_UNKNOWN'])
  }
  const path = `/enterprises/${id}/pending-sensors/dismiss`
  const dismissed = await one.manage<object>('POST', path, { externalIds: invented })
  expect(dismissed).toEqual({ dismissed: invented, refused: [] })
  expect(await waiting()).toEqual([])
  for (const [instance, name] of [
    [other, 'real'],
    [one, 'invented-0'],
    [other, 'invented-999'],
  ] as const)
    await until(async () => {
      await reasonsAt(instance, [name])
      return (await waiting()).includes(name)
    }, `${name} is listed`)
  expect((await waiting()).toSorted()).toEqual(['invented-0', 'invented-999', 'real'])
}, 120_000)
