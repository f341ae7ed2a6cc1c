/** ClickHouse as a server, over its HTTP interface. */
import { createReadStream, createWriteStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { ClickHouseLogLevel, createClient } from '@clickhouse/client'
import {
  type ClickHouse,
  QUERY_LIMITS,
  queryLimitedRows,
  queryNumbers,
  queryRows,
  type RunStatement,
  reached,
  STREAM_LIMITS,
  tooLarge,
} from './client.ts'
import { sendable } from './server-parameters.ts'

/** Connections of each of two clients: lookups and inserts of ingestion must not wait behind callers' queries. */
const CONNECTIONS = 8

/**
 * @param url `http[s]://user:password@host:port/database`
 * @param timeoutMs how long the server may take for one statement; the client waits a little longer, so that the
 *   server's own error comes first
 */
export function openServerClickHouse(url: string, timeoutMs: number): ClickHouse {
  const options = {
    url,
    request_timeout: timeoutMs + 5_000,
    max_open_connections: CONNECTIONS,
    compression: { request: true, response: false },
    application: 'groundwave',
    // errors that the client would write to the console are thrown too, and logged by the caller
    log: { level: ClickHouseLogLevel.OFF },
    clickhouse_settings: { max_execution_time: Math.ceil(timeoutMs / 1000), wait_end_of_query: 1 },
  } as const
  const client = createClient(options)
  const outsiders = createClient(options)
  const runOn =
    (connections: typeof client): RunStatement =>
    async ({ query, params, settings, format }, signal) => {
      const { stream } = await connections.exec({
        ...sendable({ query: `${query} FORMAT ${format}`, params, settings }),
        ...(signal && { abort_signal: signal }),
      })
      const pieces: Buffer[] = []
      for await (const piece of stream as AsyncIterable<Buffer>) pieces.push(piece)
      return Buffer.concat(pieces)
    }
  const run = runOn(client)
  const runForOutsiders = runOn(outsiders)
  return {
    rows: (query, params) => reached(queryRows(run, query, params)),
    ask: (query, params, signal) => reached(queryLimitedRows(runForOutsiders, query, params, signal)),
    askNumbers: (query, params, signal) => reached(queryNumbers(runForOutsiders, query, params, signal)),
    async *stream(query, params, format) {
      const leaving = new AbortController()
      try {
        const { stream } = await reached(
          outsiders.exec({
            ...sendable({
              query: `${query} FORMAT ${format}`,
              params,
              settings: { ...STREAM_LIMITS, wait_end_of_query: 0 },
            }),
            abort_signal: leaving.signal,
          }),
        )
        for await (const piece of stream as AsyncIterable<Buffer>) yield piece
      } catch (error) {
        throw tooLarge(error) ?? error
      } finally {
        leaving.abort()
      }
    },
    async writeFile(path, query, params, signal) {
      try {
        const { stream } = await reached(
          outsiders.exec({
            // the server sends the rows when it has all of them, so a file is complete or the call fails
            ...sendable({ query: `${query} FORMAT RowBinary`, params, settings: QUERY_LIMITS }),
            abort_signal: signal,
          }),
        )
        await pipeline(stream, createWriteStream(path), { signal })
      } catch (error) {
        throw tooLarge(error) ?? error
      }
    },
    async write(query, params = {}, settings = {}) {
      await reached(client.command(sendable({ query, params, settings })))
    },
    async work(query, params, settings) {
      await reached(client.command(sendable({ query, params, settings })))
    },
    workRows: (query, params, settings) => reached(queryRows(run, query, params, settings)),
    async insertFile({ table, path, format, structure, select, where, settings }) {
      const quoted = structure.replaceAll("'", "\\'")
      const inserting = client.exec({
        query: `INSERT INTO ${table} SELECT ${select} FROM input('${quoted}') WHERE ${where} FORMAT ${format}`,
        values: createReadStream(path),
        clickhouse_settings: settings,
      })
      const { stream } = await reached(inserting)
      // the answer is empty; its end means that the insert is done, and reading it frees the connection
      for await (const _ of stream);
    },
    async close() {
      await Promise.all([client.close(), outsiders.close()])
    },
  }
}
