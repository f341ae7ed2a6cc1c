/**
 * The readings and queries of bench/queries.ts in PostgreSQL, one row per reading: with a B-tree index on sensor and
 * time, and with a BRIN index on both. Rows of frequent sensors are inserted in order, which is the best case for BRIN.
 */
import { startPostgres } from '../test/support/postgres.ts'
import { ms, quantile, say } from './tool-harness.ts'

export type RivalQuery = { name: string; sql: string; repeats: number; onlyBtree?: boolean | undefined }

// for a machine with 24 GB
const SETTINGS = [
  ...['shared_buffers=4GB', 'work_mem=256MB', 'maintenance_work_mem=1GB', 'effective_cache_size=16GB'],
  ...['max_wal_size=8GB', 'checkpoint_timeout=30min', 'synchronous_commit=off', 'jit=off', 'random_page_cost=1.1'],
]
const INDEXES = {
  'b-tree': 'CREATE INDEX ON readings (sensor, at)',
  BRIN: 'CREATE INDEX ON readings USING brin (at, sensor) WITH (pages_per_range = 32)',
}

/** Median milliseconds of each query, by index type. */
export async function measurePostgres(
  fills: readonly string[],
  queries: readonly RivalQuery[],
): Promise<Record<string, Record<string, number>>> {
  const postgres = await startPostgres(SETTINGS)
  const client = new Bun.SQL(postgres.url, { max: 1 })
  const found: Record<string, Record<string, number>> = {}
  try {
    await client.unsafe(
      'CREATE TABLE readings (sensor integer, at timestamptz, a float8, b float8, longitude float8, latitude float8)',
    )
    const startedMs = performance.now()
    for (const fill of fills) await client.unsafe(`INSERT INTO readings ${fill}`)
    say(`PostgreSQL: filled in ${Math.round((performance.now() - startedMs) / 1000)} s`)
    for (const [kind, index] of Object.entries(INDEXES)) {
      const indexedMs = performance.now()
      await client.unsafe(index)
      await client.unsafe('VACUUM ANALYZE readings')
      const [size] = await client.unsafe(
        "SELECT pg_table_size('readings') AS rows, pg_indexes_size('readings') AS index",
      )
      say(
        `PostgreSQL, ${kind}: indexed in ${Math.round((performance.now() - indexedMs) / 1000)} s; rows ${ms(Number(size.rows) / 1e6)} MB, index ${ms(Number(size.index) / 1e6)} MB`,
      )
      const times: Record<string, number> = {}
      for (const { name, sql, repeats, onlyBtree } of queries) {
        // without the B-tree's order, this query would scan the whole table a thousand times
        if (onlyBtree && kind !== 'b-tree') continue
        const taken: number[] = []
        for (let i = 0; i <= repeats; i++) {
          const startedQueryMs = performance.now()
          await client.unsafe(sql)
          // the first run warms up
          if (i > 0) taken.push(performance.now() - startedQueryMs)
        }
        times[name] = quantile(taken, 0.5)
      }
      found[kind] = times
      await client.unsafe('DROP INDEX readings_sensor_at_idx').catch(() => undefined)
    }
  } finally {
    await client.close()
    await postgres.remove()
  }
  return found
}
