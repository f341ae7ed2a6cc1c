/**
 * Live events of an enterprise as server-sent events: positions of assets, states of sensors, new readings, zone
 * events. The stores are queried once a second for each watched enterprise, for watched topics only. Readings that this
 * instance receives are sent at once. A slow reader gets only the newest events that it missed.
 */

import { AppError } from '../../errors.ts'
import { fieldText } from '../../field-texts/field-text.ts'
import type { Changes } from '../../stores/changes.ts'
import type { ClickHouse } from '../../stores/clickhouse/client.ts'
import type { Box } from '../../stores/clickhouse/queries/positions.ts'
import type { Database } from '../../stores/postgres/client.ts'
import { findSensor, type Sensor } from '../../stores/postgres/sensors/sensors.ts'
import type { FleetIndexes } from '../fleet/fleet-index.ts'
import type { SensorIndexes } from '../fleet/sensor-index.ts'
import { lookAtStates, type StateLook } from '../fleet/state-changes.ts'
import { featuresText, livePositions } from '../live.ts'
import { type Enterprise, toReading } from '../readings.ts'
import type { ReadingTail, TailReading } from './reading-tail.ts'
import { createGroupPolls, type GroupPolls } from './stream-polls.ts'
import { createWatcher, type StreamTopic, streamEvent, streamStart, type Watcher } from './stream-watcher.ts'

export type WatchRequest = {
  topics: ReadonlySet<StreamTopic>
  /** The area of positions. */
  box: Box | undefined
  /** Whether current positions are sent first; a reader may load them itself. */
  withSnapshot?: boolean
  /** The sensors whose readings are sent. */
  sensors: readonly Sensor[]
  callerId: string
  signal: AbortSignal
}

export type LiveStreams = {
  /** @returns the events as bytes, until the client disconnects, keys change or the server stops */
  watch(enterprise: Enterprise & { id: string }, request: WatchRequest): Promise<ReadableStream<Uint8Array>>
  stop(): void
}

export type LiveStreamsDeps = {
  db: Database
  clickhouse: ClickHouse
  sensorIndexes: SensorIndexes
  fleets: FleetIndexes
  tail: ReadingTail
  changes: Changes
  /** Maximum number of streams of one application. */
  maxStreams: number
  /** Whether readings may arrive at other instances. */
  isShared: boolean
  onError(error: unknown): void
}

const POLL_MS = 1_000
const RETRY_AFTER_S = 10

type Watched = {
  watchers: Set<Watcher>
  timer: Timer
  isBusy: boolean
  polls: GroupPolls
  /** Sensors whose readings somebody watches, by number. */
  sensors: Map<number, Sensor>
  /** Ends the watch of each watcher's readings. */
  tails: Map<Watcher, () => void>
}

export function createLiveStreams(deps: LiveStreamsDeps): LiveStreams {
  const { db, clickhouse, sensorIndexes, fleets, tail, changes, maxStreams, isShared, onError } = deps
  const watched = new Map<string, Watched>()
  const stopping = new AbortController()
  /** The reload of changed sensors. Their readings wait for it, so that channel names are current. */
  let reloading: Promise<void> = Promise.resolve()

  function leave(enterpriseId: string, watcher: Watcher): void {
    const group = watched.get(enterpriseId)
    group?.watchers.delete(watcher)
    group?.tails.get(watcher)?.()
    group?.tails.delete(watcher)
    watcher.end()
    if (group === undefined || group.watchers.size > 0) return
    clearInterval(group.timer)
    watched.delete(enterpriseId)
  }

  function closeAll(only?: string): void {
    for (const [enterpriseId, { watchers }] of watched)
      if (only === undefined || enterpriseId === only) for (const watcher of [...watchers]) leave(enterpriseId, watcher)
  }

  /** Its channels may have changed. */
  async function reload(sensorId: string): Promise<void> {
    for (const { sensors } of watched.values())
      for (const [number, { id }] of sensors) {
        if (id !== sensorId) continue
        const fresh = await findSensor(db, sensorId)
        if (fresh !== undefined) sensors.set(number, fresh)
      }
  }

  changes.subscribe((change) => {
    // clients reconnect, and get what the enterprise may see by then
    if (change.kind === 'enterprise') closeAll(change.id)
    if (change.kind !== 'sensor') return
    reloading = reloading.then(() => reload(change.id)).catch(onError)
  })

  function addReading(group: Watched, watcher: Watcher, reading: TailReading): void {
    const sensor = group.sensors.get(reading.sensor)
    if (sensor === undefined || !watcher.sensors.has(reading.sensor)) return
    const { ms, channels, values, longitude, latitude } = reading
    const located = Number.isNaN(longitude) ? ([null, null] as const) : ([longitude, latitude] as const)
    const records = new Map(sensor.channels.map((channel) => [channel.number, channel]))
    const item = toReading([ms, channels, values, ...located], records, undefined)
    watcher.addReading({ sensorId: sensor.id, ...item })
  }

  async function poll(enterprise: Enterprise & { id: string }, group: Watched): Promise<void> {
    if (group.isBusy) return
    group.isBusy = true
    try {
      const nowMs = performance.now()
      for (const watcher of group.watchers) watcher.heartbeat(nowMs)
      const addReadings = (readings: readonly TailReading[]): void => {
        for (const watcher of group.watchers) for (const reading of readings) addReading(group, watcher, reading)
      }
      await group.polls.look(enterprise, group.watchers, addReadings, stopping.signal)
      for (const watcher of group.watchers) await watcher.flush()
    } catch (error) {
      if (!stopping.signal.aborted) onError(error)
    } finally {
      group.isBusy = false
    }
  }

  /** @throws AppError RATE_LIMITED */
  function checkCount(enterpriseId: string, callerId: string): void {
    const watchers = [...(watched.get(enterpriseId)?.watchers ?? [])]
    if (watchers.filter((one) => one.callerId === callerId).length < maxStreams) return
    throw new AppError('RATE_LIMITED', {
      message: fieldText('streamsAtMost', { most: maxStreams }),
      retryAfterS: RETRY_AFTER_S,
    })
  }

  function groupOf(enterprise: Enterprise & { id: string }): Watched {
    let group = watched.get(enterprise.id)
    if (group === undefined) {
      const made: Watched = {
        watchers: new Set<Watcher>(),
        isBusy: false,
        sensors: new Map(),
        tails: new Map(),
        polls: createGroupPolls({ db, clickhouse, sensorIndexes, fleets, isShared }),
        timer: setInterval(() => void poll(enterprise, made), POLL_MS),
      }
      watched.set(enterprise.id, made)
      group = made
    }
    return group
  }

  /** Sends readings of this instance as they are received. */
  function watchTail(group: Watched, watcher: Watcher): void {
    if (watcher.sensors.size === 0) return
    const end = tail.watch([...watcher.sensors], (readings) => {
      group.polls.noteReadings(readings)
      const add = async (): Promise<void> => {
        await reloading
        for (const reading of readings) addReading(group, watcher, reading)
        await watcher.flush()
      }
      add().catch(onError)
    })
    group.tails.set(watcher, end)
  }

  return {
    async watch(enterprise, { topics, box, withSnapshot = true, sensors, callerId, signal }) {
      checkCount(enterprise.id, callerId)
      const first: Uint8Array[] = [streamStart()]
      let seen = new Map<string, number>()
      let states: StateLook | undefined
      if (topics.has('positions')) {
        const sensorIndex = await sensorIndexes.of(enterprise.id)
        const positions = await livePositions(clickhouse, enterprise, sensorIndex, box, signal)
        if (withSnapshot) first.push(streamEvent('snapshot', await featuresText(positions)))
        seen = new Map(positions.map(({ assetId, ms }) => [assetId, ms]))
      }
      if (topics.has('states')) {
        states = await lookAtStates(await fleets.of(enterprise))
        first.push(streamEvent('states', [Buffer.from(`{"items":[],"counts":${JSON.stringify(states.counts)}}`)]))
      }
      let watcher: Watcher | undefined
      return new ReadableStream<Uint8Array>({
        start(controller) {
          // other watchers may have started while the snapshot was read
          checkCount(enterprise.id, callerId)
          const numbers = topics.has('readings') ? sensors.map(({ number }) => number) : []
          watcher = createWatcher({ callerId, topics, box, sensors: new Set(numbers), seen, controller })
          controller.enqueue(Buffer.concat(first))
          const group = groupOf(enterprise)
          for (const sensor of sensors) group.sensors.set(sensor.number, sensor)
          if (states !== undefined) group.polls.beginStates(states)
          group.watchers.add(watcher)
          watchTail(group, watcher)
        },
        async pull() {
          await watcher?.flush()
        },
        cancel() {
          if (watcher !== undefined) leave(enterprise.id, watcher)
        },
      })
    },
    stop() {
      stopping.abort()
      closeAll()
    },
  }
}
