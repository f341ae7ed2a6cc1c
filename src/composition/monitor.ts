/** The monitor of this process: the parts that it checks, and the figures of the process and of enterprises. */
import { statfs } from 'node:fs/promises'
import { hostname } from 'node:os'
import type { Config } from '../config.ts'
import type { Engine } from '../engine/engine.ts'
import type { LaneStatus } from '../engine/lane-options.ts'
import { uploadsUnderWay } from '../http/body/uploads-under-way.ts'
import { watchLongestDelay } from '../http/observability/event-loop-delay.ts'
import type { Metrics } from '../http/observability/metrics.ts'
import type { Ingest } from '../ingest/ingest.ts'
import type { EnterpriseFigures } from '../monitoring/enterprise-figures.ts'
import { type Monitor, startMonitor } from '../monitoring/monitor.ts'
import type { PartCheck, PartChecks } from '../monitoring/parts.ts'
import { watchProcesses } from '../monitoring/process-figures.ts'
import type { Clamd } from '../stores/clamd.ts'
import type { ClickHouse } from '../stores/clickhouse/client.ts'
import type { FileStore } from '../stores/files/client.ts'
import type { Postgres } from '../stores/postgres/client.ts'
import type { RedisClient } from '../stores/redis/client.ts'
import type { Host } from './host.ts'
import type { Stops } from './shutdown.ts'

export type MonitoredParts = {
  postgres: Postgres
  files: FileStore
  engine: Engine
  figures: EnterpriseFigures
  /** Undefined in a job worker, which takes no readings. */
  server:
    | {
        clickhouse: ClickHouse
        redis: RedisClient | undefined
        clamd: Clamd | undefined
        ingest: Ingest
        metrics: Metrics
      }
    | undefined
}

/** With a larger clock difference, readings appear to be in the future. */
const CLOCK_TOLERANCE_MS = 2_000
/** Below this multiple of the reserve, free space counts as degraded. */
const LITTLE_SPACE = 2
const MIB = 2 ** 20
const NO_READINGS = () => ({ accepted: 0, duplicates: 0, refused: 0 })

export async function openMonitor(host: Host, parts: MonitoredParts, stops: Stops): Promise<Monitor> {
  const { config, version, instanceId, warn } = host
  const { postgres, engine, server } = parts
  const diskOf = async (): Promise<{ freeBytes: number; totalBytes: number }> => {
    const { bavail, blocks, bsize } = await statfs(config.dataDir)
    return { freeBytes: bavail * bsize, totalBytes: blocks * bsize }
  }
  const monitor = await startMonitor({
    db: postgres.db,
    instance: {
      id: instanceId,
      name: nameOf(config, server !== undefined),
      version,
    },
    checks: checksOf(config, parts, async () => (await diskOf()).freeBytes),
    figures: watchProcesses(server?.metrics.totals ?? NO_READINGS, engine.report),
    longestDelay: watchLongestDelay(),
    disk: diskOf,
    ingest: server?.ingest.status,
    lanes: engine.report,
    uploads: uploadsUnderWay,
    beside: () => parts.figures.write(server?.ingest.readToday),
    onError: warn('the state of this process could not be written; this will be retried'),
  })
  stops.onStop('monitor', monitor.stop)
  return monitor
}

/** Display name of the process: the machine, and the number or role of the process on it. */
function nameOf(config: Config, isServer: boolean): string {
  const which = isServer ? (config.instance === 0 ? '' : ` #${config.instance}`) : ' jobs'
  return `${hostname()}${which}`
}

function checksOf(
  config: Config,
  { postgres, files, engine, server }: MonitoredParts,
  freeBytes: () => Promise<number>,
): PartChecks {
  const works =
    (check: () => Promise<unknown>): PartCheck =>
    async () => {
      await check()
      return undefined
    }
  const { clickhouse, redis, clamd, ingest } = server ?? {}
  return {
    postgres: works(() => postgres.ping()),
    ...(redis && { redis: works(() => redis.ping()) }),
    ...(clickhouse && { clickhouse: works(() => clickhouse.rows('SELECT 1 AS one')) }),
    files: works(() => files.ping()),
    ...(clamd && { scanner: works(() => clamd.ping()) }),
    ...(ingest && { ingest: ingestCheck(ingest) }),
    'workers-bun': laneCheck(engine, 'bun'),
    'workers-node': laneCheck(engine, 'node'),
    'workers-readings': laneCheck(engine, 'readings'),
    disk: async () => {
      const free = await freeBytes()
      const text = `${Math.floor(free / MIB)} MB are free; MIN_FREE_DISK_MB is ${config.minFreeDiskBytes / MIB}`
      if (free < config.minFreeDiskBytes) throw new Error(text)
      return free < config.minFreeDiskBytes * LITTLE_SPACE ? text : undefined
    },
    clock: async () => {
      const beforeMs = Date.now()
      const databaseMs = await postgres.clockMs()
      const afterMs = Date.now()
      // the store read its clock somewhere between request and answer
      const offsetMs = Math.max(beforeMs - databaseMs, databaseMs - afterMs, 0)
      if (offsetMs > CLOCK_TOLERANCE_MS)
        return `the clocks of this machine and of PostgreSQL differ by ${(offsetMs / 1000).toFixed(1)} s`
      return undefined
    },
  }
}

function ingestCheck(ingest: Ingest): PartCheck {
  return async () => {
    const { takesMore, loading, lagSeconds } = ingest.status()
    if (!takesMore) throw new Error('the log has reached LOG_CEILING_MB, so readings are refused')
    if (loading !== 'ok')
      return `readings wait in the log for ClickHouse, the oldest for ${Math.round(lagSeconds)} s; none is lost`
    return undefined
  }
}

function laneCheck(engine: Engine, lane: 'bun' | 'node' | 'readings'): PartCheck {
  return async () => {
    const status: (LaneStatus & { reason?: string }) | undefined = engine.status()[lane]
    // the lane for readings starts with the first zone rule
    if (status === undefined) return undefined
    const { available, failing, reason } = status
    if (failing) throw new Error('worker processes fail to start')
    return available ? undefined : (reason ?? 'the program that runs these tools is not available')
  }
}
