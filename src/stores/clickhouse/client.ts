/**
 * One client for ClickHouse, whether it runs in this process (chDB) or as a server: a connection that writes and a
 * few that read, since a chDB connection runs one statement at a time.
 */
import { type ClickHouseClient, createClient } from '@clickhouse/client'

export type ClickHouse = {
  /** Runs a query whose parameters are `{name:Type}` and returns its rows as objects. */
  rows<T>(query: string, params?: Record<string, unknown>): Promise<T[]>
  /** A statement without an answer, on the writing connection. */
  write(query: string, params?: Record<string, unknown>, settings?: Record<string, string | number>): Promise<void>
  close(): Promise<void>
}

const READERS = 3
/** A query that runs longer is stopped: one analyst must not keep the others waiting. */
const MAX_QUERY_S = 30

/** Opens ClickHouse in this process on a folder, which it creates. */
export async function openEmbeddedClickHouse(dir: string): Promise<ClickHouse> {
  // loaded here: the engine is half a gigabyte that a process with a ClickHouse server does not need
  const { createChdbConnection } = await import('chdb/connection')
  const connect = (): ClickHouseClient => createClient({ connection: createChdbConnection({ path: dir }) } as never)
  const writer = connect()
  await writer.command({ query: 'SELECT 1' })
  const readers = Array.from({ length: READERS }, () => ({ client: connect(), running: 0 }))

  return {
    async rows<T>(query: string, params: Record<string, unknown> = {}) {
      const reader = readers.reduce((best, other) => (other.running < best.running ? other : best))
      reader.running++
      try {
        const result = await reader.client.query({
          query,
          query_params: params,
          format: 'JSONEachRow',
          clickhouse_settings: { max_execution_time: MAX_QUERY_S, output_format_json_quote_64bit_integers: 0 },
        })
        return await result.json<T>()
      } finally {
        reader.running--
      }
    },
    async write(query, params = {}, settings = {}) {
      await writer.command({ query, query_params: params, clickhouse_settings: settings })
    },
    async close() {
      await Promise.all([writer.close(), ...readers.map(({ client }) => client.close())])
    },
  }
}
