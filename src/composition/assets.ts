/** Queries of readings, live streams and alert rules. */

import { createMemoryRateWindows } from '../access/rate-windows.ts'
import { createPreviewRule } from '../alerts/previews.ts'
import { createRuleStates } from '../alerts/rule-states.ts'
import { createRules } from '../alerts/rules.ts'
import { createFleetIndexes } from '../analytics/fleet/fleet-index.ts'
import { createSensorIndexes } from '../analytics/fleet/sensor-index.ts'
import { createLiveStreams } from '../analytics/stream/live-stream.ts'
import { createEventPull } from '../destinations/event-pull.ts'
import { createCrsCatalogue } from '../intake/crs-catalogue.ts'
import type { RunDeps } from '../runs/deps.ts'
import type { LayerFiles } from '../stores/layer-files.ts'
import type { AssetsSurfaceDeps } from '../surfaces/assets/asset-routes.ts'
import { createFindInside } from '../zones/sensors-inside.ts'
import type { Callers } from './callers.ts'
import { publicAddress, type ServerHost } from './host.ts'
import type { Ingestion } from './ingest.ts'
import { assetsLimits, recordBody } from './limits.ts'
import type { Stops } from './shutdown.ts'
import type { Stores } from './stores/stores.ts'

export type AssetsNeeds = {
  runs: RunDeps
  callers: Callers
  ingestion: Ingestion
  layerFiles: LayerFiles
}

export function openAssets(
  { config, warn }: ServerHost,
  { db, clickhouse, changes }: Stores,
  { runs, callers, ingestion, layerFiles }: AssetsNeeds,
  stops: Stops,
): AssetsSurfaceDeps {
  const { engine, scratchDir } = runs
  const { gate, ingest, tail, uploadAudit, body } = ingestion
  const timeoutMs = config.toolTimeoutMs
  const fleets = createFleetIndexes(db, clickhouse, changes)
  const sensorIndexes = createSensorIndexes(fleets)
  const liveStreams = createLiveStreams({
    db,
    clickhouse,
    sensorIndexes,
    fleets,
    tail,
    changes,
    maxStreams: config.assetsStreams,
    isShared: config.redisUrl !== undefined,
    onError: warn('the live layer could not be updated; this will be retried'),
  })
  stops.onStop('live streams', liveStreams.stop)
  const events = createEventPull(db, publicAddress(config))
  stops.onStop('waiting for events', events.stop)
  return {
    db,
    clickhouse,
    organizations: callers.organizations,
    sensorIndexes,
    fleets,
    liveStreams,
    // each instance counts for itself, so that queries are answered while Redis is down
    windows: createMemoryRateWindows(async () => []),
    limits: assetsLimits(config),
    onExportError: warn('an export was interrupted by an error'),
    ruleStates: createRuleStates(db, ingestion.judgedStates),
    rules: createRules(db, changes),
    previewRule: createPreviewRule({ db, clickhouse, engine, layerFiles, scratchDir, timeoutMs }),
    findInside: createFindInside({ db, clickhouse, engine, layerFiles, scratchDir, timeoutMs }),
    crs: createCrsCatalogue({ engine, scratchDir, timeoutMs }),
    uploads: { gate, ingest, audit: uploadAudit, body },
    recordBody: recordBody(config),
    failures: callers.failures,
    idempotency: callers.idempotency.ofRecords,
    events,
  }
}
