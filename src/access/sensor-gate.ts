/**
 * Decides whether a sensor may send: its key, its state, its rate. Sensors are cached until their configuration
 * changes, and unknown ids too, so that unknown and known sensors are refused in the same time.
 */

import { AppError, type Code } from '../errors.ts'
import { fieldText } from '../field-texts/field-text.ts'
import { createBatcher } from '../stores/batcher.ts'
import { createChangeCache } from '../stores/change-cache.ts'
import { createSensorCalls, sensorRateLimited } from '../stores/sensor-rate.ts'
import { type GateKey, opensWith } from './keys/gate-keys.ts'
import type { KeyFailures } from './keys/key-failures.ts'
import { isId, tokenOfAnyScheme } from './keys/keys.ts'

/** The caller, with the header that carries the key. */
export type Sender = { headers: Pick<Headers, 'get'>; address(): string }

/** The state of a sensor that decides about its calls. */
export type SensorFacts<Profile> = {
  sensorId: string
  enterpriseId: string
  externalId: string | null
  tags: readonly string[]
  keys: readonly GateKey[]
  enabled: boolean
  held: boolean
  assetsHeld: boolean
  enterpriseActive: boolean
  readingsPerDay: number
  profile: Profile
}

export type SensorGateOptions<Profile> = {
  /** Looks up several sensors at once; nonexistent sensors are missing from the result. */
  find(sensorIds: readonly string[]): Promise<Map<string, SensorFacts<Profile>>>
  /**
   * Ids of an enterprise's sensors after the given one, to load sensors ahead; without this function each sensor is
   * loaded at its first call.
   */
  idsAfter?(enterpriseId: string, sensorId: string, limit: number): Promise<string[]>
  failures: KeyFailures
  /** Called for each key that is in use, once an hour. */
  onKeyUse?(keyId: string, nowMs: number): void
  /** Called for each call of a known sensor that is refused here; `token` is the key that was sent. */
  onRefused?(profile: Profile, code: Code, token: string | undefined, nowMs: number): void
  assetsLicensed: boolean
  /** Infinity if calls are counted over several instances instead. */
  callsPerMinute: number
}

/** `keyExpiresMs`: when the key of the caller ends. */
export type Readmitted<Profile> = { facts: SensorFacts<Profile>; keyExpiresMs: number }

export type SensorGate<Profile> = {
  /**
   * Returns the sensor of a call if the key is valid and the sensor's state allows it to send.
   * @throws AppError SENSOR_KEY_INVALID; SENSOR_DISABLED, SENSOR_HELD, ASSETS_HELD, ASSETS_SUSPENDED,
   *   LICENSE_FEATURE_MISSING; SENSOR_RATE_LIMITED; KEY_FAILURES_LIMITED
   */
  admit(sensorId: string, sender: Sender, nowMs: number): SensorFacts<Profile> | Promise<SensorFacts<Profile>>
  /**
   * Returns a sensor of an enterprise if its state allows it to get readings; for callers that need no key of it.
   * @throws AppError NOT_FOUND; SENSOR_DISABLED, SENSOR_HELD, ASSETS_HELD, ASSETS_SUSPENDED, LICENSE_FEATURE_MISSING
   */
  admitOwned(sensorId: string, enterpriseId: string): Promise<SensorFacts<Profile>>
  /**
   * Returns the facts of a sensor that `admit` has admitted before, for one more message or a look at its connection:
   * nothing is counted.
   * @throws AppError SENSOR_KEY_INVALID; SENSOR_DISABLED, SENSOR_HELD, ASSETS_HELD, ASSETS_SUSPENDED,
   *   LICENSE_FEATURE_MISSING
   */
  readmit(sensorId: string, sender: Sender, nowMs: number): Promise<Readmitted<Profile>>
  /** A sensor that is in memory; undefined if it is not, or does not exist. */
  peek(sensorId: string): SensorFacts<Profile> | undefined
  /** A sensor, whatever its state is. */
  find(sensorId: string): Promise<SensorFacts<Profile> | undefined>
  /** To be called after a change of one sensor, or of an enterprise. */
  invalidateSensor(sensorId: string): void
  invalidateEnterprise(enterpriseId: string): void
  /** To be called after changes may have been missed. */
  invalidateAll(): void
}

const MAX_CACHED = 500_000
const MAX_UNKNOWN = 10_000
/** How long ids are collected for one query. */
const BATCH_MS = 1
/**
 * With more sensors than this in a second that are not cached, a fleet is arriving, as after a start. Then sensors are
 * loaded before their first call, because a query for many costs little more than a query for one.
 */
const ARRIVALS = 20
const READ_AHEAD = 200

export function createSensorGate<Profile>(options: SensorGateOptions<Profile>): SensorGate<Profile> {
  type Facts = SensorFacts<Profile>
  const find = createBatcher<string, Map<string, Facts>>(BATCH_MS, options.find)
  const sensors = createChangeCache({
    load: async (sensorId: string) => (await find(sensorId)).get(sensorId),
    maxSize: MAX_CACHED,
    maxUnknownKeys: MAX_UNKNOWN,
  })
  let second = 0
  let arrivals = 0
  let isReadingAhead = false
  const countCall = createSensorCalls(options.callsPerMinute)

  const opens = (facts: Facts | undefined, headers: Sender['headers'], nowMs: number): facts is Facts =>
    opensWith(facts?.keys ?? [], tokenOfAnyScheme(headers), nowMs, options.onKeyUse) !== undefined

  function refusalOf(facts: Facts): Code | undefined {
    if (!facts.enabled) return 'SENSOR_DISABLED'
    if (facts.held) return 'SENSOR_HELD'
    if (facts.assetsHeld) return 'ASSETS_HELD'
    if (!facts.enterpriseActive) return 'ASSETS_SUSPENDED'
    if (!options.assetsLicensed) return 'LICENSE_FEATURE_MISSING'
    return undefined
  }

  function admitted(
    facts: Facts | undefined,
    sensorId: string,
    headers: Sender['headers'],
    nowMs: number,
  ): Facts | undefined {
    if (!opens(facts, headers, nowMs)) return undefined
    const refusal = refusalOf(facts)
    if (refusal !== undefined) {
      options.onRefused?.(facts.profile, refusal, undefined, nowMs)
      throw new AppError(refusal)
    }
    if (!countCall(sensorId, nowMs)) {
      options.onRefused?.(facts.profile, 'SENSOR_RATE_LIMITED', undefined, nowMs)
      throw sensorRateLimited(nowMs)
    }
    return facts
  }

  function countArrival(nowMs: number): void {
    const thisSecond = Math.floor(nowMs / 1000)
    if (thisSecond !== second) arrivals = 0
    second = thisSecond
    arrivals++
  }

  async function readAhead(enterpriseId: string, sensorId: string): Promise<void> {
    isReadingAhead = true
    try {
      const ids = (await options.idsAfter?.(enterpriseId, sensorId, READ_AHEAD)) ?? []
      await Promise.all(ids.filter((id) => sensors.peek(id) === undefined).map(sensors.get))
    } catch {
      // the calls of these sensors load them again, and report the error
    } finally {
      isReadingAhead = false
    }
  }

  async function admitSlowly(sensorId: string, sender: Sender, nowMs: number): Promise<Facts> {
    const startedMs = performance.now()
    const isCached = sensors.peek(sensorId) !== undefined
    const found = isId(sensorId, 'sen') ? await sensors.get(sensorId) : undefined
    const facts = admitted(found, sensorId, sender.headers, nowMs)
    if (facts === undefined && found !== undefined)
      options.onRefused?.(found.profile, 'SENSOR_KEY_INVALID', tokenOfAnyScheme(sender.headers), nowMs)
    if (facts === undefined) return options.failures.refuse('sensor-key', sender, startedMs, 'SENSOR_KEY_INVALID')
    if (!isCached) countArrival(nowMs)
    if (!isCached && arrivals > ARRIVALS && !isReadingAhead) void readAhead(facts.enterpriseId, sensorId)
    return facts
  }

  return {
    admit(sensorId, sender, nowMs) {
      const facts = sensors.peek(sensorId)
      return (facts && admitted(facts, sensorId, sender.headers, nowMs)) ?? admitSlowly(sensorId, sender, nowMs)
    },
    async admitOwned(sensorId, enterpriseId) {
      const facts = isId(sensorId, 'sen') ? await sensors.get(sensorId) : undefined
      if (facts?.enterpriseId !== enterpriseId) throw new AppError('NOT_FOUND', { message: fieldText('sensorGone') })
      const refusal = refusalOf(facts)
      if (refusal !== undefined) throw new AppError(refusal)
      return facts
    },
    async readmit(sensorId, { headers }, nowMs) {
      const facts = await sensors.get(sensorId)
      const key = opensWith(facts?.keys ?? [], tokenOfAnyScheme(headers), nowMs, options.onKeyUse)
      if (facts === undefined || key === undefined) throw new AppError('SENSOR_KEY_INVALID')
      const refusal = refusalOf(facts)
      if (refusal !== undefined) throw new AppError(refusal)
      return { facts, keyExpiresMs: key.expiresMs }
    },
    peek: sensors.peek,
    find: sensors.get,
    invalidateSensor: sensors.delete,
    invalidateEnterprise(enterpriseId) {
      sensors.deleteWhere((facts) => facts?.enterpriseId === enterpriseId)
    },
    invalidateAll: sensors.clear,
  }
}
