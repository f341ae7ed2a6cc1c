/** The operator's surface, and the scanner of owners' files. */
import type { Logger } from 'pino'
import type { Config } from '../config.ts'
import { createScanner } from '../intake/scanner.ts'
import type { RunDeps } from '../runs/deps.ts'
import { type Clamd, createClamd } from '../stores/clamd.ts'
import type { ClickHouse } from '../stores/clickhouse/client.ts'
import type { ManageServices } from '../surfaces/manage/deps.ts'
import { manageLimits } from './limits.ts'

export function openManage(
  config: Config,
  { db, changes, disk, engine, fileRemovals, fileWrites, files, registry, scratchDir, storage }: RunDeps,
  clickhouse: ClickHouse,
  shared: Pick<
    ManageServices,
    'usage' | 'keyUse' | 'flushUsage' | 'layerFiles' | 'oneTimeLinks' | 'linkMail' | 'hashing'
  >,
  logger: Logger,
): { manage: Omit<ManageServices, 'monitor' | 'operatorTokens'>; clamd: Clamd | undefined } {
  const clamd = config.clamdUrl === undefined ? undefined : createClamd(config.clamdUrl, config.clamdTimeoutMs)
  const scanner = createScanner({
    db,
    changes,
    engine,
    files,
    clamd,
    scratchDir,
    timeoutMs: config.toolTimeoutMs,
    onError: (error, file) => logger.error({ err: error, file }, 'scanning a file failed; this will be retried'),
  })
  const manage = {
    db,
    clickhouse,
    changes,
    disk,
    storage,
    fileRemovals,
    fileWrites,
    engine,
    registry,
    scanner,
    scratchDir,
    fileStore: files,
    ...shared,
    limits: manageLimits(config),
    onExportError: (error: unknown) => logger.warn({ err: error }, 'an export of the audit log broke off'),
  }
  return { manage, clamd }
}
