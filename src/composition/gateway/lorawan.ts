/** What webhooks of LoRaWAN network servers need. */
import type { FleetGate } from '../../access/fleet-gate.ts'
import type { SensorProfile } from '../../ingest/batch.ts'
import { noteDeviceEvent } from '../../stores/postgres/sensors/device-events.ts'
import { firstTimeOf } from '../../stores/postgres/sensors/device-frames.ts'
import type { LorawanDeps } from '../../surfaces/sensors/lorawan-routes.ts'
import type { ServerHost } from '../host.ts'
import type { Stores } from '../stores/stores.ts'

export const openLorawan = (
  { warn }: ServerHost,
  { db }: Stores,
  { fleetGate, ingest, body }: { fleetGate: FleetGate<SensorProfile> } & Pick<LorawanDeps, 'ingest' | 'body'>,
): LorawanDeps => ({
  fleet: fleetGate,
  ingest,
  body,
  firstTimeOf: (frame) => firstTimeOf(db, frame),
  noteEvent: (sensorId, event) => noteDeviceEvent(db, sensorId, event),
  onError: warn('the first copy of a frame could not be looked up; a further copy may be stored twice'),
})
