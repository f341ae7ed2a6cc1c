/** Running tools and working on jobs: the same in a server and in a process that only works on jobs. */
import { existsSync } from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Logger } from 'pino'
import type { Config } from '../config.ts'
import { type Engine, startEngine } from '../engine/engine.ts'
import { openSandbox } from '../engine/sandbox.ts'
import { AppError } from '../errors.ts'
import { failureBody, successBody } from '../http/envelope.ts'
import type { Metrics } from '../http/observability/metrics.ts'
import type { RunDeps } from '../runs/deps.ts'
import { startFileRemovals } from '../runs/file-removals.ts'
import { createFileWrites } from '../runs/file-writes.ts'
import { startInstanceLeases } from '../runs/instance-leases.ts'
import { type EndedJob, type JobRunner, startJobRunner } from '../runs/job-runner.ts'
import { createStorage } from '../runs/storage.ts'
import type { Changes } from '../stores/changes.ts'
import { readInstanceId } from '../stores/data-dir.ts'
import type { FileStore } from '../stores/files/client.ts'
import { openFolderStore } from '../stores/files/folder.ts'
import { openS3Store } from '../stores/files/s3.ts'
import { watchFiles } from '../stores/files/watch.ts'
import { createFreeDisk } from '../stores/free-disk.ts'
import type { Database } from '../stores/postgres/client.ts'
import { giveUpWritesOf } from '../stores/postgres/files/file-writes.ts'
import { deleteExpiredKeys, releaseKeys } from '../stores/postgres/runs/idempotency.ts'
import { endInterruptedRuns } from '../stores/postgres/runs/runs.ts'
import type { OnStoreCall } from '../stores/store-watch.ts'
import { loadRegistry, type Registry } from '../tools/registry.ts'
import { gdalSetup } from './gdal-setup.ts'
import { withVariableName } from './stores/with-variable-name.ts'

const ROOT = join(import.meta.dir, '../..')
const CLEANUP_INTERVAL_MS = 3_600_000

export type Tools = { engine: Engine; registry: Registry }

/** Ends the runs that this instance's previous process left unfinished. */
export async function openRuns(
  config: Config,
  parts: Tools & { db: Database; changes: Changes; onStoreCall: OnStoreCall },
  logger: Logger,
): Promise<RunDeps> {
  const { db, onStoreCall, ...kept } = parts
  const instanceId = readInstanceId(config.dataDir)
  const interrupted = await endInterruptedRuns(db, instanceId)
  if (interrupted > 0)
    logger.warn({ runs: interrupted }, 'runs were interrupted by the last stop; they are not charged')
  await releaseKeys(db, instanceId)
  await giveUpWritesOf(db, instanceId)
  await cleanIdempotencyKeys(db, logger)
  const leases = await startInstanceLeases(
    db,
    instanceId,
    (lost) => logger.warn(lost, 'an instance has not renewed its lease; what it held was given back'),
    (error) => logger.warn({ err: error }, 'the lease of this instance could not be renewed; this will be retried'),
  )
  const files = watchFiles(await openFileStore(config), onStoreCall)
  const disk = createFreeDisk(config.dataDir, config.minFreeDiskBytes)
  const { storedMb, personStoredMb, storedDays, storedGraceDays } = config
  const onError = (error: unknown): void =>
    logger.warn(
      { err: error },
      'stored files that have expired or were deleted could not be removed; this will be retried',
    )
  const fileRemovals = startFileRemovals({ db, files, changes: parts.changes }, onError)
  return {
    ...kept,
    db,
    instanceId,
    leases,
    files,
    disk,
    fileRemovals,
    fileWrites: createFileWrites({ db, files, fileRemovals, leases, instanceId }),
    storage: createStorage({
      db,
      changes: parts.changes,
      fileRemovals,
      disk,
      storedMb,
      personStoredMb,
      storedDays,
      storedGraceDays,
      onError,
    }),
    scratchDir: config.scratchDir,
    jobTimeoutMs: config.jobTimeoutMs,
  }
}

export function startJobs(
  deps: RunDeps,
  slots: number,
  logger: Logger,
  metrics: Pick<Metrics, 'jobEnded'> | undefined,
): Promise<JobRunner> {
  const onError = (error: unknown): void => logger.error({ err: error }, 'the job runner failed; it will retry')
  const onEnd = (ended: EndedJob): void => {
    metrics?.jobEnded(ended.status, ended.waitedMs, ended.durationMs)
    const { error, ...facts } = ended
    // the cause of an expected failure is in the job's result
    const isBug = error instanceof AppError && error.status >= 500
    if (isBug) logger.error({ ...facts, err: error }, 'a job failed')
    else logger.info(facts, 'a job ended')
  }
  return startJobRunner(deps, slots, { success: successBody, failure: failureBody }, onError, onEnd)
}

async function cleanIdempotencyKeys(db: Database, logger: Logger): Promise<void> {
  await deleteExpiredKeys(db)
  const clean = (): void =>
    void deleteExpiredKeys(db).catch((error) =>
      logger.warn({ err: error }, 'expired idempotency keys could not be deleted; this will be retried'),
    )
  setInterval(clean, CLEANUP_INTERVAL_MS).unref()
}

async function openFileStore(config: Config): Promise<FileStore> {
  if (config.s3Url === undefined) return openFolderStore(config.filesDir)
  const files = openS3Store(config.s3Url)
  await withVariableName('S3_URL', files.ping())
  return files
}

/**
 * Needs no store, so that it can open concurrently with the stores. Deletes the scratch folders of the previous
 * process.
 */
export async function openTools(
  config: Config,
  logger: Logger,
  metrics: Pick<Metrics, 'runEnded'> | undefined,
): Promise<Tools> {
  await rm(config.scratchDir, { recursive: true, force: true })
  await mkdir(config.scratchDir, { recursive: true, mode: 0o700 })
  const [engine, registry] = await Promise.all([openEngine(config, logger, metrics), loadRegistry()])
  return { engine, registry }
}

async function openEngine(
  config: Config,
  logger: Logger,
  metrics: Pick<Metrics, 'runEnded'> | undefined,
): Promise<Engine> {
  const { scratchDir, workerIsolation } = config
  const folders = { home: join(config.dataDir, 'run/sandbox'), scratch: scratchDir }
  const sandbox = await withVariableName('WORKER_ISOLATION', openSandbox(folders, workerIsolation))
  const { isolation, reason } = sandbox
  if (isolation === 'limits')
    logger.warn('worker processes run without isolation: a fault in a decoder opens what this account can read')
  else if (reason !== undefined) logger.info({ isolation, reason }, 'worker processes are isolated by Landlock alone')
  const engine = startEngine({
    workers: { bun: config.toolWorkers, node: config.toolWorkers },
    waiting: { total: config.toolQueue, perTenant: config.toolQueuePerTenant },
    runningPerTenant: config.toolRunsPerTenant,
    maxMemoryBytes: config.workerMemoryBytes,
    limits: {
      maxFeatures: config.maxFeatures,
      maxUnpackedBytes: config.maxUnpackedBytes,
      maxPixels: config.maxPixels,
      maxSamples: config.maxSamples,
      maxPages: config.maxPages,
    },
    nodePath: packagedNode(),
    gdalSetup: await gdalSetup(),
    sandbox,
    onEvent({ event, ...facts }) {
      if (event === 'unavailable') logger.error(facts, 'the tools of this lane are not available')
      else if (event === 'without GDAL')
        logger.error(facts, 'GDAL is not available; calls that need it answer 503 TOOL_UNAVAILABLE')
      else if (event === 'killed') logger.warn(facts, 'replacing a worker process')
      else if (event === 'output') logger.warn(facts, 'a worker process wrote to its standard error')
      // it crashed during a run
      else if (facts.tool !== undefined) logger.error({ event, ...facts }, 'a worker process ended during a run')
      else logger.debug({ event, ...facts }, 'worker process')
    },
    onRun({ waitedMs, ranMs, error, ...facts }) {
      metrics?.runEnded(facts.lane, facts.tool, waitedMs, ranMs, error)
      const code = error === undefined ? 'SUCCESS' : error instanceof AppError ? error.code : 'INTERNAL_ERROR'
      logger.debug({ ...facts, code, waitedMs: Math.round(waitedMs), ranMs: Math.round(ranMs) }, 'a run ended')
    },
  })
  // so that the health check and the log report it before the first call
  if (!hasGdal()) void engine.ready()
  return engine
}

/** Whether GDAL's binding is installed. Whether it loads is known once the first process of its lane has started. */
const hasGdal = (): boolean =>
  [...new Bun.Glob('lib/binding/*/gdal.node').scanSync(join(ROOT, 'node_modules/gdal-async'))].length > 0

/** The Node among the packages, which GDAL's binding was built for; undefined on platforms without one. */
function packagedNode(): string | undefined {
  const path = join(ROOT, `node_modules/node-${process.platform}-${process.arch}/bin/node`)
  return existsSync(path) ? path : undefined
}
