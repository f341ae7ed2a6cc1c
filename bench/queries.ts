/**
 * What dashboards ask, over a hundred million values that the database makes itself: each query as the surface answers
 * it, JSON text included, beside bare SQL on the same connections, in alternating order. One sensor spoke once a second
 * for a year, a thousand once a minute for 24 days, and 100,000 said where they are. The bare SQL is what somebody who
 * knows the tables would write; it knows the sensor's name, and that it needs no channel's.
 *
 * bun bench/queries.ts [rounds] [postgres], where `postgres` puts the same data into PostgreSQL beside
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openEmbeddedClickHouse } from '../src/stores/clickhouse/embedded.ts'
import { exportReadings } from '../src/stores/clickhouse/export.ts'
import { migrateClickHouse } from '../src/stores/clickhouse/migrate.ts'
import { startRollups } from '../src/stores/clickhouse/rollups.ts'
import type { Sensor, SensorWithAsset } from '../src/stores/postgres/sensors.ts'
import { indexSensors } from '../src/surfaces/assets/directory.ts'
import { livePoints } from '../src/surfaces/assets/live.ts'
import { latest } from '../src/surfaces/assets/readings.ts'
import { seriesResponse } from '../src/surfaces/assets/series.ts'
import { ROOT } from '../test/support/processes.ts'
import { askPostgres } from './queries-postgres.ts'
import { load, ms, quantile, say } from './tool-harness.ts'

const rounds = Number(process.argv[2] ?? 5)
const REPEATS = 10
const DAY_MS = 86_400_000
const START = Date.UTC(2025, 10, 1)
const MANY = 1_000
const PLACED = 100_000
const FIRST_MANY = 2
const FIRST_PLACED = 10_000

const dir = mkdtempSync(join(tmpdir(), 'groundwave-queries-'))
const clickhouse = await openEmbeddedClickHouse(join(dir, 'clickhouse'))
await migrateClickHouse(clickhouse, join(ROOT, 'sql/clickhouse'))
const at = (expression: string): string => `fromUnixTimestamp64Milli(toInt64(${START} + ${expression}), 'UTC')`
const fill = (rows: number, columns: string): Promise<void> =>
  clickhouse.write(
    `INSERT INTO readings SELECT 1, ${columns}, now64(3), 3650 FROM numbers(${rows})`,
    {},
    { max_partitions_per_insert_block: 0 },
  )

const filledMs = performance.now()
await fill(31_536_000, `1, ${at('number * 1000')}, [1], [sin(number / 1000) * 20 + rand() % 100 / 100], NaN, NaN`)
await fill(
  34_232_000,
  `${FIRST_MANY} + number % ${MANY}, ${at(`intDiv(number, ${MANY}) * 60000`)}, [1, 2], [number % 100, rand() % 1000], NaN, NaN`,
)
await fill(
  PLACED,
  `${FIRST_PLACED} + number, ${at('number')}, [], [], number % 3600 / 10 - 180, intDiv(number, 3600) * 6 - 80`,
)
const rolledMs = performance.now()
const rollups = startRollups(clickhouse, (error) => say(String(error)))
await rollups.refresh()
// it would look at what came within the last seconds once more, and that is all of it
await rollups.stop()
say(
  `load ${load()}; 100 million values in ${((rolledMs - filledMs) / 1000).toFixed(1)} s, rollups of all in ${((performance.now() - rolledMs) / 1000).toFixed(1)} s`,
)

const signal = new AbortController().signal
const iso = (moment: number): string => new Date(moment).toISOString()
const sensor = (number: number): Sensor =>
  ({
    ...{ id: `sen_${number}`, number },
    channels: [1, 2].map((n) => ({
      number: n,
      name: n === 1 ? 'a' : 'b',
      measurement: 'number',
      unit: null,
      active: true,
    })),
  }) as unknown as Sensor
const one = sensor(1)
const many = Array.from({ length: MANY }, (_, i) => sensor(FIRST_MANY + i))
const places = indexSensors(
  Array.from({ length: PLACED }, (_, i): SensorWithAsset => {
    const number = FIRST_PLACED + i
    return { number, sensorId: `sen_${i}`, assetId: `ass_${i}`, assetName: `Asset ${i}` }
  }),
)
const RETENTION = { number: 1, retentionDays: 3_650 }
const day = START + 100 * DAY_MS
const between = (from: number, to: number): string =>
  `at >= fromUnixTimestamp64Milli(toInt64(${from}), 'UTC') AND at < fromUnixTimestamp64Milli(toInt64(${to}), 'UTC')`
const bare = (query: string): Promise<unknown[]> => clickhouse.ask(query, {}, signal)

const pgBetween = (from: number, to: number): string =>
  `at >= to_timestamp(${from / 1000}) AND at < to_timestamp(${to / 1000})`
type Contest = {
  name: string
  ours: () => Promise<unknown>
  theirs: () => Promise<unknown>
  postgres: { sql: string; repeats: number; onlyBtree?: boolean }
}

const CONTESTS: Contest[] = [
  {
    name: 'latest of a sensor',
    postgres: { repeats: 10, sql: 'SELECT at, a FROM readings WHERE sensor = 1 ORDER BY at DESC LIMIT 1' },
    ours: () => latest(clickhouse, RETENTION, [one], signal),
    theirs: () =>
      bare(`SELECT sensor, channel, at, value, NULL FROM latest_values FINAL WHERE enterprise = 1 AND sensor = 1
         UNION ALL SELECT sensor, NULL, at, longitude, latitude FROM latest_positions FINAL WHERE enterprise = 1 AND sensor = 1`),
  },
  {
    name: 'latest of 1,000 sensors',
    postgres: {
      repeats: 5,
      sql: `SELECT s, r.* FROM generate_series(${FIRST_MANY}, ${FIRST_MANY + MANY - 1}) AS s
        CROSS JOIN LATERAL (SELECT at, a, b FROM readings WHERE sensor = s ORDER BY at DESC LIMIT 1) AS r`,
      onlyBtree: true,
    },
    ours: () => latest(clickhouse, RETENTION, many, signal),
    theirs: () =>
      bare(
        `SELECT sensor, channel, at, value, NULL FROM latest_values FINAL WHERE enterprise = 1 AND sensor BETWEEN ${FIRST_MANY} AND ${FIRST_MANY + MANY - 1}
         UNION ALL SELECT sensor, NULL, at, longitude, latitude FROM latest_positions FINAL WHERE enterprise = 1 AND sensor BETWEEN ${FIRST_MANY} AND ${FIRST_MANY + MANY - 1}`,
      ),
  },
  {
    name: 'one day of one channel, 86,400 values into 500',
    postgres: {
      repeats: 5,
      sql: `SELECT date_bin('173 seconds', at, 'epoch') AS t, avg(a) FROM readings WHERE sensor = 1 AND ${pgBetween(day, day + DAY_MS)} GROUP BY t ORDER BY t`,
    },
    ours: () =>
      seriesResponse(
        clickhouse,
        RETENTION,
        [one],
        { channel: 'a', from: iso(day), to: iso(day + DAY_MS), step: '173s' },
        signal,
      ),
    theirs: () =>
      bare(
        `SELECT toStartOfInterval(at, INTERVAL 173 SECOND) AS t, avg(values[indexOf(channels, 1)]) FROM readings FINAL WHERE sensor = 1 AND has(channels, 1) AND ${between(day, day + DAY_MS)} GROUP BY t ORDER BY t`,
      ),
  },
  {
    name: 'a week of one channel by 5 minutes',
    postgres: {
      repeats: 3,
      sql: `SELECT date_bin('5 minutes', at, 'epoch') AS t, avg(a) FROM readings WHERE sensor = 1 AND ${pgBetween(day, day + 7 * DAY_MS)} GROUP BY t ORDER BY t`,
    },
    ours: () =>
      seriesResponse(
        clickhouse,
        RETENTION,
        [one],
        { channel: 'a', from: iso(day), to: iso(day + 7 * DAY_MS), step: '5m' },
        signal,
      ),
    theirs: () =>
      bare(
        `SELECT toStartOfInterval(bucket, INTERVAL 5 MINUTE) AS t, sum(sum) / sum(count) FROM rollup_minute FINAL WHERE sensor = 1 AND channel = 1
         AND bucket >= ${day / 1000} AND bucket < ${(day + 7 * DAY_MS) / 1000} GROUP BY t ORDER BY t`,
      ),
  },
  {
    name: 'one year of one channel by days',
    postgres: {
      repeats: 1,
      sql: "SELECT date_bin('1 day', at, 'epoch') AS t, avg(a) FROM readings WHERE sensor = 1 GROUP BY t ORDER BY t",
    },
    ours: () =>
      seriesResponse(
        clickhouse,
        RETENTION,
        [one],
        { channel: 'a', from: iso(START), to: iso(START + 365 * DAY_MS), step: '1d' },
        signal,
      ),
    theirs: () =>
      bare(
        `SELECT toStartOfDay(bucket, 'UTC') AS t, sum(sum) / sum(count) FROM rollup_hour FINAL WHERE sensor = 1 AND channel = 1
         AND bucket >= ${START / 1000} AND bucket < ${(START + 365 * DAY_MS) / 1000} GROUP BY t ORDER BY t`,
      ),
  },
  {
    name: '1,000 sensors for a week by hours',
    postgres: {
      repeats: 1,
      sql: `SELECT sensor, date_bin('1 hour', at, 'epoch') AS t, avg(a) FROM readings
        WHERE sensor BETWEEN ${FIRST_MANY} AND ${FIRST_MANY + MANY - 1} AND ${pgBetween(START + DAY_MS, START + 8 * DAY_MS)} GROUP BY sensor, t ORDER BY sensor, t`,
    },
    ours: () =>
      seriesResponse(
        clickhouse,
        RETENTION,
        many,
        { channel: 'a', from: iso(START + DAY_MS), to: iso(START + 8 * DAY_MS), step: '1h' },
        signal,
      ),
    theirs: () =>
      bare(
        `SELECT sensor, bucket, sum(sum) / sum(count) FROM rollup_hour FINAL WHERE sensor BETWEEN ${FIRST_MANY} AND ${FIRST_MANY + MANY - 1} AND channel = 1
         AND bucket >= ${(START + DAY_MS) / 1000} AND bucket < ${(START + 8 * DAY_MS) / 1000} GROUP BY sensor, bucket ORDER BY sensor, bucket`,
      ),
  },
  {
    name: 'live layer of 100,000 assets, a box of 1 %',
    postgres: {
      repeats: 5,
      sql: `SELECT * FROM (SELECT DISTINCT ON (sensor) sensor, at, longitude, latitude FROM readings WHERE sensor >= ${FIRST_PLACED}
        ORDER BY sensor, at DESC) AS p WHERE longitude BETWEEN 0 AND 36 AND latitude BETWEEN -10 AND 8`,
    },
    ours: () => livePoints(clickhouse, RETENTION, places, [0, -10, 36, 8], signal),
    theirs: () =>
      bare(
        'SELECT sensor, at, longitude, latitude FROM latest_positions FINAL WHERE enterprise = 1 AND longitude BETWEEN 0 AND 36 AND latitude BETWEEN -10 AND 8',
      ),
  },
]

async function timed(work: () => Promise<unknown>): Promise<{ taken: number; bytes: number }> {
  const startedMs = performance.now()
  const answer = await work()
  const bytes = (typeof answer === 'string' ? answer : JSON.stringify(answer)).length
  return { taken: performance.now() - startedMs, bytes }
}

const medians: Record<string, number> = {}
say('| query | ours: p50 ms | p95 | bare SQL: p50 ms | p95 | ratio | kB of JSON |')
say('|---|--:|--:|--:|--:|--:|--:|')
for (const { name, ours, theirs } of CONTESTS) {
  const times: Record<'ours' | 'theirs', number[]> = { ours: [], theirs: [] }
  let bytes = 0
  for (const work of [ours, theirs]) await timed(work)
  for (let round = 0; round < rounds; round++)
    for (const side of round % 2 === 0 ? (['ours', 'theirs'] as const) : (['theirs', 'ours'] as const))
      for (let i = 0; i < REPEATS; i++) {
        const result = await timed(side === 'ours' ? ours : theirs)
        times[side].push(result.taken)
        if (side === 'ours') bytes = result.bytes
      }
  const [a, b] = [quantile(times.ours, 0.5), quantile(times.theirs, 0.5)]
  medians[name] = a
  const row = [
    ms(a),
    ms(quantile(times.ours, 0.95)),
    ms(b),
    ms(quantile(times.theirs, 0.95)),
    (a / b).toFixed(2),
    ms(bytes / 1000),
  ]
  say(`| ${name} | ${row.join(' | ')} |`)
}

async function drained(pieces: AsyncIterable<Uint8Array>): Promise<{ seconds: number; bytes: number }> {
  const startedMs = performance.now()
  let bytes = 0
  for await (const piece of pieces) bytes += piece.length
  return { seconds: (performance.now() - startedMs) / 1000, bytes }
}
const wanted = {
  ...{ fromMs: START, toMs: START + 10_000_000 * 1000, locations: true },
  sensors: [{ number: 1, id: 'sen_1' }],
  channels: [{ sensor: 1, number: 1, name: 'a' }],
}
for (const format of ['CSV', 'JSONEachRow', 'Parquet', 'ArrowStream'] as const) {
  const ours = await drained(exportReadings(clickhouse, wanted, format))
  const theirs = await drained(
    clickhouse.stream(
      `SELECT 'sen_1' AS sensor_id, at, 'a' AS channel, values[1] AS value, longitude, latitude FROM readings FINAL WHERE sensor = 1 AND ${between(wanted.fromMs, wanted.toMs)} ORDER BY at`,
      {},
      format,
    ),
  )
  const rate = ({ bytes, seconds }: { bytes: number; seconds: number }): string => ms(bytes / 1e6 / seconds)
  say(
    `export of 10 million values as ${format}: ${ms(ours.bytes / 1e6)} MB at ${rate(ours)} MB/s; bare SQL ${rate(theirs)} MB/s; time ${(ours.seconds / theirs.seconds).toFixed(2)} of it`,
  )
}
say(`resident ${Math.round(process.memoryUsage.rss() / 2 ** 20)} MB`)
await clickhouse.close()
if (process.argv.includes('postgres')) {
  const started = `to_timestamp(${START / 1000})`
  const found = await askPostgres(
    [
      `SELECT 1, ${started} + n * interval '1 second', sin(n / 1000.0) * 20 + random(), NULL, NULL, NULL FROM generate_series(0, 31535999) AS n`,
      `SELECT ${FIRST_MANY} + n % ${MANY}, ${started} + n / ${MANY} * interval '1 minute', n % 100, random() * 1000, NULL, NULL FROM generate_series(0, 34231999) AS n`,
      `SELECT ${FIRST_PLACED} + n, ${started} + n * interval '1 millisecond', NULL, NULL, n % 3600 / 10.0 - 180, n / 3600 * 6 - 80 FROM generate_series(0, ${PLACED - 1}) AS n`,
    ],
    CONTESTS.map(({ name, postgres }) => ({ name, ...postgres })),
  )
  say('| query | ours: p50 ms | PostgreSQL, b-tree | ratio | PostgreSQL, BRIN | ratio |')
  say('|---|--:|--:|--:|--:|--:|')
  for (const [name, own] of Object.entries(medians)) {
    const cells = ['b-tree', 'BRIN'].flatMap((kind) => {
      const taken = found[kind]?.[name]
      return taken === undefined ? ['–', '–'] : [ms(taken), (own / taken).toFixed(3)]
    })
    say(`| ${name} | ${ms(own)} | ${cells.join(' | ')} |`)
  }
}
rmSync(dir, { recursive: true, force: true })
process.exit(0)
