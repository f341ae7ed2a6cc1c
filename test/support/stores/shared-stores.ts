/** PostgreSQL and Redis (both real) and ClickHouse (a bridge over chDB), for several instances on the same stores. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Server, startServer, stopServer } from '../processes.ts'
import { freePort, type PostgresServer, startPostgres } from './postgres.ts'
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

export async function startSharedStores(): Promise<SharedStores> {
  const home = mkdtempSync(join(tmpdir(), 'groundwave-stores-'))
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
  const [postgres, redis] = await Promise.all([startPostgres(), startRedis(), startClickHouse()])
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
