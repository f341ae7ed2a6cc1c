/**
 * The sensors of an enterprise in memory, with their states: the data by which lists are filtered, sorted and counted.
 * Names come from PostgreSQL and are read again when they change; times come from ClickHouse, which all instances write
 * to, and are read again when they are requested and older than a second.
 */

import { inTurns } from '../../event-loop-yield.ts'
import { type Changes, subjectsOf } from '../../stores/changes.ts'
import type { ClickHouse } from '../../stores/clickhouse/client.ts'
import { pulsesOf, type SensorPulse } from '../../stores/clickhouse/sensor-activity.ts'
import type { Database } from '../../stores/postgres/client.ts'
import { type FleetOrder, type FleetSensor, fleetPage, fleetSensors } from '../../stores/postgres/sensors/fleet.ts'
import type { ChannelRecord } from '../../stores/postgres/sensors/sensors.ts'
import type { Enterprise } from '../readings.ts'
import { oldestVisibleMs } from '../time-range.ts'
import { REFUSED_FOR_MS, type SensorFacts } from './sensor-state.ts'
import { sortInTurns } from './sort-in-turns.ts'

export type FleetChannel = Pick<ChannelRecord, 'number' | 'measurement' | 'unit'>
/** Active channels by name, in their order. Sensors with the same channels share one map. */
export type FleetChannels = ReadonlyMap<string, FleetChannel>

export type FleetRow = Omit<FleetSensor, 'channels'> &
  SensorFacts & {
    channels: FleetChannels
    /** Orders names as people expect: 2 before 10, in any case. */
    sortKey: string
    /** The text that searches match. */
    searched: string
    /** Readings and calls of the last hour. */
    refused: number
    /** The refresh that last found the sensor. */
    round: number
  }

export type Fleet = {
  /** By sensor number. */
  rows: ReadonlyMap<number, FleetRow>
  /** Sensor numbers by id. */
  numbers: ReadonlyMap<string, number>
  /** In the order of names. */
  byName: readonly FleetRow[]
}

export type FleetIndexes = {
  /** The sensors as they were at most a second ago. */
  of(enterprise: Enterprise & { id: string }): Promise<Fleet>
  /** The sensors with their current names; their times and states may be stale or unknown. */
  named(enterprise: { id: string }): Promise<Fleet>
}

type Entry = {
  rows: Map<number, FleetRow>
  numbers: Map<string, number>
  byName: FleetRow[]
  /** By their JSON. */
  channelLists: Map<string, FleetChannels>
  /** Ids of sensors that changed since they were read. */
  changed: Set<string>
  isStale: boolean
  refreshedMs: number
  round: number
  usedMs: number
  refreshing: Promise<void> | undefined
  naming: Promise<void> | undefined
}

const FRESH_MS = 1_000
const UNUSED_MS = 600_000
const PAGE = 1_000
/** Above this many changes, the whole list is read again. */
const MAX_CHANGED = 1_000

const sortKeyOf = (name: string): string =>
  name
    .normalize('NFKC')
    .toLowerCase()
    .replace(/\d+/g, (digits) => digits.padStart(12, '0'))
/** The order of `byName`. */
export const compareNames = (a: FleetRow, b: FleetRow): number =>
  a.sortKey < b.sortKey ? -1 : a.sortKey > b.sortKey ? 1 : a.id < b.id ? -1 : Number(a.id > b.id)

function channelsIn(lists: Map<string, FleetChannels>, text: string): FleetChannels {
  let list = lists.get(text)
  if (list === undefined) {
    const channels = JSON.parse(text) as [number, string, FleetChannel['measurement'], string | null][]
    channels.sort(([a], [b]) => a - b)
    list = new Map(channels.map(([number, name, measurement, unit]) => [name, { number, measurement, unit }]))
    lists.set(text, list)
  }
  return list
}

const rowOf = ({ rows, channelLists }: Entry, sensor: FleetSensor): FleetRow => ({
  lastMs: 0,
  intervalMs: 0,
  refused: 0,
  callRefusedMs: 0,
  acceptedMs: 0,
  round: 0,
  ...rows.get(sensor.number),
  ...sensor,
  channels: channelsIn(channelLists, sensor.channels),
  sortKey: sortKeyOf(sensor.name),
  searched: `${sensor.name}\n${sensor.assetName}\n${sensor.id}\n${sensor.externalId ?? ''}`.toLowerCase(),
})

export function createFleetIndexes(db: Database, clickhouse: ClickHouse, changes: Changes): FleetIndexes {
  const entries = new Map<string, Entry>()
  // queries of a refresh are shared, so they do not end when one caller leaves
  const never = new AbortController().signal

  changes.subscribe((change) => {
    const ids = subjectsOf(change)
    for (const [enterpriseId, entry] of entries) {
      if (ids.length > 0 && !ids.includes(enterpriseId)) continue
      if (change.kind === 'missed' || change.kind === 'asset' || entry.changed.size > MAX_CHANGED) entry.isStale = true
      if (change.kind === 'sensor') entry.changed.add(change.id)
    }
  })

  async function readAll(enterpriseId: string, entry: Entry): Promise<void> {
    entry.isStale = false
    entry.changed.clear()
    entry.channelLists = new Map()
    const rows = new Map<number, FleetRow>()
    // from both ends until they meet: PostgreSQL reads each page on another processor, while rows are made of the last one
    const readFrom = async (order: FleetOrder): Promise<void> => {
      let page = await fleetPage(db, enterpriseId, order, undefined, PAGE)
      while (page.length > 0) {
        const sensors = page
        const last = sensors.at(-1) as FleetSensor
        const isEnd = sensors.length < PAGE || rows.has(last.number)
        const [following] = await Promise.all([
          isEnd ? [] : fleetPage(db, enterpriseId, order, last.id, PAGE),
          inTurns(sensors.length, (i) => {
            const sensor = sensors[i] as FleetSensor
            rows.set(sensor.number, rowOf(entry, sensor))
          }),
        ])
        page = following
      }
    }
    await Promise.all([readFrom('up'), readFrom('down')])
    entry.byName = await sortInTurns([...rows.values()], compareNames)
    const numbers = new Map<string, number>()
    await inTurns(entry.byName.length, (i) => {
      const { id, number } = entry.byName[i] as FleetRow
      numbers.set(id, number)
    })
    entry.rows = rows
    entry.numbers = numbers
  }

  async function readChanged(enterpriseId: string, entry: Entry): Promise<void> {
    const ids = [...entry.changed]
    entry.changed.clear()
    const found = await fleetSensors(db, enterpriseId, ids)
    const gone = new Set(ids)
    const fresh = found.map((sensor) => rowOf(entry, sensor))
    for (const id of ids) {
      const number = entry.numbers.get(id)
      if (number !== undefined) entry.rows.delete(number)
      entry.numbers.delete(id)
    }
    for (const row of fresh) {
      entry.rows.set(row.number, row)
      entry.numbers.set(row.id, row.number)
    }
    const rest = entry.byName.filter(({ id }) => !gone.has(id))
    entry.byName = await sortInTurns([...rest, ...fresh], compareNames)
  }

  async function readNames(enterpriseId: string, entry: Entry): Promise<void> {
    const ids = [...entry.changed]
    try {
      if (entry.isStale) await readAll(enterpriseId, entry)
      else if (ids.length > 0) await readChanged(enterpriseId, entry)
    } catch (error) {
      entry.isStale = true
      throw error
    }
  }

  /** One refresh at a time, shared by all waiting callers. */
  async function nameOnce(enterpriseId: string, entry: Entry): Promise<void> {
    entry.naming ??= readNames(enterpriseId, entry).finally(() => {
      entry.naming = undefined
    })
    await entry.naming
  }

  /** @param named resolves when the names are loaded, before pulses are applied */
  async function readPulses(enterprise: Enterprise, entry: Entry, named?: Promise<void>): Promise<void> {
    const nowMs = Date.now()
    const pulses: SensorPulse[] = []
    const range = { sinceMs: nowMs - REFUSED_FOR_MS, oldestMs: oldestVisibleMs(enterprise, nowMs) }
    await Promise.all([named, pulsesOf(clickhouse, enterprise.number, range, never, (pulse) => pulses.push(pulse))])
    await applyPulses(entry, pulses)
    entry.refreshedMs = nowMs
  }

  async function refresh(enterprise: Enterprise & { id: string }, entry: Entry): Promise<void> {
    // names that are being read replace the rows to which times belong
    await entry.naming?.catch(() => undefined)
    // the two stores are asked at the same time: the first list after a start waits for both
    if (entry.refreshedMs === 0) return readPulses(enterprise, entry, nameOnce(enterprise.id, entry))
    if (isRenamed(entry)) await nameOnce(enterprise.id, entry)
    if (Date.now() - entry.refreshedMs >= FRESH_MS) await readPulses(enterprise, entry)
  }

  function forgetUnused(nowMs: number): void {
    for (const [id, { usedMs }] of entries) if (nowMs - usedMs > UNUSED_MS) entries.delete(id)
  }

  function entryOf(enterpriseId: string, nowMs: number): Entry {
    forgetUnused(nowMs)
    let entry = entries.get(enterpriseId)
    if (entry === undefined) {
      entry = {
        rows: new Map(),
        numbers: new Map(),
        byName: [],
        channelLists: new Map(),
        changed: new Set(),
        isStale: true,
        refreshedMs: 0,
        round: 0,
        usedMs: nowMs,
        refreshing: undefined,
        naming: undefined,
      }
      entries.set(enterpriseId, entry)
    }
    entry.usedMs = nowMs
    return entry
  }

  return {
    async of(enterprise) {
      const nowMs = Date.now()
      const entry = entryOf(enterprise.id, nowMs)
      const isOld = (): boolean => isRenamed(entry) || nowMs - entry.refreshedMs >= FRESH_MS
      if (isOld()) {
        // a change that came while the last refresh was running needs another one
        if (entry.refreshing !== undefined) await entry.refreshing.catch(() => undefined)
        if (isOld()) {
          entry.refreshing ??= refresh(enterprise, entry).finally(() => {
            entry.refreshing = undefined
          })
          await entry.refreshing
        }
      }
      // what another caller reads is not marked as old any more
      await entry.naming
      return entry
    },
    async named({ id }) {
      const entry = entryOf(id, Date.now())
      // a read that is under way is not marked as stale any more, and has no rows yet if it is the first one; it may have
      // begun before a change, and the next one begins after it. Its failure is of the caller that began it: the rows are
      // stale again, and the next read succeeds or throws here
      for (const isLast of [false, true]) {
        const others = entry.naming ?? (isRenamed(entry) ? entry.refreshing : undefined)
        if (others !== undefined) await (isLast ? others : others.catch(() => undefined))
        else if (isRenamed(entry)) await nameOnce(id, entry)
        else break
      }
      return entry
    },
  }
}

const isRenamed = ({ isStale, changed }: Entry): boolean => isStale || changed.size > 0

/** A sensor without a pulse has no kept readings. */
async function applyPulses(entry: Entry, pulses: readonly SensorPulse[]): Promise<void> {
  const { rows, byName } = entry
  entry.round++
  const { round } = entry
  await inTurns(pulses.length, (i) => {
    const pulse = pulses[i] as SensorPulse
    const row = rows.get(pulse.sensor)
    if (row === undefined) return
    row.lastMs = pulse.lastMs
    row.intervalMs = pulse.intervalMs
    row.refused = pulse.refused
    row.callRefusedMs = pulse.callRefusedMs
    row.acceptedMs = pulse.acceptedMs
    row.round = round
  })
  await inTurns(byName.length, (i) => {
    const row = byName[i] as FleetRow
    if (row.round !== round)
      Object.assign(row, { lastMs: 0, intervalMs: 0, refused: 0, callRefusedMs: 0, acceptedMs: 0 })
  })
}
