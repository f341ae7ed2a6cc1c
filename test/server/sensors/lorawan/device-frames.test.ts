/** Times of data frames of devices, on a real PostgreSQL. */
import { expect, test } from 'bun:test'
import { openServerPostgres } from '../../../../src/stores/postgres/client.ts'
import { type DeviceFrame, firstTimeOf } from '../../../../src/stores/postgres/sensors/device-frames.ts'
import { migratedPostgres } from '../../../support/stores/migrated-postgres.ts'

const { postgres, url } = await migratedPostgres()
await postgres.script(`
  INSERT INTO enterprises (id, name, tier) VALUES ('ent_1', 'One', 'scale');
  INSERT INTO assets (id, enterprise_id, name) VALUES ('ast_1', 'ent_1', 'Asset');
  INSERT INTO sensors (id, enterprise_id, asset_id, name, tags)
    SELECT 'sen_' || i, 'ent_1', 'ast_1', 'Sensor ' || i, '{}' FROM generate_series(1, 9) AS i;`)

const START = Date.parse('2026-03-01T12:00:00Z')
const MINUTE_MS = 60_000
/** @param afterMs milliseconds after START */
const timeOf = async (afterMs: number, frame: Partial<DeviceFrame> = {}, db = postgres.db): Promise<number> =>
  (await firstTimeOf(db, { sensorId: 'sen_1', session: 's', counter: 1, atMs: START + afterMs, ...frame })) - START

test('copies of a frame have the time of the first one, earlier ones too', async () => {
  expect(await timeOf(0)).toBe(0)
  expect(await timeOf(3)).toBe(0)
  expect(await timeOf(-7)).toBe(0)
  expect(await timeOf(MINUTE_MS)).toBe(0)
})

test('another device, session or counter is another frame', async () => {
  expect(await timeOf(1, { sensorId: 'sen_2' })).toBe(1)
  expect(await timeOf(2, { session: 't' })).toBe(2)
  expect(await timeOf(3, { counter: 2 })).toBe(3)
  expect(await timeOf(4, { counter: 2 ** 32 - 1 })).toBe(4)
})

test('a device that counts from the beginning again sends a new frame after a minute', async () => {
  const frame = { sensorId: 'sen_3' }
  expect(await timeOf(0, frame)).toBe(0)
  expect(await timeOf(MINUTE_MS + 1, frame)).toBe(MINUTE_MS + 1)
  expect(await timeOf(MINUTE_MS + 5, frame)).toBe(MINUTE_MS + 1)
  expect(await timeOf(-1, frame)).toBe(-1)
})

test('copies that come at once to several instances have one time', async () => {
  const other = await openServerPostgres(url)
  const times = await Promise.all(
    Array.from({ length: 40 }, (_, i) => timeOf(i, { sensorId: 'sen_4' }, i % 2 === 0 ? postgres.db : other.db)),
  )
  expect(new Set(times).size).toBe(1)
  await other.close()
})

test('frames of the last hour are kept, and of each device the last one', async () => {
  const frame = { sensorId: 'sen_5' }
  for (let counter = 1; counter <= 3; counter++) await timeOf(counter, { ...frame, counter })
  await postgres.script(
    "UPDATE device_frames SET seen_at = now() - interval '61 minutes' WHERE sensor_id = 'sen_5' AND counter < 3",
  )
  // its time is read before the frame is deleted
  expect(await timeOf(9, { ...frame, counter: 2 })).toBe(2)
  expect(await timeOf(10, { ...frame, counter: 3 })).toBe(3)
  expect(await timeOf(11, { ...frame, counter: 1 })).toBe(11)
})
