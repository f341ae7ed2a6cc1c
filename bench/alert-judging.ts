/**
 * The judging of alert rules by itself. Live: segments of 10,000 readings of 100,000 sensors, each watched by 10 rules;
 * prints CPU seconds for 10,000 readings, and the time of a look at the clock and of a snapshot. Preview: one rule over
 * 6,000,000 readings of 10 sensors. `bun run bench alert-judging [segments]`. Limits: 0.08 s, and 5,000,000 readings/s.
 */
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createRun } from '../src/alerts/judging/create-run.ts'
import { JudgingState } from '../src/alerts/judging/judging-state.ts'
import { writeSnapshot } from '../src/alerts/judging/snapshot-file.ts'
import type { WatchedRule, WatchedSensor } from '../src/alerts/protocol.ts'
import type { AlertRule } from '../src/alerts/rule.ts'
import { segmentOf } from '../test/support/alerts/segments.ts'
import { xorshift } from './support/load-bodies.ts'
import { say } from './support/tool-harness.ts'

const SEGMENTS = Number(process.argv[2] ?? 60)
const SENSORS = 100_000
const RULES = 1_000
const RULES_OF_SENSOR = 10
const PER_SEGMENT = 10_000
const INTERVAL_MS = (SENSORS / PER_SEGMENT) * 1_000
const PREVIEW = 6_000_000
const PREVIEW_SENSORS = 10
const CHANNELS = ['temperature', 'humidity', 'pressure']
const random = xorshift(42)
const startMs = Date.UTC(2027, 0, 1)

/** Thresholds of all forms, silences and changes. Few readings meet a condition. */
function ruleOf(i: number): AlertRule {
  const severity = 'warning'
  const channel = CHANNELS[i % 3] as string
  if (i % 10 === 8) return { kind: 'silence', channel: i % 20 === 8 ? channel : undefined, forMs: undefined, severity }
  if (i % 10 === 9) return { kind: 'change', channel, withinMs: 3_600_000, by: 35, direction: 'both', severity }
  const others = i % 10 === 7 ? [{ channel: CHANNELS[(i + 1) % 3] as string, op: '<' as const, value: 70 }] : []
  return {
    kind: 'threshold',
    conditions: [{ channel, op: '>', value: 99, clearValue: 90 }, ...others],
    match: 'all',
    steps: i % 10 === 6 ? [{ severity: 'critical', value: 99.5 }] : [],
    forMs: i % 2 === 0 ? 0 : 60_000,
    keepFiringMs: 0,
    maxGapMs: i % 3 === 0 ? 60_000 : undefined,
    gap: 'reset',
    within: undefined,
    severity,
  }
}

const secondsOf = (usage: NodeJS.CpuUsage): number => (usage.user + usage.system) / 1e6
function cpuOf(work: () => void): number {
  const before = process.cpuUsage()
  work()
  return secondsOf(process.cpuUsage(before))
}
const median = (values: number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] as number

function live(): void {
  let changes = 0
  const state = new JudgingState('bench', Number.NEGATIVE_INFINITY)
  state.reportTo({ change: () => changes++, crossing: () => undefined })
  const common = { enterprise: 1, sinceMs: startMs, layer: undefined, bufferM: 0 }
  const rules: WatchedRule[] = Array.from({ length: RULES }, (_, i) => ({ ...ruleOf(i), ...common, id: `rule ${i}` }))
  state.setRules(rules, 1, startMs)
  const sensors = (function* (): Generator<WatchedSensor> {
    for (let i = 0; i < SENSORS; i++) {
      // sensors of a tag have the same rules
      const first = (i % (RULES / RULES_OF_SENSOR)) * RULES_OF_SENSOR
      const own = rules.slice(first, first + RULES_OF_SENSOR).map(({ id }) => id)
      const channels = Object.fromEntries(CHANNELS.map((name, channel) => [name, channel + 1]))
      yield { number: i + 1, enterprise: 1, channels, rules: own, quietSinceMs: null, activeSinceMs: null, usualMs: 0 }
    }
  })()
  const setUp = cpuOf(() => state.setSensors(sensors, true, 1, startMs))
  const order = Array.from({ length: SENSORS }, (_, i) => i + 1)
  for (let i = SENSORS - 1; i > 0; i--) {
    const j = Math.floor(random() * (i + 1))
    ;[order[i], order[j]] = [order[j] as number, order[i] as number]
  }
  const times: number[] = []
  const ticks: number[] = []
  for (let sequence = 0; sequence < SEGMENTS; sequence++) {
    const calls = Array.from({ length: PER_SEGMENT }, (_, i) => {
      const place = sequence * PER_SEGMENT + i
      const atMs = startMs + Math.floor(place / SENSORS) * INTERVAL_MS + (place % SENSORS) / 10
      const values = new Map(CHANNELS.map((_, channel) => [channel + 1, 60 + random() * (random() < 0.001 ? 40 : 30)]))
      return {
        sensor: order[place % SENSORS] as number,
        receivedMs: Math.floor(atMs),
        readings: [{ atMs: Math.floor(atMs), values, location: undefined }],
      }
    })
    const bytes = segmentOf(calls)
    const nowMs = calls.at(-1)?.receivedMs as number
    times.push(cpuOf(() => state.judge([{ sequence, bytes }], nowMs)))
    ticks.push(cpuOf(() => state.tick(nowMs)))
  }
  const collecting = cpuOf(() => Bun.gc(true))
  const dir = mkdtempSync(join(tmpdir(), 'groundwave-bench-'))
  const path = join(dir, 'snapshot')
  const saving = cpuOf(() => writeSnapshot(path, state.save()))
  const megabytes = statSync(path).size / 2 ** 20
  rmSync(dir, { recursive: true })
  say(`live: ${SENSORS} sensors, ${RULES_OF_SENSOR} of ${RULES} rules each, ${changes} changes`)
  say(
    `  ${PER_SEGMENT} readings      ${median(times).toFixed(3)} s of CPU (limit 0.080; least ${Math.min(...times).toFixed(3)})`,
  )
  say(`  a look at the clock  ${median(ticks).toFixed(3)} s`)
  say(`  a snapshot           ${saving.toFixed(3)} s, ${megabytes.toFixed(0)} MB`)
  say(`  a collection         ${collecting.toFixed(3)} s`)
  say(`  sensors are read in  ${setUp.toFixed(3)} s`)
  say(`  memory               ${(process.memoryUsage.rss() / 2 ** 20).toFixed(0)} MB`)
}

function preview(rule: AlertRule): void {
  let changes = 0
  const run = createRun(rule, { change: () => changes++, crossing: () => undefined })
  const perSensor = PREVIEW / PREVIEW_SENSORS
  const values = Float64Array.from({ length: perSensor }, (_, i) => 50 + 49 * Math.sin(i / 500) + random() * 10)
  const seconds = cpuOf(() => {
    for (let sensor = 0; sensor < PREVIEW_SENSORS; sensor++) {
      const slot = run.add(Number.NEGATIVE_INFINITY)
      for (let i = 0; i < perSensor; i++) {
        const atMs = startMs + i * 1_000
        run.values[0] = values[i] as number
        run.push(slot, atMs, atMs, Number.NaN, Number.NaN)
      }
    }
  })
  say(`preview, ${rule.kind}: ${(PREVIEW / seconds / 1e6).toFixed(1)} M readings/s (limit 5.0), ${changes} changes`)
}

live()
for (const i of [0, 1, 8, 9]) preview(ruleOf(i))
