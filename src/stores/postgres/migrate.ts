import { sql } from 'drizzle-orm'
import { integer, pgTable } from 'drizzle-orm/pg-core'
import { readMigrations } from '../migrations.ts'
import type { Postgres } from './client.ts'

const migrations = pgTable('migrations', { number: integer('number').primaryKey() })

/** Applies what `dir` holds and the database has not seen, each file in one transaction. */
export async function migratePostgres(postgres: Postgres, dir: string): Promise<void> {
  await postgres.script(
    'CREATE TABLE IF NOT EXISTS migrations (number integer PRIMARY KEY, name text NOT NULL, applied_at timestamptz NOT NULL DEFAULT now())',
  )
  for (const { number, name, statements } of await readMigrations(dir)) {
    await postgres.db.transaction(async (tx) => {
      // two instances that start at once must not both apply a file
      await tx.execute(sql`LOCK TABLE migrations IN EXCLUSIVE MODE`)
      const applied = await tx.select().from(migrations)
      if (applied.some((row) => row.number === number)) return
      for (const statement of statements) await tx.execute(sql.raw(statement))
      await tx.execute(sql`INSERT INTO migrations (number, name) VALUES (${number}, ${name})`)
    })
  }
}
