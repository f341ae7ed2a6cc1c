/** What each composition gets of its process: configuration, log, identity, and where stops are registered. */
import type { Logger } from 'pino'
import packageJson from '../../package.json'
import type { Config } from '../config.ts'
import type { createWorkerMetrics, Metrics } from '../http/observability/metrics.ts'
import { createWarn, type Warn } from '../http/observability/warnings.ts'
import { lockDataDir, readInstanceId } from '../stores/data-dir.ts'
import type { Shutdown } from './shutdown.ts'

/** Metrics of a job worker, which a server has too. */
export type WorkMetrics = Omit<ReturnType<typeof createWorkerMetrics>, 'text'>

export type Host<M = WorkMetrics> = {
  config: Config
  logger: Logger
  metrics: M
  version: string
  instanceId: string
  shutdown: Shutdown
  /** Returns a function that logs errors with this text. */
  warn(text: string): Warn
}
export type ServerHost = Host<Metrics>

/** @throws DataDirInUse, DataDirUnsafe */
export function openHost<M>(config: Config, logger: Logger, metrics: M, shutdown: Shutdown): Host<M> {
  shutdown.onStop('lock of the data folder', lockDataDir(config.dataDir))
  return {
    config,
    logger,
    metrics,
    version: packageJson.version,
    instanceId: readInstanceId(config.dataDir),
    shutdown,
    warn: (text) => createWarn(logger, text),
  }
}

/** The address of the server in links, without a slash at its end. */
export const publicAddress = ({ publicUrl, host, port }: Config): string => publicUrl ?? `http://${host}:${port}`
