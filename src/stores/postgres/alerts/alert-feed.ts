/** Stored segments of all instances in one order, for the one that judges them (sql/postgres/0047-alert-instances.sql). */
import { sql } from 'drizzle-orm'
import type { Database } from '../client.ts'
import { rowsOf } from '../rows.ts'

/** `bytes`: before compression. `enterprises`: numbers. */
export type FedSegment = { serial: number; segmentId: string; bytes: number; enterprises: number[] }
/** Segments that are still to be judged. */
export type UnjudgedFeed = { segments: number; bytes: number; lagSeconds: number }

/** An instance that was not seen for longer has stopped, or its disk is lost: nothing waits for its readings. */
const FEEDER_GONE = sql`interval '30 seconds'`
/** How long a segment is remembered, so that an instance that was killed does not hand it over again. */
const REMEMBERED = sql`interval '1 day'`

/** Adds a segment to the end of the feed, unless it has been there. @param content compressed with zstd */
export async function addToFeed(
  db: Database,
  { segmentId, bytes, enterprises }: Omit<FedSegment, 'serial'>,
  content: Uint8Array,
): Promise<void> {
  await db.execute(sql`
    WITH next AS (UPDATE alert_feed_end SET serial = serial + 1 RETURNING serial)
    INSERT INTO alert_feed (serial, segment_id, bytes, enterprises, content)
    SELECT serial, ${segmentId}, ${bytes}::bigint, ${sql.param(enterprises)}::integer[], ${sql.param(content)}::bytea FROM next
    ON CONFLICT (segment_id) DO NOTHING`)
}

/** The next segments after `serial`, in their order. */
export async function fedAfter(db: Database, serial: number, limit: number): Promise<FedSegment[]> {
  const rows = await db.execute(sql`
    SELECT serial::float8 AS serial, segment_id AS "segmentId", bytes::float8 AS bytes, enterprises::text AS enterprises
    FROM alert_feed WHERE serial > ${serial}::bigint AND content IS NOT NULL ORDER BY serial LIMIT ${limit}::integer`)
  return rowsOf<Omit<FedSegment, 'enterprises'> & { enterprises: string }>(rows).map((row) => ({
    ...row,
    enterprises: row.enterprises.slice(1, -1).split(',').map(Number),
  }))
}

/** @returns undefined if a snapshot includes the segment */
export async function fedContent(db: Database, serial: number): Promise<Uint8Array | undefined> {
  const [row] = rowsOf<{ content: Uint8Array | null }>(
    await db.execute(sql`SELECT content FROM alert_feed WHERE serial = ${serial}::bigint`),
  )
  return row?.content ?? undefined
}

export async function unjudgedFeed(db: Database): Promise<UnjudgedFeed> {
  const [found] = rowsOf<UnjudgedFeed>(
    await db.execute(sql`
      SELECT count(*)::integer AS segments, coalesce(sum(bytes), 0)::float8 AS bytes,
        coalesce(extract(epoch FROM clock_timestamp() - min(fed_at)), 0)::float8 AS "lagSeconds"
      FROM alert_feed WHERE serial > (SELECT judged FROM alert_judge) AND content IS NOT NULL`),
  )
  return found as UnjudgedFeed
}

/** Deletes the content of segments that nothing needs any more. */
export async function emptyFeed(tx: Database, throughSerial: number): Promise<void> {
  await tx.execute(
    sql`UPDATE alert_feed SET content = NULL WHERE serial <= ${throughSerial}::bigint AND content IS NOT NULL`,
  )
  await tx.execute(sql`DELETE FROM alert_feed WHERE content IS NULL AND fed_at < now() - ${REMEMBERED}`)
  await tx.execute(sql`DELETE FROM alert_feeders WHERE seen_at < now() - ${REMEMBERED}`)
}

export async function dropFed(tx: Database, serial: number): Promise<void> {
  await tx.execute(sql`UPDATE alert_feed SET content = NULL WHERE serial = ${serial}::bigint`)
}

export type FedSnapshot = { serial: number; content: Uint8Array }

export async function readFedSnapshot(db: Database): Promise<FedSnapshot | undefined> {
  const [found] = rowsOf<FedSnapshot>(
    await db.execute(sql`SELECT serial::float8 AS serial, content FROM alert_snapshots`),
  )
  return found
}

export async function writeFedSnapshot(tx: Database, { serial, content }: FedSnapshot): Promise<void> {
  await tx.execute(sql`
    INSERT INTO alert_snapshots (serial, content) VALUES (${serial}::bigint, ${sql.param(content)}::bytea)
    ON CONFLICT (is_only) DO UPDATE SET serial = excluded.serial, content = excluded.content`)
}

export async function deleteFedSnapshot(tx: Database): Promise<void> {
  await tx.execute(sql`DELETE FROM alert_snapshots`)
}

/** An instance starts. What it has noted before holds, since readings of its log are still to come. */
export async function joinFeed(db: Database, instanceId: string, nowMs: number): Promise<void> {
  await db.execute(sql`
    INSERT INTO alert_feeders (instance_id, fed_to_ms) VALUES (${instanceId}, ${nowMs}::float8)
    ON CONFLICT (instance_id) DO UPDATE SET seen_at = clock_timestamp()`)
}

/** @param fedToMs all readings that the instance received before are in the feed */
export async function noteFed(db: Database, instanceId: string, fedToMs: number): Promise<void> {
  await db.execute(sql`
    INSERT INTO alert_feeders (instance_id, fed_to_ms) VALUES (${instanceId}, ${fedToMs}::float8)
    ON CONFLICT (instance_id) DO UPDATE SET seen_at = clock_timestamp(), fed_to_ms = excluded.fed_to_ms`)
}

/** An instance stops, and all its readings are in the feed. */
export async function leaveFeed(db: Database, instanceId: string): Promise<void> {
  await db.execute(sql`DELETE FROM alert_feeders WHERE instance_id = ${instanceId}`)
}

/** All readings that any instance received before this time are in the feed; undefined without instances. */
export async function fedEverywhereMs(db: Database): Promise<number | undefined> {
  const [found] = rowsOf<{ ms: number | null }>(
    await db.execute(
      sql`SELECT min(fed_to_ms) AS ms FROM alert_feeders WHERE seen_at > clock_timestamp() - ${FEEDER_GONE}`,
    ),
  )
  return found?.ms ?? undefined
}
