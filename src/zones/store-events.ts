/** Stores a file of zone events: in ClickHouse for queries, and as events of their enterprises. Both may be repeated. */
import type { ClickHouse } from '../stores/clickhouse/client.ts'
import { storeZoneEvents } from '../stores/clickhouse/zone-events.ts'
import { jsonArrays } from '../stores/json-lines.ts'
import type { Database } from '../stores/postgres/client.ts'
import { recordZoneEvents } from '../stores/postgres/events/zone-events.ts'
import { ZONE_EVENT_STRUCTURE } from './event-file.ts'

export async function storeEventFile(db: Database, clickhouse: ClickHouse, path: string): Promise<void> {
  await storeZoneEvents(clickhouse, path, ZONE_EVENT_STRUCTURE)
  for await (const crossings of jsonArrays(path)) await recordZoneEvents(db, crossings)
}
