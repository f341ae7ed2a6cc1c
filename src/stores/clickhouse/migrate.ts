import { readMigrations } from '../migrations.ts'
import type { ClickHouse } from './client.ts'

/** Applies what `dir` holds and the database has not seen. Every statement must bear being run again after a crash. */
export async function migrateClickHouse(clickhouse: ClickHouse, dir: string): Promise<void> {
  await clickhouse.write(
    'CREATE TABLE IF NOT EXISTS migrations (number UInt32, name String, applied_at DateTime) ENGINE = MergeTree ORDER BY number',
  )
  const applied = new Set(
    (await clickhouse.rows<{ number: number }>('SELECT number FROM migrations')).map(({ number }) => number),
  )
  for (const { number, name, statements } of await readMigrations(dir)) {
    if (applied.has(number)) continue
    for (const statement of statements) await clickhouse.write(statement)
    await clickhouse.write('INSERT INTO migrations SELECT {number:UInt32}, {name:String}, now()', { number, name })
  }
}
