/**
 * Decides whether a fleet key may send, and for which sensors. A fleet key sends for many sensors of an enterprise,
 * which a call names by id or external id.
 */
import type { Sender } from './sensor-gate.ts'

/** How senders of a key name sensors and channels, and what happens to names that the enterprise lacks. */
export type FleetKeySettings = {
  sensorTag?: string
  sensor?: string
  channelNames: 'field' | 'measurement.field'
  channelTags: string[]
  unknownChannels: 'refuse' | 'ignore'
  autoCreate: 'off' | 'pending' | 'on'
}

export type FleetTarget<Profile> =
  | { sensorId: string; profile: Profile; readingsPerDay: number }
  | { reason: 'SENSOR_UNKNOWN' | 'SENSOR_PENDING' | 'SENSOR_DISABLED' | 'SENSOR_HELD' }

/** `name`: the sensor as it was sent. */
export type FleetRefusal = { name?: string; reason: string; line?: number; detail?: string }

export type FleetCall<Profile> = {
  fleetKeyId: string
  enterpriseId: string
  settings: FleetKeySettings
  /**
   * The sensors with these names, each an id or an external id; every name is in the result.
   * @param sent the first reading of an unknown sensor, which is shown to those who approve it and gives it channels
   */
  targets(
    names: readonly string[],
    sent: (name: string) => unknown,
  ): Promise<ReadonlyMap<string, FleetTarget<Profile>>> | ReadonlyMap<string, FleetTarget<Profile>>
  /** The sensor with a DevEUI: an exact external id first, then without regard to case. */
  targetOfDevice(devEui: string, sent: unknown): Promise<FleetTarget<Profile>>
  /** Keeps refusals that belong to no sensor. */
  noteRefused(refusals: readonly FleetRefusal[], nowMs: number): void
}

export type FleetGate<Profile> = {
  /**
   * Returns the call of a fleet key. The key is the token of `Authorization` as Bearer or Token, or the password of
   * Basic.
   * @throws AppError SENSOR_KEY_INVALID; ASSETS_HELD, ASSETS_SUSPENDED, LICENSE_FEATURE_MISSING; SENSOR_RATE_LIMITED;
   *   KEY_FAILURES_LIMITED
   */
  admit(sender: Sender, nowMs: number): FleetCall<Profile> | Promise<FleetCall<Profile>>
}
