/** Work on stored readings, and on alerts: names for SQL, retention, rollups, and deletions on request. */

import type { Changes } from '../stores/changes.ts'
import { startReadingDeletions } from '../stores/clickhouse/maintenance/deletions.ts'
import { type RetentionRecords, startRetention } from '../stores/clickhouse/maintenance/retention.ts'
import { startRollups } from '../stores/clickhouse/maintenance/rollups.ts'
import { startNameSync } from '../stores/clickhouse/names.ts'
import { deleteOldAlerts } from '../stores/postgres/alerts/alert-retention.ts'
import type { Database } from '../stores/postgres/client.ts'
import { deleteOldDeliveries } from '../stores/postgres/destinations/deliveries.ts'
import { deleteOldOwnerMails } from '../stores/postgres/destinations/personal-mails.ts'
import { deleteOldEvents } from '../stores/postgres/events/events.ts'
import { beginDeletion, endDeletion, listRetentions, whileDeleting } from '../stores/postgres/sensors/retentions.ts'
import type { ServerHost } from './host.ts'
import type { Ingestion } from './ingest.ts'
import type { Stores } from './stores/stores.ts'

/** Names that were not written by then are written by the next start, so a lost ClickHouse is not waited for. */
const NAMES_DEADLINE_MS = 1_000
/** How often old alerts and events are deleted. */
const OLD_ALERTS_MS = 3_600_000

/** Each part stops after its running statement, so they stop at the same time. */
export function openStoredReadings(host: ServerHost, stores: Stores, { ingest, loadedEverywhere }: Ingestion): void {
  const { config, logger, shutdown, warn } = host
  const { db, clickhouse, changes } = stores
  const stops = shutdown.together()
  const names = startNameSync(
    db,
    clickhouse,
    changes,
    warn('names of sensors and channels could not be written to ClickHouse; this will be retried'),
  )
  stops.onStop('names of sensors', () => Promise.race([names.stop(), Bun.sleep(NAMES_DEADLINE_MS)]))
  const retention = startRetention(
    retentionRecords(db, changes, config.retentionGraceMs),
    clickhouse,
    changes,
    warn('retention could not be applied to stored rows; this will be retried'),
  )
  stops.onStop('retention', retention.stop)
  const onAlertsError = warn('old alerts or events could not be deleted; this will be retried')
  let isStopped = false
  let deleting: Promise<void> | undefined
  const deleteAlerts = (): void => {
    deleting = deleteOldAlerts(db, () => isStopped)
      .then(() => deleteOldEvents(db, () => isStopped))
      .then(() => deleteOldDeliveries(db, () => isStopped))
      .then(() => deleteOldOwnerMails(db))
      .catch(onAlertsError)
  }
  deleteAlerts()
  const timer = setInterval(deleteAlerts, OLD_ALERTS_MS)
  timer.unref()
  stops.onStop('retention of alerts and events', () => {
    isStopped = true
    clearInterval(timer)
    return deleting
  })
  // deletions see every reading that any instance accepted before them
  const deletions = startReadingDeletions(stores, loadedEverywhere, {
    onDone: ({ id, enterpriseId, sensorId }) =>
      logger.info({ deletion: id, enterprise: enterpriseId, sensor: sensorId }, 'readings deleted'),
    onError: warn('readings could not be deleted; this will be retried'),
  })
  stops.onStop('deletion of readings', deletions.stop)
  const rollups = startRollups(clickhouse, warn('rollups could not be updated; this will be retried'), {
    isBusy: ingest.isBusy,
    isShared: config.redisUrl !== undefined,
  })
  stops.onStop('rollups', rollups.stop)
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
