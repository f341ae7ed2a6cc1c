/**
 * Calls and refusals of fleet keys, and the last time of devices that wait: counted here, and written periodically. What
 * could not be written waits for the next time.
 */
import { startWrites } from '../../stores/periodic-writes.ts'
import type { FleetCounts } from '../../stores/postgres/sensors/fleet-senders.ts'

/** `name`: the sensor as it was sent. */
export type FleetRefusal = { name?: string; reason: string; line?: number; detail?: string }

export type FleetNotes = {
  called(fleetKeyId: string): void
  refused(fleetKeyId: string, refusals: readonly FleetRefusal[], nowMs: number): void
  /** A device that waits for approval has sent again. */
  waited(fleetKeyId: string, externalId: string, nowMs: number): void
  /** Writes what is pending, so that later queries include it. */
  flush(): Promise<void>
  stop(): Promise<void>
}

const WRITE_INTERVAL_MS = 1_000
/** Different refusals of a key between two writes; further ones are counted without the sensor's name. */
const MAX_DIFFERENT = 1_000
/** The same of all keys. */
const MAX_DIFFERENT_OF_ALL = 10_000
const MAX_DETAIL = 300
const MAX_NAME = 200

type Counted = FleetCounts['refusals'][number]

export function startFleetNotes(
  write: (counts: FleetCounts) => Promise<void>,
  onError: (error: unknown) => void,
): FleetNotes {
  let calls = new Map<string, number>()
  let refusalsOf = new Map<string, Map<string, Counted>>()
  let different = 0
  let waiting = new Map<string, FleetCounts['pending'][number]>()
  let unwritten: FleetCounts | undefined

  function count(fleetKeyId: string, { name = '', reason, line, detail }: FleetRefusal, nowMs: number): void {
    const own = refusalsOf.get(fleetKeyId) ?? new Map<string, Counted>()
    refusalsOf.set(fleetKeyId, own)
    const asked = storable(name, MAX_NAME)
    const askedKey = `${reason} ${asked}`
    const isKept = own.has(askedKey) || (own.size < MAX_DIFFERENT && different < MAX_DIFFERENT_OF_ALL)
    const shown = isKept ? asked : ''
    const key = isKept ? askedKey : `${reason} `
    const before = own.get(key)
    if (before === undefined) different++
    own.set(key, {
      fleetKeyId,
      reason,
      name: shown,
      count: (before?.count ?? 0) + 1,
      firstMs: before?.firstMs ?? nowMs,
      lastMs: nowMs,
      line,
      detail: detail === undefined ? undefined : storable(detail, MAX_DETAIL),
    })
  }

  function take(): FleetCounts | undefined {
    if (calls.size + refusalsOf.size + waiting.size === 0) return undefined
    const refusals = [...refusalsOf.values()].flatMap((own) => [...own.values()])
    const taken = { calls, refusals, pending: [...waiting.values()] }
    calls = new Map()
    refusalsOf = new Map()
    different = 0
    waiting = new Map()
    return taken
  }

  async function writeTaken(): Promise<void> {
    if (unwritten !== undefined) await write(unwritten)
    unwritten = undefined
  }

  const writes = startWrites(
    WRITE_INTERVAL_MS,
    async () => {
      await writeTaken()
      unwritten = take()
      await writeTaken()
    },
    onError,
  )
  return {
    called: (fleetKeyId) => void calls.set(fleetKeyId, (calls.get(fleetKeyId) ?? 0) + 1),
    refused(fleetKeyId, refusals, nowMs) {
      for (const refusal of refusals) count(fleetKeyId, refusal, nowMs)
    },
    waited: (fleetKeyId, externalId, lastMs) =>
      void waiting.set(`${fleetKeyId} ${externalId}`, { fleetKeyId, externalId, lastMs }),
    ...writes,
  }
}

/** A sender's text as PostgreSQL can store it. */
const storable = (text: string, limit: number): string => text.slice(0, limit).toWellFormed().replaceAll('\0', '�')
