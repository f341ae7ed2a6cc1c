/**
 * Carries out long imports of sensors, part after part. Each part is a transaction that also counts its rows and removes
 * it from those that wait, so that an import continues after a kill where it was, on any instance.
 */
import type { Changes } from '../stores/changes.ts'
import { type PeriodicWrites, startWrites } from '../stores/periodic-writes.ts'
import type { Database } from '../stores/postgres/client.ts'
import { type ImportRow, importRows } from '../stores/postgres/sensors/import-rows.ts'
import { type ImportPart, notePart, postponeImport, takePart } from '../stores/postgres/sensors/sensor-imports.ts'

/** Interval of looking for imports, including imports that other instances left unfinished. */
const LOOK_MS = 10_000

export function startSensorImports(
  db: Database,
  changes: Changes,
  onError: (error: unknown) => void,
): Pick<PeriodicWrites, 'stop'> {
  let isStopped = false

  /** @returns false if no part is due */
  async function carryOutPart(): Promise<boolean> {
    const taken: { part?: ImportPart } = {}
    try {
      const changedIds = await db.transaction(async (tx) => {
        const part = await takePart(tx)
        if (part === undefined) return undefined
        taken.part = part
        const done = await importRows(tx, part.requestedBy, part.enterpriseId, JSON.parse(part.rows) as ImportRow[])
        await notePart(tx, part.importId, done)
        return done.changedIds
      })
      if (changedIds === undefined) return false
      const ownerId = taken.part?.enterpriseId as string
      await Promise.all(changedIds.map((id) => changes.publish({ kind: 'sensor', id, ownerId, deleted: false })))
    } catch (error) {
      if (taken.part === undefined) throw error
      onError(error)
      await postponeImport(db, taken.part.importId)
    }
    return true
  }

  const work = startWrites(
    LOOK_MS,
    async () => {
      while (!isStopped && (await carryOutPart()));
    },
    onError,
  )
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
