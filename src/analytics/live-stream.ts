/**
 * The live layer as server-sent events (WHATWG HTML, 9.2): a snapshot first, then changes. The database is queried once
 * a second for each watched enterprise. A slow reader gets only the newest position of each asset that it missed.
 */
import { AppError } from '../errors.ts'
import type { Changes } from '../stores/changes.ts'
import type { ClickHouse } from '../stores/clickhouse/client.ts'
import { type Box, latestPositions } from '../stores/clickhouse/positions.ts'
import { inTurns } from '../turns.ts'
import { type AssetPosition, featuresText, isInBox, livePositions, newestByAsset } from './live.ts'
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
  waiting: Map<string, AssetPosition | null>
  controller: ReadableStreamDefaultController<Uint8Array>
  /** Whether an event is being written. */
  isWriting: boolean
  isOpen: boolean
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
const eventOf = (name: string, data: readonly Uint8Array[]): Uint8Array =>
  Buffer.concat([encoder.encode(`event: ${name}\ndata: `), ...data, encoder.encode('\n\n')])

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
    watcher.isOpen = false
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

  async function flush(watcher: Watcher): Promise<void> {
    const { controller, waiting } = watcher
    if (waiting.size === 0 || watcher.isWriting || (controller.desiredSize ?? 0) <= 0) return
    const moved = [...waiting.values()].filter((position) => position !== null)
    const removed = [...waiting].filter(([, position]) => position === null).map(([assetId]) => assetId)
    waiting.clear()
    watcher.isWriting = true
    const data = await featuresText(moved, { removed })
    watcher.isWriting = false
    watcher.lastSentMs = performance.now()
    // the client may have left meanwhile
    if (watcher.isOpen) controller.enqueue(eventOf('positions', data))
  }

  function heartbeat(watchers: ReadonlySet<Watcher>): void {
    const nowMs = performance.now()
    for (const watcher of watchers) {
      if (nowMs - watcher.lastSentMs <= HEARTBEAT_MS) continue
      watcher.lastSentMs = nowMs
      watcher.controller.enqueue(encoder.encode(': heartbeat\n\n'))
    }
  }

  async function send(watcher: Watcher, positions: readonly AssetPosition[]): Promise<void> {
    const { box, seen, waiting } = watcher
    await inTurns(positions.length, (i) => {
      const one = positions[i] as AssetPosition
      const isInside = box === undefined || isInBox(box, one.longitude, one.latitude)
      // polls overlap, so most positions were sent before
      if ((seen.get(one.assetId) ?? Number.NEGATIVE_INFINITY) >= one.ms) return
      if (isInside) {
        seen.set(one.assetId, one.ms)
        waiting.set(one.assetId, one)
      } else if (seen.delete(one.assetId)) waiting.set(one.assetId, null)
    })
    await flush(watcher)
  }

  async function poll(enterpriseId: string, group: Watched): Promise<void> {
    if (group.busy) return
    group.busy = true
    try {
      heartbeat(group.watchers)
      const request = { insertedAfterMs: group.sinceMs - OVERLAP_MS, limit: MAX_CHANGED }
      const positions = await latestPositions(clickhouse, group.number, request, stopping.signal)
      // not with spread arguments: there may be more positions than arguments are allowed
      for (const [, , , , insertedMs] of positions) group.sinceMs = Math.max(group.sinceMs, insertedMs)
      const newest = [...(await newestByAsset(positions, (await sensorIndexes.of(enterpriseId)).sensors)).values()]
      for (const watcher of group.watchers) await send(watcher, newest)
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
      const positions = await livePositions(clickhouse, enterprise, sensorIndex, box, signal)
      const snapshot = eventOf('snapshot', await featuresText(positions))
      const seen = new Map(positions.map(({ assetId, ms }) => [assetId, ms]))
      let watcher: Watcher | undefined
      return new ReadableStream<Uint8Array>({
        start(controller) {
          // others may have started while the snapshot was read
          checkCount(enterprise.id, applicationId)
          watcher = {
            ...{ applicationId, box, seen, waiting: new Map(), controller },
            ...{ isWriting: false, isOpen: true, lastSentMs: performance.now() },
          }
          controller.enqueue(snapshot)
          groupOf(enterprise).watchers.add(watcher)
        },
        async pull() {
          if (watcher !== undefined) await flush(watcher)
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
