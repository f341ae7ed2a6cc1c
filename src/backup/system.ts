/** The stores of a system for backups: the stores of a running server, or opened here while no server runs. */
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { ConfigError } from '../config/config-error.ts'
import type { Config } from '../config.ts'
import type { ClickHouse } from '../stores/clickhouse/client.ts'
import { attachEmbeddedClickHouse, openEmbeddedClickHouse } from '../stores/clickhouse/embedded.ts'
import { openServerClickHouse } from '../stores/clickhouse/server.ts'
import { makePrivate } from '../stores/data-dir.ts'
import { lockFile, lockHolder } from '../stores/file-lock.ts'
import type { FileStore } from '../stores/files/client.ts'
import { openFolderStore } from '../stores/files/folder.ts'
import { openS3Store } from '../stores/files/s3.ts'
import {
  attachEmbeddedPostgres,
  openEmbeddedPostgres,
  openServerPostgres,
  type Postgres,
} from '../stores/postgres/client.ts'
import { BackupError } from './errors.ts'

export const SQL = join(import.meta.dir, '../../sql')
/** A backup exports for as long as the data takes; statements of a server must not end it. */
const STATEMENT_MS = 3_600_000

export type System = {
  config: Config
  /** Whether a server uses these data folders. */
  isRunning: boolean
  postgres: Postgres
  clickhouse: ClickHouse
  files: FileStore
  /** The folders of this machine's instances. */
  instanceDirs: string[]
  close(): Promise<void>
}

/** A server that runs on one of the folders, or a lock that keeps servers from starting there. */
export type Locks = { isRunning: boolean; holder: string; release(): void }

/** DATA_DIR and the folders of instances in it. */
export function instanceDirsOf({ home, instances }: Pick<Config, 'home' | 'instances'>): string[] {
  const made = existsSync(home) ? readdirSync(home).filter((name) => /^instance-\d+$/.test(name)) : []
  const names = new Set(made)
  if (instances > 1) for (let i = 1; i <= instances; i++) names.add(`instance-${i}`)
  return [home, ...[...names].sort().map((name) => join(home, name))]
}

export function lockFolders(dirs: readonly string[]): Locks {
  const taken: (() => void)[] = []
  for (const dir of dirs) {
    makePrivate(dir)
    const path = join(dir, 'lock')
    const unlock = lockFile(path)
    if (unlock !== undefined) taken.push(unlock)
    else {
      for (const release of taken) release()
      return { isRunning: true, holder: `${dir}${lockHolder(path)}`, release: () => undefined }
    }
  }
  return {
    isRunning: false,
    holder: '',
    release: () => {
      for (const release of taken) release()
    },
  }
}

const onLog = (level: string, text: string): void => {
  if (level === 'error') process.stderr.write(`${text}\n`)
}

export type SystemOptions = {
  mustBeStopped: boolean
  /** Whether stores that do not exist are created. */
  isNew: boolean
  /** Locks that the caller has taken. */
  locks?: Locks
}

/**
 * Opens the stores without changing their tables.
 * @throws BackupError when there is nothing to open, or a server runs that must be stopped
 */
export async function openSystem(config: Config, options: SystemOptions): Promise<System> {
  if (!options.isNew && !existsSync(config.home))
    throw new BackupError(`DATA_DIR ${config.home} does not exist; set the variables that the server has`)
  const instanceDirs = instanceDirsOf(config)
  const locks = options.locks ?? lockFolders(instanceDirs)
  try {
    if (options.mustBeStopped && locks.isRunning)
      throw new BackupError(`A server runs on ${locks.holder}; stop it first`)
    for (const [url, dir, variable] of [
      [config.postgresUrl, config.postgresDir, 'POSTGRES_URL'],
      [config.clickhouseUrl, config.clickhouseDir, 'CLICKHOUSE_URL'],
    ] as const)
      if (!options.isNew && url === undefined && !existsSync(dir))
        throw new BackupError(`${dir} does not exist; check DATA_DIR, or set ${variable} as for the server`)
    const postgres = await openPostgres(config, locks.isRunning)
    let clickhouse: ClickHouse
    try {
      clickhouse = await openClickHouse(config, locks.isRunning)
    } catch (error) {
      await postgres.close()
      throw error
    }
    const files = config.s3Url === undefined ? await openFolderStore(config.filesDir) : openS3Store(config.s3Url)
    return {
      config,
      isRunning: locks.isRunning,
      postgres,
      clickhouse,
      files,
      instanceDirs,
      async close() {
        await Promise.all([postgres.close(), clickhouse.close()])
        if (options.locks === undefined) locks.release()
      },
    }
  } catch (error) {
    if (options.locks === undefined) locks.release()
    throw error
  }
}

async function openPostgres({ postgresUrl, postgresDir, postgresSocketDir }: Config, isRunning: boolean) {
  const embedded = { dir: postgresDir, socketDir: postgresSocketDir, onLog }
  const postgres = postgresUrl
    ? await openServerPostgres(postgresUrl)
    : isRunning
      ? attachEmbeddedPostgres(postgresSocketDir)
      : await openEmbeddedPostgres(embedded)
  try {
    await postgres.ping()
    return postgres
  } catch (error) {
    await postgres.close()
    throw unreachable(postgresUrl, 'POSTGRES_URL', 'the embedded PostgreSQL of the running server', error)
  }
}

async function openClickHouse(config: Config, isRunning: boolean): Promise<ClickHouse> {
  const { clickhouseUrl, clickhouseDir, clickhouseSocketDir: socketDir, clickhouseMemoryBytes: memoryBytes } = config
  const clickhouse = clickhouseUrl
    ? openServerClickHouse(clickhouseUrl, STATEMENT_MS)
    : isRunning
      ? attachEmbeddedClickHouse(clickhouseDir, socketDir, memoryBytes)
      : await openEmbeddedClickHouse(clickhouseDir, { socketDir, memoryBytes, onLog })
  try {
    await clickhouse.rows('SELECT 1')
    return clickhouse
  } catch (error) {
    await clickhouse.close()
    throw unreachable(clickhouseUrl, 'CLICKHOUSE_URL', 'the embedded ClickHouse of the running server', error)
  }
}

function unreachable(url: string | undefined, variable: string, embedded: string, error: unknown): Error {
  const cause = error instanceof Error ? (error.cause ?? error) : error
  const reason = cause instanceof Error ? cause.message : String(cause)
  return url === undefined
    ? new BackupError(`${embedded} cannot be reached: ${reason}. Wait until the server is ready`, { cause: error })
    : new ConfigError(`${variable}: ${reason}`, { cause: error })
}
