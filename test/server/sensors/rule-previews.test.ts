/** Previews of rules over stored readings, compared with the slow reference. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Episode } from '../../../src/alerts/episodes.ts'
import previewTask, { type PreviewInput } from '../../../src/alerts/preview.ts'
import { createPreviewRule, type PreviewRequest, type PreviewsDeps } from '../../../src/alerts/previews.ts'
import type { Engine } from '../../../src/engine/engine.ts'
import type { RunContext } from '../../../src/tools/tool.ts'
import { anyReadings, anyRule, CHANNELS, ruleOf } from '../../support/alerts/random-rules.ts'
import { episodesOf, type RefEpisode, type RefReading, type RefRule } from '../../support/alerts/reference.ts'
import { type Random, seeded, testSeed, whole } from '../../support/random.ts'
import { rounds } from '../../support/rounds.ts'
import { openReadingStore, type ReadingStore } from '../../support/stores/reading-stores.ts'

const { signal } = new AbortController()
let store: ReadingStore

beforeAll(async () => {
  store = await openReadingStore('embedded')
}, 120_000)
afterAll(() => store.remove())

/** The task runs in this process. */
const engine = {
  run: (_task: unknown, input: PreviewInput, { scratch }: { scratch: string }) =>
    previewTask.run(input, { scratch } as RunContext),
} as unknown as Engine

function previews(maxReadings?: number) {
  const scratchDir = join(store.dir, 'scratch')
  mkdirSync(scratchDir, { recursive: true })
  // only rules with a layer need the others
  const deps = { clickhouse: store.clickhouse, engine, scratchDir, timeoutMs: 60_000 } as unknown as PreviewsDeps
  return createPreviewRule(deps, maxReadings)
}

/** A year earlier, on the same day of the week, which is in the past and when clocks changed too. */
const EARLIER_MS = 364 * 86_400_000

type Sensor = { number: number; channels: Map<string, { number: number }>; readings: RefReading[] }
let next = 1

/** A sensor whose channels have numbers of its own in some order. */
function newSensor(random: Random, readings: RefReading[]): Sensor {
  const shift = whole(random, 3)
  const channels = new Map(CHANNELS.map((name, i) => [name, { number: 1 + ((i + shift) % 3) }]))
  return { number: next++, channels, readings }
}

async function insert(sensors: readonly Sensor[]): Promise<void> {
  const rows = sensors.flatMap(({ number, channels, readings }) =>
    readings.map(({ at, values, location }) => {
      const own = Object.entries(values)
      const numbers = own.map(([name]) => channels.get(name)?.number)
      const [x, y] = location ?? ['nan', 'nan']
      return `(1, ${number}, fromUnixTimestamp64Milli(${at}), [${numbers}], [${own.map(([, value]) => value)}], ${x}, ${y}, now64(3), 1000)`
    }),
  )
  await store.clickhouse.write(`INSERT INTO readings VALUES ${rows.join(', ')}`)
}

const requestOf = (
  rule: RefRule,
  sensors: readonly Sensor[],
  range: [fromMs: number, toMs: number],
): PreviewRequest => ({
  enterprise: { id: 'ent_1' },
  rule: ruleOf(rule),
  layer: undefined,
  sensors: sensors.map((sensor) => ({ ...sensor, silenceMs: 600_000 })),
  fromMs: range[0],
  toMs: range[1],
})

/** An episode of the reference in the form of a preview. */
const plain = (sensor: number, { startedAt, firedAt, resolvedAt, severity, severities, values }: RefEpisode): Episode =>
  ({
    sensor,
    startedMs: startedAt,
    firedMs: firedAt,
    resolvedMs: resolvedAt,
    severity: resolvedAt === null ? severities.at(-1)!.severity : severity,
    values,
  }) as Episode
const order = (a: Episode, b: Episode): number => a.firedMs - b.firedMs || a.sensor - b.sensor

/** What the reference finds in the readings of the range alone. */
function expectedOf(rule: RefRule, sensors: readonly Sensor[], [fromMs, toMs]: [number, number]): Episode[] {
  return sensors
    .flatMap(({ number, readings }) =>
      episodesOf(
        rule,
        readings.filter(
          ({ at, values, location }) => at >= fromMs && at < toMs && (Object.keys(values).length > 0 || location),
        ),
        undefined,
        toMs,
      ).map((episode) => plain(number, episode)),
    )
    .sort(order)
}

const withoutLayer = (rule: RefRule): boolean => rule.kind !== 'zone' && !(rule.kind === 'threshold' && rule.within)

test(`previews find the episodes of the reference, seed ${testSeed}`, async () => {
  const random = seeded(testSeed)
  const preview = previews()
  let found = 0
  for (let round = 0; round < rounds(8, 500); round++) {
    const sensors = Array.from({ length: 3 }, () =>
      newSensor(
        random,
        anyReadings(random).map((reading) => ({ ...reading, at: reading.at - EARLIER_MS })),
      ),
    )
    await insert(sensors)
    const times = sensors.flatMap(({ readings }) => readings.map(({ at }) => at)).sort((a, b) => a - b)
    for (let n = 0; n < 4; n++) {
      let rule = anyRule(random)
      while (!withoutLayer(rule)) rule = anyRule(random)
      // the ends of the range are times of readings: the first one counts, the last one does not
      const range = [times[whole(random, times.length >> 1)]!, times.at(-1 - whole(random, 3))!] as [number, number]
      const expected = expectedOf(rule, sensors, range)
      const { episodes, leftOut } = await preview(requestOf(rule, sensors, range), signal)
      expect({ round, n, rule, leftOut, episodes }).toEqual({ round, n, rule, leftOut: 0, episodes: expected })
      found += expected.length
    }
  }
  expect(found).toBeGreaterThan(30)
}, 600_000)
