/**
 * Durability by MQTT: every reading that was acknowledged is stored once, at whatever moment the server is killed. Senders
 * of QoS 1 send a message again until it is acknowledged.
 */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { join } from 'node:path'
import type { MqttClient } from 'mqtt'
import { connectMqtt, isAcknowledged } from '../../support/mqtt/client.ts'
import { ROOT } from '../../support/processes.ts'
import { killRandom } from '../../support/random.ts'
import { rounds } from '../../support/rounds.ts'
import { createInstance, type MadeSensor, type Organization } from '../../support/server/instance.ts'
import { freePort } from '../../support/stores/postgres.ts'
import { eventually } from '../../support/until.ts'

const KILLS = rounds(3, 20)
const randomOf = killRandom('mqtt-kills.test.ts')
const SENSORS = 16
/** Messages of a sensor that are sent before the first of them is acknowledged. */
const IN_FLIGHT = 20

const port = await freePort()
const instance = await createInstance({
  MQTT_PORT: String(port),
  SENSOR_CALLS_PER_MINUTE: '1000000',
  MQTT_MESSAGES_PER_MINUTE: '1000000',
  LOG_SEGMENT_MB: '1',
  LOAD_INTERVAL_MS: '50',
})
let organization: Organization
const sensors: MadeSensor[] = []
beforeAll(async () => {
  organization = await instance.organization('scale')
  for (let i = 0; i < SENSORS; i++)
    sensors.push(await instance.sensor(organization.id, [{ name: 'a', measurement: 'number' }]))
}, 120_000)
afterAll(instance.remove)

type Item = { at: string; values: { a: number } }

async function storedOf({ id }: MadeSensor): Promise<Item[]> {
  const items: Item[] = []
  for (let cursor = ''; ; ) {
    const path = `/sensors/${id}/readings?limit=1000${cursor}`
    const { data } = await instance.query<{ items: Item[]; nextCursor: string | null }>(organization, path)
    items.push(...data.items)
    if (data.nextCursor === null) return items
    cursor = `&cursor=${data.nextCursor}`
  }
}

test(`${KILLS} kills under load by MQTT lose and duplicate nothing`, async () => {
  let running = true
  const startMs = Math.floor(Date.now() / 1_000) * 1_000 - 5 * 86_400_000

  async function untilConnected(sensor: MadeSensor): Promise<MqttClient> {
    for (;;)
      try {
        return await connectMqtt(port, sensor)
      } catch {
        // the server was killed
        await Bun.sleep(50)
      }
  }

  /** @returns the number of messages, all of them acknowledged */
  async function send(sensor: MadeSensor): Promise<number> {
    let client = await untilConnected(sensor)
    let next = 0
    while (running) {
      let unsent = Array.from({ length: IN_FLIGHT }, () => next++)
      while (unsent.length > 0) {
        const taken = await Promise.all(
          unsent.map((n) =>
            isAcknowledged(client, 'readings', { at: new Date(startMs + n * 100).toISOString(), values: { a: n } }),
          ),
        )
        unsent = unsent.filter((_, i) => taken[i] === false)
        if (unsent.length === 0) continue
        client.end(true)
        client = await untilConnected(sensor)
      }
    }
    await client.endAsync()
    return next
  }

  const senders = sensors.map(send)
  const random = randomOf('kills')
  for (let kill = 0; kill < KILLS; kill++) {
    await Bun.sleep(200 + random() * 900)
    await instance.kill('SIGKILL')
    await instance.restart()
  }
  await Bun.sleep(500)
  running = false
  const counts = await Promise.all(senders)
  const total = counts.reduce((sum, count) => sum + count, 0)
  for (const [i, sensor] of sensors.entries()) {
    const count = counts[i] as number
    const sent = Array.from({ length: count }, (_, n) => ({ at: new Date(startMs + n * 100).toISOString(), a: n }))
    await eventually(async () => {
      const stored = (await storedOf(sensor)).map(({ at, values }) => ({ at, a: values.a }))
      expect(stored.toSorted((a, b) => a.a - b.a)).toEqual(sent)
    })
  }
  expect(total).toBeGreaterThan(KILLS * SENSORS * IN_FLIGHT)
  // rows of the table, so that a reading that is stored twice is found
  await instance.kill('SIGTERM')
  const counting = Bun.spawn([process.execPath, join(ROOT, 'bench/support/count.ts'), instance.dir], { cwd: ROOT })
  const { rows } = JSON.parse(await new Response(counting.stdout).text()) as { rows: number }
  expect(rows).toBe(total)
  process.stderr.write(`${total} readings over ${KILLS} kills\n`)
}, 400_000)
