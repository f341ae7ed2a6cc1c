/**
 * `bun run worker`: a process that only runs jobs, on a server's machine or another one. It shares with the servers
 * PostgreSQL and the files: an S3 bucket, or the folder of a server on the same machine.
 */
import { join } from 'node:path'
import { type Host, openHost } from './composition/host.ts'
import { createLogger } from './composition/logger.ts'
import { figuresOfProcess } from './composition/metrics.ts'
import { openMonitor } from './composition/monitor.ts'
import { processReadiness } from './composition/readiness.ts'
import { openRuns, prepareTools, startJobs } from './composition/runs.ts'
import { runUntilSignal } from './composition/shutdown.ts'
import { writeStartError } from './composition/start-errors.ts'
import { openPostgres } from './composition/stores/postgres.ts'
import { exportSpans } from './composition/tracing.ts'
import { openWorkerListener } from './composition/worker-listener.ts'
import { ConfigError } from './config/config-error.ts'
import { readConfig } from './config.ts'
import { createWorkerMetrics } from './http/observability/metrics.ts'
import { handleUncaught } from './http/observability/uncaught-errors.ts'
import { createChanges } from './stores/changes.ts'
import { makePrivate } from './stores/data-dir.ts'

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
  await runUntilSignal(
    logger,
    (shutdown) => open(openHost(config, logger, createWorkerMetrics(), shutdown)),
    writeStartError,
  )
}

async function open(host: Host<ReturnType<typeof createWorkerMetrics>>): Promise<void> {
  const { config, logger, metrics, shutdown } = host
  const stores = shutdown.together()
  const postgres = await openPostgres(host, stores)
  await exportSpans(host, stores)
  const runs = await openRuns(host, { db: postgres.db, changes: createChanges() }, await prepareTools(host))
  await runs.engine.ready()
  const front = shutdown.together()
  const parts = { ...runs, postgres }
  await openMonitor(host, { ...parts, server: undefined }, front)
  const jobRunner = await startJobs(host, runs, front)
  const figures = figuresOfProcess(host, { ...runs, jobRunner })
  const address = openWorkerListener(host, figures, processReadiness(parts), front)
  handleUncaught(logger, metrics)
  const shown = address === undefined ? '' : `  metrics          ${address}/metrics\n`
  process.stdout.write(`Groundwave is working on jobs, ${config.jobSlots} at a time\n${shown}`)
}

main().catch((error: unknown) => {
  writeStartError(error)
  process.exit(1)
})
