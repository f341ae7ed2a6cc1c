/**
 * Carries out imports of sensors, one after another, in parts. Each part is a transaction that also notes how far the
 * import has come, so that an import continues after a kill where it was, on any instance.
 */
import type { Changes } from '../stores/changes.ts'
import { type PeriodicWrites, startWrites } from '../stores/periodic-writes.ts'
import type { Database } from '../stores/postgres/client.ts'
import { type ImportRow, importRows } from '../stores/postgres/sensors/import-rows.ts'
import {
  advanceImport,
  releaseImport,
  type SensorImport,
  takeImport,
} from '../stores/postgres/sensors/sensor-imports.ts'

/** Longer than a part takes. */
const LEASE_MS = 60_000
/** Interval of looking for imports, including imports that other instances left unfinished. */
const LOOK_MS = 30_000
const PART_ROWS = 100

/** Another instance has taken the import. */
class ImportLost extends Error {}

export function startSensorImports(
  db: Database,
  changes: Changes,
  onError: (error: unknown) => void,
): Pick<PeriodicWrites, 'stop'> {
  let isStopped = false

  async function carryOut(taken: SensorImport): Promise<void> {
    const { enterpriseId, requestedBy, rows: text } = taken
    const lines = (text ?? '').split('\n')
    for (let { position } = taken; position < lines.length && !isStopped; ) {
      const rows = lines.slice(position, position + PART_ROWS).map((line) => JSON.parse(line) as ImportRow)
      position += rows.length
      const { changedIds, ...counts } = await db.transaction(async (tx) => {
        const result = await importRows(tx, requestedBy, enterpriseId, rows)
        const progress = { ...result, position, isDone: position === lines.length }
        if (!(await advanceImport(tx, taken, progress, LEASE_MS))) throw new ImportLost(taken.id)
        return result
      })
      if (counts.created + counts.updated > 0) await publish(changedIds, enterpriseId)
    }
  }

  async function publish(ids: readonly string[], ownerId: string): Promise<void> {
    await Promise.all(ids.map((id) => changes.publish({ kind: 'sensor', id, ownerId, deleted: false })))
  }

  async function workThrough(): Promise<void> {
    while (!isStopped) {
      const taken = await takeImport(db, LEASE_MS)
      if (taken === undefined) return
      try {
        await carryOut(taken)
      } catch (error) {
        if (!(error instanceof ImportLost)) throw error
      } finally {
        await releaseImport(db, taken).catch(onError)
      }
    }
  }

  const work = startWrites(LOOK_MS, workThrough, onError)
  changes.subscribe(({ kind }) => {
    if (kind === 'sensor-import' || kind === 'missed') void work.flush()
  })
  void work.flush()
  return {
    stop() {
      isStopped = true
      return work.stop()
    },
  }
}
