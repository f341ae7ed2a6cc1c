/** Segments with marked readings (ingest/superseded.ts) in ClickHouse: the views skip them, and nothing is missing. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { appendReading, createBatch, resetBatch, sensorProfile } from '../../../../src/ingest/batch.ts'
import { ROW_STRUCTURE } from '../../../../src/ingest/row.ts'
import { markSuperseded } from '../../../../src/ingest/superseded.ts'
import type { ClickHouse } from '../../../../src/stores/clickhouse/client.ts'
import { openEmbeddedClickHouse } from '../../../../src/stores/clickhouse/embedded.ts'
import { migrateClickHouse } from '../../../../src/stores/clickhouse/migrate.ts'
import { storeSegmentFile } from '../../../../src/stores/clickhouse/readings.ts'
import { ROOT } from '../../../support/processes.ts'
import { seeded, testSeed } from '../../../support/random.ts'

const random = seeded(testSeed)
const READINGS = 400
const KEEP_DAYS = 730
const START_MS = Date.now() - 10 * 3_600_000

let dir: string
let clickhouse: ClickHouse
beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'groundwave-superseded-'))
  clickhouse = await openEmbeddedClickHouse(join(dir, 'clickhouse'))
  await migrateClickHouse(clickhouse, join(ROOT, 'sql/clickhouse'))
}, 120_000)
afterAll(async () => {
  await clickhouse.close()
  rmSync(dir, { recursive: true })
})

/** A call over several hours, in which channels and locations appear and disappear and some times go backwards. */
function callOf(sensor: number) {
  const batch = createBatch()
  resetBatch(batch, Date.now())
  let atMs = START_MS
  let channels = [1, 2, 3]
  let isLocated = true
  for (let i = 0; i < READINGS; i++) {
    atMs += random() < 0.02 ? -7_777_777 : 61_000 + Math.floor(random() * 1000)
    if (random() < 0.05) channels = [1, 2, 3, 4, 5].filter(() => random() < 0.6)
    if (random() < 0.05) isLocated = !isLocated
    for (const [k, channel] of channels.entries()) {
      batch.channelNumbers[k] = channel
      batch.values[k] = random()
    }
    const [longitude, latitude] = isLocated ? [random(), random()] : [Number.NaN, Number.NaN]
    appendReading(batch, sensorProfile(1, sensor, KEEP_DAYS, []), atMs, channels.length, longitude, latitude)
  }
  return batch
}

test('newest values, positions and waiting hours cover all readings, and finding them reads few rows', async () => {
  const sensors = [1, 2, 3, 4, 5]
  for (const sensor of sensors) {
    const batch = callOf(sensor)
    markSuperseded(batch, 0, READINGS - 1)
    const path = join(dir, `${sensor}.rows`)
    writeFileSync(path, batch.rows.subarray(0, batch.rowEnds[READINGS]))
    await storeSegmentFile(clickhouse, { path, oldest: new Map() }, ROW_STRUCTURE, `segment-${sensor}`)
  }
  const pairs: [string, string][] = [
    [
      'SELECT sensor, channel, at, value, keep_days FROM latest_values FINAL ORDER BY sensor, channel',
      `SELECT sensor, channel, max(at) AS at, argMax(value, r.at) AS value, any(keep_days) AS keep_days
       FROM (SELECT sensor, r.at, channel, value, keep_days FROM readings AS r ARRAY JOIN channels AS channel, values AS value) AS r
       GROUP BY sensor, channel ORDER BY sensor, channel`,
    ],
    [
      'SELECT sensor, at, longitude, latitude, keep_days FROM latest_positions FINAL ORDER BY sensor',
      `SELECT sensor, max(r.at) AS at, argMax(r.longitude, r.at) AS longitude, argMax(r.latitude, r.at) AS latitude, any(r.keep_days) AS keep_days
       FROM readings AS r WHERE NOT isNaN(r.longitude) GROUP BY sensor ORDER BY sensor`,
    ],
    [
      'SELECT sensor, hour FROM rollup_hours GROUP BY sensor, hour ORDER BY sensor, hour',
      'SELECT DISTINCT sensor, toStartOfHour(toDateTime(at)) AS hour FROM readings ORDER BY sensor, hour',
    ],
  ]
  for (const [derived, computed] of pairs) {
    const expected = await clickhouse.rows(computed)
    expect(expected.length, `replay with TEST_SEED=${testSeed}`).toBeGreaterThanOrEqual(sensors.length)
    expect(await clickhouse.rows(derived), `replay with TEST_SEED=${testSeed}`).toEqual(expected)
  }
  const [stored] = await clickhouse.rows<{ marked: number; wrong: number }>(
    "SELECT countIf(is_superseded) AS marked, countIf(dateDiff('second', received_at, now64(3)) NOT BETWEEN 0 AND 600) AS wrong FROM readings",
  )
  expect(Number(stored?.wrong)).toBe(0)
  expect(Number(stored?.marked)).toBeGreaterThan(sensors.length * READINGS * 0.6)
  expect(Number(stored?.marked)).toBeLessThan(sensors.length * (READINGS - 9))
})

test('rows inserted by an earlier release, which does not know the mark, are all derived from', async () => {
  await clickhouse.write(
    `INSERT INTO readings SELECT 1, 9, now64(3) - number, [1], [number], 1, 2, now64(3), ${KEEP_DAYS} FROM numbers(3)`,
  )
  expect(await clickhouse.rows('SELECT value FROM latest_values FINAL WHERE sensor = 9')).toEqual([{ value: 0 }])
})
