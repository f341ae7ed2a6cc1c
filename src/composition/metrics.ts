/** The gauges of /metrics, read at each scrape. */
import { statfs } from 'node:fs/promises'
import type { AlertChecks } from '../alerts/checks.ts'
import type { Engine } from '../engine/engine.ts'
import { countUploads } from '../http/body/uploads-under-way.ts'
import type { Now, ProcessNow } from '../http/observability/gauges.ts'
import type { Ingest } from '../ingest/ingest.ts'
import type { JobRunner } from '../runs/job-runner.ts'
import { isStoreLost } from '../store-errors.ts'
import type { Database } from '../stores/postgres/client.ts'
import { countPending } from '../stores/postgres/destinations/deliveries.ts'
import { countOpenJobs } from '../stores/postgres/runs/jobs.ts'
import { lastLedgerCheck } from '../stores/postgres/runs/ledger.ts'
import type { Host } from './host.ts'

/** Undefined while PostgreSQL is unavailable, which `store_up` shows; any other failure is a bug. */
const unlessLost = <T>(asked: Promise<T>): Promise<T | undefined> =>
  asked.catch((error: unknown) => {
    if (isStoreLost(error)) return undefined
    throw error
  })

type Parts = { db: Database; engine: Engine; jobRunner: JobRunner }

/** Figures of any process that runs tools. */
export function figuresOfProcess(
  { config, version }: Host,
  { db, engine, jobRunner }: Parts,
): () => Promise<Omit<ProcessNow, 'storesUp'>> {
  return async () => {
    const [disk, jobs, ledger] = await Promise.all([
      statfs(config.dataDir),
      unlessLost(countOpenJobs(db)),
      unlessLost(lastLedgerCheck(db)),
    ])
    return {
      version,
      lanes: engine.report(),
      jobs,
      ledger,
      jobSlots: { limit: config.jobSlots, busy: jobRunner.running() },
      disk: {
        freeBytes: disk.bavail * disk.bsize,
        totalBytes: disk.blocks * disk.bsize,
        reserveBytes: config.minFreeDiskBytes,
      },
    }
  }
}

export function figuresOfNow(
  host: Host,
  parts: Parts & { ingest: Ingest; alertChecks: AlertChecks },
): () => Promise<Omit<Now, 'storesUp'>> {
  const ofProcess = figuresOfProcess(host, parts)
  return async () => ({
    ...(await ofProcess()),
    deliveries: await unlessLost(countPending(parts.db)),
    ingest: parts.ingest.status(),
    alerts: parts.alertChecks.status(),
    logCeilingBytes: host.config.logCeilingBytes,
    uploads: countUploads(),
  })
}
