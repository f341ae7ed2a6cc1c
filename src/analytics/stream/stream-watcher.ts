/**
 * One reader of server-sent events (WHATWG HTML, 9.2). Events wait here until the reader takes them: only the newest
 * position of each asset, the newest state of each sensor, the newest state of each alert or counts of all alerts, and a
 * few of the newest readings and zone events.
 */

import { TextInTurns } from '../../event-loop-yield.ts'
import type { Box } from '../../stores/clickhouse/queries/positions.ts'
import type { Alert, FiringAlerts } from '../../stores/postgres/alerts/alerts.ts'
import type { StateCounts } from '../fleet/fleet-list.ts'
import type { SensorState } from '../fleet/sensor-state.ts'
import { type AssetPosition, featuresText } from '../live.ts'

export const STREAM_TOPICS = ['readings', 'states', 'positions', 'events', 'alerts'] as const
export type StreamTopic = (typeof STREAM_TOPICS)[number]

export type StateItem = {
  sensorId: string
  assetId: string
  state: SensorState
  /** Of the worst sensor of the asset. */
  assetState: SensorState
  lastAt: string | null
  intervalMs: number | null
  refused: number
}
export type ReadingItem = { sensorId: string; at: string }

export type Watcher = {
  readonly callerId: string
  readonly topics: ReadonlySet<StreamTopic>
  readonly box: Box | undefined
  /** Numbers of the sensors whose readings it gets. */
  readonly sensors: ReadonlySet<number>
  /** Assets sent to this watcher, with the time of their last position. */
  readonly seen: Map<string, number>
  addPosition(assetId: string, position: AssetPosition | null): void
  addState(item: StateItem): void
  /** Counts of all sensors, sent with the next states. */
  setCounts(counts: StateCounts): void
  addReading(item: ReadingItem): void
  addEvent(event: object): void
  /** @returns false if more wait than one event may have: then the reader needs groups */
  addAlerts(items: readonly Alert[]): boolean
  /** Sends the firing alerts by rule, instead of those that wait. */
  setAlertGroups(all: FiringAlerts): void
  /** Sends the waiting events, unless the reader has not yet taken the previous ones. */
  flush(): Promise<void>
  heartbeat(nowMs: number): void
  end(): void
}

const HEARTBEAT_MS = 15_000
/** How long clients wait after a lost connection. */
const RETRY_MS = 2_000
/**
 * Maximum number of events that wait for a slow reader: readings of one sensor, readings of all sensors, and zone
 * events.
 */
const MAX_OF_SENSOR = 100
const MAX_READINGS = 2_000
const MAX_EVENTS = 500
/** Maximum number of alerts in one event. */
export const MAX_ALERTS = 100

const encoder = new TextEncoder()
export const streamEvent = (name: string, data: readonly Uint8Array[]): Uint8Array =>
  Buffer.concat([encoder.encode(`event: ${name}\ndata: `), ...data, encoder.encode('\n\n')])
export const streamStart = (): Uint8Array => encoder.encode(`retry: ${RETRY_MS}\n\n`)

async function itemsText(items: readonly object[], more: string): Promise<Buffer[]> {
  const text = new TextInTurns()
  text.add('{"items":[')
  await text.addList(items.length, (i) => JSON.stringify(items[i]))
  text.add(`]${more}}`)
  return text.end()
}

export type WatcherOptions = Pick<Watcher, 'callerId' | 'topics' | 'box' | 'sensors' | 'seen'> & {
  controller: ReadableStreamDefaultController<Uint8Array>
}

export function createWatcher({ controller, ...options }: WatcherOptions): Watcher {
  let positions = new Map<string, AssetPosition | null>()
  let states = new Map<string, StateItem>()
  let counts: StateCounts | undefined
  let readings = new Map<string, ReadingItem[]>()
  let readingCount = 0
  let events: object[] = []
  let alerts = new Map<string, Alert>()
  let alertGroups: FiringAlerts | undefined
  let isWriting = false
  let isOpen = true
  let lastSentMs = performance.now()

  async function takePositions(): Promise<Uint8Array | undefined> {
    if (positions.size === 0) return undefined
    const taken = positions
    positions = new Map()
    const moved = [...taken.values()].filter((position) => position !== null)
    const removed = [...taken].filter(([, position]) => position === null).map(([assetId]) => assetId)
    return streamEvent('positions', await featuresText(moved, { removed }))
  }
  async function takeStates(): Promise<Uint8Array | undefined> {
    if (states.size === 0 && counts === undefined) return undefined
    const taken = [...states.values()]
    states = new Map()
    const more = counts === undefined ? '' : `,"counts":${JSON.stringify(counts)}`
    counts = undefined
    return streamEvent('states', await itemsText(taken, more))
  }
  async function takeReadings(): Promise<Uint8Array | undefined> {
    if (readings.size === 0) return undefined
    const taken = [...readings.values()].flat()
    readings = new Map()
    readingCount = 0
    return streamEvent('readings', await itemsText(taken, ''))
  }
  async function takeEvents(): Promise<Uint8Array | undefined> {
    if (events.length === 0) return undefined
    const taken = events
    events = []
    return streamEvent('events', await itemsText(taken, ''))
  }
  async function takeAlerts(): Promise<Uint8Array | undefined> {
    const [items, groups] = [[...alerts.values()], alertGroups]
    alerts = new Map()
    alertGroups = undefined
    if (groups !== undefined) return streamEvent('alerts', [Buffer.from(JSON.stringify(groups))])
    return items.length === 0 ? undefined : streamEvent('alerts', await itemsText(items, ''))
  }
  /** Makes room by dropping the oldest reading of the sensor with the most. */
  function dropReading(): void {
    let most: ReadingItem[] = []
    for (const own of readings.values()) if (own.length > most.length) most = own
    most.shift()
    readingCount--
  }

  return {
    ...options,
    addPosition: (assetId, position) => void positions.set(assetId, position),
    addState: (item) => void states.set(item.sensorId, item),
    setCounts(all) {
      counts = all
    },
    addReading(item) {
      const own = readings.get(item.sensorId) ?? []
      readings.set(item.sensorId, own)
      own.push(item)
      readingCount++
      if (own.length > MAX_OF_SENSOR) {
        own.shift()
        readingCount--
      } else if (readingCount > MAX_READINGS) dropReading()
    },
    addEvent(event) {
      events.push(event)
      if (events.length > MAX_EVENTS) events.shift()
    },
    addAlerts(items) {
      for (const item of items) alerts.set(item.id, item)
      // groups that wait are older than these alerts
      return alerts.size === 0 || (alerts.size <= MAX_ALERTS && alertGroups === undefined)
    },
    setAlertGroups(all) {
      alertGroups = all
      alerts = new Map()
    },
    async flush() {
      if (isWriting || !isOpen || (controller.desiredSize ?? 0) <= 0) return
      isWriting = true
      try {
        const taken = [
          await takePositions(),
          await takeStates(),
          await takeReadings(),
          await takeEvents(),
          await takeAlerts(),
        ]
        const pieces = taken.filter((piece) => piece !== undefined)
        // the client may have left meanwhile
        if (pieces.length === 0 || !isOpen) return
        lastSentMs = performance.now()
        controller.enqueue(pieces.length === 1 ? (pieces[0] as Uint8Array) : Buffer.concat(pieces))
      } finally {
        isWriting = false
      }
    },
    heartbeat(nowMs) {
      if (!isOpen || nowMs - lastSentMs <= HEARTBEAT_MS) return
      lastSentMs = nowMs
      controller.enqueue(encoder.encode(': heartbeat\n\n'))
    },
    end() {
      if (!isOpen) return
      isOpen = false
      controller.close()
    },
  }
}
