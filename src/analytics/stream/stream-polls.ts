/** The queries for the streams of one enterprise, once a second, only for watched topics. */

import { inTurns } from '../../event-loop-yield.ts'
import type { ClickHouse } from '../../stores/clickhouse/client.ts'
import { latestPositions } from '../../stores/clickhouse/queries/positions.ts'
import { firingAlerts } from '../../stores/postgres/alerts/alerts.ts'
import type { Database } from '../../stores/postgres/client.ts'
import { eventNames } from '../event-names.ts'
import type { FleetIndexes } from '../fleet/fleet-index.ts'
import type { SensorIndexes } from '../fleet/sensor-index.ts'
import { createStateChanges, type StateLook } from '../fleet/state-changes.ts'
import { type AssetPosition, isInBox, newestByAsset } from '../live.ts'
import type { Enterprise } from '../readings.ts'
import { namedEventToJson } from '../zone-events.ts'
import { createAlertPolls } from './alert-polls.ts'
import type { TailReading } from './reading-tail.ts'
import type { StreamTopic, Watcher } from './stream-watcher.ts'
import { createEventPolls, createReadingPolls } from './tail-polls.ts'

export type GroupPolls = {
  look(
    enterprise: Enterprise & { id: string },
    watchers: ReadonlySet<Watcher>,
    onReadings: (readings: readonly TailReading[]) => void,
    signal: AbortSignal,
  ): Promise<void>
  /** The states that the first reader has got. */
  beginStates(look: StateLook): void
  /** Readings that were sent already, so that a later poll does not send them again. */
  noteReadings(readings: readonly TailReading[]): void
}

export type GroupPollsDeps = {
  db: Database
  clickhouse: ClickHouse
  sensorIndexes: SensorIndexes
  fleets: FleetIndexes
  isShared: boolean
}

/**
 * Each poll of positions overlaps the previous one by this time, because rows become visible after their insert time.
 */
const OVERLAP_MS = 10_000
const MAX_CHANGED = 1_000_000

export function createGroupPolls({ db, clickhouse, sensorIndexes, fleets, isShared }: GroupPollsDeps): GroupPolls {
  let positionsSinceMs = Date.now()
  const stateChanges = createStateChanges()
  const readingPolls = createReadingPolls(clickhouse)
  const eventPolls = createEventPolls(clickhouse)
  let alertPolls = createAlertPolls(db)

  async function addPosition(watcher: Watcher, newest: readonly AssetPosition[]): Promise<void> {
    const { box, seen } = watcher
    await inTurns(newest.length, (i) => {
      const one = newest[i] as AssetPosition
      const isInside = box === undefined || isInBox(box, one.longitude, one.latitude)
      // polls overlap, so most positions were sent before
      if ((seen.get(one.assetId) ?? Number.NEGATIVE_INFINITY) >= one.ms) return
      if (isInside) {
        seen.set(one.assetId, one.ms)
        watcher.addPosition(one.assetId, one)
      } else if (seen.delete(one.assetId)) watcher.addPosition(one.assetId, null)
    })
  }

  async function lookAtPositions(
    { id, number }: Enterprise & { id: string },
    watchers: readonly Watcher[],
    signal: AbortSignal,
  ): Promise<void> {
    const request = { insertedAfterMs: positionsSinceMs - OVERLAP_MS, limit: MAX_CHANGED }
    const positions = await latestPositions(clickhouse, number, request, signal)
    // not with spread arguments: there may be more positions than arguments are allowed
    for (const [, , , , insertedMs] of positions) positionsSinceMs = Math.max(positionsSinceMs, insertedMs)
    const newest = [...(await newestByAsset(positions, (await sensorIndexes.of(id)).sensors)).values()]
    for (const watcher of watchers) await addPosition(watcher, newest)
  }

  async function lookAtStates(enterprise: Enterprise & { id: string }, watchers: readonly Watcher[]): Promise<void> {
    const { changed, counts, isOther } = await stateChanges.look(await fleets.of(enterprise))
    for (const watcher of watchers) {
      for (const item of changed) watcher.addState(item)
      if (isOther || changed.length > 0) watcher.setCounts(counts)
    }
  }

  async function lookAtEvents(
    enterprise: Enterprise & { id: string },
    watchers: readonly Watcher[],
    signal: AbortSignal,
  ): Promise<void> {
    const rows = await eventPolls.look(enterprise.number, signal)
    if (rows.length === 0) return
    const names = await eventNames(db, fleets, enterprise)
    for (const row of rows) for (const watcher of watchers) watcher.addEvent(namedEventToJson(row, names))
  }

  async function lookAtAlerts({ id }: { id: string }, watchers: readonly Watcher[]): Promise<void> {
    const { items, isMore } = await alertPolls.look(id)
    const needGroups = watchers.filter((watcher) => isMore || !watcher.addAlerts(items))
    if (needGroups.length === 0) return
    const all = await firingAlerts(db, id)
    for (const watcher of needGroups) watcher.setAlertGroups(all)
  }

  return {
    async look(enterprise, watchers, onReadings, signal) {
      const of = (topic: StreamTopic): Watcher[] => [...watchers].filter(({ topics }) => topics.has(topic))
      const watched = new Set(of('readings').flatMap(({ sensors }) => [...sensors]))
      // a single instance sends readings when it receives them
      if (isShared && watched.size > 0) onReadings(await readingPolls.look(enterprise.number, watched, signal))
      if (of('positions').length > 0) await lookAtPositions(enterprise, of('positions'), signal)
      if (of('events').length > 0) await lookAtEvents(enterprise, of('events'), signal)
      if (of('states').length > 0) await lookAtStates(enterprise, of('states'))
      if (of('alerts').length > 0) await lookAtAlerts(enterprise, of('alerts'))
      // a later reader gets no alerts from before
      else alertPolls = createAlertPolls(db)
    },
    beginStates: stateChanges.begin,
    noteReadings(readings) {
      if (isShared) for (const reading of readings) readingPolls.isNew(reading)
    },
  }
}
