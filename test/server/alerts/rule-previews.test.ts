/** Previews of rules over stored readings, compared with the slow reference. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { collectEpisodes, type Episode } from '../../../src/alerts/episodes.ts'
import previewTask, { type PreviewInput } from '../../../src/alerts/preview.ts'
import { createPreviewRule, type PreviewRequest, type PreviewsDeps } from '../../../src/alerts/previews.ts'
import type { AlertRule } from '../../../src/alerts/rule.ts'
import type { Engine } from '../../../src/engine/engine.ts'
import type { RunContext } from '../../../src/tools/tool.ts'
import { anyReadings, anyRule, CHANNELS, ruleOf } from '../../support/alerts/random-rules.ts'
import { episodesOf, type RefEpisode, type RefReading, type RefRule } from '../../support/alerts/reference.ts'
import { type Random, seeded, testSeed, whole } from '../../support/random.ts'
import { rounds } from '../../support/rounds.ts'
import { sharedInstance } from '../../support/server/shared-instance.ts'
import { call, collectionOf, untilChecked } from '../../support/server/zones.ts'
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
      const { episodes, warnings } = await preview(requestOf(rule, sensors, range), signal)
      expect({ round, n, rule, warnings, episodes }).toEqual({ round, n, rule, warnings: [], episodes: expected })
      found += expected.length
    }
  }
  expect(found).toBeGreaterThan(30)
}, 600_000)

type Previewed = {
  episodes: {
    sensorId: string
    polygon: string | null
    severity: string
    startedAt: string
    firedAt: string
    resolvedAt: string | null
    value: number | null
    values: Record<string, number>
  }[]
  forSeconds: number | null
  maxGapSeconds: number | null
  warnings?: string[]
}

const instance = await sharedInstance()
const organization = await instance.organization('scale')
/** Minutes of the readings begin there. */
const START = Math.floor(Date.now() / 60_000) * 60_000 - 7_200_000
const at = (minute: number): string => new Date(START + minute * 60_000).toISOString()
const preview = (rule: object, from = at(0), to = at(60)) =>
  call<Previewed>(instance, organization, 'POST', '/rules/preview', { rule, from, to })
const minutesOf = ({ episodes }: Previewed): [number, number, number | null][] => {
  const minute = (time: string): number => (Date.parse(time) - START) / 60_000
  return episodes.map(({ startedAt, firedAt, resolvedAt }) => [
    minute(startedAt),
    minute(firedAt),
    resolvedAt === null ? null : minute(resolvedAt),
  ])
}

describe('over HTTP', async () => {
  const channels = [
    { name: 't', measurement: 'number' as const },
    { name: 'open', measurement: 'boolean' as const },
  ]
  const hot = await instance.sensor(organization.id, channels)
  const cold = await instance.sensor(organization.id, channels)
  const geojson = collectionOf([{ id: 'yard', west: 0, south: 0, east: 10, north: 10 }])
  const { id: layerId } = await instance.manage<{ id: string }>('POST', `/owners/${organization.id}/layers`, {
    name: 'Yard',
    geojson,
  })
  // one reading in a minute: hot from 20 to 29, in the yard from 25 to 44, nothing from 50 on
  const readings = Array.from({ length: 50 }, (_, minute) => ({
    at: at(minute),
    values: { t: minute >= 20 && minute < 30 ? 35 : 20, open: minute % 2 === 0 },
    location: minute >= 25 && minute < 45 ? [5, 5] : [20, 20],
  }))
  await instance.send(hot, { readings })
  await instance.send(cold, { readings: readings.map((reading) => ({ ...reading, values: { t: 10 } })) })
  await untilChecked(instance)

  const above = { kind: 'threshold', conditions: [{ channel: 't', op: '>', value: 30 }] }

  test('a rule that is not stored has its episodes, with the sensor, the value and the lengths that count', async () => {
    const { data } = await preview({ ...above, forSeconds: 120, severity: 'critical', sensorIds: 'all' })
    expect(minutesOf(data)).toEqual([[20, 22, 30]])
    expect(data).toEqual({
      episodes: [
        {
          sensorId: hot.id,
          polygon: null,
          severity: 'critical',
          startedAt: at(20),
          firedAt: at(22),
          resolvedAt: at(30),
          value: 35,
          values: { t: 35 },
        },
      ],
      forSeconds: 120,
      maxGapSeconds: null,
    })
    expect((await preview({ ...above, all: true }, at(25), at(28))).data.episodes).toMatchObject([
      { startedAt: at(25), firedAt: at(25), resolvedAt: null },
    ])
    expect((await preview({ ...above, sensorIds: [cold.id], maxGapSeconds: 600 })).data).toEqual({
      episodes: [],
      forSeconds: 0,
      maxGapSeconds: 600,
    })
  })

  test('rules of the other kinds', async () => {
    const one = { sensorIds: [hot.id] }
    expect(minutesOf((await preview({ kind: 'silence', forSeconds: 300, ...one })).data)).toEqual([[49, 54, null]])
    const change = { kind: 'change', channel: 't', withinSeconds: 60, by: 10, direction: 'up' }
    expect(minutesOf((await preview({ ...change, ...one })).data)).toEqual([[20, 20, 21]])
    const dwell = await preview({ layerId, when: 'dwell', dwellSeconds: 600, ...one })
    expect(minutesOf(dwell.data)).toEqual([[25, 35, 45]])
    expect(dwell.data.episodes[0]?.polygon).toBe('yard')
    expect(minutesOf((await preview({ layerId, when: 'outside', ...one })).data)).toEqual([
      [0, 0, 25],
      [45, 45, null],
    ])
    const within = { ...above, within: { layerId, when: 'inside' }, ...one }
    expect(minutesOf((await preview(within)).data)).toEqual([[25, 25, 30]])
    const yes = { kind: 'threshold', conditions: [{ channel: 'open', op: '=', value: true }], ...one }
    expect((await preview(yes, at(0), at(4))).data.episodes).toMatchObject([{ value: 1 }, { value: 1 }])
  })

  test('a silence without a length follows the rhythm of its sensor', async () => {
    // one call has no rhythm yet, so an interval is five minutes
    const { data } = await preview({ kind: 'silence', sensorIds: [hot.id] }, at(0), at(110))
    expect([minutesOf(data), data.forSeconds]).toEqual([[[49, 99, null]], 3_000])
  })

  test('a faulty request names its field', async () => {
    const faults = async (rule: object, from?: string, to?: string) => {
      const { statusCode, errors } = await preview(rule, from, to)
      return [statusCode, errors?.map(({ field, message }) => `${field} ${message}`)]
    }
    const all = { ...above, all: true }
    expect(await faults(all, at(1), at(1))).toEqual([422, ['body.from must be earlier than body.to']])
    expect(await faults(all, at(0), at(31 * 1_440 + 1))).toEqual([
      422,
      ['body.to must be at most 31 days after body.from'],
    ])
    expect(await faults({ layerId, when: 'enter', all: true })).toEqual([
      422,
      ['body.rule.when must be one of inside, outside, dwell'],
    ])
    const [status, [unknown] = []] = (await faults({
      kind: 'threshold',
      conditions: [{ channel: 'gone', op: '>', value: 1 }],
      all: true,
    })) as [number, string[]]
    expect([status, unknown?.startsWith('body.rule.conditions.0.channel ')]).toEqual([422, true])
    const [, [missing] = []] = (await faults({ ...above })) as [number, string[]]
    expect(missing).toStartWith('body.rule.sensorIds ')
  })
})

test('too many readings are refused with their number', async () => {
  const random = seeded(1)
  const sensor = newSensor(
    random,
    anyReadings(random).map((reading) => ({ ...reading, at: reading.at - EARLIER_MS })),
  )
  await insert([sensor])
  const { length } = sensor.readings
  const range: [number, number] = [sensor.readings[0]!.at, sensor.readings.at(-1)!.at + 1]
  const rule = { kind: 'silence', forMs: 60_000, severity: 'info' } as const
  const said = sensor.readings.filter(({ values, location }) => Object.keys(values).length > 0 || location).length
  await expect(previews(said - 1)(requestOf(rule, [sensor], range), signal)).rejects.toMatchObject({
    errors: [{ field: 'body.from', rule: 'maxReadings', message: expect.stringContaining(`${said} readings`) }],
  })
  await previews(length)(requestOf(rule, [sensor], range), signal)
})

test('a rule whose tags match 100,000 sensors of two makes is previewed', async () => {
  const [first, count] = [1_000_000, 100_000]
  const atMs = Date.now() - 600_000
  await store.clickhouse.write(
    `INSERT INTO readings SELECT 1, ${first} + number, fromUnixTimestamp64Milli(${atMs}), [1, 2],
       if(number = 70000 OR number = 70001, [9, 99], [0, 0]), nan, nan, now64(3), 1000 FROM numbers(${count})`,
    {},
  )
  const conditions = [{ channel: 't', op: '>', value: 5 } as const]
  const rule: AlertRule = {
    kind: 'threshold',
    conditions,
    match: 'all',
    steps: [],
    forMs: 0,
    keepFiringMs: 0,
    maxGapMs: undefined,
    gap: 'reset',
    within: undefined,
    severity: 'info',
  }
  const sensors = Array.from({ length: count }, (_, i) => ({
    number: first + i,
    channels: new Map([['t', { number: 1 + (i % 2) }]]),
    silenceMs: 60_000,
  }))
  const range = { fromMs: atMs - 1, toMs: atMs + 1 }
  const { episodes } = await previews()(
    { enterprise: { id: 'ent_1' }, rule, layer: undefined, sensors, ...range },
    signal,
  )
  expect(episodes.map(({ sensor, values }) => [sensor, values])).toEqual([
    [first + 70_000, { t: 9 }],
    [first + 70_001, { t: 99 }],
  ])
}, 120_000)

test('beyond the limit the first episodes to fire are kept, and the others counted', () => {
  const episodes = collectEpisodes(3)
  const firing = (sensor: number, ms: number): void =>
    episodes.change(sensor, {
      type: 'firing',
      startedMs: ms,
      firedMs: ms,
      severity: 'info',
      values: {},
      polygon: undefined,
      late: false,
    })
  const resolved = (sensor: number, ms: number): void =>
    episodes.change(sensor, { type: 'resolved', startedMs: ms, resolvedMs: ms + 5, polygon: undefined })
  for (const sensor of [1, 2, 3, 4, 5])
    for (const ms of [10, 20, 30, 40]) {
      firing(sensor, ms + sensor)
      if (ms < 40) resolved(sensor, ms + sensor)
    }
  const { list, total } = episodes.end()
  expect([total, list.map(({ sensor, firedMs, resolvedMs }) => [sensor, firedMs, resolvedMs])]).toEqual([
    20,
    [
      [1, 11, 16],
      [2, 12, 17],
      [3, 13, 18],
    ],
  ])
})
