/**
 * The readings of bench/queries.ts in PostgreSQL, a row for each, and the same questions of them: with a b-tree on
 * sensor and time, and with a BRIN index of both. Rows lie sensor by sensor where a sensor speaks often, which is as
 * good for BRIN as can be.
 */
import { startPostgres } from '../test/support/postgres.ts'
import { ms, quantile, say } from './tool-harness.ts'

export type RivalQuery = { name: string; sql: string; repeats: number; onlyBtree?: boolean | undefined }

// of 24 GB
const SETTINGS = [
  ...['shared_buffers=4GB', 'work_mem=256MB', 'maintenance_work_mem=1GB', 'effective_cache_size=16GB'],
  ...['max_wal_size=8GB', 'checkpoint_timeout=30min', 'synchronous_commit=off', 'jit=off', 'random_page_cost=1.1'],
]
const INDEXES = {
  'b-tree': 'CREATE INDEX ON readings (sensor, at)',
  BRIN: 'CREATE INDEX ON readings USING brin (at, sensor) WITH (pages_per_range = 32)',
}

/** Milliseconds at the median of each query, by the kind of index. */
export async function askPostgres(
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
        `PostgreSQL, ${kind}: made in ${Math.round((performance.now() - indexedMs) / 1000)} s; ${ms(Number(size.rows) / 1e6)} MB of rows, ${ms(Number(size.index) / 1e6)} MB of index`,
      )
      const times: Record<string, number> = {}
      for (const { name, sql, repeats, onlyBtree } of queries) {
        // without an order to walk along it would read all of the table a thousand times
        if (onlyBtree && kind !== 'b-tree') continue
        const taken: number[] = []
        for (let i = 0; i <= repeats; i++) {
          const askedMs = performance.now()
          await client.unsafe(sql)
          // the first one warms up
          if (i > 0) taken.push(performance.now() - askedMs)
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
