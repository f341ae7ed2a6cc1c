/** Positions before and after a segment's positions, queried from ClickHouse (chDB) and compared with a loop. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ClickHouse } from '../../../../src/stores/clickhouse/client.ts'
import { openEmbeddedClickHouse } from '../../../../src/stores/clickhouse/embedded.ts'
import { migrateClickHouse } from '../../../../src/stores/clickhouse/migrate.ts'
import {
  newestPositions,
  type PositionColumns,
  positionsAround,
} from '../../../../src/stores/clickhouse/zone-events.ts'
import { ROOT } from '../../../support/processes.ts'
import { seeded } from '../../../support/random.ts'
import { rounds } from '../../../support/rounds.ts'

type Position = [sensor: number, ms: number, longitude: number, latitude: number]
const rowsOf = (columns: PositionColumns): Position[] =>
  columns[0].map((_, row) => columns.map((column) => column[row]) as Position)
const { signal } = new AbortController()
const NOW = Math.floor(Date.now() / 1000) * 1000
const HOUR_MS = 3_600_000
const stored: Position[] = []
let dir = ''
let clickhouse: ClickHouse

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'groundwave-zones-'))
  clickhouse = await openEmbeddedClickHouse(join(dir, 'clickhouse'))
  await migrateClickHouse(clickhouse, join(ROOT, 'sql/clickhouse'))
  const random = seeded(3)
  const rows: string[] = []
  for (let sensor = 1; sensor <= 5; sensor++)
    for (let i = 0; i < 400; i++) {
      // some close together, some weeks apart
      const ms = NOW - Math.floor(random() ** 4 * 300 * 24) * HOUR_MS - Math.floor(random() * HOUR_MS)
      const isLocated = random() < 0.7
      const x = Math.round(random() * 100)
      if (isLocated) stored.push([sensor, ms, x, sensor])
      rows.push(
        `(1, ${sensor}, fromUnixTimestamp64Milli(${ms}), [], [], ${isLocated ? x : 'nan'}, ${isLocated ? sensor : 'nan'}, now64(3), 1000)`,
      )
    }
  await clickhouse.write(`INSERT INTO readings VALUES ${rows.join(', ')}`, {}, { max_partitions_per_insert_block: 0 })
}, 120_000)
afterAll(async () => {
  await clickhouse.close()
  rmSync(dir, { recursive: true })
})

const byTime = (a: Position, b: Position): number => a[0] - b[0] || a[1] - b[1]

test.each([500_000, 100, 10, 1])('positions within and next to spans of time, at most %d per query', async (most) => {
  const random = seeded(most)
  for (let round = 0; round < rounds(2, 5); round++) {
    const spansOf = new Map<number, { sensor: number; firstMs: number; lastMs: number }[]>()
    for (let sensor = 1; sensor <= 6; sensor++) {
      const times = Array.from({ length: 6 }, () => NOW - Math.floor(random() ** 3 * 320 * 24 * HOUR_MS)).sort(
        (a, b) => a - b,
      )
      spansOf.set(
        sensor,
        [0, 2, 4].map((i) => ({ sensor, firstMs: times[i] as number, lastMs: times[i + 1] as number })),
      )
    }
    const found = new Set(rowsOf(await positionsAround(clickhouse, spansOf, signal, most)).map((row) => row.join()))
    for (const [sensor, spans] of spansOf) {
      const own = stored.filter((row) => row[0] === sensor).sort(byTime)
      for (const { firstMs, lastMs } of spans) {
        const before = own.filter(([, ms]) => ms < firstMs).at(-1)
        const after = own.find(([, ms]) => ms > lastMs)
        const needed = [before, after, ...own.filter(([, ms]) => ms >= firstMs && ms <= lastMs)]
        expect(needed.filter((row) => row !== undefined && !found.has(row.join()))).toEqual([])
      }
    }
    const all = new Set(stored.map((position) => position.join()))
    expect([...found].filter((row) => !all.has(row))).toEqual([])
  }
})

test('the last positions', async () => {
  const newest = rowsOf(await newestPositions(clickhouse, [1], [1, 2, 3, 9], signal))
  const expected = [1, 2, 3].map(
    (sensor) =>
      stored
        .filter((row) => row[0] === sensor)
        .sort(byTime)
        .at(-1) as Position,
  )
  expect(newest.sort(byTime)).toEqual(expected)
})
