/** Looks for events that no request makes: keys that end, and Tool APIs that refuse half of their calls. Any instance may look. */
import { type PeriodicWrites, startWrites } from '../stores/periodic-writes.ts'
import type { Database } from '../stores/postgres/client.ts'
import { recordKeyEnds } from '../stores/postgres/events/key-events.ts'
import { recordRefusing } from '../stores/postgres/events/tool-api-events.ts'

const LOOK_MS = 10_000

export const startTimedEvents = (db: Database, onError: (error: unknown) => void): PeriodicWrites =>
  startWrites(
    LOOK_MS,
    async () => {
      await recordKeyEnds(db)
      await recordRefusing(db)
    },
    onError,
  )
