/** The last event of a device that was no reading, such as a join (sql/postgres/0058-fleet-keys.sql). */
import { eq } from 'drizzle-orm'
import type { Database } from '../client.ts'
import { sensors } from '../schema.ts'

export async function noteDeviceEvent(
  db: Database,
  sensorId: string,
  lastEvent: { kind: string; at: string },
): Promise<void> {
  await db.update(sensors).set({ lastEvent }).where(eq(sensors.id, sensorId))
}
