/**
 * Hands the stored segments of this instance over to the one that judges: a segment stays in the log until the feed in
 * PostgreSQL has it. Also notes up to which time the feed has all readings of this instance, for silences.
 */
import type { Segment } from '../../ingest/segments.ts'
import { createBackoff } from '../../stores/backoff.ts'
import { addToFeed, joinFeed, leaveFeed, noteFed, unjudgedFeed } from '../../stores/postgres/alerts/alert-feed.ts'
import type { Database } from '../../stores/postgres/client.ts'
import { startRenewals } from '../../stores/renewals.ts'
import { type AlertStatus, type OldestRowMs, SETTLE_MS } from '../checks.ts'
import type { WatchFiles } from '../watch-files.ts'

export type FeederDeps = {
  db: Database
  instanceId: string
  watch: Pick<WatchFiles, 'rules'>
  /** While more bytes of segments are still to be judged, segments stay in the log. */
  mostUnjudgedBytes: number
  failed(error: unknown, attempt: number): void
}

export type Feeder = {
  /** Resolves when the feed has the segment. @throws after `stop`, and the segment is handed over after the next start */
  keep(segment: Pick<Segment, 'id' | 'path' | 'bytes' | 'sensors'>): Promise<void>
  /** Segments of all instances, as of the last heartbeat. */
  status(): AlertStatus
  /** @param oldestRowMs when the oldest readings came in that are not in the feed yet */
  begin(oldestRowMs: OldestRowMs): void
  stop(): Promise<void>
}

const BEAT_MS = 1_000
const BEAT_WITHOUT_RULES_MS = 5_000
const FIRST_RETRY_MS = 250
const LONGEST_RETRY_MS = 5_000

export async function openFeeder(deps: FeederDeps): Promise<Feeder> {
  const { db, instanceId, watch, mostUnjudgedBytes, failed } = deps
  const stopping = new AbortController()
  const { signal } = stopping
  await joinFeed(db, instanceId, Date.now() - SETTLE_MS)
  let unjudged = await unjudgedFeed(db)
  let oldestRow: OldestRowMs | undefined
  const fedToMs = (): number => Math.min(Date.now() - SETTLE_MS, oldestRow?.() ?? Number.POSITIVE_INFINITY)

  let beatMs = performance.now()
  async function beat(): Promise<void> {
    if (performance.now() < beatMs + BEAT_WITHOUT_RULES_MS && (await watch.rules()).size === 0) return
    beatMs = performance.now()
    // before `begin`, the log of the last process may have older readings
    await (oldestRow === undefined ? joinFeed(db, instanceId, Date.now()) : noteFed(db, instanceId, fedToMs()))
    unjudged = await unjudgedFeed(db)
  }
  let beating: Promise<void> = Promise.resolve()
  const beats = startRenewals(
    () => {
      beating = beat()
      return beating
    },
    BEAT_MS,
    (error) => failed(error, 1),
  )

  async function hand({ id, path, bytes, sensors }: Parameters<Feeder['keep']>[0]): Promise<void> {
    const content = await Bun.zstdCompress(await Bun.file(path).bytes())
    await addToFeed(db, { segmentId: id, bytes, enterprises: [...sensors.keys()] }, content)
  }

  return {
    async keep(segment) {
      while (unjudged.bytes > mostUnjudgedBytes && !signal.aborted) await createBackoff(BEAT_MS, BEAT_MS).pause(signal)
      const backoff = createBackoff(FIRST_RETRY_MS, LONGEST_RETRY_MS)
      for (let attempt = 1; ; attempt++)
        try {
          signal.throwIfAborted()
          return await hand(segment)
        } catch (error) {
          if (signal.aborted) throw error
          failed(error, attempt)
          await backoff.pause(signal)
        }
    },
    status: () => ({ ...unjudged, rulesGivenUp: 0 }),
    begin(oldestRowMs) {
      oldestRow = oldestRowMs
    },
    async stop() {
      stopping.abort()
      beats.stop()
      // the renewals have reported its failure
      await beating.catch(() => undefined)
      const isEmpty = oldestRow !== undefined && oldestRow() === undefined
      await (isEmpty ? leaveFeed(db, instanceId) : beat()).catch((error: unknown) => failed(error, 1))
    },
  }
}
