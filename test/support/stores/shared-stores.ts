/** PostgreSQL and Redis (both real) and ClickHouse (a bridge over chDB), for several instances on the same stores. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openServerPostgres } from '../../../src/stores/postgres/client.ts'
import { migratePostgres } from '../../../src/stores/postgres/migrate.ts'
import { ROOT, type Server, startServer, stopServer } from '../processes.ts'
import { outputOf } from '../program.ts'
import { onceInProcess, sharedFolder } from '../run-end.ts'
import { freePort, type PostgresServer, startPostgres } from './postgres.ts'
import { migratedData } from './reading-stores.ts'
import { type RedisServer, startRedis } from './redis.ts'

export type SharedStores = {
  /** A folder that `remove` deletes. */
  home: string
  postgres: PostgresServer
  redis: RedisServer
  /** The configuration of an instance on these stores. */
  env: Record<string, string>
  startClickHouse(): Promise<void>
  killClickHouse(): Promise<void>
  remove(): Promise<void>
}

/** Data of a PostgreSQL with all tables, made once in a process: a copy takes less time than the migrations. */
function migratedPostgresData(): Promise<string> {
  return onceInProcess('data of a migrated PostgreSQL', async () => {
    const server = await startPostgres([], sharedFolder('migrated-postgres'))
    const postgres = await openServerPostgres(server.url)
    await migratePostgres(postgres, join(ROOT, 'sql/postgres'))
    await postgres.close()
    await server.stop('SIGINT')
    return server.data
  })
}

/** @param hasTables false for stores that no server has used */
export async function startSharedStores(hasTables = true): Promise<SharedStores> {
  const home = mkdtempSync(join(tmpdir(), 'groundwave-stores-'))
  if (hasTables) outputOf('cp', ['-a', await migratedData('server'), join(home, 'clickhouse')])
  const postgresData = hasTables ? await migratedPostgresData() : undefined
  const port = await freePort()
  let bridge: Server
  let starts = 0
  async function startClickHouse(): Promise<void> {
    const args = ['test/support/stores/clickhouse-bridge.ts', home, String(port), 'gw:secret']
    bridge = await startServer(args, {}, join(home, `bridge-${starts++}.log`))
  }
  async function killClickHouse(): Promise<void> {
    await stopServer(bridge, 'SIGKILL')
  }
  const [postgres, redis] = await Promise.all([
    startPostgres([], undefined, postgresData),
    startRedis(),
    startClickHouse(),
  ])
  return {
    home,
    postgres,
    redis,
    env: {
      POSTGRES_URL: postgres.url,
      REDIS_URL: redis.url,
      CLICKHOUSE_URL: `http://gw:secret@127.0.0.1:${port}/default`,
    },
    startClickHouse,
    killClickHouse,
    async remove() {
      await killClickHouse()
      await postgres.remove()
      await redis.remove()
      rmSync(home, { recursive: true, force: true })
    },
  }
}
