/** Optimistic concurrency of records: changes with `If-Match`. */
import { requireMatch, tagsToMatch } from '../../http/entity-tags.ts'
import type { Database } from '../../stores/postgres/client.ts'
import { type LockedKind, lockRecord } from '../../stores/postgres/record-lock.ts'

export type RecordToChange = {
  kind: LockedKind
  id: string
  /** The record as its own path returns it. */
  read(db: Database): Promise<object>
}

/**
 * Makes a change if the record is still in a state that the caller has seen. Without `If-Match`, any state matches.
 * @param change gets the transaction in which the state was compared
 * @throws AppError PRECONDITION_FAILED, and the errors of reading and changing
 */
export async function changeSeen<T>(
  request: Request,
  db: Database,
  { kind, id, read }: RecordToChange,
  change: (db: Database) => Promise<T>,
): Promise<T> {
  const tags = tagsToMatch(request)
  if (tags === undefined) return change(db)
  return db.transaction(async (tx) => {
    await lockRecord(tx, kind, id)
    requireMatch(tags, await read(tx))
    return change(tx)
  })
}
