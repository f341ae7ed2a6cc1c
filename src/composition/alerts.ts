/** Judging of stored readings by alert rules, and its order beside the check of zones. */
import { join } from 'node:path'
import { type AlertChecks, createAlertChecks } from '../alerts/checks.ts'
import { openDowntimes } from '../alerts/downtimes.ts'
import { createJudgedResults } from '../alerts/judged-results.ts'
import { createLateJudging } from '../alerts/late.ts'
import { openRetainedSegments } from '../alerts/retained-segments.ts'
import { createWatchFiles } from '../alerts/watch-files.ts'
import type { LoaderOptions, SegmentCheck } from '../ingest/loader.ts'
import type { RunDeps } from '../runs/deps.ts'
import type { LayerFiles } from '../stores/layer-files.ts'
import type { ZoneChecks } from '../zones/checks.ts'
import type { ServerHost } from './host.ts'
import type { Stores } from './stores/stores.ts'

const UNJUDGED =
  'REDIS_URL is set, so other servers may receive readings of the same sensors: this release judges no alert rules then'

/** One server would see a part of the readings, and find silences and ends that there are not. */
function unjudged(warn: () => void): AlertChecks {
  return {
    watches: async () => false,
    keep: async () => undefined,
    status: () => ({ segments: 0, bytes: 0, lagSeconds: 0 }),
    unjudgedBytes: () => 0,
    begin: warn,
    stop: async () => undefined,
  }
}

export async function openAlertChecks(
  { config, logger, metrics, shutdown, warn }: ServerHost,
  { db, clickhouse, changes }: Stores,
  { engine, scratchDir }: RunDeps,
  layerFiles: LayerFiles,
): Promise<AlertChecks> {
  if (config.redisUrl !== undefined) return unjudged(() => logger.warn(UNJUDGED))
  const dir = join(config.logDir, 'alerts')
  const retained = await openRetainedSegments(dir)
  const downtimes = await openDowntimes(dir, warn('the heartbeat of alert rules could not be written'))
  const results = createJudgedResults(db, clickhouse, changes, (spans) => late.judge(spans))
  const late = createLateJudging({
    db,
    clickhouse,
    engine,
    layerFiles,
    scratchDir,
    timeoutMs: config.toolTimeoutMs,
    store: results.changes,
    observer: {
      failed: (error, attempt) =>
        logger.warn({ err: error, attempt }, 'late readings could not be judged by alert rules; this will be retried'),
      gaveUp: (spans) => logger.error({ spans }, 'gave up judging late readings by alert rules; alerts may be missing'),
    },
  })
  shutdown.onStop('late readings of alert rules', late.stop)
  const checks = createAlertChecks({
    db,
    changes,
    engine,
    layerFiles,
    scratchDir,
    timeoutMs: config.toolTimeoutMs,
    retained,
    downtimes,
    watch: createWatchFiles(db, changes),
    results,
    observer: {
      judged: metrics.alertsJudged,
      failed: (error, attempt) =>
        logger.warn({ err: error, attempt }, 'readings could not be judged by alert rules; this will be retried'),
      gaveUp: (what) => logger.error({ what }, 'gave up judging readings by alert rules; alerts may be missing'),
    },
  })
  shutdown.onStop('alert rules', checks.stop)
  return checks
}

/** First the check of zones, then the alert rules, which take over the file. Segments stay in their order. */
export function checkInOrder(zoneChecks: ZoneChecks, alertChecks: AlertChecks): LoaderOptions['beforeStore'] {
  let previous: Promise<unknown> = Promise.resolve()
  return async (segment) => {
    const checkZones = await zoneChecks.beforeStore(segment)
    // if this fails, it is looked up after the segment is stored
    const isWatched = await alertChecks.watches(segment).catch(() => true)
    if (checkZones === undefined && !isWatched) return undefined
    const check: SegmentCheck = async (move) => {
      if (checkZones !== undefined && !(await checkZones())) return false
      if (isWatched) await alertChecks.keep(segment, move)
      return true
    }
    return (move) => {
      const checking = previous.then(() => check(move))
      previous = checking.catch(() => undefined)
      return checking
    }
  }
}
