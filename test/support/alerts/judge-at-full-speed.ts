/** A process that judges segments of many readings by the rules of 100,000 sensors, and prints the most memory that it used. */
import { JudgingState } from '../../../src/alerts/judging/judging-state.ts'
import type { WatchedRule, WatchedSensor } from '../../../src/alerts/protocol.ts'
import { segmentOf } from './segments.ts'

const SENSORS = 100_000
const [RULES, RULES_OF_SENSOR] = [1_000, 10]
const [SEGMENTS, CALLS, READINGS] = [8, 1_000, 500]
const startMs = Date.UTC(2026, 0, 1)

const rules = Array.from(
  { length: RULES },
  (_, i): WatchedRule => ({
    kind: 'threshold',
    conditions: [{ channel: 't', op: '>', value: 1_000 + i }],
    match: 'all',
    steps: [],
    forMs: 0,
    keepFiringMs: 0,
    maxGapMs: undefined,
    gap: 'reset',
    within: undefined,
    severity: 'warning',
    id: `rule ${i}`,
    enterprise: 1,
    sinceMs: startMs,
    layer: undefined,
    bufferM: 0,
  }),
)
function* sensors(): Generator<WatchedSensor> {
  for (let i = 0; i < SENSORS; i++) {
    const first = (i * RULES_OF_SENSOR) % RULES
    const own = rules.slice(first, first + RULES_OF_SENSOR).map(({ id }) => id)
    yield {
      number: i + 1,
      enterprise: 1,
      channels: { t: 1 },
      rules: own,
      quietSinceMs: null,
      activeSinceMs: null,
      usualMs: 0,
    }
  }
}
const state = new JudgingState('full speed', Number.NEGATIVE_INFINITY)
state.reportTo({ change: () => undefined, crossing: () => undefined })
state.setRules(rules, 1, startMs)
state.setSensors(sensors(), true, 1, startMs)
const bytes = segmentOf(
  Array.from({ length: CALLS }, (_, call) => ({
    sensor: call + 1,
    receivedMs: startMs,
    readings: Array.from({ length: READINGS }, (_, i) => ({
      atMs: startMs + i * 1_000,
      values: new Map([[1, i]]),
      location: undefined,
    })),
  })),
)
Bun.gc(true)
const before = process.memoryUsage.rss()
let most = before
const segments = Array.from({ length: SEGMENTS }, (_, sequence) => ({ sequence, bytes }))
for (const segment of segments) {
  state.judge([segment], startMs)
  most = Math.max(most, process.memoryUsage.rss())
}
const grownMb = Math.round((most - before) / 2 ** 20)
process.stdout.write(JSON.stringify({ readings: SEGMENTS * CALLS * READINGS, grownMb }))
