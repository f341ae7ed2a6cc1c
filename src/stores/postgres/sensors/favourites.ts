/** Sensors that a member marked as favourites (sql/postgres/0044-favourites.sql). */
import { and, count, eq, inArray } from 'drizzle-orm'
import { pgTable, text } from 'drizzle-orm/pg-core'
import { AppError, invalidField } from '../../../errors.ts'
import { fieldText } from '../../../field-texts/field-text.ts'
import type { Database } from '../client.ts'
import { createdAt } from '../columns.ts'
import { members, sensors } from '../schema.ts'

const favourites = pgTable('favourites', {
  memberId: text('member_id').notNull(),
  sensorId: text('sensor_id').notNull(),
  createdAt: createdAt(),
})

const MAX_FAVOURITES = 1_000

const ofMember = (memberId: string) => eq(favourites.memberId, memberId)
const one = (memberId: string, sensorId: string) => and(ofMember(memberId), eq(favourites.sensorId, sensorId))

/** @param among only these sensors */
export async function favouritesOf(
  db: Database,
  memberId: string,
  among?: readonly string[],
): Promise<ReadonlySet<string>> {
  if (among?.length === 0) return new Set()
  const rows = await db
    .select({ id: favourites.sensorId })
    .from(favourites)
    .where(and(ofMember(memberId), among && inArray(favourites.sensorId, [...among])))
  return new Set(rows.map(({ id }) => id))
}

/** @throws AppError VALIDATION_FAILED for too many, NOT_FOUND for a sensor or member that was deleted meanwhile */
export function addFavourite(db: Database, memberId: string, sensorId: string): Promise<void> {
  return db.transaction(async (tx) => {
    // serializes new favourites of a member
    const [member] = await tx.select({ id: members.id }).from(members).where(eq(members.id, memberId)).for('update')
    const ofSensor = eq(sensors.id, sensorId)
    const [sensor] = await tx.select({ id: sensors.id }).from(sensors).where(ofSensor).for('key share')
    if (member === undefined || sensor === undefined)
      throw new AppError('NOT_FOUND', { message: fieldText('sensorGone') })
    const [known] = await tx.select().from(favourites).where(one(memberId, sensorId))
    if (known !== undefined) return
    const [existing] = await tx.select({ rows: count() }).from(favourites).where(ofMember(memberId))
    if ((existing?.rows ?? 0) >= MAX_FAVOURITES)
      throw invalidField('path.id', 'maxItems', fieldText('favouritesAtMost', { most: MAX_FAVOURITES }))
    await tx.insert(favourites).values({ memberId, sensorId })
  })
}

export async function removeFavourite(db: Database, memberId: string, sensorId: string): Promise<void> {
  await db.delete(favourites).where(one(memberId, sensorId))
}
