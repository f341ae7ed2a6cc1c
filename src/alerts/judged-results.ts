/** Stores what the judging process found, and announces the enterprises whose alerts changed. */
import type { Changes } from '../stores/changes.ts'
import type { ClickHouse } from '../stores/clickhouse/client.ts'
import { storeZoneEvents } from '../stores/clickhouse/zone-events.ts'
import { type Fence, storeAlertChanges } from '../stores/postgres/alerts/alert-changes.ts'
import { endAllAlerts } from '../stores/postgres/alerts/alert-ends.ts'
import type { Database } from '../stores/postgres/client.ts'
import { ZONE_EVENT_STRUCTURE } from '../zones/event-file.ts'
import type { JudgedResults } from './checks.ts'

/** Bytes of changes that are stored at once. */
const CHUNK_BYTES = 2 ** 20
const NEWLINE = 10

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
      // ClickHouse keeps one copy of an event, so an earlier holder of the lease that is slow changes nothing
      await fence(db)
      await storeZoneEvents(clickhouse, path, ZONE_EVENT_STRUCTURE)
    },
    async changes(path) {
      for await (const lines of wholeLines(path)) await announce(await storeAlertChanges(db, jsonOf(lines), fence))
    },
    lost: async () => announce(await endAllAlerts(db, fence)),
  }
}

const jsonOf = (lines: string): string => `[${lines.trimEnd().replaceAll('\n', ',')}]`

/** The lines of a file, in pieces of about `CHUNK_BYTES`. */
async function* wholeLines(path: string): AsyncGenerator<string> {
  const file = Bun.file(path)
  const { size } = file
  for (let at = 0, wanted = CHUNK_BYTES; at < size; ) {
    const bytes = Buffer.from(await file.slice(at, at + wanted).arrayBuffer())
    const end = at + bytes.length >= size ? bytes.length : bytes.lastIndexOf(NEWLINE) + 1
    if (end === 0) {
      wanted *= 2
      continue
    }
    yield bytes.toString('utf8', 0, end)
    at += end
    wanted = CHUNK_BYTES
  }
}
