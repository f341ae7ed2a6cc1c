/** ClickHouse in this process: chDB on a folder. */
import { type ClickHouseClient, createClient } from '@clickhouse/client'
import { type ClickHouse, queryRows } from './client.ts'

const READERS = 3
/** One connection writes and a few read, since a chDB connection runs one statement at a time. */
export async function openEmbeddedClickHouse(dir: string): Promise<ClickHouse> {
  // loaded here: the engine is half a gigabyte that a process with a ClickHouse server does not need
  const { createChdbConnection } = await import('chdb/connection')
  const connect = (): ClickHouseClient => createClient({ connection: createChdbConnection({ path: dir }) } as never)
  const writer = connect()
  await writer.command({ query: 'SELECT 1' })
  const readers = Array.from({ length: READERS }, () => ({ client: connect(), running: 0 }))

  return {
    async rows<T>(query: string, params?: Record<string, unknown>) {
      const reader = readers.reduce((best, other) => (other.running < best.running ? other : best))
      reader.running++
      try {
        return await queryRows<T>(reader.client, query, params)
      } finally {
        reader.running--
      }
    },
    async write(query, params = {}, settings = {}) {
      await writer.command({ query, query_params: params, clickhouse_settings: settings })
    },
    async insertFile({ table, path, structure, where, settings }) {
      await writer.command({
        query: `INSERT INTO ${table} SELECT * FROM file({path:String}, 'RowBinary', {structure:String}) WHERE ${where}`,
        query_params: { path, structure },
        clickhouse_settings: settings,
      })
    },
    async close() {
      await Promise.all([writer.close(), ...readers.map(({ client }) => client.close())])
    },
  }
}
