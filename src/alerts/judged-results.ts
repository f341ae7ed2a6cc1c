/** Stores what the judging process found, and announces the enterprises whose alerts changed. */
import type { Changes } from '../stores/changes.ts'
import type { ClickHouse } from '../stores/clickhouse/client.ts'
import { jsonArrays } from '../stores/json-lines.ts'
import { type Fence, storeAlertChanges } from '../stores/postgres/alerts/alert-changes.ts'
import { endAllAlerts } from '../stores/postgres/alerts/alert-ends.ts'
import type { Database } from '../stores/postgres/client.ts'
import { storeEventFile } from '../zones/store-events.ts'
import type { JudgedResults } from './checks.ts'

export function createJudgedResults(
  db: Database,
  clickhouse: ClickHouse,
  changes: Changes,
  late: JudgedResults['late'],
  fence: Fence,
): JudgedResults {
  const announce = async (enterprises: Iterable<string>): Promise<void> => {
    for (const id of enterprises) await changes.publish({ kind: 'alerts', id })
  }
  return {
    late,
    async events(path) {
      // both stores keep one copy of an event, so an earlier holder of the lease that is slow changes nothing
      await fence(db)
      await storeEventFile(db, clickhouse, path)
    },
    async changes(path) {
      for await (const found of jsonArrays(path)) await announce(await storeAlertChanges(db, found, fence))
    },
    lost: async () => announce(await endAllAlerts(db, fence)),
  }
}
