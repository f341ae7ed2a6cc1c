/** A database of a test file, with all migrations, in a PostgreSQL server that the files of a process share. */
import { afterAll } from 'bun:test'
import { join } from 'node:path'
import { openServerPostgres, type Postgres } from '../../../src/stores/postgres/client.ts'
import { migratePostgres } from '../../../src/stores/postgres/migrate.ts'
import { ROOT } from '../processes.ts'
import { atRunEnd, onceInProcess } from '../run-end.ts'
import { startPostgres } from './postgres.ts'

/** @returns connections to it, which end with the file, and its URL for further ones */
export async function migratedPostgres(): Promise<{ postgres: Postgres; url: string }> {
  const server = await onceInProcess('postgres', async () => {
    const started = await startPostgres()
    atRunEnd(started.remove)
    return started
  })
  const name = `test_${Bun.randomUUIDv7().replaceAll('-', '')}`
  const admin = new Bun.SQL(server.url, { max: 1 })
  await admin.unsafe(`CREATE DATABASE ${name}`)
  await admin.close()
  const url = server.url.replace(/postgres$/, name)
  const postgres = await openServerPostgres(url)
  afterAll(() => postgres.close())
  await migratePostgres(postgres, join(ROOT, 'sql/postgres'))
  return { postgres, url }
}
