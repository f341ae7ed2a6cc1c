/** Checks of the data folder before anything starts. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { ConfigError } from '../config/config-error.ts'
import type { Config } from '../config.ts'
import { makePrivate, RESTORE_MARKER, requireSpace } from '../stores/data-dir.ts'

const MIB = 2 ** 20
/** Disk space for the log of readings. */
const LOG_BYTES = 32 * MIB
/** Disk space that each embedded database needs to create its folder: 40 MB for both, plus their logs meanwhile. */
const NEW_DATABASE_BYTES = 64 * MIB

/**
 * Checks the data folder, and the folder that instances on one machine share. @throws DataDirUnsafe, DataDirFull,
 * ConfigError
 */
export function checkDataDir(config: Config): void {
  makePrivate(config.home)
  makePrivate(config.dataDir)
  if (existsSync(join(config.home, RESTORE_MARKER)))
    throw new ConfigError(
      `DATA_DIR ${config.home} contains a restore that was interrupted. Run the same "bun run restore" or "bun run move" again, or begin with an empty folder`,
    )
  const embedded = [
    ...(config.postgresUrl === undefined ? [config.postgresDir] : []),
    ...(config.clickhouseUrl === undefined ? [config.clickhouseDir] : []),
  ]
  const created = embedded.filter((dir) => !existsSync(dir)).length
  // an existing installation starts on a full disk, to load its readings into ClickHouse and to refuse new ones
  if (created > 0) requireSpace(config.dataDir, LOG_BYTES + created * NEW_DATABASE_BYTES)
}
