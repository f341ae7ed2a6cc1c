/**
 * Decides whether a fleet key may send, and for which sensors. A fleet key sends for many sensors of an enterprise,
 * which a call names by id or external id.
 */
import { AppError, type Code } from '../errors.ts'
import { createChangeCache } from '../stores/change-cache.ts'
import type { Changes } from '../stores/changes.ts'
import type { FleetSecret } from '../stores/postgres/sensors/fleet-senders.ts'
import type { FleetNames } from './fleet/fleet-names.ts'
import type { FleetNotes, FleetRefusal } from './fleet/fleet-notes.ts'
import type { Newcomers } from './fleet/newcomers.ts'
import { isStorableName } from './fleet/storable-name.ts'
import { type GateKey, gateKeyOf, opensWith } from './keys/gate-keys.ts'
import type { KeyFailures } from './keys/key-failures.ts'
import { isId, sha256Hex, tokenOfAnyScheme } from './keys/keys.ts'
import type { RateWindows } from './rate-windows.ts'
import type { Sender, SensorFacts, SensorGate } from './sensor-gate.ts'

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
  /**
   * The sensor with a DevEUI: an exact external id first, then without regard to case.
   * @param sent undefined for a message that is no reading: an unknown device then stays unknown
   */
  targetOfDevice(devEui: string, sent: unknown): Promise<FleetTarget<Profile>>
  /** Keeps refusals that belong to no sensor. */
  noteRefused(refusals: readonly FleetRefusal[], nowMs: number): void
}

export type FleetGate<Profile> = {
  /**
   * Returns the call of a fleet key. The key is the token of `Authorization` as Bearer or Token, or the password of
   * Basic.
   * @throws AppError SENSOR_KEY_INVALID; ASSETS_HELD, ASSETS_SUSPENDED, LICENSE_FEATURE_MISSING; RATE_LIMITED;
   *   KEY_FAILURES_LIMITED
   */
  admit(sender: Sender, nowMs: number): FleetCall<Profile> | Promise<FleetCall<Profile>>
}

export type FleetGateOptions<Profile> = {
  /** A secret that exists, also one that has ended. */
  findSecret(keySha256: string): Promise<FleetSecret | undefined>
  sensors: Pick<SensorGate<Profile>, 'peek' | 'find'>
  names: FleetNames<Profile>
  newcomers: Newcomers
  notes: Pick<FleetNotes, 'called' | 'refused'>
  changes: Changes
  failures: KeyFailures
  windows: RateWindows
  /** Called for each sensor that a call names and that may not send. */
  onRefused?(profile: Profile, code: Code, token: undefined, nowMs: number): void
  /** Called for each secret that is in use, once an hour. */
  onKeyUse(keyId: string, nowMs: number): void
  assetsLicensed: boolean
  callsPerMinute: number
}

const SHAPE = /^svcfl_[\w-]{43}$/
const MAX_CACHED_KEYS = 20_000
const MINUTE_MS = 60_000
/** Names that are looked up together: the thread must not be held. */
const TOGETHER = 500
const UNKNOWN = { reason: 'SENSOR_UNKNOWN' } as const

export function createFleetGate<Profile>(options: FleetGateOptions<Profile>): FleetGate<Profile> {
  type Facts = SensorFacts<Profile>
  type Target = FleetTarget<Profile>
  type Key = FleetSecret & { gateKey: GateKey }
  const { changes, names, newcomers, notes, sensors } = options
  const keys = createChangeCache({
    load: async (keySha256: string): Promise<Key | undefined> => {
      const found = await options.findSecret(keySha256)
      return found && { ...found, gateKey: gateKeyOf(found.secret) }
    },
    maxSize: MAX_CACHED_KEYS,
    invalidatedBy: {
      changes,
      kinds: ['fleet-key', 'enterprise', 'missed'],
      // keys that do not exist stay so, because each is new
      concerns: (ids, key) => key !== undefined && (ids.includes(key.fleetKeyId) || ids.includes(key.enterpriseId)),
    },
  })
  changes.subscribe((change) => {
    if (change.kind === 'sensor' && change.ownerId !== undefined) names.invalidateEnterprise(change.ownerId)
    else if (change.kind === 'sensor' || change.kind === 'missed') names.invalidateAll()
  })

  function refusalOf({ assetsHeld, enterpriseActive }: Key): Code | undefined {
    if (assetsHeld) return 'ASSETS_HELD'
    if (!enterpriseActive) return 'ASSETS_SUSPENDED'
    return options.assetsLicensed ? undefined : 'LICENSE_FEATURE_MISSING'
  }

  /** Says in the key's list that somebody still uses a secret that has ended. */
  function noteEnded({ fleetKeyId, isRevoked, isRotated, secret }: Key, nowMs: number): void {
    const state = isRevoked ? 'revoked' : isRotated ? 'rotated' : 'expired'
    notes.refused(fleetKeyId, [{ reason: 'SENSOR_KEY_INVALID', detail: `${state}: …${secret.lastFour}` }], nowMs)
  }

  function targetOf({ tags }: Key, facts: Facts): Target {
    if (tags.length > 0 && !tags.some((tag) => facts.tags.includes(tag))) return UNKNOWN
    const reason = !facts.enabled ? 'SENSOR_DISABLED' : facts.held ? 'SENSOR_HELD' : undefined
    if (reason !== undefined) {
      options.onRefused?.(facts.profile, reason, undefined, Date.now())
      return { reason }
    }
    return { sensorId: facts.sensorId, profile: facts.profile, readingsPerDay: facts.readingsPerDay }
  }

  const wantedBy = (key: Key, name: string, anyCase = false) => ({ enterpriseId: key.enterpriseId, name, anyCase })
  const ownOf = (key: Key, facts: Facts | undefined): Facts | undefined =>
    facts?.enterpriseId === key.enterpriseId ? facts : undefined

  /** A sensor in memory by its id or external id. */
  function peek(key: Key, name: string): Facts | undefined {
    return isId(name, 'sen') ? ownOf(key, sensors.peek(name)) : names.peek(wantedBy(key, name))
  }

  async function find(key: Key, name: string): Promise<Facts | undefined> {
    if (isId(name, 'sen')) return ownOf(key, await sensors.find(name))
    return isStorableName(name) ? names.find(wantedBy(key, name)) : undefined
  }

  /** Targets of names that the enterprise does not have. */
  async function addNewcomers(
    key: Key,
    unknown: readonly string[],
    sent: (name: string) => unknown,
    found: Map<string, Target>,
  ): Promise<void> {
    for (const name of unknown) found.set(name, UNKNOWN)
    const devices = unknown.filter((name) => !isId(name, 'sen') && isStorableName(name))
    if (devices.length === 0 || key.autoCreate === 'off') return
    if (key.autoCreate === 'pending') {
      const waiting = await newcomers.list(key, devices, sent, Date.now())
      for (const name of devices) if (waiting.has(name)) found.set(name, { reason: 'SENSOR_PENDING' })
      return
    }
    const made = await newcomers.make(key, devices, sent, Date.now())
    // the change of another instance may arrive later
    if (made.length > 0) names.invalidateEnterprise(key.enterpriseId)
    await addFound(key, made, found)
  }

  /** @returns names that were not found */
  async function addFound(key: Key, wanted: readonly string[], found: Map<string, Target>): Promise<string[]> {
    const unknown: string[] = []
    for (let i = 0; i < wanted.length; i += TOGETHER) {
      const some = wanted.slice(i, i + TOGETHER)
      const facts = await Promise.all(some.map((name) => find(key, name)))
      for (const [j, name] of some.entries()) {
        const one = facts[j]
        if (one === undefined) unknown.push(name)
        else found.set(name, targetOf(key, one))
      }
    }
    return unknown
  }

  async function findTargets(
    key: Key,
    wanted: readonly string[],
    sent: (name: string) => unknown,
    found: Map<string, Target>,
  ): Promise<ReadonlyMap<string, Target>> {
    const unknown = await addFound(key, wanted, found)
    if (unknown.length > 0) await addNewcomers(key, unknown, sent, found)
    return found
  }

  function callOf(key: Key): FleetCall<Profile> {
    const { fleetKeyId, enterpriseId } = key
    const { sensorTag, sensor, channelNames, channelTags, unknownChannels, autoCreate } = key
    return {
      fleetKeyId,
      enterpriseId,
      settings: {
        ...(sensorTag !== null && { sensorTag }),
        ...(sensor !== null && { sensor }),
        channelNames,
        channelTags,
        unknownChannels,
        autoCreate,
      },
      targets(wanted, sent) {
        const found = new Map<string, Target>()
        const missing = new Set<string>()
        for (const name of wanted) {
          if (found.has(name)) continue
          const facts = peek(key, name)
          if (facts === undefined) missing.add(name)
          else found.set(name, targetOf(key, facts))
        }
        return missing.size === 0 ? found : findTargets(key, [...missing], sent, found)
      },
      async targetOfDevice(devEui, sent) {
        const facts =
          (await find(key, devEui)) ??
          (isStorableName(devEui) ? await names.find(wantedBy(key, devEui, true)) : undefined)
        if (facts !== undefined) return targetOf(key, facts)
        if (sent === undefined) return UNKNOWN
        const found = new Map<string, Target>()
        await addNewcomers(key, [devEui], () => sent, found)
        return found.get(devEui) ?? UNKNOWN
      },
      noteRefused: (refusals, nowMs) => notes.refused(fleetKeyId, refusals, nowMs),
    }
  }

  return {
    async admit(sender, nowMs) {
      const startedMs = performance.now()
      const token = tokenOfAnyScheme(sender.headers) ?? ''
      const key = SHAPE.test(token) ? await keys.get(sha256Hex(token)) : undefined
      const opening = key === undefined || key.isRevoked ? [] : [key.gateKey]
      if (opensWith(opening, token, nowMs, options.onKeyUse) === undefined || key === undefined) {
        if (key !== undefined) noteEnded(key, nowMs)
        return options.failures.refuse('fleet-key', sender, startedMs, 'SENSOR_KEY_INVALID')
      }
      notes.called(key.fleetKeyId)
      const waitMs = await options.windows.take(`fleet-key:${key.fleetKeyId}`, 1, options.callsPerMinute, MINUTE_MS)
      const refusal = waitMs > 0 ? 'RATE_LIMITED' : refusalOf(key)
      if (refusal === undefined) return callOf(key)
      notes.refused(key.fleetKeyId, [{ reason: refusal }], nowMs)
      throw new AppError(refusal, waitMs > 0 ? { retryAfterS: Math.ceil(waitMs / 1000) } : {})
    },
  }
}
