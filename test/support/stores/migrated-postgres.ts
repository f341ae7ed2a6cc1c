/** A database of a test file, with all migrations, in a PostgreSQL server that the files of a process share. */
import { afterAll } from 'bun:test'
import { join } from 'node:path'
import { openServerPostgres, type Postgres } from '../../../src/stores/postgres/client.ts'
import { migratePostgres } from '../../../src/stores/postgres/migrate.ts'
import { ROOT } from '../processes.ts'
import { onceInProcess } from '../run-end.ts'
import { freshDatabase } from './postgres.ts'

/** The name of a migrated database: a copy takes less time than the migrations. */
async function makeTemplate(): Promise<string> {
  const url = await freshDatabase()
  const postgres = await openServerPostgres(url)
  await migratePostgres(postgres, join(ROOT, 'sql/postgres'))
  await postgres.close()
  return new URL(url).pathname.slice(1)
}

/** @returns connections to it, which end with the file, and its URL for further ones */
export async function migratedPostgres(): Promise<{ postgres: Postgres; url: string }> {
  const url = await freshDatabase(await onceInProcess('migrated database', makeTemplate))
  const postgres = await openServerPostgres(url)
  afterAll(() => postgres.close())
  return { postgres, url }
}
