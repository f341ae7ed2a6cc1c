/** The metadata database: PGlite, which is PostgreSQL in this process, on a folder. */
import type { PgDatabase, PgQueryResultHKT } from 'drizzle-orm/pg-core'
import * as schema from './schema.ts'

export type Database = PgDatabase<PgQueryResultHKT, typeof schema>

export type Postgres = {
  db: Database
  /** Runs a text of several statements. */
  script(sql: string): Promise<void>
  ping(): Promise<void>
  close(): Promise<void>
}

export async function openEmbeddedPostgres(dir: string): Promise<Postgres> {
  const [{ PGlite }, { drizzle }] = await Promise.all([import('@electric-sql/pglite'), import('drizzle-orm/pglite')])
  const client = await PGlite.create(dir)
  return {
    db: drizzle({ client, schema }),
    async script(sql) {
      await client.exec(sql)
    },
    async ping() {
      await client.query('SELECT 1')
    },
    close: () => client.close(),
  }
}
