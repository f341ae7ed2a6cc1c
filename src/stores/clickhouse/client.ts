/**
 * What is asked of ClickHouse, whether it runs in this process (embedded.ts) or as a server (server.ts): the same SQL
 * through the same client, but for how a file of rows gets in.
 */
import type { ClickHouseClient } from '@clickhouse/client'

export type Settings = Record<string, string | number>

export type RowFile = {
  table: string
  /** A file of RowBinary rows. */
  path: string
  /** Names and types of its columns. */
  structure: string
  /** Which rows are wanted, as SQL. */
  where: string
  settings: Settings
}

export type ClickHouse = {
  /** Runs a query whose parameters are `{name:Type}` and returns its rows as objects. */
  rows<T>(query: string, params?: Record<string, unknown>): Promise<T[]>
  /** A statement without an answer. */
  write(query: string, params?: Record<string, unknown>, settings?: Settings): Promise<void>
  /** Inserts the rows of a file; resolves when ClickHouse has them. */
  insertFile(file: RowFile): Promise<void>
  close(): Promise<void>
}

/** A query that runs longer is stopped: one analyst must not keep the others waiting. */
const MAX_QUERY_S = 30

export async function queryRows<T>(
  client: ClickHouseClient,
  query: string,
  params: Record<string, unknown> = {},
): Promise<T[]> {
  const result = await client.query({
    query,
    query_params: params,
    format: 'JSONEachRow',
    clickhouse_settings: { max_execution_time: MAX_QUERY_S, output_format_json_quote_64bit_integers: 0 },
  })
  return result.json<T>()
}
