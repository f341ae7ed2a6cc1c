/** The connections of a server: its stores, the messages of instances that share them, and the collector of spans. */
import type { Changes } from '../../stores/changes.ts'
import type { ClickHouse } from '../../stores/clickhouse/client.ts'
import type { Database, Postgres } from '../../stores/postgres/client.ts'
import type { ServerHost } from '../host.ts'
import { exportSpans } from '../tracing.ts'
import { openClickHouse } from './clickhouse.ts'
import { joinOthers, type Membership, openChanges } from './instances.ts'
import { openPostgres } from './postgres.ts'

export type Stores = {
  postgres: Postgres
  db: Database
  clickhouse: ClickHouse
  membership: Membership | undefined
  changes: Changes
}

/** They are closed at the same time, because each takes up to seconds. */
export async function openStores(host: ServerHost): Promise<Stores> {
  const stops = host.shutdown.together()
  const opening = [
    openPostgres(host, stops),
    openClickHouse(host, stops),
    joinOthers(host, stops),
    exportSpans(host, stops),
  ] as const
  // after a failure, a store that is still being opened registers its stop before the others stop
  await Promise.allSettled(opening)
  const [postgres, clickhouse, membership] = await Promise.all(opening)
  return { postgres, db: postgres.db, clickhouse, membership, changes: openChanges(membership, host.logger) }
}
