/** The figures that are read at each scrape of /metrics. */
import { statfs } from 'node:fs/promises'
import type { Config } from '../config.ts'
import type { Engine } from '../engine/engine.ts'
import type { Now } from '../http/metrics-now.ts'
import { countUploads } from '../http/uploads-under-way.ts'
import type { Ingest } from '../ingest/ingest.ts'
import type { Database } from '../stores/postgres/client.ts'
import { countOpenJobs } from '../stores/postgres/jobs.ts'

type Parts = { version: string; db: Database; engine: Engine; ingest: Ingest }

export function figuresOfNow(
  config: Config,
  { version, db, engine, ingest }: Parts,
): () => Promise<Omit<Now, 'storesUp'>> {
  return async () => {
    const [disk, jobs] = await Promise.all([
      statfs(config.dataDir),
      // store_up shows that it cannot be asked
      countOpenJobs(db).catch(() => undefined),
    ])
    return {
      version,
      ingest: ingest.status(),
      logCeilingBytes: config.logCeilingBytes,
      lanes: engine.report(),
      jobs,
      disk: {
        freeBytes: disk.bavail * disk.bsize,
        totalBytes: disk.blocks * disk.bsize,
        reserveBytes: config.minFreeDiskBytes,
      },
      uploads: countUploads(),
    }
  }
}
