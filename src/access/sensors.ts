/**
 * Checks whether a sensor may send: its key, its state and its rate. Sensors are cached until their configuration
 * changes. Unknown ids are cached too, so that both take the same time to answer.
 */
import { AppError, type Code } from '../errors.ts'
import { bearerToken, delayRefusal, sameDigest, sha256 } from './keys.ts'

/** Facts about a sensor from the metadata store. */
export type SensorFacts<Profile> = {
  enterpriseId: string
  keyDigests: readonly Buffer[]
  enabled: boolean
  held: boolean
  assetsHeld: boolean
  enterpriseActive: boolean
  readingsPerDay: number
  profile: Profile
}

export type SensorGateOptions<Profile> = {
  /** Looks up several sensors at once; those that do not exist are left out. */
  find(sensorIds: readonly string[]): Promise<Map<string, SensorFacts<Profile>>>
  assetsLicensed: boolean
  /** Infinity if calls are counted across instances instead. */
  callsPerMinute: number
}

export type SensorGate<Profile> = {
  /**
   * Returns the sensor if the key is valid and the sensor may send.
   * @throws AppError SENSOR_KEY_INVALID; SENSOR_DISABLED, SENSOR_HELD, ASSETS_HELD, ASSETS_SUSPENDED,
   *   LICENSE_FEATURE_MISSING; SENSOR_RATE_LIMITED
   */
  admit(sensorId: string, headers: Headers, nowMs: number): SensorFacts<Profile> | Promise<SensorFacts<Profile>>
  /** Removes a changed sensor, or all sensors of a changed enterprise, from the cache. */
  invalidateSensor(sensorId: string): void
  invalidateEnterprise(enterpriseId: string): void
  /** For use after change messages may have been lost. */
  invalidateAll(): void
}

const UNKNOWN = Symbol('unknown sensor')
/** The cache has two generations of at most this many entries. */
const GENERATION = 250_000
/** Time for which lookups are collected into one query. */
const GATHER_MS = 1
const NO_DIGEST = sha256('')

export function createSensorGate<Profile>(options: SensorGateOptions<Profile>): SensorGate<Profile> {
  type Entry = SensorFacts<Profile> | typeof UNKNOWN
  let young = new Map<string, Entry>()
  let old = new Map<string, Entry>()
  const lookups = new Map<string, Promise<Entry>>()
  let gathering: ReturnType<typeof gather> | undefined
  let minute = 0
  const calls = new Map<string, number>()

  function remember(sensorId: string, entry: Entry): void {
    if (young.size >= GENERATION) {
      old = young
      young = new Map()
    }
    young.set(sensorId, entry)
  }

  function known(sensorId: string): Entry | undefined {
    const entry = young.get(sensorId)
    if (entry !== undefined) return entry
    const older = old.get(sensorId)
    if (older !== undefined) {
      old.delete(sensorId)
      remember(sensorId, older)
    }
    return older
  }

  /** Collects lookups of a short time into one query. */
  function gather(): { ids: Set<string>; answer: Promise<Map<string, SensorFacts<Profile>>> } {
    const ids = new Set<string>()
    const answer = Bun.sleep(GATHER_MS).then(() => {
      gathering = undefined
      return options.find([...ids])
    })
    return { ids, answer }
  }

  function ask(sensorId: string): Promise<Entry> {
    const running = lookups.get(sensorId)
    if (running !== undefined) return running
    gathering ??= gather()
    gathering.ids.add(sensorId)
    const answer: Promise<Entry> = gathering.answer
      .then((found) => {
        const entry = found.get(sensorId) ?? UNKNOWN
        // a change during the query has removed this lookup from the map
        if (lookups.get(sensorId) === answer) remember(sensorId, entry)
        return entry
      })
      .finally(() => {
        if (lookups.get(sensorId) === answer) lookups.delete(sensorId)
      })
    lookups.set(sensorId, answer)
    return answer
  }

  function opens(entry: Entry, headers: Headers): entry is SensorFacts<Profile> {
    const digest = sha256(bearerToken(headers) ?? '')
    if (entry === UNKNOWN || entry.keyDigests.length === 0) {
      sameDigest(digest, NO_DIGEST)
      return false
    }
    let matches = false
    for (const expected of entry.keyDigests) if (sameDigest(digest, expected)) matches = true
    return matches
  }

  function refusalOf(facts: SensorFacts<Profile>): Code | undefined {
    if (!facts.enabled) return 'SENSOR_DISABLED'
    if (facts.held) return 'SENSOR_HELD'
    if (facts.assetsHeld) return 'ASSETS_HELD'
    if (!facts.enterpriseActive) return 'ASSETS_SUSPENDED'
    if (!options.assetsLicensed) return 'LICENSE_FEATURE_MISSING'
    return undefined
  }

  function countCall(sensorId: string, nowMs: number): void {
    if (options.callsPerMinute === Number.POSITIVE_INFINITY) return
    const thisMinute = Math.floor(nowMs / 60_000)
    if (thisMinute !== minute) {
      minute = thisMinute
      calls.clear()
    }
    const count = (calls.get(sensorId) ?? 0) + 1
    calls.set(sensorId, count)
    if (count > options.callsPerMinute) {
      const retryAfterS = Math.max(1, Math.ceil(((thisMinute + 1) * 60_000 - nowMs) / 1000))
      throw new AppError('SENSOR_RATE_LIMITED', { retryAfterS })
    }
  }

  function judge(entry: Entry, sensorId: string, headers: Headers, nowMs: number): SensorFacts<Profile> | undefined {
    if (!opens(entry, headers)) return undefined
    const refusal = refusalOf(entry)
    if (refusal !== undefined) throw new AppError(refusal)
    countCall(sensorId, nowMs)
    return entry
  }

  async function admitSlowly(sensorId: string, headers: Headers, nowMs: number): Promise<SensorFacts<Profile>> {
    const startedMs = performance.now()
    const entry = known(sensorId) ?? (await ask(sensorId))
    const facts = judge(entry, sensorId, headers, nowMs)
    if (facts !== undefined) return facts
    await delayRefusal(startedMs)
    throw new AppError('SENSOR_KEY_INVALID')
  }

  return {
    admit(sensorId, headers, nowMs) {
      const entry = known(sensorId)
      return (entry && judge(entry, sensorId, headers, nowMs)) ?? admitSlowly(sensorId, headers, nowMs)
    },
    invalidateSensor(sensorId) {
      lookups.delete(sensorId)
      young.delete(sensorId)
      old.delete(sensorId)
    },
    invalidateEnterprise(enterpriseId) {
      lookups.clear()
      for (const generation of [young, old])
        for (const [sensorId, entry] of generation)
          if (entry !== UNKNOWN && entry.enterpriseId === enterpriseId) generation.delete(sensorId)
    },
    invalidateAll() {
      lookups.clear()
      young.clear()
      old.clear()
    },
  }
}
