/** Measures the statements that are sent to ClickHouse, embedded or not. */
import { describeStatement, type OnStoreCall, watchCall } from '../store-watch.ts'
import type { ClickHouse } from './client.ts'

export function watchClickHouse(clickhouse: ClickHouse, onCall: OnStoreCall): ClickHouse {
  const watch = <T>(operation: string, statement: string, work: () => Promise<T>): Promise<T> =>
    watchCall(onCall, 'clickhouse', operation, () => describeStatement('clickhouse', statement), work)
  /** A query that ended because its caller left is no failure of the store. */
  const watchAsked = <T>(statement: string, signal: AbortSignal, work: () => Promise<T>): Promise<T> => {
    const onAsked: OnStoreCall = (store, operation, durationMs, error) =>
      onCall(store, operation, durationMs, signal.aborted ? undefined : error)
    return watchCall(onAsked, 'clickhouse', 'query', () => describeStatement('clickhouse', statement), work)
  }
  return {
    rows: (query, params) => watch('lookup', query, () => clickhouse.rows(query, params)),
    ask: (query, params, signal) => watchAsked(query, signal, () => clickhouse.ask(query, params, signal)),
    askNumbers: (query, params, signal) =>
      watchAsked(query, signal, () => clickhouse.askNumbers(query, params, signal)),
    writeFile: (path, query, params, signal) =>
      watchAsked(query, signal, () => clickhouse.writeFile(path, query, params, signal)),
    // its duration depends on the reader, not on the store
    stream: (query, params, format) => clickhouse.stream(query, params, format),
    write: (query, params, settings) => watch('write', query, () => clickhouse.write(query, params, settings)),
    work: (query, params, settings) => watch('work', query, () => clickhouse.work(query, params, settings)),
    workRows: (query, params, settings) => watch('work', query, () => clickhouse.workRows(query, params, settings)),
    insertFile: (file) => watch('insert', `INSERT INTO ${file.table}`, () => clickhouse.insertFile(file)),
    close: () => clickhouse.close(),
  }
}
