/**
 * The cost of reading and validating a body of readings, by content type, without the rest of the call: nanoseconds of
 * CPU time for a reading of three values and a location, and the ratio to JSON. Medians of five runs in turn.
 * `bun run bench bodies`.
 */
import { createBatch, sensorProfile } from '../src/ingest/batch.ts'
import { sourceOf } from '../src/ingest/bodies/body-source.ts'
import { formatTimestamp } from '../src/ingest/timestamp.ts'
import { refusalOf } from '../src/ingest/validate.ts'
import { xorshift } from './support/load-bodies.ts'
import { load, quantile, say } from './support/tool-harness.ts'

const RUNS = 5
const READINGS_IN_RUN = 250_000
const NAMES = ['temperature', 'humidity', 'pressure']
const profile = sensorProfile(
  1,
  1,
  90,
  NAMES.map((name, i) => ({ number: i + 1, name, measurement: 'number' as const })),
)
const nowMs = Date.now()
const startMs = Math.floor(nowMs / 1000) * 1000 - 3_600_000
const batch = createBatch()
const counts = { used: () => 0 }

/** The same readings in each format. */
function bodiesOf(perCall: number): Map<string, Uint8Array> {
  const random = xorshift(42)
  const rounded = (value: number, digits: number): number => Number(value.toFixed(digits))
  const readings = Array.from({ length: perCall }, (_, i) => ({
    atMs: startMs + i * 1000,
    values: [rounded(15 + random() * 10, 2), rounded(40 + random() * 30, 1), rounded(1000 + random() * 30, 2)],
    location: [rounded(random() * 340 - 170, 6), rounded(random() * 160 - 80, 6)],
  }))
  const objects = readings.map(({ atMs, values, location }) => ({
    at: formatTimestamp(atMs),
    values: Object.fromEntries(NAMES.map((name, k) => [name, values[k]])),
    location,
  }))
  const rows = readings.map(({ atMs, values, location }) => [formatTimestamp(atMs), ...values, ...location].join(','))
  const records = readings.flatMap(({ atMs, values, location }) => {
    const t = (atMs - startMs) / 1000
    return [
      ...values.map((v, k) => ({ n: NAMES[k], t, v })),
      ...location.map((v, k) => ({ u: k === 0 ? 'lon' : 'lat', t, v })),
    ]
  })
  const texts = {
    'application/json': JSON.stringify({ readings: objects }),
    'application/x-ndjson': objects.map((one) => JSON.stringify(one)).join('\n'),
    'text/csv': `at,${NAMES.join(',')},longitude,latitude\n${rows.join('\n')}`,
    'application/senml+json': JSON.stringify([{ bn: 'urn:dev:bench:', bt: startMs / 1000 }, ...records]),
  }
  return new Map(Object.entries(texts).map(([type, text]) => [type, new TextEncoder().encode(text)]))
}

function nsOf(type: string, body: Uint8Array, perCall: number, readings: number): number {
  const before = process.cpuUsage()
  for (let i = 0; i < readings; i += perCall) {
    const source = sourceOf(type, body)
    const refusal = refusalOf({ profile, readingsPerDay: 1, body, source, nowMs }, batch, counts)
    if (refusal !== undefined || batch.refused.length > 0) throw refusal ?? new Error(`${type}: a reading was refused`)
  }
  const { user, system } = process.cpuUsage(before)
  return ((user + system) * 1000) / readings
}

say(`load ${load()}`)
for (const perCall of [500, 10, 1]) {
  const bodies = [...bodiesOf(perCall)]
  const costs = new Map(bodies.map(([type]): [string, number[]] => [type, []]))
  for (let run = -1; run < RUNS; run++)
    for (const [type, body] of bodies) {
      const ns = nsOf(type, body, perCall, READINGS_IN_RUN)
      // the first run warms up
      if (run >= 0) costs.get(type)?.push(ns)
    }
  const json = quantile(costs.get('application/json') ?? [], 0.5)
  for (const [type, body] of bodies) {
    const ns = quantile(costs.get(type) ?? [], 0.5)
    say(`${perCall} a call  ${type.padEnd(24)} ${Math.round(ns)} ns  ${(ns / json).toFixed(2)}  ${body.length} bytes`)
  }
}
