/**
 * Remembers the times of data frames of LoRaWAN devices, so that copies of a frame from several gateways get the same
 * time although their clocks differ. Then they are duplicates like every reading that is sent twice: a frame whose
 * reading was not stored is no claim, and its next copy is stored.
 */
import { sql } from 'drizzle-orm'
import type { Database } from '../client.ts'
import { rowsOf } from '../rows.ts'

export type DeviceFrame = { sensorId: string; session: string; counter: number; atMs: number }

/**
 * How far apart the times of copies may be. A device that forgets its counter when it starts, as some that are activated
 * by personalization do, sends a later frame with an earlier counter.
 */
const COPIES_MS = 60_000
const KEPT = sql`interval '1 hour'`

/** The time of the frame's first copy, in milliseconds since 1970. Frames of the sensor that are too old are deleted. */
export async function firstTimeOf(db: Database, { sensorId, session, counter, atMs }: DeviceFrame): Promise<number> {
  const [row] = rowsOf<{ atMs: string | number }>(
    await db.execute(sql`
      WITH old AS (
        DELETE FROM device_frames WHERE sensor_id = ${sensorId} AND seen_at < now() - ${KEPT}
          AND (session, counter) <> (${session}, ${counter}::bigint)
      )
      INSERT INTO device_frames AS first (sensor_id, session, counter, at_ms)
      VALUES (${sensorId}, ${session}, ${counter}::bigint, ${atMs}::bigint)
      ON CONFLICT (sensor_id, session, counter) DO UPDATE SET seen_at = now(), at_ms = CASE
        WHEN abs(excluded.at_ms - first.at_ms) <= ${COPIES_MS}::bigint THEN first.at_ms ELSE excluded.at_ms END
      RETURNING at_ms AS "atMs"`),
  )
  return Number(row?.atMs)
}
