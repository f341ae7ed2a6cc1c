/**
 * The fleet that `bench gateway-fuzz` watches, in its own process: sensors that send one reading after the other at a
 * steady rate, half of them by HTTP and half by MQTT. A latency counts from the time at which the reading was due.
 * For each line on stdin, and at its end, which ends it, it prints a VictimResult of the time since the last one.
 *
 * Argument: the path of a VictimPlan as JSON.
 */
import { readFileSync } from 'node:fs'
import type { MqttClient } from 'mqtt'
import { connectMqtt, isAcknowledged } from '../../test/support/mqtt/client.ts'

export type VictimPlan = {
  url: string
  mqttPort: number
  sensors: { id: string; key: string }[]
  readingsPerSecond: number
  firstAtMs: number
}
export type VictimResult = {
  latencies: number[]
  /** What was not accepted, and why. */
  faults: string[]
  /** Readings of each sensor since the start; reading n is a second after n - 1, with the value n. */
  sent: number[]
}

const plan = JSON.parse(readFileSync(process.argv[2] as string, 'utf8')) as VictimPlan
const sent = plan.sensors.map(() => 0)
let latencies: number[] = []
let faults: string[] = []
let isOver = false

const readingOf = (n: number) => ({ at: new Date(plan.firstAtMs + n * 1_000).toISOString(), values: { value: n } })

async function byHttp({ id, key }: VictimPlan['sensors'][number], n: number): Promise<string | undefined> {
  const response = await fetch(`${plan.url}/sensors/${id}/readings`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ readings: [readingOf(n)] }),
  })
  const text = await response.text()
  const isStored =
    response.status === 200 && (JSON.parse(text) as { data: { accepted: string[] } }).data.accepted.length
  return isStored === 1 ? undefined : `HTTP ${response.status}: ${text.slice(0, 200)}`
}

async function byMqtt(client: MqttClient, n: number): Promise<string | undefined> {
  return (await isAcknowledged(client, 'readings', readingOf(n))) ? undefined : 'MQTT: not acknowledged'
}

async function run(index: number): Promise<void> {
  const sensor = plan.sensors[index] as VictimPlan['sensors'][number]
  const client = index % 2 === 0 ? undefined : await connectMqtt(plan.mqttPort, sensor)
  const everyMs = (1_000 * plan.sensors.length) / plan.readingsPerSecond
  let dueMs = performance.now() + (everyMs * index) / plan.sensors.length
  for (; !isOver; dueMs += everyMs) {
    await Bun.sleep(Math.max(0, dueMs - performance.now()))
    const n = sent[index] as number
    const fault = await (client === undefined ? byHttp(sensor, n) : byMqtt(client, n)).catch(String)
    if (fault === undefined) sent[index] = n + 1
    else faults.push(fault)
    latencies.push(performance.now() - dueMs)
  }
  await client?.endAsync()
}

const running = Promise.all(plan.sensors.map((_, index) => run(index)))
function report(): void {
  console.log(JSON.stringify({ latencies, faults, sent } satisfies VictimResult))
  latencies = []
  faults = []
}
for await (const _ of console) report()
isOver = true
await running
report()
