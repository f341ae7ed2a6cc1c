/**
 * Carries out deletions of readings (sql/postgres/0023-reading-deletions.sql) one after another. If an instance dies
 * during a deletion, its lease expires, and another instance or its own next start repeats the deletion. An attempt
 * that was only slow can then no longer complete it.
 */
import type { Changes } from '../../changes.ts'
import type { Database } from '../../postgres/client.ts'
import {
  finishDeletion,
  noteDeletedReadings,
  type ReadingDeletion,
  releaseDeletion,
  renewDeletion,
  takeDeletion,
} from '../../postgres/sensors/reading-deletions.ts'
import type { ClickHouse } from '../client.ts'
import { countToDelete, deleteRange, purge } from './deletion-statements.ts'

export type ReadingDeletions = { stop(): Promise<void> }

const LEASE_MS = 60_000
const RENEW_MS = 20_000
/** Interval of looking for deletions, including deletions that other instances left unfinished. */
const LOOK_MS = 60_000
const RETRY_MS = 10_000
/** By then, calls that were admitted before a sensor was deleted have ended. */
const CALLS_OVER_MS = 5_000

/** @param loadedEverywhere resolves once all readings that any instance has accepted are in ClickHouse */
export function startReadingDeletions(
  { db, clickhouse, changes }: { db: Database; clickhouse: ClickHouse; changes: Changes },
  loadedEverywhere: () => Promise<void>,
  { onDone, onError }: { onDone(deletion: ReadingDeletion): void; onError(error: unknown): void },
): ReadingDeletions {
  let isStopped = false
  const stopped = Promise.withResolvers<void>()
  let running: Promise<void> | undefined
  let isAsked = false

  /** @param isLost whether another instance has taken it */
  async function carryOut(deletion: ReadingDeletion, isLost: () => boolean): Promise<void> {
    const { id, enterpriseId, enterpriseNumber, sensorId, sensorNumber, fromAt, toAt, channelNumbers } = deletion
    const isOver = (): boolean => isStopped || isLost()
    const mutation = { id, isStopped: isOver }
    if (sensorNumber !== null && fromAt !== null && toAt !== null) {
      await loadedEverywhere()
      const range = {
        sensor: sensorNumber,
        fromMs: fromAt.getTime(),
        toMs: toAt.getTime(),
        channels: channelNumbers ?? undefined,
        isRefill: deletion.refill,
      }
      await noteDeletedReadings(db, id, await countToDelete(clickhouse, range))
      await deleteRange(clickhouse, range, mutation)
    } else {
      const restMs = deletion.createdAt.getTime() + CALLS_OVER_MS - Date.now()
      await Promise.race([Bun.sleep(Math.max(0, restMs)), stopped.promise])
      if (isOver()) return
      await loadedEverywhere()
      await purge(clickhouse, { enterprise: enterpriseNumber, sensor: sensorNumber ?? undefined }, mutation)
    }
    if (isOver() || !(await finishDeletion(db, deletion))) return
    onDone(deletion)
    // claims forget the times that may be sent again, and pages that show readings reload them
    if (fromAt === null) return
    if (sensorId === null) await changes.publish({ kind: 'enterprise', id: enterpriseId })
    else await changes.publish({ kind: 'sensor', id: sensorId, ownerId: enterpriseId, deleted: false })
  }

  async function workThrough(): Promise<void> {
    for (;;) {
      if (isStopped) return
      const deletion = await takeDeletion(db, LEASE_MS)
      if (deletion === undefined) return
      let isLost = false
      const renew = async (): Promise<void> => {
        isLost = !(await renewDeletion(db, deletion, LEASE_MS))
      }
      const renewing = setInterval(() => void renew().catch(onError), RENEW_MS)
      try {
        await carryOut(deletion, () => isLost)
      } catch (error) {
        setTimeout(look, RETRY_MS).unref()
        throw error
      } finally {
        clearInterval(renewing)
        await releaseDeletion(db, deletion).catch(onError)
      }
    }
  }

  function look(): void {
    if (isStopped) return
    if (running !== undefined) {
      isAsked = true
      return
    }
    running = workThrough()
      .catch(onError)
      .finally(() => {
        running = undefined
        if (isAsked) {
          isAsked = false
          look()
        }
      })
  }

  changes.subscribe((change) => {
    const isGone = change.kind === 'enterprise' || (change.kind === 'sensor' && change.deleted)
    if (isGone || change.kind === 'reading-deletion' || change.kind === 'missed') look()
  })
  const timer = setInterval(look, LOOK_MS)
  timer.unref()
  look()
  return {
    async stop() {
      isStopped = true
      stopped.resolve()
      clearInterval(timer)
      await running
    },
  }
}
