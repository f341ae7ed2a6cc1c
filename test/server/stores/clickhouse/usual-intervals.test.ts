/** The intervals of sensors that ever sent something, for rules about silence. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { usualIntervals, writeRhythms } from '../../../../src/stores/clickhouse/sensor-activity.ts'
import { openReadingStore, type ReadingStore } from '../../../support/stores/reading-stores.ts'

let store: ReadingStore
beforeAll(async () => {
  store = await openReadingStore('embedded')
}, 240_000)
afterAll(() => store.remove())

test('sensors with a value or a position are known, with their newest rhythm; others are not', async () => {
  const at = `fromUnixTimestamp64Milli(${Date.now()})`
  await store.clickhouse.write(
    `INSERT INTO readings (enterprise, sensor, at, channels, values, longitude, latitude, received_at, keep_days) VALUES
      (1, 1, ${at}, [1], [5], nan, nan, now64(3), 1000), (1, 2, ${at}, [], [], 9, 48, now64(3), 1000),
      (2, 3, ${at}, [1], [5], nan, nan, now64(3), 1000), (3, 5, ${at}, [1], [5], nan, nan, now64(3), 1000)`,
    {},
  )
  await writeRhythms(store.clickhouse, [
    [1, 1, 10_000],
    [2, 3, 60_000],
  ])
  await writeRhythms(store.clickhouse, [[1, 1, 3_600_000]])
  const asked = (enterprises: number[], sensors: number[]) =>
    usualIntervals(store.clickhouse, enterprises, sensors, new AbortController().signal)
  const known = await asked([1, 2], [1, 2, 3, 4, 5])
  expect([...known].sort()).toEqual([
    [1, 3_600_000],
    [2, 0],
    [3, 60_000],
  ])
  expect((await asked([1], [4])).size).toBe(0)
})
