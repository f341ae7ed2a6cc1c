/** The metadata database: a PostgreSQL server, or the embedded PostgreSQL, which is a child process of this server. */
import { join } from 'node:path'
import { drizzle } from 'drizzle-orm/bun-sql'
import type { PgDatabase, PgQueryResultHKT } from 'drizzle-orm/pg-core'
import { urlOfEachHost } from '../../multi-host-url.ts'
import type { OnStoreCall } from '../store-watch.ts'
import * as account from './accounts/account-schema.ts'
import { alertSilences, alerts } from './alerts/alert-schema.ts'
import { zoneRuleSensors, zoneRules } from './alerts/rule-schema.ts'
import { savedDocuments, shareLinks } from './documents/document-schema.ts'
import { DATABASE, SUPERUSER } from './embedded/cluster.ts'
import { type EmbeddedPostgresOptions, SOCKET, startEmbeddedPostgres } from './embedded/server.ts'
import { followPrimary, withoutAttribute } from './failover.ts'
import { uploadPieces, uploads } from './files/upload-schema.ts'
import * as owned from './layers/owned-schema.ts'
import * as metadata from './schema.ts'
import { watchConnection } from './watch.ts'

/** All tables. */
export const schema = {
  ...metadata,
  ...owned,
  ...account,
  uploads,
  uploadPieces,
  zoneRules,
  zoneRuleSensors,
  alerts,
  alertSilences,
  savedDocuments,
  shareLinks,
}

export type Database = PgDatabase<PgQueryResultHKT, typeof schema>

export type Postgres = {
  db: Database
  /** Runs a text of several statements. */
  script(sql: string): Promise<void>
  ping(): Promise<void>
  /** The time of the server's clock, in milliseconds since 1970. */
  clockMs(): Promise<number>
  /** For example `15.4`. */
  version(): Promise<string>
  /**
   * Calls a listener after each commit with a NOTIFY of the channel, until the connections are closed. A connection that is
   * lost or fails is opened again, and hears nothing meanwhile.
   */
  listen(channel: string, onNotify: (payload: string) => void, onError: (error: unknown) => void): void
  close(): Promise<void>
}

const ignore: OnStoreCall = () => undefined
const CONNECTIONS = 10
const CONNECT_TIMEOUT_S = 5
const LISTEN_AGAIN_MS = 1_000

/**
 * Connects to a server; `?sslmode=verify-full` in the URL enables TLS. Lost connections are reopened when needed. With
 * several servers, or with `?target_session_attrs=read-write`, it connects to the one that accepts writes.
 * @param onSwitch after another server has become the primary
 * @throws UnsupportedStoreError when no server accepts writes
 */
export async function openServerPostgres(
  url: string,
  onCall: OnStoreCall = ignore,
  onSwitch: (server: string) => void = () => undefined,
): Promise<Postgres> {
  const options = { max: CONNECTIONS, connectionTimeout: CONNECT_TIMEOUT_S }
  const servers = urlOfEachHost(url).map(withoutAttribute)
  const [first] = servers
  if (first !== undefined && servers.length === 1 && !first.wantsPrimary)
    return connect(new Bun.SQL(first.url, options), onCall)
  const listens: (() => void)[] = []
  const { client, close } = await followPrimary(
    servers.map((server) => server.url),
    options,
    (server) => {
      onSwitch(server)
      for (const listen of listens) listen()
    },
  )
  const postgres = connect(client, onCall, close)
  return {
    ...postgres,
    listen(...args) {
      const listen = (): void => postgres.listen(...args)
      listens.push(listen)
      listen()
    },
  }
}

/**
 * Starts PostgreSQL on a folder and connects to it.
 * @throws UnsupportedStoreError with a message for the operator when it cannot run here
 */
export async function openEmbeddedPostgres({
  onCall = ignore,
  ...options
}: EmbeddedPostgresOptions & { onCall?: OnStoreCall }): Promise<Postgres> {
  const { socketPath, process } = await startEmbeddedPostgres(options)
  const postgres = connect(overSocket(socketPath, CONNECTIONS), onCall)
  return {
    ...postgres,
    async close() {
      await postgres.close()
      await process.stop()
    },
  }
}

/** Connects to the PostgreSQL that a running server started. Closing leaves it running. */
export function attachEmbeddedPostgres(socketDir: string): Postgres {
  return connect(overSocket(join(socketDir, SOCKET), 2), ignore)
}

function overSocket(path: string, max: number): Bun.SQL {
  const address = { path, username: SUPERUSER, database: DATABASE }
  return new Bun.SQL({ adapter: 'postgres', ...address, max, connectionTimeout: CONNECT_TIMEOUT_S })
}

function connect(
  client: Bun.SQL,
  onCall: OnStoreCall,
  close = (): Promise<void> => client.close({ timeout: CONNECT_TIMEOUT_S }),
): Postgres {
  const closing = new AbortController()
  const { signal } = closing
  return {
    db: drizzle({ client: watchConnection(client, onCall), schema }),
    async script(sql) {
      await client.unsafe(sql).simple()
    },
    async ping() {
      await client`SELECT 1`
    },
    async clockMs() {
      const [row] = await client`SELECT extract(epoch FROM clock_timestamp()) * 1000 AS ms`
      return Number(row?.ms)
    },
    async version() {
      const [row] = await client`SHOW server_version`
      return String(row?.server_version ?? '')
    },
    listen(channel, onNotify, onError) {
      // Bun listens again after a lost connection, and not after a first one that failed
      const listen = (): unknown =>
        client.listen(channel, onNotify).catch((error: unknown) => {
          if (signal.aborted) return
          onError(error)
          const timer = setTimeout(listen, LISTEN_AGAIN_MS)
          signal.addEventListener('abort', () => clearTimeout(timer))
        })
      listen()
    },
    close() {
      closing.abort()
      return close()
    },
  }
}
