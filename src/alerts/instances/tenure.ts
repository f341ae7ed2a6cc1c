/**
 * Judges the feed of all instances while this one has the lease, with the loop that one server has. Whatever is stored is
 * stored in a transaction that holds the lease, so an instance that lost it without noticing stores nothing.
 */
import { rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { MoveSegment } from '../../ingest/loader.ts'
import { createBackoff } from '../../stores/backoff.ts'
import { WORKER_READABLE } from '../../stores/empty-folder.ts'
import { fedAfter, fedContent, fedEverywhereMs } from '../../stores/postgres/alerts/alert-feed.ts'
import {
  endJudgeLease,
  type JudgeLease,
  LostLease,
  renewJudgeLease,
  requireJudgeLease,
} from '../../stores/postgres/alerts/judge-lease.ts'
import type { Database } from '../../stores/postgres/client.ts'
import { newId } from '../../stores/postgres/ids.ts'
import { startRenewals } from '../../stores/renewals.ts'
import type { AlertStatus, Judging } from '../checks.ts'
import type { Downtimes } from '../downtimes.ts'
import type { RetainedSegments } from '../retained-segments.ts'
import type { WatchFiles } from '../watch-files.ts'
import { openFedSegments } from './fed-segments.ts'
import { createSharedDowntimes } from './shared-downtimes.ts'

/** What judging works on. `fence`: throws unless this instance may store what it found. */
export type JudgingParts = {
  retained: RetainedSegments
  downtimes: Downtimes
  fence(tx: Database): Promise<void>
}

export type TenureDeps = {
  db: Database
  watch: Pick<WatchFiles, 'rules'>
  scratchDir: string
  startJudging(parts: JudgingParts): Judging
  failed(error: unknown, attempt: number): void
}

export type Tenure = {
  status(): AlertStatus
  /** Resolves when the lease is lost. */
  ended: Promise<void>
  /** Writes a snapshot, and leaves the lease to the other instances. */
  stop(): Promise<void>
}

const RENEW_MS = 2_500
const LOOK_MS = 250
const LOOK_WITHOUT_RULES_MS = 2_000
const FIRST_RETRY_MS = 500
const LONGEST_RETRY_MS = 5_000
/** Segments in one look at the feed. */
const BATCH = 50

export async function startTenure(deps: TenureDeps, lease: JudgeLease): Promise<Tenure> {
  const { db, watch, scratchDir, failed } = deps
  const { term } = lease
  const ending = new AbortController()
  const lost = Promise.withResolvers<void>()
  let stopping: Promise<void> | undefined
  let judging: Judging | undefined

  const stopJudging = (): Promise<void> => {
    ending.abort()
    stopping ??= judging?.stop() ?? Promise.resolve()
    return stopping
  }
  async function held(work: () => Promise<void>): Promise<void> {
    try {
      await work()
    } catch (error) {
      if (error instanceof LostLease) {
        lost.resolve()
        stopJudging().catch((reason: unknown) => failed(reason, 1))
      }
      throw error
    }
  }
  const fence = (tx: Database): Promise<void> => held(() => requireJudgeLease(tx, term))
  const change = (work: (tx: Database) => Promise<void>): Promise<void> =>
    db.transaction(async (tx) => {
      await fence(tx)
      await work(tx)
    })

  const dir = join(scratchDir, newId('run'))
  const downtimes = createSharedDowntimes(db, lease)
  const retained = await openFedSegments(db, dir, change)
  let fedToMs: number | null = null
  const judge = deps.startJudging({ retained, downtimes, fence })
  judging = judge
  // at once: the time without a judge ends before anything is judged
  judge.begin(() => fedToMs)

  const renew = (): Promise<void> =>
    held(() => renewJudgeLease(db, term, { judged: judge.judgedTo(), aliveMs: downtimes.aliveMs() }))
  let renewing: Promise<void> = Promise.resolve()
  const renewals = startRenewals(
    () => {
      renewing = renew()
      return renewing
    },
    RENEW_MS,
    (error) => failed(error, 1),
  )

  let copied = retained.snapshot()?.sequence ?? 0

  /** Copies what was added to the feed. */
  async function look(): Promise<void> {
    // before the segments: all that came in earlier is among them
    const nextMs = await fedEverywhereMs(db)
    for (let isMore = true; isMore; ) {
      const segments = await fedAfter(db, copied, BATCH)
      isMore = segments.length === BATCH
      for (const { serial, segmentId, bytes, enterprises } of segments) {
        if (ending.signal.aborted) return
        const content = await fedContent(db, serial)
        if (content !== undefined) {
          const path = join(dir, segmentId)
          await Bun.write(path, await Bun.zstdDecompress(content), { mode: WORKER_READABLE })
          const sensors = new Map(enterprises.map((enterprise) => [enterprise, new Set<number>()]))
          await judge.keep({ path, bytes, sensors, sequence: serial }, moveCopy(path))
        }
        copied = serial
      }
    }
    fedToMs = nextMs ?? fedToMs
  }

  async function follow(): Promise<void> {
    const { signal } = ending
    const backoff = createBackoff(FIRST_RETRY_MS, LONGEST_RETRY_MS)
    for (let attempt = 1; !signal.aborted; )
      try {
        await look()
        attempt = 1
        backoff.reset()
        const restMs = (await watch.rules()).size === 0 ? LOOK_WITHOUT_RULES_MS : LOOK_MS
        await createBackoff(restMs, restMs).pause(signal)
      } catch (error) {
        if (!signal.aborted) failed(error, attempt++)
        await backoff.pause(signal)
      }
  }
  const following = follow()

  return {
    status: judge.status,
    ended: lost.promise,
    async stop() {
      ending.abort()
      await following
      await stopJudging()
      renewals.stop()
      // the renewals have reported its failure
      await renewing.catch(() => undefined)
      try {
        await renew()
        await endJudgeLease(db, term)
      } catch (error) {
        // the others take it when it ends
        if (!(error instanceof LostLease)) failed(error, 1)
      }
      await rm(dir, { recursive: true, force: true })
    },
  }
}

/** Of a segment that was copied from the feed. */
const moveCopy =
  (path: string): MoveSegment =>
  async (to) => {
    await rename(path, to)
    return () => rm(to, { force: true })
  }
