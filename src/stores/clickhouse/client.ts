/**
 * What is asked of ClickHouse, whether it runs in this process (embedded.ts) or as a server (server.ts): the same SQL
 * through the same client, but for how a file of rows gets in.
 */
import { type ClickHouseClient, ClickHouseError, type DataFormat } from '@clickhouse/client'
import { AppError } from '../../errors.ts'

// The range of ClickHouse's DateTime64(3): 1900-01-01 to 2299-12-31
export const EARLIEST_MS = -2_208_988_800_000
export const LATEST_MS = 10_413_792_000_000

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

export type StreamFormat = 'CSV' | 'JSONEachRow' | 'Parquet' | 'ArrowStream'

export type ClickHouse = {
  /** Runs a query whose parameters are `{name:Type}` and returns its rows as objects. */
  rows<T>(query: string, params?: Record<string, unknown>): Promise<T[]>
  /**
   * Runs a query of somebody who waits for its answer, within limits of time and memory, and returns its rows as lists.
   * @throws AppError QUERY_TOO_LARGE
   */
  ask<T extends unknown[]>(query: string, params: Record<string, unknown>, signal: AbortSignal): Promise<T[]>
  /** The same, a list for each column: for answers of very many rows. */
  queryLimitedColumns(query: string, params: Record<string, unknown>, signal: AbortSignal): Promise<unknown[][]>
  /**
   * The rows of a query as bytes of a format, piece by piece as they are taken; giving up takes the query with it.
   * CSV comes without a line of names.
   * @throws AppError QUERY_TOO_LARGE
   */
  stream(query: string, params: Record<string, unknown>, format: StreamFormat): AsyncIterable<Uint8Array>
  /** A statement without an answer. */
  write(query: string, params?: Record<string, unknown>, settings?: Settings): Promise<void>
  /** The same of one that may take long, which what is written meanwhile does not wait for. */
  work(query: string, params: Record<string, unknown>, settings: Settings): Promise<void>
  /** Inserts the rows of a file; resolves when ClickHouse has them. */
  insertFile(file: RowFile): Promise<void>
  close(): Promise<void>
}

/** A query that runs longer is stopped: one analyst must not keep the others waiting. */
const MAX_QUERY_S = 30
const MAX_QUERY_BYTES = '2000000000'
/** Of what is asked for from outside. */
export const QUERY_LIMITS = {
  max_execution_time: MAX_QUERY_S,
  max_memory_usage: MAX_QUERY_BYTES,
  // a reading is in the partition of its own time, whichever copy of it
  do_not_merge_across_partitions_select_final: 1,
  // a client that leaves takes its query with it
  cancel_http_readonly_queries_on_client_close: 1,
} as const satisfies Settings
/** Of what is streamed, which takes as long as its reader takes. */
export const STREAM_LIMITS = {
  ...QUERY_LIMITS,
  max_execution_time: 3_600,
  date_time_output_format: 'iso',
  output_format_json_quote_denormals: 0,
  // which not every reader of Arrow can undo
  output_format_arrow_compression_method: 'none',
} as const satisfies Settings
/** TOO_MANY_ROWS, TIMEOUT_EXCEEDED, MEMORY_LIMIT_EXCEEDED, TOO_MANY_BYTES, TOO_MANY_ROWS_OR_BYTES */
const TOO_LARGE = new Set(['158', '159', '241', '307', '396'])

export async function queryLimitedColumns(
  client: ClickHouseClient,
  query: string,
  params: Record<string, unknown>,
  signal: AbortSignal,
): Promise<unknown[][]> {
  try {
    const result = await client.query({
      query,
      query_params: params,
      // a format that the client does not know of; one text is read in a third of the time of many
      format: 'JSONCompactColumns' as DataFormat,
      clickhouse_settings: {
        ...QUERY_LIMITS,
        output_format_json_quote_64bit_integers: 0,
        output_format_json_quote_denormals: 0,
      },
      abort_signal: signal,
    })
    return JSON.parse(await result.text()) as unknown[][]
  } catch (error) {
    throw tooLarge(error) ?? error
  }
}

export async function queryLimitedRows<T extends unknown[]>(
  ...args: Parameters<typeof queryLimitedColumns>
): Promise<T[]> {
  const columns = await queryLimitedColumns(...args)
  return Array.from({ length: columns[0]?.length ?? 0 }, (_, row) => columns.map((column) => column[row]) as T)
}

/** A query that was stopped at a limit; undefined for anything else. */
export function tooLarge(error: unknown): AppError | undefined {
  const isStopped = error instanceof ClickHouseError && TOO_LARGE.has(error.code)
  return isStopped ? new AppError('QUERY_TOO_LARGE', { cause: error }) : undefined
}

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
