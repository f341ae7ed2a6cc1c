/**
 * Damaged packets against a real server, beside a sensor that keeps sending: nothing crashes, nothing is stored for the
 * damaged ones that was not sent, and the other sensor is served. The seed is printed.
 */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { connectMqtt, isAcknowledged, publishPacket, signInPacket } from '../../support/mqtt/client.ts'
import { damagedPackets, sendInParts } from '../../support/mqtt/damaged.ts'
import { killRandom, whole } from '../../support/random.ts'
import { rounds } from '../../support/rounds.ts'
import { createInstance, type MadeSensor } from '../../support/server/instance.ts'
import { freePort } from '../../support/stores/postgres.ts'

const CASES = rounds(2_000, 100_000)
const AT_ONCE = 50
const randomOf = killRandom('damaged-packets.test.ts')
const port = await freePort()
const instance = await createInstance({ MQTT_PORT: String(port), SENSOR_CALLS_PER_MINUTE: '1000000000' })
const channels = [{ name: 'a', measurement: 'number' as const }]
let sensor: MadeSensor
let victim: MadeSensor
beforeAll(async () => {
  const { id } = await instance.organization('scale')
  sensor = await instance.sensor(id, channels)
  victim = await instance.sensor(id, channels)
}, 120_000)
afterAll(instance.remove)

const message = JSON.stringify({ at: '2026-11-01T00:00:00Z', values: { a: 1 } })
const publishes = [publishPacket('readings', message, 1), publishPacket('readings', message, 0)]

test(`${CASES} damaged packets neither crash the server nor hold up another sensor`, async () => {
  const client = await connectMqtt(port, victim)
  let isOver = false
  const latencies: number[] = []
  const startMs = Date.now() - 86_400_000
  const victimEnds = (async () => {
    for (let i = 0; !isOver; i++) {
      const sentMs = performance.now()
      const reading = { at: new Date(startMs + i * 1_000).toISOString(), values: { a: i } }
      if (!(await isAcknowledged(client, 'readings', reading))) throw new Error('the other sensor lost its connection')
      latencies.push(performance.now() - sentMs)
      await Bun.sleep(5)
    }
  })()
  const random = randomOf('packets')
  let left = CASES
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      while (left-- > 0) {
        const bytes = damagedPackets(random, signInPacket(sensor), publishes)
        await sendInParts(port, bytes, whole(random, bytes.length + 1))
      }
    }),
  )
  isOver = true
  await victimEnds
  await client.endAsync()
  latencies.sort((a, b) => a - b)
  process.stderr.write(`p99 of the other sensor: ${latencies[Math.floor(latencies.length * 0.99)]?.toFixed(0)} ms\n`)
  const text = await (await fetch(`${instance.url()}/metrics`)).text()
  expect(text).toContain('uncaught_errors_total{kind="exception"} 0')
  expect(text).toContain('uncaught_errors_total{kind="rejection"} 0')
  expect(instance.log()).not.toMatch(/"level":(50|60)/)
  expect(Number(/mqtt_closed_total\{reason="protocol"\} (\d+)/.exec(text)?.[1])).toBeGreaterThan(CASES / 4)
}, 600_000)
