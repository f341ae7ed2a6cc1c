/**
 * Alerts: a simulated fleet on a simulated clock, one reading of each sensor in 15 minutes, with silences, drift, spikes,
 * flapping at borders, skewed clocks, late batches and gaps. The judging state reads it segment by segment, and is
 * replaced from snapshots in between. All episodes and crossings are compared with the slow reference: any difference is a
 * failure. Silences are compared for sensors with a right clock: they are about the server's. Arguments: sensors
 * (100,000), days (7), seed.
 */
import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Findings, JudgingState } from '../src/alerts/judging/judging-state.ts'
import type { Change, Crossing } from '../src/alerts/judging/run.ts'
import { placesOf } from '../src/alerts/zones/layer-places.ts'
import { loadGeos } from '../src/lib/geo/geometry/geos.ts'
import { CachedLayer } from '../src/lib/geo/layers/cached-layer.ts'
import { collectEpisodes } from '../test/support/alerts/random-rules.ts'
import { crossingsOf, episodesOf } from '../test/support/alerts/reference.ts'
import { segmentOf } from '../test/support/alerts/segments.ts'
import { seeded } from '../test/support/random.ts'
import {
  callsOf,
  countedBy,
  type FleetCall,
  layerRecords,
  rulesOf,
  START_MS,
  watchedRules,
  watchedSensor,
} from './support/alert-fleet.ts'

const [sensors, days, seed] = [
  Number(process.argv[2] ?? 100_000),
  Number(process.argv[3] ?? 7),
  Number(process.argv[4] ?? Date.now() % 1e6),
]
const CALLS_OF_SEGMENT = 5_000
/** Found changes are kept in files by sensor, so that the comparison needs little memory. */
const FILES = 64
const SLICE_MS = 900_000
/** About so many for the whole fleet, at random moments. */
const [RESTARTS, SNAPSHOTS] = [40, 120]

const segments = (sensors * days * 96) / CALLS_OF_SEGMENT + days * 96
const endMs = START_MS + days * 86_400_000
const random = seeded(seed)
const folder = mkdtempSync(join(tmpdir(), 'bench-alerts-'))
const layerPath = join(folder, 'layer')
writeFileSync(layerPath, layerRecords())
const layer = new CachedLayer(await loadGeos(), layerPath, 0, statSync(layerPath).size)

type Line = [rule: string, sensor: number, kind: 'change' | 'crossing', text: string]
const pending: string[][] = Array.from({ length: FILES }, () => [])
const fileOf = (i: number): string => join(folder, `found-${i}`)
function flush(): void {
  for (const [i, lines] of pending.entries()) {
    if (lines.length > 0) appendFileSync(fileOf(i), lines.map((line) => `${line}\n`).join(''))
    lines.length = 0
  }
}
const found = (...line: Line): void => void pending[line[1] % FILES]?.push(JSON.stringify(line))
const fleet = Array.from({ length: sensors }, (_, i) => watchedSensor(i + 1))
const findings: Findings = {
  // a silence that is judged again may be noticed by its end; the database keeps the first one of an id
  change: ({ id }, sensor, change) => found(id, sensor, 'change', JSON.stringify({ ...change, late: false })),
  crossing: ({ id }, sensor, crossing) => found(id, sensor, 'crossing', JSON.stringify(crossing)),
}

function started(snapshot: Buffer[] | undefined): JudgingState {
  const state = new JudgingState('bench', Number.NEGATIVE_INFINITY)
  state.reportTo(findings)
  state.setRules(
    watchedRules.map(({ watched }) => watched),
    1,
    START_MS,
  )
  if (snapshot !== undefined) state.load(snapshot)
  state.setSensors(fleet, true, 1, START_MS)
  state.setPlaces((_, bufferM) => placesOf(layer, bufferM))
  return state
}

type Counts = { readings: number; segments: number; snapshots: number; restarts: number }

/** Judges the whole fleet, in segments of calls in the order of acceptance. */
function judgeFleet(): Counts {
  const counts: Counts = { readings: 0, segments: 0, snapshots: 0, restarts: 0 }
  let state = started(undefined)
  let snapshot: Buffer[] | undefined
  let retained: { sequence: number; bytes: Uint8Array }[] = []
  for (const calls of segmentsOf()) {
    const receivedMs = (calls.at(-1) as FleetCall).receivedMs
    retained.push({ sequence: counts.segments++, bytes: segmentOf(calls) })
    counts.readings += calls.reduce((sum, { readings }) => sum + readings.length, 0)
    if (random() < RESTARTS / segments) {
      state = started(snapshot)
      counts.restarts++
    }
    state.judge(retained, receivedMs)
    // readings received at the same instant may be in the next segment
    state.tick(receivedMs)
    if (random() < SNAPSHOTS / segments) {
      snapshot = Array.from(state.save(), (section) => Buffer.from(section))
      retained = []
      counts.snapshots++
    }
    flush()
  }
  state.tick(endMs)
  flush()
  return counts
}

function* segmentsOf(): Generator<FleetCall[]> {
  const sources = fleet.map(({ number }) => callsOf(seed, number, endMs))
  const next = sources.map((source) => source.next().value as FleetCall | undefined)
  for (let untilMs = START_MS + SLICE_MS; untilMs <= endMs + SLICE_MS; untilMs += SLICE_MS) {
    const calls: FleetCall[] = []
    for (const [i, source] of sources.entries())
      for (let call = next[i]; call !== undefined && call.receivedMs < untilMs; call = next[i]) {
        calls.push(call)
        next[i] = source.next().value as FleetCall | undefined
      }
    calls.sort((a, b) => a.receivedMs - b.receivedMs)
    for (let at = 0; at < calls.length; at += CALLS_OF_SEGMENT) yield calls.slice(at, at + CALLS_OF_SEGMENT)
  }
}

type Found = { changes: Change[]; crossings: Crossing[] }

/** What was found for the sensors of a file, by rule and sensor. After a restart some is found again. */
function foundIn(file: string): Map<string, Found> {
  const all = new Map<string, Found>()
  if (!existsSync(file)) return all
  for (const line of new Set(readFileSync(file, 'utf8').split('\n'))) {
    if (line === '') continue
    const [rule, sensor, kind, text] = JSON.parse(line) as Line
    const key = `${rule} ${sensor}`
    const own = all.get(key) ?? { changes: [], crossings: [] }
    all.set(key, own)
    if (kind === 'change') own.changes.push(JSON.parse(text) as Change)
    else own.crossings.push(JSON.parse(text) as Crossing)
  }
  return all
}

const differences: string[] = []

/** @returns the number of episodes and crossings by kind of rule */
function compare(): Record<string, number> {
  const totals: Record<string, number> = {}
  for (let i = 0; i < FILES; i++) {
    const all = foundIn(fileOf(i))
    for (let sensor = i; sensor <= sensors; sensor += FILES) {
      if (sensor === 0) continue
      const readings = [...callsOf(seed, sensor, endMs)].flatMap(({ inOrder }) => inOrder)
      for (const { rule, watched, place } of rulesOf(sensor)) {
        const counted = countedBy(rule, readings)
        const { changes, crossings } = all.get(`${watched.id} ${sensor}`) ?? { changes: [], crossings: [] }
        const episodes = collectEpisodes()
        for (const change of changes) episodes.apply(change)
        // the reference does not know when the rule was made
        const list = episodes.list().filter(({ startedAt }) => rule.kind !== 'silence' || startedAt !== START_MS)
        const expected = episodesOf(rule, counted, place, endMs)
        const crossed = crossings
          .flatMap(({ atMs, polygons }) => polygons.map((id) => ({ at: atMs, polygon: Number(id.split(' ')[1]) })))
          .sort((a, b) => a.at - b.at || a.polygon - b.polygon)
        const expectedCrossings = crossingsOf(rule, counted, place)
        if (!Bun.deepEquals([list, crossed], [expected, expectedCrossings]))
          differences.push(
            `${watched.id} of sensor ${sensor}: ${JSON.stringify({ list, expected, crossed, expectedCrossings })}`,
          )
        const name = rule.kind === 'zone' ? `zone ${rule.when}` : rule.kind
        totals[name] = (totals[name] ?? 0) + expected.length + expectedCrossings.length
      }
    }
  }
  return totals
}

const seconds = (fromMs: number): string => `${((performance.now() - fromMs) / 1000).toFixed(0)} s`
try {
  console.log(`seed ${seed}: ${sensors} sensors, ${days} days`)
  const judgedFrom = performance.now()
  const counts = judgeFleet()
  console.log(`judged in ${seconds(judgedFrom)}: ${JSON.stringify(counts)}`)
  const comparedFrom = performance.now()
  const totals = compare()
  console.log(`compared in ${seconds(comparedFrom)}: ${JSON.stringify(totals)}`)
  console.log(`${differences.length} rules of sensors with differences (limit 0)`)
  for (const difference of differences.slice(0, 3)) console.log(difference.slice(0, 2_000))
} finally {
  rmSync(folder, { recursive: true })
}
process.exit(differences.length === 0 ? 0 : 1)
