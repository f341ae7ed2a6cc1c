/** The metadata database: a PostgreSQL server, or PGlite, which is PostgreSQL in this process, on a folder. */
import type { PgDatabase, PgQueryResultHKT } from 'drizzle-orm/pg-core'
import * as owned from './owned-schema.ts'
import * as metadata from './schema.ts'
import { zoneRuleSensors, zoneRules } from './zone-schema.ts'

/** All tables. */
export const schema = { ...metadata, ...owned, zoneRules, zoneRuleSensors }

export type Database = PgDatabase<PgQueryResultHKT, typeof schema>

export type Postgres = {
  db: Database
  /** Runs a text of several statements. */
  script(sql: string): Promise<void>
  ping(): Promise<void>
  /** As `15.4`. */
  version(): Promise<string>
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
    async version() {
      return (await client.query<{ server_version: string }>('SHOW server_version')).rows[0]?.server_version ?? ''
    },
    close: () => client.close(),
  }
}

const CONNECTIONS = 10
const CONNECT_TIMEOUT_S = 5

/** Connects to a server; `?sslmode=require` in the URL asks for TLS. Lost connections are made again when needed. */
export async function openServerPostgres(url: string): Promise<Postgres> {
  const { drizzle } = await import('drizzle-orm/bun-sql')
  const client = new Bun.SQL(url, { max: CONNECTIONS, connectionTimeout: CONNECT_TIMEOUT_S })
  return {
    db: drizzle({ client, schema }),
    async script(sql) {
      await client.unsafe(sql).simple()
    },
    async ping() {
      await client`SELECT 1`
    },
    async version() {
      const [row] = await client`SHOW server_version`
      return String(row?.server_version ?? '')
    },
    close: () => client.close({ timeout: CONNECT_TIMEOUT_S }),
  }
}
