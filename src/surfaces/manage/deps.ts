import type { Changes } from '../../stores/changes.ts'
import type { Database } from '../../stores/postgres/client.ts'

export type ManageDeps = {
  db: Database
  changes: Changes
  /** Process ids that an application can be granted. */
  toolIds: readonly string[]
}
