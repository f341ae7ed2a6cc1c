/**
 * The event stream, over one connection for the whole tab: pages register their subjects, and the connection requests
 * all of them. Read with `fetch`, because the browser's own event source cannot send the header that names the
 * enterprise. It reconnects with growing pauses, stops while the tab is hidden, and if no stream gets through, pages
 * poll every few seconds instead.
 */
import { effect, signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { send } from './api/client.ts'
import { lostSince } from './shell/connection.ts'
import { eventReader } from './shell/live-events.ts'
import { enterpriseId, isExpired } from './shell/session.ts'

export type LiveReading = {
  sensorId: string
  at: string
  values: Record<string, number | boolean>
  location?: [number, number]
}
export type LiveState = {
  sensorId: string
  assetId: string
  state: string
  /** Of the worst sensor of the asset. */
  assetState: string
  lastAt: string | null
  intervalMs: number | null
  refused: number
}
export type LiveZoneEvent = {
  id: string
  ruleId: string
  when: string
  sensorId: string | null
  assetId: string | null
  at: string
  location: [number, number]
  layerId: string
  featureIds: string[]
  ruleName: string | null
  sensorName: string | null
  layerName: string | null
}
export type LivePosition = {
  type: 'Feature'
  id: string
  properties: { assetName: string; sensorId: string; at: string }
  geometry: { type: 'Point'; coordinates: [number, number] }
}
export type Box = readonly [west: number, south: number, east: number, north: number]

export type Watch = {
  /** Sensors whose readings are wanted, for `onReadings`. */
  sensors?: readonly string[]
  /** The area of positions; everywhere without it. */
  box?: Box
  /** The page loads current positions itself, after `onStates` was called, so the stream is open. */
  isWithoutSnapshot?: true
  onReadings?: (readings: LiveReading[]) => void
  onStates?: (states: LiveState[], counts: Record<string, number> | undefined) => void
  onEvents?: (events: LiveZoneEvent[]) => void
  /** Alerts began, changed or ended. */
  onAlerts?: () => void
  /**
   * @param isAll whether these are the first positions after a connection; assets missing from them have lost theirs
   */
  onPositions?: (positions: LivePosition[], removed: string[], isAll: boolean) => void
  /** Loads the data of the page: after a lost connection, and repeatedly while there is no stream. */
  refresh?: () => void
}

/** `polling`: no stream gets through. `paused`: the tab is hidden. */
export type LiveStatus = 'idle' | 'connecting' | 'live' | 'polling' | 'paused'
export const liveStatus = signal<LiveStatus>('idle')

const FIRST_RETRY_MS = 1_000
const LAST_RETRY_MS = 30_000
/** The server sends something at least every 15 seconds. */
const SILENCE_MS = 40_000
/** A proxy that buffers a stream sends nothing, not even its first bytes. */
const FIRST_BYTES_MS = 8_000
const POLL_MS = 5_000
/** Changing the page alters the set of watches several times in a row. */
const GATHER_MS = 50
/** Attempts without a byte after which pages poll by themselves. */
const TRIES_BEFORE_POLLING = 2
/** A short visit to another tab keeps the connection. */
const HIDDEN_MS = 15_000

/** Events sent while a page loaded and the stream was not open yet can be read by then. */
const VISIBLE_MS = 1_500

const watches = new Set<Watch>()
let connection: AbortController | undefined
let asked = ''
let failures = 0
/** Whether events may have been missed since the pages loaded. */
let hasMissed = false
let gather: ReturnType<typeof setTimeout> | undefined
let retry: ReturnType<typeof setTimeout> | undefined
let hiding: ReturnType<typeof setTimeout> | undefined
let polling: ReturnType<typeof setInterval> | undefined
let catchUp: ReturnType<typeof setTimeout> | undefined

/**
 * Starts a watch.
 * @returns a function that ends it
 */
export function watchLive(watch: Watch): () => void {
  watches.add(watch)
  settle()
  return () => {
    watches.delete(watch)
    settle()
  }
}

/** A watch for as long as a part is shown. @param keys another watch begins when one of them changes */
export function useLive(watch: Watch, keys: readonly unknown[]): void {
  useEffect(() => watchLive(watch), keys)
}

function settle(): void {
  clearTimeout(gather)
  gather = setTimeout(() => connect(false), GATHER_MS)
}

const sameBox = (boxes: (Box | undefined)[]): Box | undefined => {
  const [first] = boxes
  return first !== undefined && boxes.every((box) => box?.join() === first.join()) ? first : undefined
}

/** The query for everything that is watched; empty for nothing. */
function wanted(): string {
  const all = [...watches]
  const topics = [
    all.some(({ onReadings }) => onReadings) && 'readings',
    all.some(({ onStates }) => onStates) && 'states',
    all.some(({ onEvents }) => onEvents) && 'events',
    all.some(({ onPositions }) => onPositions) && 'positions',
    all.some(({ onAlerts }) => onAlerts) && 'alerts',
  ].filter((topic) => topic !== false)
  if (topics.length === 0) return ''
  const query = new URLSearchParams({ topics: topics.join(',') })
  const sensors = new Set(all.flatMap(({ onReadings, sensors: own }) => (onReadings ? (own ?? []) : [])))
  if (sensors.size > 0) query.set('sensors', [...sensors].sort().join(','))
  const box = sameBox(all.filter(({ onPositions }) => onPositions).map((watch) => watch.box))
  if (box !== undefined) query.set('bbox', box.join(','))
  if (all.every(({ onPositions, isWithoutSnapshot }) => onPositions === undefined || isWithoutSnapshot))
    query.set('snapshot', 'no')
  return query.toString()
}

function disconnect(status: LiveStatus): void {
  clearTimeout(retry)
  clearTimeout(catchUp)
  connection?.abort()
  connection = undefined
  asked = ''
  stopPolling()
  liveStatus.value = status
}

function stopPolling(): void {
  clearInterval(polling)
  polling = undefined
}

/** @param isRetry connects even if the query is the same */
function connect(isRetry: boolean): void {
  const query = wanted()
  if (query === '' || enterpriseId.peek() === undefined) {
    disconnect('idle')
    return
  }
  if (document.hidden) {
    if (connection === undefined) {
      hasMissed = true
      disconnect('paused')
    }
    return
  }
  const now = `${enterpriseId.peek()}?${query}`
  if (connection !== undefined && asked === now && !isRetry) return
  clearTimeout(retry)
  connection?.abort()
  const own = new AbortController()
  connection = own
  asked = now
  if (polling === undefined && liveStatus.peek() !== 'live') liveStatus.value = 'connecting'
  read(query, own).then(
    () => lost(own),
    () => lost(own),
  )
}

function lost(own: AbortController): void {
  if (connection !== own) return
  own.abort()
  hasMissed = true
  failures++
  if (failures >= TRIES_BEFORE_POLLING && polling === undefined) {
    liveStatus.value = 'polling'
    polling = setInterval(() => {
      if (!document.hidden) refreshAll()
    }, POLL_MS)
  } else if (polling === undefined) liveStatus.value = 'connecting'
  const pause = Math.min(LAST_RETRY_MS, FIRST_RETRY_MS * 2 ** Math.min(failures - 1, 6))
  // with a random delay: not all tabs at the same moment after a restart of the server
  retry = setTimeout(() => connect(true), pause * (0.75 + Math.random() / 2))
}

function refreshAll(): void {
  hasMissed = false
  for (const { refresh } of [...watches]) refresh?.()
}

async function read(query: string, own: AbortController): Promise<void> {
  let silence = setTimeout(() => own.abort(), FIRST_BYTES_MS)
  try {
    const response = await send(`/enterprise/v1/assets/stream?${query}`, { signal: own.signal })
    if (response.body === null) return
    const events = eventReader()
    const decoder = new TextDecoder()
    const reader = response.body.getReader()
    for (let isFirst = true; ; isFirst = false) {
      const { done, value } = await reader.read()
      if (done) return
      clearTimeout(silence)
      silence = setTimeout(() => own.abort(), SILENCE_MS)
      if (connection !== own) return
      if (isFirst) opened()
      for (const { name, data } of events(decoder.decode(value, { stream: true }))) pass(name, data)
    }
  } finally {
    clearTimeout(silence)
  }
}

function opened(): void {
  failures = 0
  stopPolling()
  liveStatus.value = 'live'
  if (hasMissed) refreshAll()
  clearTimeout(catchUp)
  catchUp = setTimeout(refreshAll, VISIBLE_MS)
}

type Data = {
  items?: unknown[]
  counts?: Record<string, number>
  features?: LivePosition[]
  removed?: string[]
}

function pass(name: string, text: string): void {
  const data = JSON.parse(text) as Data
  for (const watch of [...watches])
    if (name === 'readings') {
      const own = ((data.items ?? []) as LiveReading[]).filter(({ sensorId }) => watch.sensors?.includes(sensorId))
      if (own.length > 0) watch.onReadings?.(own)
    } else if (name === 'states') watch.onStates?.((data.items ?? []) as LiveState[], data.counts)
    else if (name === 'events') watch.onEvents?.((data.items ?? []) as LiveZoneEvent[])
    else if (name === 'alerts') watch.onAlerts?.()
    else if (name === 'positions' || name === 'snapshot')
      watch.onPositions?.(data.features ?? [], data.removed ?? [], name === 'snapshot')
}

document.addEventListener('visibilitychange', () => {
  clearTimeout(hiding)
  if (!document.hidden) connect(liveStatus.peek() === 'paused')
  else
    hiding = setTimeout(() => {
      if (watches.size === 0) return
      hasMissed = true
      disconnect('paused')
    }, HIDDEN_MS)
})
addEventListener('online', () => connect(liveStatus.peek() !== 'live'))
effect(() => {
  const isLost = lostSince.value !== undefined
  // an open connection of a server that does not answer says nothing for a long time
  if (isLost) connection?.abort()
  else if (watches.size > 0 && connection?.signal.aborted) connect(true)
})
effect(() => {
  // another enterprise, or a new session after the old one ended
  if (enterpriseId.value !== undefined && !isExpired.value && watches.size > 0) connect(liveStatus.peek() !== 'live')
})
