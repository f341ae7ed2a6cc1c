/** Ingestion: the sensor gate, the log of readings, its loader into ClickHouse, and what is checked and counted beside it. */
import type { Logger } from 'pino'
import { gateKeyOf } from '../access/keys/gate-keys.ts'
import { limitsOf } from '../access/plans.ts'
import { createSensorGate, type SensorGate } from '../access/sensor-gate.ts'
import { startUploadAudit } from '../access/upload-audit.ts'
import type { AlertChecks } from '../alerts/checks.ts'
import { startActivity } from '../analytics/fleet/activity.ts'
import { createReceipts, type Receipts } from '../analytics/fleet/receipts.ts'
import { startSensorRhythms } from '../analytics/fleet/sensor-rhythms.ts'
import { createReadingTail, type ReadingTail } from '../analytics/stream/reading-tail.ts'
import type { Config } from '../config.ts'
import type { Metrics } from '../http/observability/metrics.ts'
import { type SensorProfile, sensorProfile } from '../ingest/batch.ts'
import { type Ingest, type IngestObserver, type IngestOptions, openIngest, type SharedParts } from '../ingest/ingest.ts'
import { createWriteLines } from '../ingest/line-protocol/write-lines.ts'
import { createAcceptMany } from '../ingest/many.ts'
import { startReadingDays } from '../ingest/reading-days.ts'
import { createRedisDedup } from '../ingest/redis-dedup.ts'
import { ROW_STRUCTURE } from '../ingest/row.ts'
import { shareDayCounts } from '../ingest/shared-day-counts.ts'
import type { RunDeps } from '../runs/deps.ts'
import type { ClickHouse } from '../stores/clickhouse/client.ts'
import {
  allNewestTimes,
  newestTimes,
  storedTimes,
  storedTimesBetween,
  storeSegmentFile,
} from '../stores/clickhouse/readings.ts'
import { storedValues } from '../stores/clickhouse/stored-values.ts'
import type { LayerFiles } from '../stores/layer-files.ts'
import type { Database } from '../stores/postgres/client.ts'
import { findSensorsForIngest, type IngestRecord, sensorIdsAfter } from '../stores/postgres/sensors/sensors.ts'
import { createClaimKeys } from '../stores/redis/claims.ts'
import { createDayKeys } from '../stores/redis/day-counts.ts'
import { keptDaysOfNewRows } from '../stores/retention.ts'
import { createZoneChecks, type ZoneChecks } from '../zones/checks.ts'
import { checkInOrder, openAlertChecks } from './alerts.ts'
import type { Callers } from './callers.ts'
import { openFleet } from './gateway/fleet.ts'
import type { ServerHost } from './host.ts'
import { manyBody, sensorBody } from './limits.ts'
import { type Membership, redisErrorLog } from './stores/instances.ts'
import type { Stores } from './stores/stores.ts'

export type Ingestion = Awaited<ReturnType<typeof openIngestion>>

export type IngestionNeeds = { runs: RunDeps; callers: Callers; layerFiles: LayerFiles }

/** Also recovers and loads the log of an earlier process. */
export async function openIngestion(host: ServerHost, stores: Stores, { runs, callers, layerFiles }: IngestionNeeds) {
  const { config, instanceId, shutdown, warn } = host
  const { db } = stores
  const zoneChecks = openZoneChecks(host, stores, runs, layerFiles)
  let ingest: Ingest | undefined
  // it is opened after the checks of what it stores
  const isBusy = (): boolean => ingest?.isBusy() ?? false
  const { alertChecks, judgedStates } = await openAlertChecks(host, stores, runs, layerFiles, isBusy)
  const { receipts, tail } = openReceipts(host, stores)
  const gate = openSensorGate(config, stores, callers, receipts)
  const fleet = openFleet(host, stores, callers, gate, receipts)
  ingest = receipts.watch(await openIngest(ingestOptions(host, stores, zoneChecks, alertChecks)))
  shutdown.onStop('ingestion', ingest.stop)

  // each writes its last counts, and waits for PostgreSQL
  const counters = shutdown.together()
  const uploadAudit = startUploadAudit(db, warn('an upload of readings could not be written to the audit log'))
  counters.onStop('audit of uploaded readings', uploadAudit.stop)
  const readingDays = startReadingDays(
    db,
    instanceId,
    ingest.takeChangedCounts,
    warn('readings per day could not be written; this will be retried'),
  )
  counters.onStop('readings of each day', readingDays.stop)
  const acceptMany = createAcceptMany(ingest)
  /** Resolves once every reading that any instance has accepted is in ClickHouse. */
  const loadedEverywhere = (): Promise<void> => stores.membership?.messages.loadedEverywhere() ?? ingest.flush()
  return {
    gate,
    fleetGate: fleet.gate,
    fleetNotes: fleet.notes,
    ingest,
    tail,
    uploadAudit,
    acceptMany,
    writeLines: createWriteLines({
      acceptMany,
      // the values of a reading in the log of a missing instance are not known, and would be a contradiction
      loadedEverywhere: () => stores.membership?.messages.loadedByAll() ?? ingest.flush(),
      storedValues: (wanted) => storedValues(stores.clickhouse, wanted),
    }),
    body: sensorBody(config),
    manyBody: manyBody(config),
    alertChecks,
    judgedStates,
    loadedEverywhere,
    /** Writes the pending counts of readings and of applications, so that queries include them. */
    async flushCounts(): Promise<void> {
      await Promise.all([callers.flushCounts(), readingDays.flush()])
    },
  }
}

/** What is noted of received readings: states and refusals of sensors, and readings for live streams. */
function openReceipts(
  { shutdown, warn }: ServerHost,
  { clickhouse }: Stores,
): { receipts: Receipts; tail: ReadingTail } {
  const onError = warn('what sensors send could not be counted; states and refusals may be incomplete')
  const counters = shutdown.together()
  const activity = startActivity(clickhouse, onError)
  counters.onStop('activity of sensors', activity.stop)
  const rhythms = startSensorRhythms(clickhouse, onError)
  counters.onStop('rhythms of sensors', rhythms.stop)
  const tail = createReadingTail()
  return { receipts: createReceipts({ activity, rhythms, tail }), tail }
}

function openZoneChecks(
  { config, logger, metrics, shutdown }: ServerHost,
  { db, clickhouse, changes }: Stores,
  { engine, scratchDir }: RunDeps,
  layerFiles: LayerFiles,
): ZoneChecks {
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
  shutdown.onStop('zone checks', zoneChecks.stop)
  return zoneChecks
}

function ingestOptions(
  { config, logger, metrics }: ServerHost,
  { clickhouse, membership }: Stores,
  zoneChecks: ZoneChecks,
  alertChecks: AlertChecks,
): IngestOptions {
  return {
    dir: config.logDir,
    segmentBytes: config.segmentBytes,
    ceilingBytes: config.logCeilingBytes,
    claimsBytes: config.claimsBytes,
    shared: membership && sharedParts(config, clickhouse, membership, logger),
    loadIntervalMs: config.loadIntervalMs,
    lookupTimeoutMs: config.lookupTimeoutMs,
    ackAfterLoad: config.ack === 'clickhouse',
    stored: {
      newestTimes: (sensors) => newestTimes(clickhouse, sensors),
      allNewestTimes: () => allNewestTimes(clickhouse),
      storedTimes: (sensor, times) => storedTimes(clickhouse, sensor, times),
    },
    storeSegment: (segment, token) => storeSegmentFile(clickhouse, segment, ROW_STRUCTURE, token),
    beforeStore: checkInOrder(zoneChecks, alertChecks),
    unjudgedBytes: alertChecks.unjudgedBytes,
    observer: observerOf(metrics, logger),
  }
}

function openSensorGate(
  config: Config,
  { db, membership, changes }: Stores,
  { failures, keyUse }: Callers,
  receipts: Receipts,
): SensorGate<SensorProfile> {
  const gate = createSensorGate<SensorProfile>({
    find: (sensorIds) => findSensorFacts(db, sensorIds),
    idsAfter: (enterpriseId, sensorId, limit) => sensorIdsAfter(db, enterpriseId, sensorId, limit),
    failures,
    onKeyUse: (keyId, nowMs) => keyUse.note('sensor-key', keyId, nowMs),
    onRefused: receipts.refusedKey,
    assetsLicensed: config.licenseFeatures.includes('assets'),
    callsPerMinute: membership ? Number.POSITIVE_INFINITY : config.sensorCallsPerMinute,
  })
  changes.subscribe((change) => {
    if (change.kind === 'sensor') gate.invalidateSensor(change.id)
    if (change.kind === 'enterprise') gate.invalidateEnterprise(change.id)
    if (change.kind === 'tiers' || change.kind === 'missed') gate.invalidateAll()
  })
  return gate
}

async function findSensorFacts(db: Database, sensorIds: readonly string[]) {
  const found = await findSensorsForIngest(db, sensorIds)
  return new Map([...found].map(([id, record]) => [id, factsOf(record)]))
}

function factsOf({ sensor, enterprise, tier, retention, refills, channels, keys }: IngestRecord) {
  const limits = limitsOf(enterprise, tier, retention)
  const storage = {
    keepDays: keptDaysOfNewRows(limits.retentionDays, retention),
    extensions: (retention?.extensions ?? 0) + (refills?.count ?? 0),
    deletedBeforeMs: Math.max(
      retention?.deletedBefore?.getTime() ?? Number.NEGATIVE_INFINITY,
      refills?.before.getTime() ?? Number.NEGATIVE_INFINITY,
    ),
  }
  return {
    sensorId: sensor.id,
    enterpriseId: enterprise.id,
    externalId: sensor.externalId,
    tags: sensor.tags,
    keys: keys.map(gateKeyOf),
    enabled: sensor.enabled,
    held: sensor.held,
    assetsHeld: enterprise.assetsHeld,
    enterpriseActive: enterprise.status === 'active',
    readingsPerDay: limits.readingsPerDay,
    profile: sensorProfile(enterprise.number, sensor.number, limits.retentionDays, channels, storage),
  }
}

/** Dedup and daily counts in Redis. */
function sharedParts(
  config: Config,
  clickhouse: ClickHouse,
  { redis, instanceId, messages }: Membership,
  logger: Logger,
): SharedParts {
  return {
    dedup(flush) {
      messages.answerFlush(flush)
      return createRedisDedup({
        instanceId,
        keys: createClaimKeys(redis, { ttlMs: config.claimsKeepMs, lockMs: config.lookupTimeoutMs + 4_000 }),
        stored: {
          newestTimes: (sensors) => newestTimes(clickhouse, sensors),
          storedTimes: (sensor, times) => storedTimes(clickhouse, sensor, times),
          storedTimesBetween: (sensor, fromMs, toMs) => storedTimesBetween(clickhouse, sensor, fromMs, toMs),
          loadedEverywhere: (sensor) => messages.loadedEverywhere(sensor),
          loadedByAll: (sensor) => messages.loadedByAll(sensor),
          loadedBeforeMemory: (sensors) => messages.loadedBeforeMemory(sensors),
        },
        callsPerMinute: config.sensorCallsPerMinute,
        patienceMs: config.lookupTimeoutMs * 0.6,
      })
    },
    counts: (own) => shareDayCounts(own, createDayKeys(redis, instanceId), redisErrorLog(logger)),
  }
}

function observerOf(metrics: Metrics, logger: Logger): IngestObserver {
  return {
    outcome: metrics.outcome,
    refused: metrics.refused,
    segmentStored(segment, durationMs) {
      metrics.segmentStored(segment.rows, durationMs)
      logger.debug({ segment: segment.id, rows: segment.rows, durationMs }, 'segment stored')
    },
    segmentDamaged: (copy, intactBytes) =>
      logger.error(
        { copy, intactBytes },
        'a segment of the log is damaged: readings after its intact bytes may be lost',
      ),
    walFailed(error) {
      metrics.walFailed()
      logger.error({ err: error }, 'writing to the write-ahead log failed')
    },
    loadFailed(error, segment, attempt) {
      metrics.loadFailed()
      logger.error(
        { err: error, segment: segment.id, attempt },
        'ClickHouse did not store a segment; the segment is kept and retried',
      )
    },
  }
}
