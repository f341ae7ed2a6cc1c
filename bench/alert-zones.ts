/**
 * Zone rules in the process that judges: CPU of 100,000 positions per second of moving sensors in ten layers of 1,000
 * polygons, half of the rules with a buffer. Each position is judged by a rule of each layer; the figure is for one of
 * them. Arguments: positions (1,000,000), seed. The limit is 0.3 core.
 */
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Sink } from '../src/alerts/judging/run.ts'
import { placesOf } from '../src/alerts/zones/layer-places.ts'
import type { AnyZoneRule } from '../src/alerts/zones/zone-memory.ts'
import { ZoneRun } from '../src/alerts/zones/zone-run.ts'
import { loadGeos } from '../src/lib/geo/geometry/geos.ts'
import { polygonWkb } from '../src/lib/geo/geometry/globe.ts'
import { CachedLayer } from '../src/lib/geo/layers/cached-layer.ts'
import { encodeRecord } from '../src/lib/geo/layers/layer-records.ts'
import { seeded } from '../test/support/random.ts'

const SENSORS = 10_000
const LAYERS = 10
const POLYGONS = 1_000
const CORNERS = 24
/** Side of the area of all polygons, and of a step of a sensor, in degrees: about 200 km and 200 m. */
const AREA = 2
const STEP = 0.002

const positions = Number(process.argv[2] ?? 1_000_000)
const seed = Number(process.argv[3] ?? 1)
const random = seeded(seed)
const geos = await loadGeos()
const folder = mkdtempSync(join(tmpdir(), 'bench-zones-'))

function layer(name: string): CachedLayer {
  const records = Array.from({ length: POLYGONS }, (_, ordinal) => {
    const [x, y] = [30 + random() * AREA, 30 + random() * AREA]
    const radius = 0.002 + 0.03 * random() ** 3
    const ring = Array.from({ length: CORNERS }, (_, i) => {
      const [angle, away] = [(i / CORNERS) * 2 * Math.PI, radius * (0.6 + 0.4 * random())]
      return [x + away * Math.cos(angle), y + away * Math.sin(angle)]
    })
    const geometry = polygonWkb([[...ring, ring[0] as number[]].flat()])
    return encodeRecord({ featureId: `zone-${ordinal}`, ordinal, gone: false, properties: '{}', geometry })
  })
  const path = join(folder, name)
  writeFileSync(path, Buffer.concat(records))
  return new CachedLayer(geos, path, 0, statSync(path).size)
}

const counts = { firing: 0, resolved: 0, severity: 0, crossing: 0 }
const sink: Sink = {
  change: (_, { type }) => void counts[type]++,
  crossing: () => void counts.crossing++,
}
const WHEN = ['enter', 'dwell', 'inside', 'leave', 'outside'] as const
const runs = Array.from({ length: LAYERS }, (_, i) => {
  const when = WHEN[i % WHEN.length]
  const rule = { kind: 'zone', severity: 'warning', minReadings: 2, minMs: 0, dwellMs: 600_000, when } as AnyZoneRule
  const run = new ZoneRun(rule, sink)
  run.places = placesOf(layer(`${i}`), i % 2 === 0 ? 0 : 100)
  for (let sensor = 0; sensor < SENSORS; sensor++) run.add(0)
  return run
})
const x = Float64Array.from({ length: SENSORS }, () => 30 + random() * AREA)
const y = Float64Array.from({ length: SENSORS }, () => 30 + random() * AREA)

function push(from: number, to: number): void {
  for (let i = from; i < to; i++) {
    const sensor = i % SENSORS
    x[sensor] = (x[sensor] as number) + (random() - 0.5) * STEP
    y[sensor] = (y[sensor] as number) + (random() - 0.5) * STEP
    for (const run of runs) run.push(sensor, 60_000 * i, 0, x[sensor] as number, y[sensor] as number)
  }
}

push(0, SENSORS * 2)
const before = process.cpuUsage()
push(SENSORS * 2, SENSORS * 2 + positions)
const { user, system } = process.cpuUsage(before)
const core = ((user + system) / 1e6 / positions / LAYERS) * 100_000
console.log(
  `seed ${seed}: ${positions} positions, ${LAYERS} layers of ${POLYGONS} polygons: ${core.toFixed(3)} core for 100,000 positions/s and one rule (limit 0.3); ${JSON.stringify(counts)}`,
)
rmSync(folder, { recursive: true })
