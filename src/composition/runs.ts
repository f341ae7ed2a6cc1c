/** Running tools and working on jobs: the same in a server and in a process that only works on jobs. */
import { existsSync } from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Config } from '../config.ts'
import { type Engine, type GdalSetup, startEngine } from '../engine/engine.ts'
import { openSandbox, type Sandbox } from '../engine/sandbox.ts'
import { AppError } from '../errors.ts'
import { failureBody, successBody } from '../http/envelope.ts'
import { createEnterpriseFigures, type EnterpriseFigures } from '../monitoring/enterprise-figures.ts'
import type { RunDeps } from '../runs/deps.ts'
import { startFileRemovals } from '../runs/file-removals.ts'
import { createFileWrites } from '../runs/file-writes.ts'
import { startInstanceLeases } from '../runs/instance-leases.ts'
import { type EndedJob, type JobRunner, startJobRunner } from '../runs/job-runner.ts'
import { createStorage } from '../runs/storage.ts'
import type { Changes } from '../stores/changes.ts'
import type { FileStore } from '../stores/files/client.ts'
import { openFolderStore } from '../stores/files/folder.ts'
import { openS3Store } from '../stores/files/s3.ts'
import { watchFiles } from '../stores/files/watch.ts'
import { createFreeDisk } from '../stores/free-disk.ts'
import type { Database } from '../stores/postgres/client.ts'
import { giveUpWritesOf } from '../stores/postgres/files/file-writes.ts'
import { deleteExpiredKeys, releaseKeys } from '../stores/postgres/runs/idempotency.ts'
import { endInterruptedRuns } from '../stores/postgres/runs/runs.ts'
import { loadRegistry, type Registry } from '../tools/registry.ts'
import { gdalSetup } from './gdal-setup.ts'
import type { Host } from './host.ts'
import type { Stops } from './shutdown.ts'
import { withVariableName } from './stores/with-variable-name.ts'

const ROOT = join(import.meta.dir, '../..')
const CLEANUP_INTERVAL_MS = 3_600_000

type RunStores = { db: Database; changes: Changes }
export type Tools = { registry: Registry; sandbox: Sandbox; gdal: GdalSetup | undefined }
export type Runs = RunDeps & { figures: EnterpriseFigures }

/**
 * Needs no store, so that it can run while the stores open. Deletes the scratch folders of the previous process.
 */
export async function prepareTools({ config, logger }: Host): Promise<Tools> {
  const { scratchDir, workerIsolation } = config
  await rm(scratchDir, { recursive: true, force: true })
  await mkdir(scratchDir, { recursive: true, mode: 0o700 })
  const folders = { home: join(config.dataDir, 'run/sandbox'), scratch: scratchDir }
  const [sandbox, registry, gdal] = await Promise.all([
    withVariableName('WORKER_ISOLATION', openSandbox(folders, workerIsolation)),
    loadRegistry(),
    gdalSetup(),
  ])
  const { isolation, reason } = sandbox
  if (isolation === 'limits')
    logger.warn('worker processes run without isolation: a fault in a decoder opens what this account can read')
  else if (reason !== undefined) logger.info({ isolation, reason }, 'worker processes are isolated by Landlock alone')
  return { registry, sandbox, gdal }
}

/** Ends the runs that this instance's previous process left unfinished. */
export async function openRuns(host: Host, { db, changes }: RunStores, tools: Tools): Promise<Runs> {
  const { config, logger, metrics, instanceId, shutdown, warn } = host
  const interrupted = await endInterruptedRuns(db, instanceId)
  if (interrupted > 0)
    logger.warn({ runs: interrupted }, 'runs were interrupted by the last stop; they are not charged')
  await releaseKeys(db, instanceId)
  await giveUpWritesOf(db, instanceId)
  await cleanIdempotencyKeys(host, db)
  const leases = await startInstanceLeases(
    db,
    instanceId,
    (lost) => logger.warn(lost, 'an instance has not renewed its lease; its slots were released'),
    warn('the lease of this instance could not be renewed; this will be retried'),
  )
  shutdown.onStop('lease of the instance', leases.stop)
  const figures = createEnterpriseFigures(db, instanceId)
  const engine = figures.watch(openEngine(host, tools))
  shutdown.onStop('worker processes', engine.stop)
  const files = watchFiles(await openFileStore(config), metrics.storeCall)
  const disk = createFreeDisk(config.dataDir, config.minFreeDiskBytes)
  const { storedMb, personStoredMb, storedDays, storedGraceDays, scratchDir, jobTimeoutMs } = config
  const onError = warn('stored files that have expired or were deleted could not be removed; this will be retried')
  const fileRemovals = startFileRemovals({ db, files, changes }, onError)
  shutdown.onStop('removal of files', fileRemovals.stop)
  const storage = createStorage({
    db,
    changes,
    fileRemovals,
    disk,
    storedMb,
    personStoredMb,
    storedDays,
    storedGraceDays,
    onError,
  })
  shutdown.onStop('expiry of stored files', storage.stop)
  const fileWrites = createFileWrites({ db, files, fileRemovals, leases, instanceId })
  return {
    db,
    changes,
    registry: tools.registry,
    engine,
    figures,
    instanceId,
    leases,
    files,
    disk,
    fileRemovals,
    fileWrites,
    storage,
    scratchDir,
    jobTimeoutMs,
  }
}

export async function startJobs({ config, logger, metrics }: Host, deps: RunDeps, stops: Stops): Promise<JobRunner> {
  const onError = (error: unknown): void => logger.error({ err: error }, 'the job runner failed; it will retry')
  const onEnd = (ended: EndedJob): void => {
    metrics.jobEnded(ended.status, ended.waitedMs, ended.durationMs)
    const { error, ...facts } = ended
    // the cause of an expected failure is in the job's result
    const isBug = error instanceof AppError && error.status >= 500
    if (isBug) logger.error({ ...facts, err: error }, 'a job failed')
    else logger.info(facts, 'a job ended')
  }
  const envelopes = { success: successBody, failure: failureBody }
  const jobRunner = await startJobRunner(deps, config.jobSlots, envelopes, onError, onEnd)
  stops.onStop('jobs', jobRunner.stop)
  return jobRunner
}

async function cleanIdempotencyKeys({ warn, shutdown }: Host, db: Database): Promise<void> {
  await deleteExpiredKeys(db)
  const onError = warn('expired idempotency keys could not be deleted; this will be retried')
  const timer = setInterval(() => void deleteExpiredKeys(db).catch(onError), CLEANUP_INTERVAL_MS)
  timer.unref()
  shutdown.onStop('expiry of idempotency keys', () => clearInterval(timer))
}

async function openFileStore(config: Config): Promise<FileStore> {
  if (config.s3Url === undefined) return openFolderStore(config.filesDir)
  const files = openS3Store(config.s3Url)
  await withVariableName('S3_URL', files.ping())
  return files
}

function openEngine({ config, logger, metrics }: Host, { sandbox, gdal }: Tools): Engine {
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
    gdalSetup: gdal,
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
      metrics.runEnded(facts.lane, facts.tool, waitedMs, ranMs, error)
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
