/**
 * Sensors of enterprises by external id, cached. A name that is found is checked against its sensor at each use, so a
 * change of the sensor needs no search here; names that are not found are dropped when a sensor of their enterprise
 * changes.
 */
import { createBatcher } from '../../stores/batcher.ts'
import { createGenerations } from '../../stores/change-cache.ts'
import type { ExternalName } from '../../stores/postgres/sensors/fleet-senders.ts'
import type { SensorFacts, SensorGate } from '../sensor-gate.ts'

export type FleetNamesOptions<Profile> = {
  sensors: Pick<SensorGate<Profile>, 'peek' | 'find'>
  /** Ids of sensors, in the order of the names. */
  findByExternalId(names: readonly ExternalName[]): Promise<(string | undefined)[]>
}

export type FleetNames<Profile> = {
  /** A sensor that is in memory. */
  peek(wanted: ExternalName): SensorFacts<Profile> | undefined
  /** A sensor in any state; undefined if the enterprise has none of this name. */
  find(wanted: ExternalName): Promise<SensorFacts<Profile> | undefined>
  /** To be called after a change of a sensor. */
  invalidateEnterprise(enterpriseId: string): void
  invalidateAll(): void
}

const MAX_KNOWN = 500_000
/** Names that nobody has: of one enterprise, and of all. A sender of more names pays with lookups, and drops only these names. */
const MAX_UNKNOWN_OF_ONE = 10_000
const MAX_UNKNOWN = 100_000
/** How long names are collected for one query. */
const BATCH_MS = 1

export function createFleetNames<Profile>({
  sensors,
  findByExternalId,
}: FleetNamesOptions<Profile>): FleetNames<Profile> {
  const known = createGenerations<string, string>(MAX_KNOWN, () => 1)
  const unknownOf = new Map<string, Set<string>>()
  let unknownCount = 0
  const findId = createBatcher<string, Map<string, string>>(BATCH_MS, async (keys) => {
    const ids = await findByExternalId(keys.map(wantedOf))
    return new Map(keys.flatMap((key, i) => (ids[i] === undefined ? [] : [[key, ids[i]]])))
  })

  const isNamed = (facts: SensorFacts<Profile> | undefined, wanted: ExternalName): boolean =>
    facts?.enterpriseId === wanted.enterpriseId &&
    (facts.externalId === wanted.name ||
      (wanted.anyCase && facts.externalId?.toLowerCase() === wanted.name.toLowerCase()))

  function noteUnknown(enterpriseId: string, key: string): void {
    const own = unknownOf.get(enterpriseId)
    if (own !== undefined && own.size >= MAX_UNKNOWN_OF_ONE) forget(enterpriseId)
    if (unknownCount >= MAX_UNKNOWN) forgetAll()
    const names = unknownOf.get(enterpriseId) ?? new Set()
    unknownOf.set(enterpriseId, names)
    if (!names.has(key)) unknownCount++
    names.add(key)
  }

  function forget(enterpriseId: string): void {
    unknownCount -= unknownOf.get(enterpriseId)?.size ?? 0
    unknownOf.delete(enterpriseId)
    generation++
  }

  function forgetAll(): void {
    unknownOf.clear()
    unknownCount = 0
    generation++
  }

  /** Grows with each change, so that a lookup that began before a change is not kept. */
  let generation = 0

  async function lookUp(wanted: ExternalName, key: string): Promise<SensorFacts<Profile> | undefined> {
    const before = generation
    const id = (await findId(key)).get(key)
    const facts = id === undefined ? undefined : await sensors.find(id)
    if (id !== undefined && isNamed(facts, wanted)) {
      known.set(key, id)
      return facts
    }
    if (generation === before) noteUnknown(wanted.enterpriseId, key)
    return undefined
  }

  return {
    peek(wanted) {
      const id = known.get(keyOf(wanted))
      const facts = id === undefined ? undefined : sensors.peek(id)
      return isNamed(facts, wanted) ? facts : undefined
    },
    async find(wanted) {
      const key = keyOf(wanted)
      if (unknownOf.get(wanted.enterpriseId)?.has(key)) return undefined
      const id = known.get(key)
      const facts = id === undefined ? undefined : await sensors.find(id)
      if (isNamed(facts, wanted)) return facts
      return lookUp(wanted, key)
    },
    invalidateEnterprise: forget,
    invalidateAll: forgetAll,
  }
}

/** An id of an enterprise contains no spaces. */
const keyOf = ({ enterpriseId, name, anyCase }: ExternalName): string =>
  anyCase ? `${enterpriseId} ~${name.toLowerCase()}` : `${enterpriseId} =${name}`

function wantedOf(key: string): ExternalName {
  const space = key.indexOf(' ')
  return { enterpriseId: key.slice(0, space), name: key.slice(space + 2), anyCase: key[space + 1] === '~' }
}
