/** Files of owners: their scanner, resumable uploads, full exports, and the hourly check of the ledger. */
import { startDataExports } from '../archives/exports.ts'
import { createScanner, type Scanner } from '../intake/scanner.ts'
import { startLedgerChecks } from '../monitoring/ledger-checks.ts'
import type { RunDeps } from '../runs/deps.ts'
import { createUploads, type Uploads } from '../runs/uploads.ts'
import { type Clamd, createClamd } from '../stores/clamd.ts'
import type { ServerHost } from './host.ts'
import type { Ingestion } from './ingest.ts'
import type { Stores } from './stores/stores.ts'

export type OwnerFiles = { clamd: Clamd | undefined; scanner: Scanner; uploads: Uploads }

export function openOwnerFiles(host: ServerHost, stores: Stores, runs: RunDeps, ingestion: Ingestion): OwnerFiles {
  const { config } = host
  const clamd = config.clamdUrl === undefined ? undefined : createClamd(config.clamdUrl, config.clamdTimeoutMs)
  openLedgerChecks(host, runs)
  openDataExports(host, stores, runs, ingestion)
  return { clamd, scanner: openScanner(host, runs, clamd), uploads: openUploads(host, runs, clamd) }
}

function openScanner({ config, logger, shutdown }: ServerHost, runs: RunDeps, clamd: Clamd | undefined): Scanner {
  const { db, changes, engine, files, scratchDir } = runs
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
  scanner.start()
  shutdown.onStop('scanner of files', scanner.stop)
  return scanner
}

function openUploads({ config, shutdown, warn }: ServerHost, runs: RunDeps, clamd: Clamd | undefined): Uploads {
  const { db, files, fileRemovals, storage, disk, scratchDir, instanceId } = runs
  const uploads = createUploads({
    db,
    files,
    fileRemovals,
    storage,
    disk,
    scratchDir,
    instanceId,
    clamd,
    maxBytes: config.uploadBytes,
    maxOpen: config.uploadsOpen,
    keepHours: config.uploadHours,
    onError: warn('an upload could not be stored or deleted; this will be retried'),
  })
  uploads.start()
  shutdown.onStop('resumable uploads', uploads.stop)
  return uploads
}

function openDataExports(
  { config, logger, shutdown, warn }: ServerHost,
  { clickhouse }: Stores,
  { db, changes, disk, fileRemovals, files, scratchDir }: RunDeps,
  { flushCounts, loadedEverywhere }: Ingestion,
): void {
  const dataExports = startDataExports(
    {
      db,
      changes,
      disk,
      files,
      scratchDir,
      clickhouse,
      async flush() {
        await Promise.all([flushCounts(), loadedEverywhere()])
      },
      keepHours: config.dataExportHours,
    },
    {
      onRemovals: () => void fileRemovals.remove(0),
      onDone: (id) => logger.info({ export: id }, 'an export is finished'),
      onError: warn('an export could not be made; this will be retried'),
    },
  )
  shutdown.onStop('full exports', dataExports.stop)
}

function openLedgerChecks({ logger, shutdown, warn }: ServerHost, { db, files }: RunDeps): void {
  const ledgerChecks = startLedgerChecks(
    { db, files },
    (found, durationMs) => {
      for (const disagreement of found) logger.error(disagreement, 'the ledger is not balanced')
      logger.info({ durationMs: Math.round(durationMs) }, 'the ledger was checked')
    },
    warn('the ledger could not be checked; this will be retried'),
  )
  shutdown.onStop('checks of the ledger', ledgerChecks.stop)
}
