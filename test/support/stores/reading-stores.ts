/**
 * Where readings are stored: chDB in a child process, ClickHouse's HTTP interface (a bridge to chDB), or a cluster of two
 * shards behind the same interface (two-shards.ts). Tests that take a kind run on each of them.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ClickHouse } from '../../../src/stores/clickhouse/client.ts'
import { openEmbeddedClickHouse } from '../../../src/stores/clickhouse/embedded.ts'
import { migrateClickHouse } from '../../../src/stores/clickhouse/migrate.ts'
import { openServerClickHouse } from '../../../src/stores/clickhouse/server.ts'
import { ROOT, startServer, stopServer } from '../processes.ts'
import { outputOf } from '../program.ts'
import { onceInProcess, sharedFolder } from '../run-end.ts'

export type StoreKind = 'embedded' | 'server' | 'cluster'
export const STORE_KINDS: StoreKind[] = ['embedded', 'server', 'cluster']
/** For slow tests: statements take the same path to a cluster as to a server. */
export const EMBEDDED_AND_CLUSTER = ['embedded', 'cluster'] as const

export type ClickHouseServer = { env: Record<string, string>; url: string; remove(): Promise<void> }

/** Starts a server or a cluster. For embedded chDB there is nothing to start: `env` and `url` are empty. */
export async function startClickHouse(kind: StoreKind): Promise<ClickHouseServer> {
  if (kind === 'embedded') return { env: {}, url: '', remove: async () => undefined }
  const dir = mkdtempSync(join(tmpdir(), `groundwave-${kind}-`))
  const args = ['test/support/stores/clickhouse-bridge.ts', dir, '0', 'gw:secret']
  const bridge = await startServer(kind === 'cluster' ? [...args, 'two-shards'] : args, {}, join(dir, 'log'))
  const url = `http://gw:secret@127.0.0.1:${bridge.port}/default`
  return {
    env: { CLICKHOUSE_URL: url },
    url,
    async remove() {
      await stopServer(bridge, 'SIGKILL')
      rmSync(dir, { recursive: true, force: true })
    },
  }
}

export type ReadingStore = {
  /** Replaced by `reopen`. */
  clickhouse: ClickHouse
  /** A folder that `remove` deletes. */
  dir: string
  /** Stops the engine, runs `between`, and starts the engine again on the same data. */
  reopen(between: () => void): Promise<void>
  remove(): Promise<void>
}

const TIMEOUT_MS = 60_000
let starts = 0

async function open(kind: StoreKind, dir: string): Promise<{ clickhouse: ClickHouse; stop(): Promise<void> }> {
  if (kind === 'embedded') {
    const clickhouse = await openEmbeddedClickHouse(join(dir, 'clickhouse'))
    return { clickhouse, stop: () => clickhouse.close() }
  }
  const args = ['test/support/stores/clickhouse-bridge.ts', dir, '0', 'gw:secret']
  const log = join(dir, `bridge-${starts++}.log`)
  const bridge = await startServer(kind === 'cluster' ? [...args, 'two-shards'] : args, {}, log)
  const clickhouse = openServerClickHouse(`http://gw:secret@127.0.0.1:${bridge.port}/default`, TIMEOUT_MS)
  return {
    clickhouse,
    async stop() {
      await clickhouse.close()
      await stopServer(bridge, 'SIGKILL')
    },
  }
}

/** Data with all tables, made once in a process for each kind: a copy takes less time than the migrations. */
export function migratedData(kind: StoreKind): Promise<string> {
  return onceInProcess(`${kind} with all tables`, async () => {
    const dir = sharedFolder(kind)
    const { clickhouse, stop } = await open(kind, dir)
    await migrateClickHouse(clickhouse, join(ROOT, 'sql/clickhouse'))
    await stop()
    return join(dir, 'clickhouse')
  })
}

/** A new store with all tables. */
export async function openReadingStore(kind: StoreKind): Promise<ReadingStore> {
  const dir = mkdtempSync(join(tmpdir(), `groundwave-${kind}-`))
  outputOf('cp', ['-a', await migratedData(kind), join(dir, 'clickhouse')])
  let current = await open(kind, dir)
  return {
    get clickhouse() {
      return current.clickhouse
    },
    dir,
    async reopen(between) {
      await current.stop()
      between()
      current = await open(kind, dir)
    },
    async remove() {
      await current.stop()
      rmSync(dir, { recursive: true, force: true })
    },
  }
}
