/**
 * A fleet in real time, in its own process: each sensor sends its readings since its last call, with calls evenly
 * spread. Latency counts from when a call was due. Argument: the path of a FleetPlan as JSON; prints a FleetResult.
 */
import { readFileSync } from 'node:fs'

export type FleetPlan = {
  url: string
  sensors: { id: string; key: string }[]
  readingsPerCall: number
  intervalMs: number
  seconds: number
}

export type FleetResult = {
  calls: number
  accepted: number
  failed: string[]
  p50Ms: number
  p99Ms: number
  maxMs: number
}

const { url, sensors, readingsPerCall, intervalMs, seconds } = JSON.parse(
  readFileSync(process.argv[2] as string, 'utf8'),
) as FleetPlan
const callsPerSecond = (sensors.length * 1000) / (readingsPerCall * intervalMs)
const calls = Math.floor(seconds * callsPerSecond)

function bodyOf(index: number, dueMs: number): string {
  const readings = Array.from({ length: readingsPerCall }, (_, i) => {
    const atMs = dueMs - (readingsPerCall - i) * intervalMs
    const phase = atMs / 1e5 + index
    const values = `{"temperature":${(20 + 5 * Math.sin(phase)).toFixed(2)},"humidity":${(50 + 9 * Math.cos(phase)).toFixed(1)},"pressure":${(1010 + Math.sin(phase / 7)).toFixed(2)}}`
    const location = `[${((index % 340) - 170 + phase / 1e7).toFixed(6)},${((index % 160) - 80).toFixed(6)}]`
    return `{"at":"${new Date(atMs).toISOString()}","values":${values},"location":${location}}`
  })
  return `{"readings":[${readings.join(',')}]}`
}

const latencies: number[] = []
const result: FleetResult = { calls: 0, accepted: 0, failed: [], p50Ms: 0, p99Ms: 0, maxMs: 0 }
const running = new Set<Promise<void>>()
const periodMs = readingsPerCall * intervalMs
// each sensor has its place in the period, so that its calls continue an earlier run's
const startedMs = Math.floor(Date.now() / periodMs) * periodMs
const first = Math.ceil(((Date.now() - startedMs) * callsPerSecond) / 1000)

async function call(n: number, dueMs: number): Promise<void> {
  const index = n % sensors.length
  const sensor = sensors[index] as FleetPlan['sensors'][number]
  const response = await fetch(`${url}/sensors/${sensor.id}/readings`, {
    method: 'POST',
    headers: { authorization: `Bearer ${sensor.key}`, 'content-type': 'application/json' },
    body: bodyOf(index, dueMs),
  })
  const text = await response.text()
  latencies.push(Date.now() - dueMs)
  result.calls++
  if (response.ok) result.accepted += (JSON.parse(text) as { data: { accepted: string[] } }).data.accepted.length
  else if (result.failed.length < 5) result.failed.push(`${response.status} ${text.slice(0, 200)}`)
}

for (let n = first; n < first + calls; n++) {
  const dueMs = startedMs + Math.round((n * 1000) / callsPerSecond)
  const waitMs = dueMs - Date.now()
  if (waitMs > 0) await Bun.sleep(waitMs)
  const one: Promise<void> = call(n, dueMs).finally(() => running.delete(one))
  running.add(one)
}
await Promise.all(running)
latencies.sort((a, b) => a - b)
const quantile = (share: number): number => latencies[Math.floor(latencies.length * share)] ?? 0
Object.assign(result, { p50Ms: quantile(0.5), p99Ms: quantile(0.99), maxMs: latencies.at(-1) ?? 0 })
process.stdout.write(`${JSON.stringify(result)}\n`)
process.exit(0)
