/** Ingestion: the sensor gate, the log of readings, and the loader into ClickHouse. */
import type { Logger } from 'pino'
import { gateKeyOf } from '../access/keys/gate-keys.ts'
import type { KeyFailures } from '../access/keys/key-failures.ts'
import type { KeyUse } from '../access/keys/key-use.ts'
import { limitsOf } from '../access/plans.ts'
import { createSensorGate } from '../access/sensor-gate.ts'
import type { Receipts } from '../analytics/fleet/receipts.ts'
import type { Config } from '../config.ts'
import type { Metrics } from '../http/observability/metrics.ts'
import { type SensorProfile, sensorProfile } from '../ingest/batch.ts'
import { type IngestObserver, openIngest, type SharedParts } from '../ingest/ingest.ts'
import { createRedisDedup } from '../ingest/redis-dedup.ts'
import { ROW_STRUCTURE } from '../ingest/row.ts'
import { shareDayCounts } from '../ingest/shared-day-counts.ts'
import type { Changes } from '../stores/changes.ts'
import type { ClickHouse } from '../stores/clickhouse/client.ts'
import {
  allNewestTimes,
  newestTimes,
  storedTimes,
  storedTimesBetween,
  storeSegmentFile,
} from '../stores/clickhouse/readings.ts'
import type { Database } from '../stores/postgres/client.ts'
import { findSensorsForIngest, type IngestRecord, sensorIdsAfter } from '../stores/postgres/sensors/sensors.ts'
import { createClaimKeys } from '../stores/redis/claims.ts'
import { createDayKeys } from '../stores/redis/day-counts.ts'
import type { ZoneChecks } from '../zones/checks.ts'
import { type Membership, redisErrorLog } from './stores/instances.ts'

export type IngestParts = {
  db: Database
  clickhouse: ClickHouse
  membership: Membership | undefined
  changes: Changes
  zoneChecks: ZoneChecks
  metrics: Metrics
}

/** Also recovers and loads the log of an earlier process. */
export function openIngestion(config: Config, parts: IngestParts, logger: Logger) {
  const { clickhouse, membership, zoneChecks, metrics } = parts
  return openIngest({
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
    beforeStore: (segment) => zoneChecks.beforeStore(segment),
    observer: observerOf(metrics, logger),
  })
}

export function openSensorGate(
  config: Config,
  { db, membership, changes }: IngestParts,
  failures: KeyFailures,
  keyUse: KeyUse,
  receipts: Receipts,
) {
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
    // new rows get the retention of existing ones, so that a shorter retention can be undone
    keepDays:
      retention?.isDeleting === true ? retention.keptDays : Math.max(limits.retentionDays, retention?.keptDays ?? 0),
    extensions: (retention?.extensions ?? 0) + (refills?.count ?? 0),
    deletedBeforeMs: Math.max(
      retention?.deletedBefore?.getTime() ?? Number.NEGATIVE_INFINITY,
      refills?.before.getTime() ?? Number.NEGATIVE_INFINITY,
    ),
  }
  return {
    enterpriseId: enterprise.id,
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
        keys: createClaimKeys(redis),
        stored: {
          newestTimes: (sensors) => newestTimes(clickhouse, sensors),
          storedTimes: (sensor, times) => storedTimes(clickhouse, sensor, times),
          storedTimesBetween: (sensor, fromMs, toMs) => storedTimesBetween(clickhouse, sensor, fromMs, toMs),
          loadedEverywhere: (sensor) => messages.loadedEverywhere(sensor),
          loadedBeforeMemory: (sensors) => messages.loadedBeforeMemory(sensors),
        },
        callsPerMinute: config.sensorCallsPerMinute,
        ttlMs: config.claimsKeepMs,
        lockMs: config.lookupTimeoutMs + 4_000,
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
