/** The server: opens its stores and services, listens, and stops without losing a reading. */
import { dirname, join } from 'node:path'
import packageJson from '../package.json'
import { startApplicationRequests } from './access/application-requests.ts'
import { startKeyFailureAudit } from './access/keys/key-failure-audit.ts'
import { createKeyFailures } from './access/keys/key-failures.ts'
import { startKeyUse } from './access/keys/key-use.ts'
import { createOperatorTokens } from './access/keys/operator-tokens.ts'
import { createOperatorGate, openOperatorToken } from './access/operator.ts'
import { createOrganizationGate } from './access/organization.ts'
import { startUploadAudit } from './access/upload-audit.ts'
import { createApp } from './app.ts'
import { openAccounts } from './composition/accounts.ts'
import { loadedOf, openAssets, openReadingDeletions, openRollups } from './composition/assets.ts'
import { openClickHouse } from './composition/stores/clickhouse.ts'
import { checkDataDir } from './composition/data-dir.ts'
import { openDataExports } from './composition/data-exports.ts'
import { openIngestion, openSensorGate } from './composition/ingest.ts'
import { joinOthers, openChanges, openRateWindows } from './composition/stores/instances.ts'
import { openLedgerChecks } from './composition/ledger.ts'
import { enterpriseLimits, jsonBody, recordBody, sensorBody } from './composition/limits.ts'
import { openListeners } from './composition/listeners.ts'
import { createLogger } from './composition/logger.ts'
import { openManage } from './composition/manage.ts'
import { figuresOfNow } from './composition/metrics.ts'
import { openMonitor } from './composition/operations.ts'
import { openPostgres } from './composition/stores/postgres.ts'
import { readiness } from './composition/readiness.ts'
import { openRuns, openTools, startJobs } from './composition/runs.ts'
import { openToolApis } from './composition/tool-apis.ts'
import { openTracing } from './composition/tracing.ts'
import { openUploads } from './composition/uploads.ts'
import { ConfigError } from './config/config-error.ts'
import { readConfig } from './config.ts'
import { checkLongAnswers } from './http/long-answers.ts'
import { createRequestLog } from './http/observability/log.ts'
import { createMetrics } from './http/observability/metrics.ts'
import { handleUncaught } from './http/observability/uncaught-errors.ts'
import { startReadingDays } from './ingest/reading-days.ts'
import { createEnterpriseFigures } from './monitoring/enterprise-figures.ts'
import { type Change, subjectsOf } from './stores/changes.ts'
import { DataDirFull, DataDirInUse, DataDirUnsafe, lockDataDir, readInstanceId } from './stores/data-dir.ts'
import { UnsupportedStoreError } from './stores/requirements.ts'
import { superviseInstances } from './supervisor.ts'

const ROOT = join(import.meta.dir, '..')
const STOP_DEADLINE_MS = 10_000
const NAMES_DEADLINE_MS = 1_000
/** Changes that may end the right to an answer that is being sent. */
const CHANGES_OF_RIGHTS: ReadonlySet<string> = new Set<Change['kind']>([
  'access',
  'account',
  'enterprise',
  'person',
  'tool-api',
  'tiers',
  'missed',
])
async function main(): Promise<void> {
  // files are readable by this account only
  process.umask(0o077)
  const config = readConfig(process.env)
  checkDataDir(config)
  if (config.instances > 1) process.exit(await superviseInstances(config.instances, import.meta.path, process.env))
  const logger = createLogger(config.logLevel)
  const unlock = lockDataDir(config.dataDir)
  const metrics = createMetrics()
  const { version } = packageJson
  const onStoreCall = metrics.storeCall
  const [postgres, clickhouse, membership, tools] = await Promise.all([
    openPostgres(config, logger, onStoreCall),
    openClickHouse(config, logger, onStoreCall),
    joinOthers(config, logger, onStoreCall),
    openTools(config, logger, metrics),
  ])
  const { db } = postgres
  const instanceId = readInstanceId(config.dataDir)
  const traces = await openTracing(config.tracing, { version, instanceId }, metrics.spans, logger)
  const redis = membership?.redis
  const operatorToken = await openOperatorToken(config.operatorTokenFile)
  const changes = openChanges(membership, logger)
  changes.subscribe((change) => {
    if (CHANGES_OF_RIGHTS.has(change.kind)) checkLongAnswers(subjectsOf(change))
  })
  const failureAudit = startKeyFailureAudit(db, (error) =>
    logger.warn({ err: error }, 'calls with invalid keys could not be written to the audit log'),
  )
  const failures = createKeyFailures({
    perMinute: config.keyFailuresPerMinute,
    onFailure(kind, address) {
      metrics.keyFailed(kind)
      failureAudit.count(kind, address)
    },
  })
  const keyUse = startKeyUse(db, (error) =>
    logger.warn({ err: error }, 'the last use of keys could not be written; this will be retried'),
  )
  const operatorTokens = createOperatorTokens(db, changes, (error) =>
    logger.warn({ err: error }, 'the last use of an operator token could not be written'),
  )
  const applicationRequests = startApplicationRequests(db, (error) =>
    logger.warn({ err: error }, 'requests of applications could not be counted; this will be retried'),
  )
  const organizations = createOrganizationGate(db, changes, failures, {
    onKeyUse: (keyId, nowMs) => keyUse.note('application-key', keyId, nowMs),
    onRequest: applicationRequests.add,
  })
  const figures = createEnterpriseFigures(db, readInstanceId(config.dataDir))
  const engine = figures.watch(tools.engine)
  const runs = await openRuns(config, { ...tools, engine, db, changes, onStoreCall }, logger)
  const windows = openRateWindows(db, membership)
  const toolApi = await openToolApis(config, runs, { windows, failures, keyUse }, logger)
  const { auth, firstOperatorPath, hashing, mail, linkMail } = await openAccounts(
    config,
    { db, changes, windows, failures },
    logger,
  )
  const assets = openAssets(config, { runs, clickhouse, layerFiles: toolApi.layerFiles, metrics }, logger)
  const ingestParts = { db, clickhouse, membership, changes, zoneChecks: assets.zoneChecks, metrics }
  const uploadAudit = startUploadAudit(db, (error) =>
    logger.warn({ err: error }, 'an upload of readings could not be written to the audit log'),
  )
  const sensorGate = openSensorGate(config, ingestParts, failures, keyUse, assets.receipts)
  const ingest = assets.receipts.watch(await openIngestion(config, ingestParts, logger))
  const loadedEverywhere = loadedOf(membership, ingest)
  const deletions = openReadingDeletions({ db, clickhouse, changes }, loadedEverywhere, logger)
  const readingDays = startReadingDays(db, readInstanceId(config.dataDir), ingest.takeChangedCounts, (error) =>
    logger.warn({ err: error }, 'readings per day could not be written; this will be retried'),
  )
  const flushUsage = async (): Promise<void> => {
    const counters = [applicationRequests, readingDays]
    await Promise.all([...counters.map((counter) => counter.flush()), keyUse.flush('application-key')])
  }
  const { manage, clamd } = openManage(
    config,
    runs,
    clickhouse,
    {
      usage: toolApi.usage,
      keyUse,
      flushUsage,
      layerFiles: toolApi.layerFiles,
      oneTimeLinks: auth.links,
      linkMail,
      hashing,
    },
    logger,
  )
  const stored = async (): Promise<void> => {
    await Promise.all([flushUsage(), loadedEverywhere()])
  }
  const dataExports = openDataExports(config, runs, clickhouse, stored, logger)
  const rollups = openRollups(config, clickhouse, ingest, logger)
  const jobRunner = await startJobs(runs, config.jobSlots, logger, metrics)
  const uploads = openUploads(config, runs, clamd, logger)
  const ledgerChecks = openLedgerChecks(runs, logger)
  const monitor = await openMonitor(
    config,
    { version, postgres, files: runs.files, engine, figures, server: { clickhouse, redis, clamd, ingest, metrics } },
    logger,
  )
  const log = createRequestLog(logger, metrics)
  const app = createApp({
    version,
    log,
    metrics,
    db,
    clickhouse,
    changes,
    ingest,
    sensorGate,
    uploadAudit,
    organizations,
    toolApi,
    assets,
    auth,
    manage: { ...manage, monitor, operatorTokens },
    figuresOfNow: figuresOfNow(config, { version, db, engine, jobRunner, ingest }),
    parts: readiness({ postgres, clickhouse, redis, clamd, ingest, files: runs.files, engine: runs.engine }),
    enterprise: { ...runs, limits: enterpriseLimits(config), windows, uploads },
    operatorOnly: createOperatorGate(operatorToken, failures, operatorTokens),
    onKeyError: (error) =>
      logger.warn({ err: error }, 'an idempotency key could not be released; this will be retried'),
    sensorBody: sensorBody(config),
    jsonBody: jsonBody(config),
    recordBody: recordBody(config),
    portalDir: join(ROOT, 'dist/portal'),
    mapTiles: config.mapTiles,
    apiPageDir: dirname(Bun.resolveSync('swagger-ui-dist/package.json', ROOT)),
  })
  const listeners = openListeners(config, { handle: (request) => app.handle(request), sensorGate, ingest, log }, logger)
  handleUncaught(logger, metrics)
  let stopping = false
  async function stop(signal: string): Promise<void> {
    if (stopping) return
    stopping = true
    logger.info({ signal }, 'stopping')
    setTimeout(() => {
      logger.error('some calls did not finish in time; all accepted readings are on disk')
      logger.flush(() => process.exit(1))
    }, STOP_DEADLINE_MS).unref()
    const jobsStopped = jobRunner.stop()
    const monitorStopped = monitor.stop()
    assets.liveStreams.stop()
    await listeners.stop()
    await Promise.all([jobsStopped, monitorStopped])
    await Promise.race([assets.names.stop(), Bun.sleep(NAMES_DEADLINE_MS)])
    manage.scanner.stop()
    await dataExports.stop()
    runs.storage.stop()
    await runs.fileRemovals.stop()
    uploads.stop()
    await ledgerChecks.stop()
    const usageCounters = [manage.usage, readingDays, applicationRequests]
    const counters = [...usageCounters, failureAudit, keyUse, uploadAudit]
    await Promise.all([...counters.map((counter) => counter.stop()), mail?.stop()])
    await Promise.all([rollups.stop(), assets.retention.stop(), deletions.stop()])
    await ingest.stop()
    await assets.stopCounting()
    assets.zoneChecks.stop()
    await runs.engine.stop()
    await runs.leases.stop()
    await Promise.all([postgres.close(), clickhouse.close(), redis?.close(), traces.stop()])
    unlock()
    logger.info('stopped')
    logger.flush(() => process.exit(0))
  }
  process.on('SIGTERM', () => void stop('SIGTERM'))
  process.on('SIGINT', () => void stop('SIGINT'))

  const { address, adminAddress } = listeners
  process.stdout.write(
    `Groundwave is listening on ${address}\n  portal           ${address}/portal\n  API description  ${address}/docs  (${address}/openapi.json)\n  readiness        ${address}/health/ready\n  operator         ${adminAddress}/manage/v1\n  operator token   ${config.operatorTokenFile}\n`,
  )
  if (firstOperatorPath !== undefined)
    process.stdout.write(`  first operator   ${config.publicUrl ?? adminAddress}${firstOperatorPath}\n`)

  manage.scanner.start()
  uploads.start()
}

main().catch((error: unknown) => {
  const isExpected =
    error instanceof ConfigError ||
    error instanceof DataDirInUse ||
    error instanceof DataDirUnsafe ||
    error instanceof DataDirFull ||
    error instanceof UnsupportedStoreError
  if (isExpected) process.stderr.write(`${error.message}\n`)
  else
    process.stderr.write(
      `Groundwave could not start: ${error instanceof Error ? (error.stack ?? error.message) : error}\n`,
    )
  process.exit(1)
})
