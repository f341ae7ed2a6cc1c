/** The sensors of an enterprise in memory, read from a real PostgreSQL in pages from both ends. */
import { beforeAll, expect, test } from 'bun:test'
import { createFleetIndexes, type FleetIndexes } from '../../../src/analytics/fleet/fleet-index.ts'
import { createChanges } from '../../../src/stores/changes.ts'
import type { ClickHouse } from '../../../src/stores/clickhouse/client.ts'
import { migratedPostgres } from '../../support/stores/migrated-postgres.ts'

const { postgres } = await migratedPostgres()
/** Enterprises with numbers of sensors around the ends of pages. Their ids alternate, so that each page skips others. */
const SIZES = { ent_a: 2_500, ent_b: 1_000, ent_c: 1, ent_d: 2_001, ent_e: 0 }

beforeAll(async () => {
  for (const [id, size] of Object.entries(SIZES))
    await postgres.script(`
      INSERT INTO enterprises (id, name, tier) VALUES ('${id}', '${id}', 'scale');
      INSERT INTO assets (id, enterprise_id, name) VALUES ('ass_${id}', '${id}', 'Asset of ${id}');
      INSERT INTO sensors (id, enterprise_id, asset_id, name)
        SELECT 'sen_' || lpad(n::text, 8, '0') || '${id}', '${id}', 'ass_${id}', 'Sensor ' || n FROM generate_series(1, ${size}) AS n;
      INSERT INTO channels (sensor_id, number, name, measurement, unit, active)
        SELECT s.id, c, 'channel ' || c, 'number', CASE WHEN c = 2 THEN '°C' END, c <> 3
        FROM sensors AS s, generate_series(4, 1, -1) AS c WHERE s.enterprise_id = '${id}'`)
})

// names need no ClickHouse
const indexes = (): FleetIndexes => createFleetIndexes(postgres.db, {} as ClickHouse, createChanges())

test.each(Object.entries(SIZES))('has every sensor of %s once, in the order of numbers in names', async (id, size) => {
  const { rows, numbers, byName } = await indexes().named({ id })
  expect(byName.map(({ name }) => name)).toEqual(Array.from({ length: size }, (_, i) => `Sensor ${i + 1}`))
  expect([rows.size, numbers.size]).toEqual([size, size])
  for (const row of byName) {
    expect([row.assetId, row.assetName, numbers.get(row.id)]).toEqual([`ass_${id}`, `Asset of ${id}`, row.number])
    expect([...row.channels]).toEqual([
      ['channel 1', { number: 1, measurement: 'number', unit: null }],
      ['channel 2', { number: 2, measurement: 'number', unit: '°C' }],
      ['channel 4', { number: 4, measurement: 'number', unit: null }],
    ])
  }
})

test('a caller that comes while the sensors are read gets all of them', async () => {
  const fleets = indexes()
  const first = fleets.named({ id: 'ent_a' })
  // the first caller has begun to read
  await Bun.sleep(1)
  const second = fleets.named({ id: 'ent_a' })
  expect((await second).byName).toHaveLength(SIZES.ent_a)
  expect((await first).byName).toHaveLength(SIZES.ent_a)
})

test('callers that come together wait for one read of the times, however long it takes', async () => {
  let reads = 0
  const clickhouse = {
    async askNumbers() {
      reads++
      // longer than the times of an earlier call stay fresh
      await Bun.sleep(1_100)
      return { rows: 0, columns: 6, cells: new Float64Array() }
    },
  } as unknown as ClickHouse
  const fleets = createFleetIndexes(postgres.db, clickhouse, createChanges())
  const enterprise = { id: 'ent_a', number: 1, retentionDays: 30 }
  const first = fleets.of(enterprise)
  await Bun.sleep(10)
  const found = await Promise.all([first, fleets.of(enterprise), fleets.of(enterprise)])
  expect(found.map(({ byName }) => byName.length)).toEqual([SIZES.ent_a, SIZES.ent_a, SIZES.ent_a])
  expect(reads).toBe(1)
  // a later caller gets newer times
  await fleets.of(enterprise)
  expect(reads).toBe(2)
})
