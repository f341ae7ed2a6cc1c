/**
 * `bun run worker`: a process that only runs jobs, on a server's machine or another one. It shares with the servers
 * PostgreSQL and the files: an S3 bucket, or the folder of a server on the same machine.
 */
import { join } from 'node:path'
import packageJson from '../package.json'
import { createLogger } from './composition/logger.ts'
import { figuresOfProcess } from './composition/metrics.ts'
import { openMonitor } from './composition/operations.ts'
import { openPostgres } from './composition/stores/postgres.ts'
import { processReadiness } from './composition/readiness.ts'
import { openRuns, openTools, startJobs } from './composition/runs.ts'
import { openTracing } from './composition/tracing.ts'
import { openWorkerListener } from './composition/worker-listener.ts'
import { ConfigError } from './config/config-error.ts'
import { readConfig } from './config.ts'
import { createWorkerMetrics } from './http/observability/metrics.ts'
import { handleUncaught } from './http/observability/uncaught-errors.ts'
import { createEnterpriseFigures } from './monitoring/enterprise-figures.ts'
import { createChanges } from './stores/changes.ts'
import { DataDirInUse, DataDirUnsafe, lockDataDir, makePrivate, readInstanceId } from './stores/data-dir.ts'

const STOP_DEADLINE_MS = 10_000

async function main(): Promise<void> {
  // files are readable by this account only
  process.umask(0o077)
  const base = readConfig(process.env)
  if (base.postgresUrl === undefined)
    throw new ConfigError(
      'POSTGRES_URL is required for a job worker: with an embedded database, the server runs jobs itself',
    )
  // a separate folder, so that a server may use the same DATA_DIR
  const dataDir = join(base.dataDir, 'worker')
  const config = { ...base, dataDir, scratchDir: join(dataDir, 'scratch'), jobSlots: Math.max(1, base.toolWorkers) }
  const logger = createLogger(config.logLevel)
  makePrivate(config.home)
  const unlock = lockDataDir(dataDir)
  const metrics = createWorkerMetrics()
  const onStoreCall = metrics.storeCall
  const postgres = await openPostgres(config, logger, onStoreCall)
  const tools = await openTools(config, logger, metrics)
  const figures = createEnterpriseFigures(postgres.db, readInstanceId(dataDir))
  const engine = figures.watch(tools.engine)
  const runs = await openRuns(
    config,
    { ...tools, engine, db: postgres.db, changes: createChanges(), onStoreCall },
    logger,
  )
  const { version } = packageJson
  const traces = await openTracing(
    config.tracing,
    { version, instanceId: readInstanceId(dataDir) },
    metrics.spans,
    logger,
  )
  await engine.ready()
  const monitor = await openMonitor(
    config,
    { version, postgres, files: runs.files, engine, figures, server: undefined },
    logger,
  )
  const jobRunner = await startJobs(runs, config.jobSlots, logger, metrics)
  const listener = openWorkerListener(
    config,
    metrics,
    figuresOfProcess(config, { version, db: postgres.db, engine, jobRunner }),
    processReadiness({ postgres, files: runs.files, engine }),
    (error) => logger.warn({ err: error }, 'an answer ended with its connection'),
  )
  handleUncaught(logger, metrics)
  const shown = listener === undefined ? '' : `  metrics          ${listener.address}/metrics\n`
  process.stdout.write(`Groundwave is working on jobs, ${config.jobSlots} at a time\n${shown}`)

  let stopping = false
  async function stop(): Promise<void> {
    if (stopping) return
    stopping = true
    setTimeout(() => process.exit(1), STOP_DEADLINE_MS).unref()
    await Promise.all([jobRunner.stop(), monitor.stop()])
    runs.storage.stop()
    await runs.fileRemovals.stop()
    await runs.engine.stop()
    await runs.leases.stop()
    await Promise.all([postgres.close(), traces.stop(), listener?.stop()])
    unlock()
    logger.flush(() => process.exit(0))
  }
  process.on('SIGTERM', () => void stop())
  process.on('SIGINT', () => void stop())
}

main().catch((error: unknown) => {
  const expected = error instanceof ConfigError || error instanceof DataDirInUse || error instanceof DataDirUnsafe
  process.stderr.write(`${expected ? error.message : error instanceof Error ? error.stack : error}\n`)
  process.exit(1)
})
