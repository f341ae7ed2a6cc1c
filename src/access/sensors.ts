/**
 * Whether a sensor may send: its key, its state, its rate. What is known of a sensor is kept in memory until its
 * configuration changes; an id that nothing is known of is kept too, so that both answer alike.
 */
import { AppError, type Code } from '../errors.ts'
import { bearerToken, delayRefusal, sameDigest, sha256 } from './keys.ts'

/** What the metadata store tells of a sensor. */
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
  /** Looks several up at once; those that do not exist are left out. */
  find(sensorIds: readonly string[]): Promise<Map<string, SensorFacts<Profile>>>
  assetsLicensed: boolean
  /** Infinity where calls are counted over several instances instead. */
  callsPerMinute: number
}

export type SensorGate<Profile> = {
  /**
   * The sensor of a call whose key opens it, in a state that may send.
   * @throws AppError SENSOR_KEY_INVALID; SENSOR_DISABLED, SENSOR_HELD, ASSETS_HELD, ASSETS_SUSPENDED,
   *   LICENSE_FEATURE_MISSING; SENSOR_RATE_LIMITED
   */
  admit(sensorId: string, headers: Headers, nowMs: number): SensorFacts<Profile> | Promise<SensorFacts<Profile>>
  /** Forgets what a change made stale: one sensor, or all of an enterprise. */
  invalidateSensor(sensorId: string): void
  invalidateEnterprise(enterpriseId: string): void
  /** After changes may have been missed. */
  invalidateAll(): void
}

const UNKNOWN = Symbol('unknown sensor')
/** Entries kept at most: two generations of this many. */
const GENERATION = 250_000
/** How long questions gather. */
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

  /** Questions that come within a moment go to the store together. */
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
        // a change that came while the store was asked has taken this question off the list
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
