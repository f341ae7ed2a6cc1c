/** ClickHouse as a server, over its HTTP interface. */
import { createReadStream } from 'node:fs'
import { ClickHouseError, ClickHouseLogLevel, createClient } from '@clickhouse/client'
import { AppError } from '../../errors.ts'
import { type ClickHouse, queryLimitedColumns, queryLimitedRows, queryRows, STREAM_LIMITS, tooLarge } from './client.ts'

const CONNECTIONS = 8

/** ClickHouse's codes for a server that is there and cannot do its work. */
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

/** What the server says of a statement passes; one that does not answer, or cannot work, is a store that is lost. */
async function reached<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    if (error instanceof AppError || (error instanceof ClickHouseError && !UNABLE_CODES.has(error.code))) throw error
    throw new AppError('STORE_UNAVAILABLE', { cause: error })
  }
}

/**
 * @param url `http[s]://user:password@host:port/database`
 * @param timeoutMs how long the server may take for one statement; the client waits a little longer, so that the
 *   server's own word comes first
 */
export function openServerClickHouse(url: string, timeoutMs: number): ClickHouse {
  const client = createClient({
    url,
    request_timeout: timeoutMs + 5_000,
    max_open_connections: CONNECTIONS,
    compression: { request: true, response: false },
    application: 'groundwave',
    // what it would write to the console is thrown as well, and logged there
    log: { level: ClickHouseLogLevel.OFF },
    clickhouse_settings: { max_execution_time: Math.ceil(timeoutMs / 1000), wait_end_of_query: 1 },
  })
  return {
    rows: (query, params) => reached(queryRows(client, query, params)),
    ask: (query, params, signal) => reached(queryLimitedRows(client, query, params, signal)),
    queryLimitedColumns: (query, params, signal) => reached(queryLimitedColumns(client, query, params, signal)),
    async *stream(query, params, format) {
      const leaving = new AbortController()
      try {
        const { stream } = await reached(
          client.exec({
            query: `${query} FORMAT ${format}`,
            query_params: params,
            abort_signal: leaving.signal,
            clickhouse_settings: { ...STREAM_LIMITS, wait_end_of_query: 0 },
          }),
        )
        for await (const piece of stream as AsyncIterable<Buffer>) yield piece
      } catch (error) {
        throw tooLarge(error) ?? error
      } finally {
        leaving.abort()
      }
    },
    async write(query, params = {}, settings = {}) {
      await reached(client.command({ query, query_params: params, clickhouse_settings: settings }))
    },
    async work(query, params, settings) {
      await reached(client.command({ query, query_params: params, clickhouse_settings: settings }))
    },
    async insertFile({ table, path, structure, where, settings }) {
      const quoted = structure.replaceAll("'", "\\'")
      const inserting = client.exec({
        query: `INSERT INTO ${table} SELECT * FROM input('${quoted}') WHERE ${where} FORMAT RowBinary`,
        values: createReadStream(path),
        clickhouse_settings: settings,
      })
      const { stream } = await reached(inserting)
      // the answer is empty; reading it to its end tells that the insert is done and frees the connection
      for await (const _ of stream);
    },
    close: () => client.close(),
  }
}
