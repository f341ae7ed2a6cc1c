/** What the server and the job worker are both made of, opened from configuration. */
import { existsSync } from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Logger } from 'pino'
import { createMemoryRateWindows, type RateWindows } from './access/rate-windows.ts'
import { createSharedRateWindows } from './access/shared-rate-windows.ts'
import { createToolApiUsage } from './access/tool-api-usage.ts'
import { createToolApiGate } from './access/tool-apis.ts'
import { type Config, ConfigError } from './config.ts'
import { startEngine } from './engine/engine.ts'
import type { Changes } from './stores/changes.ts'
import { createClamd } from './stores/clamd.ts'
import type { ClickHouse } from './stores/clickhouse/client.ts'
import { startNameSync } from './stores/clickhouse/names.ts'
import { startRetention } from './stores/clickhouse/retention.ts'
import { startRollups } from './stores/clickhouse/rollups.ts'
import { readInstanceId } from './stores/data-dir.ts'
import { openFileCopies } from './stores/file-copies.ts'
import { openFolderStore } from './stores/files/folder.ts'
import { openS3Store } from './stores/files/s3.ts'
import { type LayerFiles, openLayerFiles } from './stores/layer-files.ts'
import { type Database, openEmbeddedPostgres, openServerPostgres, type Postgres } from './stores/postgres/client.ts'
import { deleteExpiredKeys } from './stores/postgres/idempotency.ts'
import { migratePostgres } from './stores/postgres/migrate.ts'
import type { Owner } from './stores/postgres/owners.ts'
import { endInterruptedRuns, filesSentSince } from './stores/postgres/runs.ts'
import type { RedisClient } from './stores/redis/client.ts'
import { createRateWindowKeys } from './stores/redis/rate-windows.ts'
import { UnsupportedStoreError } from './stores/requirements.ts'
import { createDirectory } from './surfaces/assets/directory.ts'
import { createLiveStreams } from './surfaces/assets/live-stream.ts'
import { createZoneChecks, type ZoneObserver } from './surfaces/assets/zone-checks.ts'
import type { ExecutionDeps } from './surfaces/enterprise/deps.ts'
import type { ManageDeps } from './surfaces/manage/deps.ts'
import { createScanner } from './surfaces/manage/scanner.ts'
import type { ToolApiDeps } from './surfaces/tool-api/deps.ts'
import { loadRegistry } from './tools/registry.ts'
import { PLANS, type Plan } from './tools/tool.ts'

const ROOT = join(import.meta.dir, '..')
const TIDY_INTERVAL_MS = 3_600_000

/** What a store said when it could not be opened, with the variable that names it. */
export async function withVariableName<T>(variable: string, work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    // what was tried last tells little; what the server said tells why
    const cause = error instanceof Error && !(error instanceof UnsupportedStoreError) ? (error.cause ?? error) : error
    throw new ConfigError(`${variable}: ${cause instanceof Error ? cause.message : cause}`, { cause })
  }
}

export async function openPostgres(config: Config, logger: Logger): Promise<Postgres> {
  const { postgresUrl } = config
  const postgres = postgresUrl
    ? openServerPostgres(postgresUrl)
    : await openEmbeddedPostgres({
        dir: config.postgresDir,
        socketDir: config.postgresSocketDir,
        onLog: (level, text) => logger[level]({ process: 'postgres' }, text),
      })
  try {
    const migrating = migratePostgres(postgres, join(ROOT, 'sql/postgres'))
    await (postgresUrl ? withVariableName('POSTGRES_URL', migrating) : migrating)
  } catch (error) {
    await postgres.close()
    throw error
  }
  return postgres
}

/** The Node that came with the packages, which GDAL's binding was built for. */
function packagedNode(): string | undefined {
  const path = join(ROOT, `node_modules/node-${process.platform}-${process.arch}/bin/node`)
  return existsSync(path) ? path : undefined
}

/** Opens what running tools takes, and ends what this process was cut off from when it ran last. */
export async function openExecution(
  config: Config,
  db: Database,
  changes: Changes,
  logger: Logger,
): Promise<ExecutionDeps> {
  const instanceId = readInstanceId(config.dataDir)
  await rm(config.scratchDir, { recursive: true, force: true })
  await mkdir(config.scratchDir, { recursive: true, mode: 0o700 })
  const interrupted = await endInterruptedRuns(db, instanceId)
  if (interrupted > 0) logger.warn({ runs: interrupted }, 'runs were cut off; nothing is charged for them')
  await deleteExpiredKeys(db, instanceId)
  const tidy = (): void =>
    void deleteExpiredKeys(db, undefined).catch((error) =>
      logger.warn({ err: error }, 'old answers were not forgotten'),
    )
  setInterval(tidy, TIDY_INTERVAL_MS).unref()
  const files = config.s3Url ? openS3Store(config.s3Url) : await openFolderStore(config.filesDir)
  if (config.s3Url) await withVariableName('S3_URL', files.ping())
  const nodePath = packagedNode()
  const engine = startEngine({
    workers: { bun: config.toolWorkers, node: config.toolWorkers },
    maxWaiting: config.toolQueue,
    maxMemoryBytes: config.workerMemoryBytes,
    limits: {
      maxFeatures: config.maxFeatures,
      maxUnpackedBytes: config.maxUnpackedBytes,
      maxPixels: config.maxPixels,
      maxSamples: config.maxSamples,
      maxPages: config.maxPages,
    },
    nodePath,
    onEvent({ lane, event, reason }) {
      if (event === 'unavailable') logger.error({ lane, reason }, 'tools of this lane are not available')
      else if (event === 'killed') logger.warn({ lane, reason }, 'a worker process is replaced')
      else logger.debug({ lane, event, reason }, 'worker process')
    },
  })
  return {
    db,
    files,
    engine,
    registry: await loadRegistry(),
    changes,
    limits: {
      callsPerMinute: config.callsPerMinute,
      filesPerHour: config.filesPerHour,
      fileBytes: {
        vector: config.vectorFileBytes,
        raster: config.rasterFileBytes,
        image: config.imageFileBytes,
        pdf: config.pdfFileBytes,
      },
      toolTimeoutMs: config.toolTimeoutMs,
      jobTimeoutMs: config.jobTimeoutMs,
      uploadTimeoutMs: config.uploadTimeoutMs,
    },
    scratchDir: config.scratchDir,
    instanceId,
  }
}

/** What Tool APIs take, and the owner's data that they are bound to. */
export async function openToolApis(
  config: Config,
  changes: Changes,
  { db, engine, files, registry, scratchDir, limits }: ExecutionDeps,
  windows: RateWindows,
  logger: Logger,
) {
  /** Every enterprise may run every tool; a person those of the plan and of the plans below it. */
  const tierAllows = (toolId: string, owner: Owner): boolean => {
    const tier = registry.byId(toolId)?.tier
    return tier === undefined || owner.kind === 'enterprise' || PLANS.indexOf(owner.tier as Plan) >= PLANS.indexOf(tier)
  }
  const clamd = config.clamdUrl === undefined ? undefined : createClamd(config.clamdUrl, config.clamdTimeoutMs)
  const gate = createToolApiGate({ db, changes, windows, callsPerMinute: config.toolApiCallsPerMinute, tierAllows })
  const usage = createToolApiUsage(db, (error) =>
    logger.warn({ err: error }, 'calls of Tool APIs were not written down; it is tried again'),
  )
  const scanner = createScanner({
    ...{ db, changes, engine, files, clamd, scratchDir },
    timeoutMs: config.toolTimeoutMs,
    onError: (error, file) => logger.error({ err: error, file }, 'a file could not be scanned'),
  })
  const jsonBody = { maxBytes: config.jsonBodyBytes, timeoutMs: config.bodyTimeoutMs }
  const toolApi: ToolApiDeps = {
    ...{ db, changes, engine, registry, gate, usage, scratchDir, body: jsonBody },
    layerFiles: await openLayerFiles(db, config.layersDir, config.boundCacheBytes),
    fileCopies: await openFileCopies(files, config.copiesDir, config.boundCacheBytes),
    limits: {
      features: config.toolApiFeatures,
      resultBytes: config.toolApiResultBytes,
      timeoutMs: config.toolTimeoutMs,
    },
  }
  const manage: ManageDeps = {
    ...{ db, changes, engine, registry, scanner, usage, tierAllows, scratchDir, fileStore: files },
    limits: {
      layerBody: { maxBytes: config.layerBodyBytes, timeoutMs: config.uploadTimeoutMs },
      ownerFileBytes: {
        vector: config.vectorFileBytes,
        raster: config.rasterFileBytes,
        image: config.imageFileBytes,
        document: config.pdfFileBytes,
        table: config.vectorFileBytes,
      },
      toolTimeoutMs: limits.toolTimeoutMs,
      uploadTimeoutMs: limits.uploadTimeoutMs,
    },
  }
  return { toolApi, manage, clamd }
}

/** What lives beside the queries of readings: names and rollups in ClickHouse, the live layer, zone rules. */
export function openAssets(
  config: Config,
  clickhouse: ClickHouse,
  changes: Changes,
  { db, engine, scratchDir }: ExecutionDeps,
  layerFiles: LayerFiles,
  onZonesChecked: ZoneObserver['checked'],
  logger: Logger,
) {
  const warn = (text: string) => (error: unknown) => logger.warn({ err: error }, text)
  const onNamesError = warn('names were not written to ClickHouse; they are tried again')
  const names = startNameSync(db, clickhouse, changes, onNamesError)
  const rollups = startRollups(clickhouse, warn('the rollups could not be brought up to date; it is tried again'))
  const onRetentionError = warn('rows were not brought in step with how long they are kept; it is tried again')
  const retention = startRetention(db, clickhouse, changes, onRetentionError)
  const directory = createDirectory(db, changes)
  const onLiveError = warn('the live layer could not be looked at; it is tried again')
  const liveStreams = createLiveStreams(clickhouse, directory, changes, onLiveError)
  const zoneChecks = createZoneChecks({
    ...{ db, clickhouse, changes, engine, layerFiles, scratchDir },
    timeoutMs: config.toolTimeoutMs,
    isShared: config.redisUrl !== undefined,
    observer: {
      checked: onZonesChecked,
      failed: (error, { id }, attempt) =>
        logger.warn(
          { err: error, segment: id, attempt },
          'readings could not be checked against zone rules; it is tried again',
        ),
      gaveUp: ({ id }) => logger.error({ segment: id }, 'readings were not checked against zone rules'),
    },
  })
  const onExportError = warn('an export was cut off')
  return { names, rollups, retention, directory, liveStreams, zoneChecks, onExportError }
}

/** Counts of calls and files: in Redis, or here, where files sent before a restart count on. */
export function fileWindows(db: Database, redis: RedisClient | undefined): RateWindows {
  if (redis !== undefined) return createSharedRateWindows(createRateWindowKeys(redis))
  return createMemoryRateWindows(async (key, windowMs) => {
    const [kind, enterpriseId] = key.split(':')
    if (kind !== 'files' || enterpriseId === undefined) return []
    const sent = await filesSentSince(db, enterpriseId, new Date(Date.now() - windowMs))
    return sent.map(({ ms, files }) => ({ ms, amount: files }))
  })
}
