/** Uploads that can be resumed. */
import type { Logger } from 'pino'
import type { Config } from '../config.ts'
import type { RunDeps } from '../runs/deps.ts'
import { createUploads, type Uploads } from '../runs/uploads.ts'
import type { Clamd } from '../stores/clamd.ts'

export function openUploads(
  config: Config,
  { db, files, fileRemovals, storage, disk, scratchDir, instanceId }: RunDeps,
  clamd: Clamd | undefined,
  logger: Logger,
): Uploads {
  return createUploads({
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
    onError: (error) => logger.warn({ err: error }, 'an upload could not be stored or deleted; this will be retried'),
  })
}
