/**
 * Devices that a fleet key names and the enterprise does not have: listed for approval, or made at once. Both have a
 * limit, beyond which a device is unknown and costs no query.
 */
import { AppError } from '../../errors.ts'
import { inTurns } from '../../event-loop-yield.ts'
import { createChangeCache } from '../../stores/change-cache.ts'
import type { Changes } from '../../stores/changes.ts'
import { type FleetTemplate, tagsOfMade } from '../../stores/postgres/sensors/fleet-keys.ts'
import type { NewPending } from '../../stores/postgres/sensors/fleet-senders.ts'
import type { SensorInput } from '../../stores/postgres/sensors/sensors.ts'
import { channelsOf, sampleOf } from './first-reading.ts'
import type { FleetNotes } from './fleet-notes.ts'

/** The key that names the devices. */
export type FleetOwner = {
  fleetKeyId: string
  enterpriseId: string
  tags: readonly string[]
  template: FleetTemplate | null
}

export type NewcomersOptions = {
  changes: Changes
  /** Channels that a sensor may have. */
  maxChannels: number
  notes: Pick<FleetNotes, 'waited'>
  /** External ids that wait for approval. */
  pendingNames(fleetKeyId: string): Promise<string[]>
  /** @returns the external ids among these that wait now */
  addPending(key: FleetOwner, devices: readonly NewPending[], limit: number, nowMs: number): Promise<string[]>
  /**
   * @param count negative to give back what was not made
   * @returns how many sensors the key may make now
   */
  countMade(fleetKeyId: string, count: number, limit: number, day: string): Promise<number>
  /** @throws AppError CONFLICT if the enterprise has a sensor with the external id */
  createSensor(key: FleetOwner, input: SensorInput): Promise<void>
}

export type Newcomers = {
  /** Lists devices for approval. @returns those that wait */
  list(
    key: FleetOwner,
    names: readonly string[],
    sent: (name: string) => unknown,
    nowMs: number,
  ): Promise<ReadonlySet<string>>
  /**
   * Makes sensors, as many as the day allows.
   * @returns names that have a sensor now, which another call or instance may have made
   */
  make(key: FleetOwner, names: readonly string[], sent: (name: string) => unknown, nowMs: number): Promise<string[]>
}

/** Devices of a key that wait for approval. */
export const MAX_PENDING = 1_000
/** Sensors that a key makes on a day. */
export const MAX_MADE = 10_000
/** Names in memory, of all keys. */
const MAX_CACHED_NAMES = 200_000
/** Sensors that are made at the same time, each with one statement. */
const TOGETHER = 8

export function createNewcomers(options: NewcomersOptions): Newcomers {
  const { changes, notes, pendingNames, addPending, countMade, createSensor } = options
  const waiting = createChangeCache({
    load: async (fleetKeyId: string) => new Set(await pendingNames(fleetKeyId)),
    maxSize: MAX_CACHED_NAMES,
    // names that are added later count as well
    sizeOf: () => MAX_PENDING,
    invalidatedBy: { changes, kinds: ['fleet-key', 'missed'], concerns: (ids, _, key) => ids.includes(key) },
  })
  /** Days on which a key has made as many sensors as it may. */
  const spentDays = new Map<string, string>()

  /** @returns whether the sensor was made; false if another call or instance has made it */
  async function makeOne(key: FleetOwner, name: string, sent: unknown): Promise<boolean> {
    const channels = key.template?.channels ?? channelsOf(sent, options.maxChannels)
    const tags = tagsOfMade(key.tags, key.template)
    try {
      await createSensor(key, { externalId: name, name, channels, tags })
      return true
    } catch (error) {
      if (!(error instanceof AppError && error.code === 'CONFLICT')) throw error
      return false
    }
  }

  return {
    async list(key, names, sent, nowMs) {
      const { fleetKeyId } = key
      const known = await waiting.get(fleetKeyId)
      const isKnown = (name: string): boolean => known.has(name)
      for (const name of names.filter(isKnown)) notes.waited(fleetKeyId, name, nowMs)
      const added = names.filter((name) => !isKnown(name))
      if (added.length > 0 && known.size < MAX_PENDING) {
        const devices: NewPending[] = []
        await inTurns(Math.min(added.length, MAX_PENDING), (i) => {
          const externalId = added[i] as string
          devices.push({ externalId, sent: sampleOf(sent(externalId)) })
        })
        const listed = await addPending(key, devices, MAX_PENDING, nowMs)
        for (const name of listed) known.add(name)
        // another instance has filled the list
        if (listed.length < devices.length && known.size < MAX_PENDING) waiting.delete(fleetKeyId)
      }
      return new Set(names.filter(isKnown))
    },
    async make(key, names, sent, nowMs) {
      const day = new Date(nowMs).toISOString().slice(0, 10)
      if (spentDays.get(key.fleetKeyId) === day) return []
      const allowed = await countMade(key.fleetKeyId, names.length, MAX_MADE, day)
      if (allowed < names.length) spentDays.set(key.fleetKeyId, day)
      const made = names.slice(0, allowed)
      let known = 0
      for (let i = 0; i < made.length; i += TOGETHER) {
        const areNew = await Promise.all(made.slice(i, i + TOGETHER).map((name) => makeOne(key, name, sent(name))))
        known += areNew.filter((isNew) => !isNew).length
      }
      if (known > 0) {
        await countMade(key.fleetKeyId, -known, MAX_MADE, day)
        spentDays.delete(key.fleetKeyId)
      }
      return made
    },
  }
}
