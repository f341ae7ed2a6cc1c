import { is, sql } from 'drizzle-orm'
import { getTableConfig, integer, PgTable, pgTable, text } from 'drizzle-orm/pg-core'
import { checkUnknown, readMigrations } from '../migrations.ts'
import { requireVersion, UnsupportedStoreError } from '../requirements.ts'
import { type Postgres, schema } from './client.ts'

export const OLDEST_POSTGRES = '15'

const migrations = pgTable('migrations', { number: integer('number').primaryKey(), name: text('name').notNull() })

/**
 * Applies the files of `dir` that were not applied yet, each in one transaction.
 * @param only names of the files to apply; others are left to a later start
 * @returns names of migrations that a newer release applied
 * @throws UnsupportedStoreError
 */
export async function migratePostgres(postgres: Postgres, dir: string, only?: ReadonlySet<string>): Promise<string[]> {
  requireVersion('PostgreSQL', await postgres.version(), OLDEST_POSTGRES)
  await postgres.script(
    'CREATE TABLE IF NOT EXISTS migrations (number integer PRIMARY KEY, name text NOT NULL, applied_at timestamptz NOT NULL DEFAULT now())',
  )
  const own = await readMigrations(dir)
  const unknown = checkUnknown('PostgreSQL', await postgres.db.select().from(migrations), own)
  for (const { number, name, statements } of own) {
    if (only?.has(name) === false) continue
    await postgres.db.transaction(async (tx) => {
      // two instances that start at the same time must not both apply a file
      await tx.execute(sql`LOCK TABLE migrations IN EXCLUSIVE MODE`)
      const applied = await tx.select().from(migrations)
      if (applied.some((row) => row.number === number)) return
      for (const statement of statements) await tx.execute(sql.raw(statement))
      await tx.execute(sql`INSERT INTO migrations (number, name) VALUES (${number}, ${name})`)
    })
  }
  if (only !== undefined) return unknown
  for (const table of Object.values(schema)) {
    if (!is(table, PgTable)) continue
    try {
      await postgres.db.select().from(table).limit(0)
    } catch (cause) {
      const { name } = getTableConfig(table)
      throw new UnsupportedStoreError(`the table ${name} is missing or not as its migration made it`, { cause })
    }
  }
  return unknown
}
