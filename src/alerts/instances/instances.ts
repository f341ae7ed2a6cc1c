/**
 * Judging with several instances: each hands its stored segments over, and one of them judges all. When that one stops,
 * or has not renewed its lease, another one continues from the shared snapshot and the segments after it.
 */
import { createBackoff } from '../../stores/backoff.ts'
import { takeJudgeLease } from '../../stores/postgres/alerts/judge-lease.ts'
import { type AlertChecks, isWatchedBy } from '../checks.ts'
import { type FeederDeps, openFeeder } from './feeder.ts'
import { startTenure, type Tenure, type TenureDeps } from './tenure.ts'

export type SharedChecksDeps = TenureDeps & FeederDeps

export type SharedChecks = AlertChecks & {
  /** Whether this instance has the lease. */
  isJudge(): boolean
}

const LOOK_MS = 1_000

export async function openSharedChecks(deps: SharedChecksDeps): Promise<SharedChecks> {
  const { db, instanceId, watch, failed } = deps
  const feeder = await openFeeder(deps)
  const stopping = new AbortController()
  let tenure: Tenure | undefined
  let working: Promise<void> = Promise.resolve()

  async function work(): Promise<void> {
    const { signal } = stopping
    const stopped = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()))
    const rest = createBackoff(LOOK_MS, LOOK_MS)
    while (!signal.aborted)
      try {
        const lease = await takeJudgeLease(db, instanceId)
        if (lease === undefined) {
          await rest.pause(signal)
          continue
        }
        tenure = await startTenure(deps, lease)
        await Promise.race([tenure.ended, stopped])
        await tenure.stop()
      } catch (error) {
        failed(error, 1)
        await rest.pause(signal)
      } finally {
        tenure = undefined
      }
  }

  return {
    watches: async (segment) => isWatchedBy(await watch.rules(), segment),
    keep: (segment) => feeder.keep(segment),
    status: () => tenure?.status() ?? feeder.status(),
    unjudgedBytes: () => feeder.status().bytes,
    isJudge: () => tenure !== undefined,
    begin(oldestRowMs) {
      feeder.begin(oldestRowMs)
      working = work()
    },
    async stop() {
      // the judge of this instance may still judge what it handed over
      await feeder.stop()
      stopping.abort()
      await working
    },
  }
}
