/**
 * The interface to ClickHouse and the code that both implementations share, chDB in a child process (embedded.ts) and a
 * server (server.ts): SQL, limits, formats and errors.
 */
import { ClickHouseError } from '@clickhouse/client'
import { AppError } from '../../errors.ts'
import { inTurns } from '../../event-loop-yield.ts'
import { type NumberTable, readNumberTable } from './queries/number-table.ts'
import type { RolledHours } from './queries/rolled-hours.ts'

// The range of ClickHouse's DateTime64(3): 1900-01-01 to 2299-12-31
export const EARLIEST_MS = -2_208_988_800_000
export const LATEST_MS = 10_413_792_000_000

export type Settings = Record<string, string | number>

export type RowFile = {
  table: string
  path: string
  /** Of the file. */
  format: 'RowBinary' | 'JSONEachRow'
  /** Names and types of its columns. */
  structure: string
  /** The selected columns of each row, as SQL. */
  select: string
  /** The condition that selects rows, as SQL. */
  where: string
  settings: Settings
}

/** `TSVRaw` is one column of text as lines. */
export type StreamFormat = 'TSVRaw' | 'RowBinary' | 'Parquet' | 'ArrowStream'

export type ClickHouse = {
  /** Runs a query whose parameters are `{name:Type}` and returns its rows as objects. */
  rows<T>(query: string, params?: Record<string, unknown>): Promise<T[]>
  /**
   * Runs an interactive query within limits of time and memory, and returns its rows as lists.
   * @throws AppError QUERY_TOO_LARGE
   */
  ask<T extends unknown[]>(query: string, params: Record<string, unknown>, signal: AbortSignal): Promise<T[]>
  /** `ask` for very many rows of numbers: all columns are Float64. */
  askNumbers(query: string, params: Record<string, unknown>, signal: AbortSignal): Promise<NumberTable>
  /**
   * The rows of a query as bytes of a format, in pieces as they are read; the query ends when reading stops.
   * @throws AppError QUERY_TOO_LARGE
   */
  stream(query: string, params: Record<string, unknown>, format: StreamFormat): AsyncIterable<Uint8Array>
  /**
   * `ask` for rows that another process reads: they become a new file of RowBinary, and pass the server's thread only
   * when they come from a ClickHouse server.
   * @throws AppError QUERY_TOO_LARGE
   */
  writeFile(path: string, query: string, params: Record<string, unknown>, signal: AbortSignal): Promise<void>
  /** A statement without an answer. */
  write(query: string, params?: Record<string, unknown>, settings?: Settings): Promise<void>
  /** `write` for a statement that may take long and must not delay other writes. */
  work(query: string, params: Record<string, unknown>, settings: Settings): Promise<void>
  /** `work` that returns rows. */
  workRows<T>(query: string, params: Record<string, unknown>, settings: Settings): Promise<T[]>
  /** Inserts the rows of a file; resolves when ClickHouse has them. */
  insertFile(file: RowFile): Promise<void>
  /** Set if only this process changes readings. */
  rolledHours?: RolledHours
  close(): Promise<void>
}

/** Longer queries are stopped: one analyst must not block the others. */
const MAX_QUERY_S = 30
const MAX_QUERY_BYTES = '2000000000'
/** Settings of callers' queries. */
export const QUERY_LIMITS = {
  max_execution_time: MAX_QUERY_S,
  max_memory_usage: MAX_QUERY_BYTES,
  // all copies of a reading are in the partition of its time
  do_not_merge_across_partitions_select_final: 1,
  // on a cluster a sensor's rows of every table are on one shard
  distributed_product_mode: 'local',
  // the query of a client that disconnects is cancelled
  cancel_http_readonly_queries_on_client_close: 1,
} as const satisfies Settings
/** Settings of streamed queries, whose duration depends on the reader. */
export const STREAM_LIMITS = {
  ...QUERY_LIMITS,
  max_execution_time: 3_600,
  // a table may have very many columns
  max_query_size: '4000000',
  output_format_parquet_string_as_string: 1,
  output_format_arrow_string_as_string: 1,
  // not every reader of Arrow can decompress it
  output_format_arrow_compression_method: 'none',
} as const satisfies Settings
const PLAIN_NUMBERS = { output_format_json_quote_64bit_integers: 0 } as const satisfies Settings
/** TOO_MANY_ROWS, TIMEOUT_EXCEEDED, MEMORY_LIMIT_EXCEEDED, TOO_MANY_BYTES, TOO_MANY_ROWS_OR_BYTES */
const TOO_LARGE = new Set(['158', '159', '241', '307', '396'])

/** Runs a statement and returns its result. */
export type RunStatement = (
  statement: { query: string; params: Record<string, unknown>; settings: Settings; format: string },
  signal?: AbortSignal,
) => Promise<Uint8Array<ArrayBuffer>>

const utf8 = new TextDecoder()

export async function queryNumbers(
  run: RunStatement,
  query: string,
  params: Record<string, unknown>,
  signal: AbortSignal,
): Promise<NumberTable> {
  try {
    const format = 'RowBinaryWithNamesAndTypes'
    return readNumberTable(await run({ query, params, settings: QUERY_LIMITS, format }, signal))
  } catch (error) {
    throw tooLarge(error) ?? error
  }
}

export async function queryLimitedRows<T extends unknown[]>(
  run: RunStatement,
  query: string,
  params: Record<string, unknown>,
  signal: AbortSignal,
): Promise<T[]> {
  const settings = { ...QUERY_LIMITS, ...PLAIN_NUMBERS, output_format_json_quote_denormals: 0 }
  try {
    const text = utf8.decode(await run({ query, params, settings, format: 'JSONCompactEachRow' }, signal))
    // a thousand rows of 256 values each would take 50 ms in one piece
    const lines = text.split('\n')
    const rows: T[] = []
    await inTurns(lines.length - 1, (line) => rows.push(JSON.parse(lines[line] as string) as T))
    return rows
  } catch (error) {
    throw tooLarge(error) ?? error
  }
}

/** A query that was stopped at a limit; undefined for anything else. */
export function tooLarge(error: unknown): AppError | undefined {
  const isStopped = error instanceof ClickHouseError && TOO_LARGE.has(error.code)
  return isStopped ? new AppError('QUERY_TOO_LARGE', { cause: error }) : undefined
}

export async function queryRows<T>(
  run: RunStatement,
  query: string,
  params: Record<string, unknown> = {},
  given: Settings = { max_execution_time: MAX_QUERY_S },
): Promise<T[]> {
  const settings = { ...given, ...PLAIN_NUMBERS, output_format_json_array_of_rows: 1 }
  return JSON.parse(utf8.decode(await run({ query, params, settings, format: 'JSONEachRow' }))) as T[]
}

/** Error codes of a ClickHouse that answers but cannot do its work. */
const UNABLE_CODES = new Set([
  '60', // UNKNOWN_TABLE
  '81', // UNKNOWN_DATABASE
  '164', // READONLY
  '202', // TOO_MANY_SIMULTANEOUS_QUERIES
  '209', // SOCKET_TIMEOUT
  '210', // NETWORK_ERROR
  '241', // MEMORY_LIMIT_EXCEEDED
  '242', // TABLE_IS_READ_ONLY
  '243', // NOT_ENOUGH_SPACE
  '252', // TOO_MANY_PARTS
  '497', // ACCESS_DENIED
  '516', // AUTHENTICATION_FAILED
])

/**
 * Waits for ClickHouse. Errors of the statement itself are thrown unchanged.
 * @throws AppError STORE_UNAVAILABLE when it cannot be reached or cannot work
 */
export async function reached<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    if (error instanceof AppError || (error instanceof ClickHouseError && !UNABLE_CODES.has(error.code))) throw error
    throw new AppError('STORE_UNAVAILABLE', { cause: error })
  }
}
