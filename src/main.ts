/** The server: configuration, stores, ingestion, listening, and a stop that loses nothing. */
import { dirname, join } from 'node:path'
import pino from 'pino'
import packageJson from '../package.json'
import { createOperatorGate, openOperatorToken } from './access/operator.ts'
import { createOrganizationGate } from './access/organization.ts'
import { createSensorGate } from './access/sensors.ts'
import { createApp } from './app.ts'
import { type Config, ConfigError, readConfig } from './config.ts'
import { createMetrics, type Metrics } from './http/metrics.ts'
import { type SensorProfile, sensorProfile } from './ingest/batch.ts'
import { type Ingest, type IngestObserver, openIngest, type SharedParts } from './ingest/ingest.ts'
import { createRedisClaims } from './ingest/redis-claims.ts'
import { ROW_STRUCTURE } from './ingest/row.ts'
import { shareDayCounts } from './ingest/shared-day-counts.ts'
import { errorForLog } from './store-errors.ts'
import { type Change, createChanges } from './stores/changes.ts'
import type { ClickHouse } from './stores/clickhouse/client.ts'
import { openEmbeddedClickHouse } from './stores/clickhouse/embedded.ts'
import { migrateClickHouse } from './stores/clickhouse/migrate.ts'
import { newestTimes, storedTimes, storedTimesBetween, storeSegmentFile } from './stores/clickhouse/readings.ts'
import { openServerClickHouse } from './stores/clickhouse/server.ts'
import { DataDirInUse, lockDataDir, readInstanceId } from './stores/data-dir.ts'
import type { Database, Postgres } from './stores/postgres/client.ts'
import { applyTierLimits } from './stores/postgres/enterprises.ts'
import { findSensorsForIngest, type IngestRecord } from './stores/postgres/sensors.ts'
import { createClaimKeys } from './stores/redis/claims.ts'
import { openRedis, type RedisClient } from './stores/redis/client.ts'
import { createDayKeys } from './stores/redis/day-counts.ts'
import { joinInstances } from './stores/redis/messages.ts'
import { UnsupportedStoreError } from './stores/requirements.ts'
import { superviseInstances } from './supervisor.ts'
import type { ZoneChecks } from './surfaces/assets/zone-checks.ts'
import type { ExecutionDeps } from './surfaces/enterprise/deps.ts'
import { startJobRunner } from './surfaces/enterprise/job-runner.ts'
import { fileWindows, openAssets, openExecution, openPostgres, openToolApis, withVariableName } from './wiring.ts'

const ROOT = join(import.meta.dir, '..')
const STOP_DEADLINE_MS = 10_000
const NAMES_DEADLINE_MS = 1_000
/** Where tools run, and where owners bring in their data. */
const LONG_WORK = /^[a-z]+:\/\/[^/]*\/(enterprise\/v1\/gis|tool-apis|manage\/v1\/owners)\//

async function findSensorFacts(db: Database, sensorIds: readonly string[]) {
  const found = await findSensorsForIngest(db, sensorIds)
  return new Map([...found].map(([id, record]) => [id, factsOf(record)]))
}

function factsOf({ sensor, enterprise, tier, channels, keyDigests }: IngestRecord) {
  const limits = applyTierLimits(enterprise, tier)
  return {
    enterpriseId: enterprise.id,
    keyDigests: keyDigests.map((digest) => Buffer.from(digest, 'hex')),
    enabled: sensor.enabled,
    held: sensor.held,
    assetsHeld: enterprise.assetsHeld,
    enterpriseActive: enterprise.status === 'active',
    readingsPerDay: limits.readingsPerDay,
    profile: sensorProfile(enterprise.number, sensor.number, limits.retentionDays, channels),
  }
}

function observerOf(metrics: Metrics, logger: pino.Logger): IngestObserver {
  return {
    outcome: metrics.outcome,
    segmentStored(segment, durationMs) {
      metrics.segmentStored(segment.rows, durationMs)
      logger.debug({ segment: segment.id, rows: segment.rows, durationMs }, 'segment stored')
    },
    segmentDamaged: (path, lostBytes) =>
      logger.warn(
        { path, lostBytes },
        'cut bytes that no commit covers off a segment; nobody was told they are stored',
      ),
    walFailed(error) {
      metrics.walFailed()
      logger.error({ err: error }, 'the log could not be written')
    },
    loadFailed(error, segment, attempt) {
      metrics.loadFailed()
      logger.error(
        { err: error, segment: segment.id, attempt },
        'ClickHouse did not store a segment; it is kept and tried again',
      )
    },
  }
}

/** Claims and counts in Redis. */
function sharedParts(config: Config, clickhouse: ClickHouse, client: RedisClient, logger: pino.Logger) {
  const instanceId = readInstanceId(config.dataDir)
  const onError = (error: unknown): void => logger.warn({ err: error }, 'Redis')
  let flush = (): Promise<void> => Promise.resolve()
  const handlers = { onChange: (_: unknown): void => undefined, onReconnect: (): void => undefined }
  const joining = joinInstances(client, instanceId, config.lookupTimeoutMs, {
    onChange: (change) => handlers.onChange(change),
    onReconnect: () => handlers.onReconnect(),
    flush: () => flush(),
    onError,
  })
  const shared: SharedParts = {
    claims(flushHere) {
      flush = flushHere
      return createRedisClaims({
        keys: createClaimKeys(client),
        stored: {
          newestTimes: (sensors) => newestTimes(clickhouse, sensors),
          storedTimes: (sensor, times) => storedTimes(clickhouse, sensor, times),
          storedTimesBetween: (sensor, fromMs, toMs) => storedTimesBetween(clickhouse, sensor, fromMs, toMs),
          loadedEverywhere: async () => (await joining).loadedEverywhere(),
          loadedBeforeMemory: async () => (await joining).loadedBeforeMemory(),
        },
        callsPerMinute: config.sensorCallsPerMinute,
        ttlMs: config.claimsKeepMs,
        lockMs: config.lookupTimeoutMs + 4_000,
        patienceMs: config.lookupTimeoutMs * 0.6,
      })
    },
    counts: (own) => shareDayCounts(own, createDayKeys(client, instanceId), onError),
  }
  return { shared, handlers, joining }
}

function readiness(
  postgres: Postgres,
  clickhouse: ClickHouse,
  redis: RedisClient | undefined,
  ingest: Ingest,
  { files, engine }: ExecutionDeps,
) {
  return {
    ...(redis && { redis: () => redis.ping() }),
    postgres: () => postgres.ping(),
    files: () => files.ping(),
    workers: async () => {
      const status = engine.status()
      // without the one for readings all is served, and events of zone rules come later
      for (const { available, ready } of [status.bun, status.node])
        if (available && ready === 0) throw new Error('no worker process is ready')
      return status
    },
    clickhouse: async () => {
      await clickhouse.rows('SELECT 1 AS one')
    },
    ingest: async () => {
      const status = ingest.status()
      if (!status.takesMore || status.loading !== 'ok') throw new Error('ingestion is held up')
      return status
    },
  }
}

async function openClickHouse(config: Config, logger: pino.Logger): Promise<ClickHouse> {
  const { clickhouseUrl } = config
  const clickhouse = clickhouseUrl
    ? openServerClickHouse(clickhouseUrl, config.storeTimeoutMs)
    : await openEmbeddedClickHouse(config.clickhouseDir, {
        socketDir: config.clickhouseSocketDir,
        memoryBytes: config.clickhouseMemoryBytes,
        onLog: (level, text, details) => logger[level]({ process: 'clickhouse', ...details }, text),
      })
  const migrating = migrateClickHouse(clickhouse, join(ROOT, 'sql/clickhouse'))
  await (clickhouseUrl ? withVariableName('CLICKHOUSE_URL', migrating) : migrating)
  return clickhouse
}

async function main(): Promise<void> {
  // everything that is written is for this account alone
  process.umask(0o077)
  const config = readConfig(process.env)
  if (config.instances > 1) process.exit(await superviseInstances(config.instances, import.meta.path, process.env))
  const logger = pino(
    { level: config.logLevel, base: null, timestamp: pino.stdTimeFunctions.isoTime, serializers: { err: errorForLog } },
    pino.destination({ dest: 1, sync: false, minLength: 4096 }),
  )
  const unlock = lockDataDir(config.dataDir)
  const onRedisError = (error: unknown): void => logger.warn({ err: error }, 'Redis')
  const [postgres, clickhouse, redis] = await Promise.all([
    openPostgres(config, logger),
    openClickHouse(config, logger),
    config.redisUrl ? withVariableName('REDIS_URL', openRedis(config.redisUrl, onRedisError)) : undefined,
  ])
  const together = redis && sharedParts(config, clickhouse, redis, logger)
  const operatorToken = await openOperatorToken(config.operatorTokenFile)
  const metrics = createMetrics()
  // readings of an earlier process wait to be stored until what checks them is there
  const zoneChecks = Promise.withResolvers<ZoneChecks>()
  const ingest = await openIngest({
    dir: config.logDir,
    segmentBytes: config.segmentBytes,
    ceilingBytes: config.logCeilingBytes,
    claimsBytes: config.claimsBytes,
    shared: together?.shared,
    loadIntervalMs: config.loadIntervalMs,
    lookupTimeoutMs: config.lookupTimeoutMs,
    ackAfterLoad: config.ack === 'clickhouse',
    stored: {
      newestTimes: (sensors) => newestTimes(clickhouse, sensors),
      storedTimes: (sensor, times) => storedTimes(clickhouse, sensor, times),
    },
    storeSegment: (segment, token) => storeSegmentFile(clickhouse, segment.path, ROW_STRUCTURE, token),
    beforeStore: async (segment) => (await zoneChecks.promise).beforeStore(segment),
    observer: observerOf(metrics, logger),
  })
  const messages = await together?.joining
  const changes = createChanges(async (change) => {
    // an instance that is cut off looks everything up again when it is back
    await messages?.publishChange(change).catch(onRedisError)
  })
  const sensorGate = createSensorGate<SensorProfile>({
    find: (sensorIds) => findSensorFacts(postgres.db, sensorIds),
    assetsLicensed: config.licenseFeatures.includes('assets'),
    callsPerMinute: redis ? Number.POSITIVE_INFINITY : config.sensorCallsPerMinute,
  })
  const organizations = createOrganizationGate(postgres.db, changes)
  if (together) {
    together.handlers.onChange = (change) => changes.receive(change as Change)
    together.handlers.onReconnect = () => changes.receive({ kind: 'missed' })
  }
  const execution = await openExecution(config, postgres.db, changes, logger)
  const windows = fileWindows(postgres.db, redis)
  const { toolApi, manage, clamd } = await openToolApis(config, changes, execution, windows, logger)
  const onJobError = (error: unknown): void => logger.error({ err: error }, 'a job could not be worked on')
  const jobRunner = await startJobRunner(execution, config.jobSlots, onJobError)
  changes.subscribe((change) => {
    if (change.kind === 'sensor') sensorGate.invalidateSensor(change.id)
    if (change.kind === 'enterprise') sensorGate.invalidateEnterprise(change.id)
    if (change.kind === 'tiers' || change.kind === 'missed') sensorGate.invalidateAll()
  })
  const assets = openAssets(
    ...([config, clickhouse, changes, execution, toolApi.layerFiles, metrics.zonesChecked, logger] as const),
  )
  zoneChecks.resolve(assets.zoneChecks)
  const app = createApp({
    version: packageJson.version,
    logger,
    metrics,
    parts: {
      ...readiness(postgres, clickhouse, redis, ingest, execution),
      ...(clamd && { clamd: () => clamd.ping() }),
    },
    db: postgres.db,
    clickhouse,
    changes,
    ingest,
    sensorGate,
    organizations,
    enterprise: { ...execution, windows },
    toolApi,
    manage,
    assets,
    operatorOnly: createOperatorGate(operatorToken),
    sensorBody: { maxBytes: config.sensorBodyBytes, timeoutMs: config.bodyTimeoutMs },
    jsonBody: { maxBytes: config.jsonBodyBytes, timeoutMs: config.bodyTimeoutMs },
    apiPageDir: dirname(Bun.resolveSync('swagger-ui-dist/package.json', ROOT)),
  })
  const server = Bun.serve({
    hostname: config.host,
    port: config.port,
    reusePort: config.instance > 0,
    // http/body.ts keeps the limits, and says so in an envelope, which a refusal here could not
    maxRequestBodySize: Number.MAX_SAFE_INTEGER,
    idleTimeout: 60,
    fetch(request, server) {
      // a tool may work longer in silence; its own limits end it, and the upload's limits the upload
      if (request.method !== 'GET' && LONG_WORK.test(request.url)) server.timeout(request, 0)
      return app.handle(request)
    },
  })
  let stopping = false
  async function stop(signal: string): Promise<void> {
    if (stopping) return
    stopping = true
    logger.info({ signal }, 'stopping')
    setTimeout(() => {
      logger.error('what is under way did not end in time; what was accepted is on disk')
      logger.flush(() => process.exit(1))
    }, STOP_DEADLINE_MS).unref()
    const jobsStopped = jobRunner.stop()
    assets.liveStreams.stop()
    await server.stop()
    await jobsStopped
    await Promise.race([assets.names.stop(), Bun.sleep(NAMES_DEADLINE_MS)])
    manage.scanner.stop()
    await manage.usage.stop()
    await Promise.all([assets.rollups.stop(), assets.retention.stop()])
    await ingest.stop()
    assets.zoneChecks.stop()
    await execution.engine.stop()
    await Promise.all([postgres.close(), clickhouse.close(), redis?.close()])
    unlock()
    logger.info('stopped')
    logger.flush(() => process.exit(0))
  }
  process.on('SIGTERM', () => void stop('SIGTERM'))
  process.on('SIGINT', () => void stop('SIGINT'))

  const address = `http://${server.hostname}:${server.port}`
  process.stdout.write(
    `Groundwave is listening on ${address}\n  API description  ${address}/docs  (${address}/openapi.json)\n  readiness        ${address}/health/ready\n  operator token   ${config.operatorTokenFile}\n`,
  )

  manage.scanner.start()
}

main().catch((error: unknown) => {
  const isExpected =
    error instanceof ConfigError || error instanceof DataDirInUse || error instanceof UnsupportedStoreError
  if (isExpected) process.stderr.write(`${error.message}\n`)
  else
    process.stderr.write(
      `Groundwave could not start: ${error instanceof Error ? (error.stack ?? error.message) : error}\n`,
    )
  process.exit(1)
})
