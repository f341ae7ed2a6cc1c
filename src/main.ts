/** The server: opens its stores, its services and its surfaces in this order, and stops them in the reverse order. */
import { dirname, join } from 'node:path'
import { createApp } from './app.ts'
import { openAssets } from './composition/assets.ts'
import { openCallers } from './composition/callers.ts'
import { checkDataDir } from './composition/data-dir.ts'
import { openDestinations, startEvents } from './composition/destinations.ts'
import { openLorawan } from './composition/gateway/lorawan.ts'
import { startImports } from './composition/gateway/sensor-imports.ts'
import { openHost, type ServerHost } from './composition/host.ts'
import { openIngestion } from './composition/ingest.ts'
import { type Addresses, openListeners, openMqtt } from './composition/listeners.ts'
import { createLogger } from './composition/logger.ts'
import { openEnterprise, openManage } from './composition/manage.ts'
import { figuresOfNow } from './composition/metrics.ts'
import { openMonitor } from './composition/monitor.ts'
import { openOwnerFiles } from './composition/owner-files.ts'
import { readiness } from './composition/readiness.ts'
import { openRuns, prepareTools, startJobs } from './composition/runs.ts'
import { runUntilSignal } from './composition/shutdown.ts'
import { writeStartError } from './composition/start-errors.ts'
import { openStoredReadings } from './composition/stored-readings.ts'
import { openStores } from './composition/stores/stores.ts'
import { openToolApis } from './composition/tool-apis.ts'
import { readConfig } from './config.ts'
import { createRequestLog } from './http/observability/log.ts'
import { createMetrics } from './http/observability/metrics.ts'
import { handleUncaught } from './http/observability/uncaught-errors.ts'
import { superviseInstances } from './supervisor.ts'

const ROOT = join(import.meta.dir, '..')

async function main(): Promise<void> {
  // files are readable by this account only
  process.umask(0o077)
  const config = readConfig(process.env)
  checkDataDir(config)
  if (config.instances > 1) process.exit(await superviseInstances(config.instances, import.meta.path, process.env))
  const logger = createLogger(config.logLevel)
  await runUntilSignal(logger, (shutdown) => open(openHost(config, logger, createMetrics(), shutdown)), writeStartError)
}

async function open(host: ServerHost): Promise<void> {
  const { config, logger, metrics, version, shutdown } = host
  const [stores, tools] = await Promise.all([openStores(host), prepareTools(host)])
  const callers = await openCallers(host, stores)
  const runs = await openRuns(host, stores, tools)
  const toolApis = await openToolApis(host, runs, callers)
  const { layerFiles } = toolApis
  const ingestion = await openIngestion(host, stores, { runs, callers, layerFiles })
  openStoredReadings(host, stores, ingestion)
  const destinations = openDestinations(host, stores, callers.accounts.auth, ingestion.ingest)
  const files = openOwnerFiles(host, stores, runs, ingestion)

  // calls, streams and jobs end together: each may take seconds, and streams and jobs keep calls running
  const front = shutdown.together()
  const parts = {
    ...stores,
    ...runs,
    redis: stores.membership?.redis,
    clamd: files.clamd,
    ingest: ingestion.ingest,
    alertChecks: ingestion.alertChecks,
  }
  const monitor = await openMonitor(host, { ...parts, server: { ...parts, metrics } }, front)
  const jobRunner = await startJobs(host, runs, front)
  const mqtt = await openMqtt(host, stores, ingestion, front)
  const log = createRequestLog(logger, metrics)
  const app = createApp({
    version,
    log,
    sensors: ingestion,
    lorawan: openLorawan(host, stores, ingestion),
    assets: openAssets(host, stores, { runs, callers, ingestion, layerFiles }, front),
    enterprise: openEnterprise(host, runs, callers, { ...files, layerFiles }),
    toolApi: toolApis,
    manage: openManage(host, stores, { runs, callers, toolApis, ingestion, files, monitor, destinations }),
    auth: callers.accounts.auth,
    mail: { db: stores.db, secret: callers.accounts.auth.secret },
    rules: callers.rules,
    portal: { dir: join(ROOT, 'dist/portal'), mapTiles: config.mapTiles },
    health: readiness({ ...parts, mqtt }),
    metrics: { recorded: metrics, now: figuresOfNow(host, { ...parts, jobRunner }) },
    apiPageDir: dirname(Bun.resolveSync('swagger-ui-dist/package.json', ROOT)),
  })
  const addresses = openListeners(host, (request) => app.handle(request), ingestion, log, front)
  ingestion.alertChecks.begin(ingestion.ingest.oldestRowMs)
  startEvents(host, stores, ingestion.ingest)
  startImports(host, stores)
  handleUncaught(logger, metrics)
  announce(host, addresses, callers.accounts.firstOperatorPath)
}

function announce({ config }: ServerHost, { address, adminAddress }: Addresses, firstOperatorPath?: string): void {
  process.stdout.write(
    `Groundwave is listening on ${address}\n  portal           ${address}/portal\n  API description  ${address}/docs  (${address}/openapi.json)\n  readiness        ${address}/health/ready\n  operator         ${adminAddress}/manage/v1\n  operator token   ${config.operatorTokenFile}\n`,
  )
  if (firstOperatorPath !== undefined)
    process.stdout.write(`  first operator   ${config.publicUrl ?? adminAddress}${firstOperatorPath}\n`)
}

main().catch((error: unknown) => {
  writeStartError(error)
  process.exit(1)
})
