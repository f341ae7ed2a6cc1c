/**
 * Readings from a broker (Mosquitto) through the bridge to the server, QoS 1, one a message: messages that wait at the
 * broker when the bridge starts, then messages as they are published. `bun run bench mqtt-bridge [messages]`.
 */
import { cpus, loadavg } from 'node:os'
import { connectAsync } from 'mqtt'
import { startBridge } from '../test/support/mqtt/bridge.ts'
import { startBroker } from '../test/support/mqtt/broker.ts'
import { cpuSeconds, ROOT } from '../test/support/processes.ts'
import { createInstance } from '../test/support/server/instance.ts'
import { makeFleetKey } from '../test/support/server/many-readings.ts'
import { parseMetrics, sampleOf } from '../test/support/server/metrics.ts'
import { until } from '../test/support/until.ts'

const MESSAGES = Number(process.argv[2] ?? 50_000)
const SENSORS = 100
const PUBLISHERS = 4
const IN_FLIGHT = 100

const loadBefore = loadavg()[0] as number
const instance = await createInstance()
const broker = await startBroker()
const organization = await instance.organization('scale')
const topics: string[] = []
for (let i = 0; i < SENSORS; i++) {
  const { id } = await instance.sensor(organization.id, [{ name: 'a', measurement: 'number' }])
  topics.push(`sensors/${id}/readings`)
}
const { key } = await makeFleetKey(instance, organization.id)
const startMs = Math.floor(Date.now() / 1_000) * 1_000 - 5 * 86_400_000
let next = 0

/** Resolves when the broker has acknowledged all messages. */
async function publish(): Promise<void> {
  const end = next + MESSAGES
  async function send(): Promise<void> {
    const client = await connectAsync({ host: '127.0.0.1', port: broker.port })
    const sendOne = async (): Promise<void> => {
      while (next < end) {
        const n = next++
        const reading = { at: new Date(startMs + Math.floor(n / SENSORS) * 100).toISOString(), values: { a: n } }
        await client.publishAsync(topics[n % SENSORS] as string, JSON.stringify(reading), { qos: 1 })
      }
    }
    await Promise.all(Array.from({ length: IN_FLIGHT }, sendOne))
    await client.endAsync()
  }
  await Promise.all(Array.from({ length: PUBLISHERS }, send))
}

async function untilAccepted(count: number): Promise<void> {
  await until(async () => {
    const text = await (await fetch(`${instance.url()}/metrics`)).text()
    return sampleOf(parseMetrics(text), 'readings_total', { outcome: 'accepted' }) >= count
  }, `accepting ${count} readings`)
}

const bridge = await startBridge({
  MQTT_URL: `mqtt://127.0.0.1:${broker.port}`,
  MQTT_FLEET_KEY: key,
  GROUNDWAVE_URL: instance.url(),
})
const cores = `${cpus().length} cores, load ${loadBefore.toFixed(1)} before`
const row = (name: string, ms: number, cpuS: number): void =>
  console.log(
    `| ${cores} | ${name} | ${Math.round((MESSAGES * 1_000) / ms)} messages/s | bridge ${((cpuS * 1e6) / MESSAGES).toFixed(0)} µs of CPU each |`,
  )

await bridge.stop()
await publish()
await bridge.start()
let beganMs = performance.now()
const cpuAtStart = cpuSeconds(bridge.pid())
await untilAccepted(MESSAGES)
row('messages that waited', performance.now() - beganMs, cpuSeconds(bridge.pid()) - cpuAtStart)

const cpuBefore = cpuSeconds(bridge.pid())
beganMs = performance.now()
await publish()
await untilAccepted(2 * MESSAGES)
row('messages as they are published', performance.now() - beganMs, cpuSeconds(bridge.pid()) - cpuBefore)

await bridge.stop()
await instance.kill('SIGTERM')
const counting = Bun.spawn([process.execPath, 'bench/support/count.ts', instance.dir], { cwd: ROOT })
const { rows } = JSON.parse(await new Response(counting.stdout).text()) as { rows: number }
if (rows !== 2 * MESSAGES) throw new Error(`${2 * MESSAGES} messages were published, but ${rows} readings are stored`)
await Promise.all([bridge.remove(), broker.remove(), instance.remove()])
process.exit()
