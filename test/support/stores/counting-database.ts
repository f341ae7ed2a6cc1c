import type { Database } from '../../../src/stores/postgres/client.ts'

/** A database that answers every query with one row, and counts the queries. */
export function countingDatabase(row: object) {
  let queries = 0
  const query: object = new Proxy(() => undefined, {
    get(_, property) {
      if (property !== 'then') return () => query
      return (resolve: (rows: object[]) => void) => {
        queries++
        resolve([row])
      }
    },
  })
  return { db: query as Database, queries: () => queries }
}
