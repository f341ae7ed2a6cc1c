/** Statements in the embedded PostgreSQL of a server. */
import { join } from 'node:path'
import type { Instance } from '../server/instance.ts'

/** Opens a connection; it is closed by the caller. */
export const connectTo = ({ dir }: Pick<Instance, 'dir'>): Bun.SQL =>
  new Bun.SQL({
    adapter: 'postgres',
    username: 'groundwave',
    database: 'postgres',
    max: 1,
    path: join(dir, 'run/postgres/.s.PGSQL.5432'),
  })

export async function withSql<T>(instance: Pick<Instance, 'dir'>, work: (sql: Bun.SQL) => Promise<T>): Promise<T> {
  const sql = connectTo(instance)
  try {
    return await work(sql)
  } finally {
    await sql.close()
  }
}
