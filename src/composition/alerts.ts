/** Judging of stored readings by alert rules, and its order beside the check of zones. */
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type AlertChecks, type AlertObserver, createAlertChecks, type Judging } from '../alerts/checks.ts'
import { openDowntimes } from '../alerts/downtimes.ts'
import { openSharedChecks } from '../alerts/instances/instances.ts'
import type { JudgingParts } from '../alerts/instances/tenure.ts'
import { createJudgedResults } from '../alerts/judged-results.ts'
import { createLateJudging } from '../alerts/late.ts'
import { openRetainedSegments } from '../alerts/retained-segments.ts'
import { createJudgedStates, type JudgedStates } from '../alerts/rule-states.ts'
import { createSpentDays } from '../alerts/spent-days.ts'
import type { StatesData, StatesInput } from '../alerts/states.ts'
import { createWatchFiles, type WatchFiles } from '../alerts/watch-files.ts'
import type { LoaderOptions, SegmentCheck } from '../ingest/loader.ts'
import type { RunDeps } from '../runs/deps.ts'
import { type Changes, createChanges } from '../stores/changes.ts'
import { usualIntervals } from '../stores/clickhouse/sensor-activity.ts'
import type { LayerFiles } from '../stores/layer-files.ts'
import { unfenced } from '../stores/postgres/alerts/alert-changes.ts'
import { forgetSharedJudging } from '../stores/postgres/alerts/judge-lease.ts'
import type { ZoneChecks } from '../zones/checks.ts'
import type { ServerHost } from './host.ts'
import { redisErrorLog } from './stores/instances.ts'
import type { Stores } from './stores/stores.ts'

/** Share of the log's size limit that segments of all instances may take that are still to be judged. */
const FEED_SHARE = 0.5
/** Share of it that segments may take while judging yields to ingestion; answers are delayed from twice of it on. */
const YIELD_SHARE = 0.25

export async function openAlertChecks(
  host: ServerHost,
  stores: Stores,
  runs: RunDeps,
  layerFiles: LayerFiles,
  isBusy: () => boolean,
): Promise<{ alertChecks: AlertChecks; judgedStates: JudgedStates }> {
  const { config, instanceId, shutdown, warn } = host
  const { db, clickhouse, changes, membership } = stores
  const { signal } = new AbortController()
  const watch = createWatchFiles(db, changes, (enterprises, sensors) =>
    usualIntervals(clickhouse, enterprises, sensors, signal),
  )
  const start = (parts: JudgingParts, announced: Changes): Judging =>
    startJudging(host, stores, runs, layerFiles, watch, parts, announced, isBusy)
  const { engine, scratchDir } = runs
  const ownStates = createJudgedStates({ engine, scratchDir, timeoutMs: config.toolTimeoutMs })
  const dir = join(config.logDir, 'alerts')
  if (membership === undefined) {
    // it may have been one of several
    if (config.postgresUrl !== undefined) await forgetSharedJudging(db)
    const retained = await openRetainedSegments(dir)
    const downtimes = await openDowntimes(dir, warn('the heartbeat of alert rules could not be written'))
    const checks = start({ retained, downtimes, fence: unfenced }, changes)
    shutdown.onStop('alert rules', checks.stop)
    return { alertChecks: checks, judgedStates: ownStates }
  }
  // what this server judged while it was the only one
  await rm(dir, { recursive: true, force: true })
  let ofTenure = createChanges()
  changes.subscribe((change) => ofTenure.receive(change))
  const checks = await openSharedChecks({
    db,
    instanceId,
    watch,
    scratchDir,
    mostUnjudgedBytes: config.logCeilingBytes * FEED_SHARE,
    failed: observerOf(host).failed,
    startJudging(parts) {
      ofTenure = createChanges()
      return start(parts, ofTenure)
    },
  })
  shutdown.onStop('alert rules', checks.stop)
  const { messages } = membership
  messages.answerQuestions(async (content) => {
    const { rule, sensors } = content as StatesInput
    return checks.isJudge() ? ownStates(rule, sensors) : undefined
  })
  const judgedStates: JudgedStates = async (rule, sensors) => {
    if (checks.isJudge()) return ownStates(rule, sensors)
    const question: StatesInput = { rule, sensors }
    // without Redis, what is stored is known
    const answer = await messages.ask(question).catch(redisErrorLog(host.logger))
    return (answer ?? []) as StatesData['states']
  }
  return { alertChecks: checks, judgedStates }
}

function startJudging(
  host: ServerHost,
  { db, clickhouse, changes }: Stores,
  { engine, scratchDir }: RunDeps,
  layerFiles: LayerFiles,
  watch: WatchFiles,
  { retained, downtimes, fence }: JudgingParts,
  announced: Changes,
  isBusy: () => boolean,
): Judging {
  const { config, logger } = host
  const timeoutMs = config.toolTimeoutMs
  const results = createJudgedResults(db, clickhouse, changes, (spans) => late.judge(spans), fence)
  const warnOfLate = host.warn('late readings could not be judged by alert rules; this will be retried')
  const late = createLateJudging({
    db,
    clickhouse,
    engine,
    layerFiles,
    scratchDir,
    timeoutMs,
    store: results.changes,
    observer: {
      failed: (error, attempt) => warnOfLate(error, { attempt }),
      gaveUp: (spans) => logger.error({ spans }, 'gave up judging late readings by alert rules; alerts may be missing'),
    },
  })
  const checks = createAlertChecks({
    db,
    changes: announced,
    engine,
    layerFiles,
    scratchDir,
    timeoutMs,
    retained,
    downtimes,
    spentDays: createSpentDays(db),
    watch,
    results,
    isBusy,
    yieldBytes: config.logCeilingBytes * YIELD_SHARE,
    observer: observerOf(host),
  })
  return {
    ...checks,
    async stop() {
      await checks.stop()
      late.stop()
    },
  }
}

function observerOf({ logger, metrics, warn }: ServerHost): AlertObserver {
  const warnOf = warn('readings could not be judged by alert rules; this will be retried')
  return {
    judged: metrics.alertsJudged,
    failed: (error, attempt) => warnOf(error, { attempt }),
    gaveUp: (what) => logger.error({ what }, 'gave up judging readings by alert rules; alerts may be missing'),
  }
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
      // the loader, which awaits the check, reports its failure
      previous = checking.catch(() => undefined)
      return checking
    }
  }
}
