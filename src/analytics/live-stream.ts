/**
 * The live layer as server-sent events (WHATWG HTML, 9.2): a snapshot first, then changes. The database is queried once
 * a second for each watched enterprise. A slow reader gets only the newest position of each asset that it missed.
 */
import { AppError } from '../errors.ts'
import type { Changes } from '../stores/changes.ts'
import type { ClickHouse } from '../stores/clickhouse/client.ts'
import { type Box, latestPositions } from '../stores/clickhouse/positions.ts'
import { type AssetPoint, type AssetPosition, isInBox, livePoints, newestByAsset, pointOf } from './live.ts'
import type { Enterprise } from './readings.ts'
import type { SensorIndexes } from './sensor-index.ts'

export type LiveStreams = {
  /** @returns the events as bytes, until the client disconnects, keys change or the server stops */
  watch(
    enterprise: Enterprise & { id: string },
    box: Box | undefined,
    applicationId: string,
    signal: AbortSignal,
  ): Promise<ReadableStream<Uint8Array>>
  stop(): void
}

const POLL_MS = 1_000
const HEARTBEAT_MS = 15_000
/** Each poll overlaps the one before by this much, because rows become visible after their insert time. */
const OVERLAP_MS = 10_000
const MAX_CHANGED = 1_000_000
const RETRY_AFTER_S = 10

type Watcher = {
  applicationId: string
  box: Box | undefined
  /** Assets sent to this watcher, with the time of their last position. */
  seen: Map<string, number>
  waiting: Map<string, AssetPoint | null>
  controller: ReadableStreamDefaultController<Uint8Array>
  lastSentMs: number
}

type Watched = {
  number: number
  watchers: Set<Watcher>
  timer: Timer
  busy: boolean
  sinceMs: number
}

const encoder = new TextEncoder()
const eventOf = (name: string, data: unknown): Uint8Array =>
  encoder.encode(`event: ${name}\ndata: ${JSON.stringify(data)}\n\n`)

export function createLiveStreams(
  clickhouse: ClickHouse,
  sensorIndexes: SensorIndexes,
  changes: Changes,
  maxStreams: number,
  onError: (error: unknown) => void,
): LiveStreams {
  const watched = new Map<string, Watched>()
  const stopping = new AbortController()

  function leave(enterpriseId: string, watcher: Watcher): void {
    const group = watched.get(enterpriseId)
    group?.watchers.delete(watcher)
    if (group === undefined || group.watchers.size > 0) return
    clearInterval(group.timer)
    watched.delete(enterpriseId)
  }

  function closeAll(only?: string): void {
    for (const [enterpriseId, { watchers }] of watched)
      if (only === undefined || enterpriseId === only)
        for (const watcher of [...watchers]) {
          leave(enterpriseId, watcher)
          watcher.controller.close()
        }
  }

  // clients reconnect and are authenticated again
  changes.subscribe((change) => {
    if (change.kind === 'access' || change.kind === 'missed') closeAll()
    if (change.kind === 'enterprise') closeAll(change.id)
  })

  function flush(watcher: Watcher): void {
    const { controller, waiting } = watcher
    if (waiting.size === 0 || (controller.desiredSize ?? 0) <= 0) return
    const features = [...waiting.values()].filter((point) => point !== null)
    const removed = [...waiting].filter(([, point]) => point === null).map(([assetId]) => assetId)
    waiting.clear()
    watcher.lastSentMs = performance.now()
    controller.enqueue(eventOf('positions', { type: 'FeatureCollection', features, removed }))
  }

  function heartbeat(watchers: ReadonlySet<Watcher>): void {
    const nowMs = performance.now()
    for (const watcher of watchers) {
      if (nowMs - watcher.lastSentMs <= HEARTBEAT_MS) continue
      watcher.lastSentMs = nowMs
      watcher.controller.enqueue(encoder.encode(': heartbeat\n\n'))
    }
  }

  function send(watcher: Watcher, positions: Iterable<AssetPosition>): void {
    const { box, seen, waiting } = watcher
    for (const one of positions) {
      const isInside = box === undefined || isInBox(box, one.longitude, one.latitude)
      // polls overlap, so most positions were sent before
      if ((seen.get(one.assetId) ?? Number.NEGATIVE_INFINITY) >= one.ms) continue
      if (isInside) {
        seen.set(one.assetId, one.ms)
        waiting.set(one.assetId, pointOf(one))
      } else if (seen.delete(one.assetId)) waiting.set(one.assetId, null)
    }
    flush(watcher)
  }

  async function poll(enterpriseId: string, group: Watched): Promise<void> {
    if (group.busy) return
    group.busy = true
    try {
      heartbeat(group.watchers)
      const request = { insertedAfterMs: group.sinceMs - OVERLAP_MS, limit: MAX_CHANGED }
      const positions = await latestPositions(clickhouse, group.number, request, stopping.signal)
      group.sinceMs = Math.max(group.sinceMs, ...positions.map(([, , , , insertedMs]) => insertedMs))
      const newest = [...newestByAsset(positions, (await sensorIndexes.of(enterpriseId)).sensors).values()]
      for (const watcher of group.watchers) send(watcher, newest)
    } catch (error) {
      if (!stopping.signal.aborted) onError(error)
    } finally {
      group.busy = false
    }
  }

  /** @throws AppError RATE_LIMITED */
  function checkCount(enterpriseId: string, applicationId: string): void {
    const watchers = [...(watched.get(enterpriseId)?.watchers ?? [])]
    if (watchers.filter((one) => one.applicationId === applicationId).length < maxStreams) return
    throw new AppError('RATE_LIMITED', {
      message: `The application has ${maxStreams} event streams open, which is the maximum; close one first.`,
      retryAfterS: RETRY_AFTER_S,
    })
  }

  function groupOf({ id, number }: Enterprise & { id: string }): Watched {
    let group = watched.get(id)
    if (group === undefined) {
      const made: Watched = {
        ...{ number, watchers: new Set<Watcher>(), busy: false, sinceMs: Date.now() },
        timer: setInterval(() => void poll(id, made), POLL_MS),
      }
      watched.set(id, made)
      group = made
    }
    return group
  }

  return {
    async watch(enterprise, box, applicationId, signal) {
      checkCount(enterprise.id, applicationId)
      const sensorIndex = await sensorIndexes.of(enterprise.id)
      const features = await livePoints(clickhouse, enterprise, sensorIndex, box, signal)
      let watcher: Watcher | undefined
      return new ReadableStream<Uint8Array>({
        start(controller) {
          const seen = new Map(features.map(({ id, properties }) => [id, Date.parse(properties.at)]))
          // others may have started while the snapshot was read
          checkCount(enterprise.id, applicationId)
          watcher = { applicationId, box, seen, waiting: new Map(), controller, lastSentMs: performance.now() }
          controller.enqueue(eventOf('snapshot', { type: 'FeatureCollection', features }))
          groupOf(enterprise).watchers.add(watcher)
        },
        pull() {
          if (watcher !== undefined) flush(watcher)
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
