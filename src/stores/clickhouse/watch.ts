/** Measures the statements that are sent to ClickHouse, embedded or not. */
import { describeStatement, type OnStoreCall, watchCall } from '../store-watch.ts'
import type { ClickHouse } from './client.ts'

export function watchClickHouse(clickhouse: ClickHouse, onCall: OnStoreCall): ClickHouse {
  const watch = <T>(operation: string, statement: string, work: () => Promise<T>): Promise<T> =>
    watchCall(onCall, 'clickhouse', operation, () => describeStatement('clickhouse', statement), work)
  return {
    rows: (query, params) => watch('lookup', query, () => clickhouse.rows(query, params)),
    ask: (query, params, signal) => watch('query', query, () => clickhouse.ask(query, params, signal)),
    askNumbers: (query, params, signal) => watch('query', query, () => clickhouse.askNumbers(query, params, signal)),
    // its duration depends on the reader, not on the store
    stream: (query, params, format) => clickhouse.stream(query, params, format),
    write: (query, params, settings) => watch('write', query, () => clickhouse.write(query, params, settings)),
    work: (query, params, settings) => watch('work', query, () => clickhouse.work(query, params, settings)),
    workRows: (query, params, settings) => watch('work', query, () => clickhouse.workRows(query, params, settings)),
    insertFile: (file) => watch('insert', `INSERT INTO ${file.table}`, () => clickhouse.insertFile(file)),
    close: () => clickhouse.close(),
  }
}
