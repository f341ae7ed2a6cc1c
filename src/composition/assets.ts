/** Services on stored readings: names, rollups and retention in ClickHouse, the live layer, zone rules. */
import type { Logger } from 'pino'
import { createMemoryRateWindows } from '../access/rate-windows.ts'
import { startActivity } from '../analytics/fleet/activity.ts'
import { createFleetIndexes } from '../analytics/fleet/fleet-index.ts'
import { createReceipts } from '../analytics/fleet/receipts.ts'
import { createSensorIndexes } from '../analytics/fleet/sensor-index.ts'
import { startSensorRhythms } from '../analytics/fleet/sensor-rhythms.ts'
import { createLiveStreams } from '../analytics/stream/live-stream.ts'
import { createReadingTail } from '../analytics/stream/reading-tail.ts'
import type { Config } from '../config.ts'
import type { Metrics } from '../http/observability/metrics.ts'
import type { Ingest } from '../ingest/ingest.ts'
import { createCrsCatalogue } from '../intake/crs-catalogue.ts'
import type { RunDeps } from '../runs/deps.ts'
import type { Changes } from '../stores/changes.ts'
import type { ClickHouse } from '../stores/clickhouse/client.ts'
import { type ReadingDeletions, startReadingDeletions } from '../stores/clickhouse/maintenance/deletions.ts'
import { type RetentionRecords, startRetention } from '../stores/clickhouse/maintenance/retention.ts'
import { type Rollups, startRollups } from '../stores/clickhouse/maintenance/rollups.ts'
import { startNameSync } from '../stores/clickhouse/names.ts'
import type { LayerFiles } from '../stores/layer-files.ts'
import type { Database } from '../stores/postgres/client.ts'
import { beginDeletion, endDeletion, listRetentions, whileDeleting } from '../stores/postgres/sensors/retentions.ts'
import { createZoneChecks } from '../zones/checks.ts'
import { createZoneRules } from '../zones/rules.ts'
import { createFindInside } from '../zones/sensors-inside.ts'
import type { Membership } from './stores/instances.ts'
import { assetsLimits } from './limits.ts'

export type AssetsParts = {
  runs: RunDeps
  clickhouse: ClickHouse
  layerFiles: LayerFiles
  metrics: Metrics
}

export function openAssets(config: Config, { runs, clickhouse, layerFiles, metrics }: AssetsParts, logger: Logger) {
  const { db, changes, engine, scratchDir } = runs
  const warn = (text: string) => (error: unknown) => logger.warn({ err: error }, text)
  const onNamesError = warn('names of sensors and channels could not be written to ClickHouse; this will be retried')
  const names = startNameSync(db, clickhouse, changes, onNamesError)
  const onRetentionError = warn('retention could not be applied to stored rows; this will be retried')
  const retention = startRetention(
    retentionRecords(db, changes, config.retentionGraceMs),
    clickhouse,
    changes,
    onRetentionError,
  )
  const sensorIndexes = createSensorIndexes(db, changes)
  const onLiveError = warn('the live layer could not be updated; this will be retried')
  const fleets = createFleetIndexes(db, clickhouse, changes)
  const tail = createReadingTail()
  const liveStreams = createLiveStreams({
    db,
    clickhouse,
    sensorIndexes,
    fleets,
    tail,
    changes,
    maxStreams: config.assetsStreams,
    isShared: config.redisUrl !== undefined,
    onError: onLiveError,
  })
  const onActivityError = warn('what sensors send could not be counted; states and refusals may be incomplete')
  const activity = startActivity(clickhouse, onActivityError)
  const rhythms = startSensorRhythms(clickhouse, onActivityError)
  const receipts = createReceipts({ activity, rhythms, tail })
  const zoneRules = createZoneRules(db, changes)
  const findInside = createFindInside({
    db,
    clickhouse,
    engine,
    layerFiles,
    scratchDir,
    timeoutMs: config.toolTimeoutMs,
  })
  const zoneChecks = createZoneChecks({
    db,
    clickhouse,
    changes,
    engine,
    layerFiles,
    scratchDir,
    timeoutMs: config.toolTimeoutMs,
    isShared: config.redisUrl !== undefined,
    observer: {
      checked: metrics.zonesChecked,
      failed: (error, { id }, attempt) =>
        logger.warn(
          { err: error, segment: id, attempt },
          'readings could not be checked against zone rules; this will be retried',
        ),
      gaveUp: ({ id }) =>
        logger.error({ segment: id }, 'gave up checking a segment against zone rules; its readings produce no events'),
    },
  })
  const onExportError = warn('an export was interrupted by an error')
  const limits = assetsLimits(config)
  // each instance counts for itself, so that queries are answered while Redis is down
  const windows = createMemoryRateWindows(async () => [])
  return {
    names,
    retention,
    limits,
    windows,
    sensorIndexes,
    fleets,
    liveStreams,
    zoneRules,
    zoneChecks,
    onExportError,
    findInside,
    receipts,
    crs: createCrsCatalogue({ engine, scratchDir, timeoutMs: config.toolTimeoutMs }),
    async stopCounting() {
      await Promise.all([activity.stop(), rhythms.stop()])
    },
  }
}

function retentionRecords(db: Database, changes: Changes, graceMs: number): RetentionRecords {
  return {
    list: () => listRetentions(db, graceMs),
    begin: (enterprises) => beginDeletion(db, enterprises, graceMs),
    whileDeleting: (work) => whileDeleting(db, work),
    async end(enterprises) {
      for (const id of await endDeletion(db, enterprises)) await changes.publish({ kind: 'enterprise', id })
    },
  }
}

/** Resolves once every reading that any instance has accepted is in ClickHouse. */
export const loadedOf =
  (membership: Membership | undefined, ingest: Ingest): (() => Promise<void>) =>
  () =>
    membership?.messages.loadedEverywhere() ?? ingest.flush()

/** Deletions see every reading that any instance accepted before them. */
export function openReadingDeletions(
  stores: { db: Database; clickhouse: ClickHouse; changes: Changes },
  loadedEverywhere: () => Promise<void>,
  logger: Logger,
): ReadingDeletions {
  return startReadingDeletions(stores, loadedEverywhere, {
    onDone: ({ id, enterpriseId, sensorId }) =>
      logger.info({ deletion: id, enterprise: enterpriseId, sensor: sensorId }, 'readings deleted'),
    onError: (error) => logger.warn({ err: error }, 'readings could not be deleted; this will be retried'),
  })
}

/** Rollups yield to ingestion while more than a whole segment waits. */
export function openRollups(config: Config, clickhouse: ClickHouse, ingest: Ingest, logger: Logger): Rollups {
  const onError = (error: unknown): void =>
    logger.warn({ err: error }, 'rollups could not be updated; this will be retried')
  return startRollups(clickhouse, onError, {
    isBusy: () => ingest.status().bytesWaiting > config.segmentBytes,
    isShared: config.redisUrl !== undefined,
  })
}
