/** The gate of fleet keys, and what it counts. */
import { createFleetNames } from '../../access/fleet/fleet-names.ts'
import { type FleetNotes, startFleetNotes } from '../../access/fleet/fleet-notes.ts'
import { createNewcomers } from '../../access/fleet/newcomers.ts'
import { createFleetGate, type FleetGate } from '../../access/fleet-gate.ts'
import type { SensorGate } from '../../access/sensor-gate.ts'
import type { Receipts } from '../../analytics/fleet/receipts.ts'
import { MAX_CHANNELS, type SensorProfile } from '../../ingest/batch.ts'
import { createSensor } from '../../stores/postgres/sensors/create-sensor.ts'
import {
  addPending,
  countMade,
  findByExternalId,
  findFleetSecret,
  pendingNames,
  writeFleetCounts,
} from '../../stores/postgres/sensors/fleet-senders.ts'
import type { Callers } from '../callers.ts'
import type { ServerHost } from '../host.ts'
import type { Stores } from '../stores/stores.ts'

export function openFleet(
  { config, shutdown, warn }: ServerHost,
  { db, changes }: Stores,
  { failures, keyUse, windows }: Callers,
  sensors: SensorGate<SensorProfile>,
  receipts: Receipts,
): { gate: FleetGate<SensorProfile>; notes: FleetNotes } {
  const notes = startFleetNotes(
    (counts) => writeFleetCounts(db, counts),
    warn('calls and refusals of fleet keys could not be written; this will be retried'),
  )
  shutdown.onStop('calls of fleet keys', notes.stop)
  const newcomers = createNewcomers({
    changes,
    maxChannels: MAX_CHANNELS,
    notes,
    pendingNames: (fleetKeyId) => pendingNames(db, fleetKeyId),
    addPending: (key, devices, limit, nowMs) => addPending(db, key, devices, limit, nowMs),
    countMade: (fleetKeyId, count, limit, day) => countMade(db, fleetKeyId, count, limit, day),
    async createSensor({ fleetKeyId, enterpriseId }, input) {
      const { id } = await createSensor(db, fleetKeyId, enterpriseId, input)
      await changes.publish({ kind: 'sensor', id, ownerId: enterpriseId, deleted: false })
    },
  })
  const gate = createFleetGate({
    findSecret: (keySha256) => findFleetSecret(db, keySha256),
    sensors,
    names: createFleetNames({ sensors, findByExternalId: (names) => findByExternalId(db, names) }),
    newcomers,
    notes,
    changes,
    failures,
    windows,
    onRefused: receipts.refusedKey,
    onKeyUse: (keyId, nowMs) => keyUse.note('fleet-key-secret', keyId, nowMs),
    assetsLicensed: config.licenseFeatures.includes('assets'),
    callsPerMinute: config.fleetCallsPerMinute,
  })
  return { gate, notes }
}
