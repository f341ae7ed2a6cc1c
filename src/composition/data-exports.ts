/** Full exports of an owner's data. */
import type { Logger } from 'pino'
import { type DataExports, startDataExports } from '../archives/exports.ts'
import type { Config } from '../config.ts'
import type { RunDeps } from '../runs/deps.ts'
import type { ClickHouse } from '../stores/clickhouse/client.ts'

export function openDataExports(
  config: Config,
  { db, changes, disk, fileRemovals, files, scratchDir }: RunDeps,
  clickhouse: ClickHouse,
  flush: () => Promise<void>,
  logger: Logger,
): DataExports {
  return startDataExports(
    {
      db,
      changes,
      disk,
      files,
      scratchDir,
      clickhouse,
      flush,
      keepHours: config.dataExportHours,
    },
    {
      onRemovals: () => void fileRemovals.remove(0),
      onDone: (id) => logger.info({ export: id }, 'an export is finished'),
      onError: (error) => logger.warn({ err: error }, 'an export could not be made; this will be retried'),
    },
  )
}
