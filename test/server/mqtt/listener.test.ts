/** Readings by MQTT, with real clients. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { connectMqtt, isAcknowledged } from '../../support/mqtt/client.ts'
import { createInstance, fromNow, type MadeSensor, type Organization } from '../../support/server/instance.ts'
import { freePort } from '../../support/stores/postgres.ts'
import { until } from '../../support/until.ts'

const port = await freePort()
const instance = await createInstance({ MQTT_PORT: String(port) })
let organization: Organization
let sensor: MadeSensor
beforeAll(async () => {
  organization = await instance.organization()
  sensor = await instance.sensor(organization.id, [{ name: 'a', measurement: 'number' }])
}, 120_000)
afterAll(instance.remove)

type Stored = { at: string; values: { a: number } }

async function storedOf({ id }: MadeSensor): Promise<Stored[]> {
  const { data } = await instance.query<{ items: Stored[] }>(organization, `/sensors/${id}/readings?limit=1000`)
  return data.items
}

const stored = (of: MadeSensor, at: string): Promise<boolean> =>
  until(async () => (await storedOf(of)).some((one) => one.at === at), 'loading the reading').then(() => true)

test('a reading is acknowledged and stored once', async () => {
  const client = await connectMqtt(port, sensor)
  const at = fromNow(-60_000)
  expect(await isAcknowledged(client, 'readings', { at, values: { a: 1.5 } })).toBe(true)
  expect(await isAcknowledged(client, 'readings', { at, values: { a: 1.5 } })).toBe(true)
  await stored(sensor, at)
  expect((await storedOf(sensor)).filter((one) => one.at === at)).toEqual([{ at, values: { a: 1.5 } }] as never)
  await client.endAsync()
})
