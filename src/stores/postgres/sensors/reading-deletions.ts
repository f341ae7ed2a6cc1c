/** Requests to delete readings, which instances carry out one at a time. */

import { and, asc, eq, inArray, ne, sql } from 'drizzle-orm'
import { AppError, invalidField } from '../../../errors.ts'
import { fieldText } from '../../../field-texts/field-text.ts'
import { FUTURE_TOLERANCE_MS } from '../../future-tolerance.ts'
import { recordChange } from '../accounts/audit.ts'
import type { Database } from '../client.ts'
import { newId } from '../ids.ts'
import { type Page, type PageQuery, pageOfTable } from '../page.ts'
import { enterprises } from '../schema.ts'
import { readingDeletions } from './reading-deletions-schema.ts'

const FUTURE_TOLERANCE = sql`interval '${sql.raw(String(FUTURE_TOLERANCE_MS))} milliseconds'`

export type ReadingDeletion = typeof readingDeletions.$inferSelect

/** A deletion as the API returns it. */
export type DeletionRecord = {
  id: string
  sensorId: string | null
  from: Date | null
  to: Date | null
  /** The channel, if the deletion has exactly one. */
  channel: string | null
  /** Null for all channels and the position. */
  channels: string[] | null
  refill: boolean
  status: ReadingDeletion['status']
  /** Readings that had something to delete; null until they have been counted. */
  readings: number | null
  createdAt: Date
  finishedAt: Date | null
}

const recordOf = ({ id, sensorId, fromAt, toAt, channel, refill, ...row }: ReadingDeletion): DeletionRecord => {
  const { status, readings, createdAt, finishedAt } = row
  // an instance of an earlier version writes the only channel
  const channels = row.channels ?? (channel === null ? null : [channel])
  return { id, sensorId, from: fromAt, to: toAt, channel, channels, refill, status, readings, createdAt, finishedAt }
}

/** The fields of a sensor that a deletion needs. */
type Subject = {
  id: string
  number: number
  enterpriseId: string
  channels: readonly { name: string; number: number }[]
}
/** @param channels names; empty for all channels and the position */
export type DeletionInput = { from: Date; to: Date; channels: readonly string[]; refill: boolean }

/**
 * The numbers of channels; a name may have had other measurements before, each with a number.
 * @returns undefined for no names, which means everything
 * @throws AppError VALIDATION_FAILED if the sensor never had such a channel
 */
export function channelNumbers(subject: Pick<Subject, 'channels'>, names: readonly string[]): number[] | undefined {
  if (names.length === 0) return undefined
  const known = new Set(subject.channels.map(({ name }) => name))
  if (names.some((name) => !known.has(name)))
    throw invalidField(
      'query.channel',
      'enum',
      fieldText('channelOfSensor', { channels: [...known].join(', ') || fieldText('none') }),
    )
  return subject.channels.filter(({ name }) => names.includes(name)).map(({ number }) => number)
}

/** @throws AppError VALIDATION_FAILED if the sensor never had such a channel */
export async function requestDeletion(
  db: Database,
  actor: string,
  subject: Subject,
  { from, to, channels, refill }: DeletionInput,
): Promise<DeletionRecord> {
  const { id: sensorId, number, enterpriseId } = subject
  const numbers = channelNumbers(subject, channels)
  return db.transaction(async (tx) => {
    const [owner] = await tx
      .select({ number: enterprises.number })
      .from(enterprises)
      .where(eq(enterprises.id, enterpriseId))
    if (owner === undefined) throw new AppError('NOT_FOUND', { message: fieldText('noSuchEnterprise') })
    const [made] = await tx
      .insert(readingDeletions)
      .values({
        id: newId('del'),
        enterpriseId,
        enterpriseNumber: owner.number,
        sensorId,
        sensorNumber: number,
        fromAt: from,
        toAt: to,
        refill,
        requestedBy: actor,
        ...(numbers !== undefined && { channels: [...channels], channelNumbers: numbers }),
        ...(channels.length === 1 && { channel: channels[0] }),
      })
      .returning()
    const after = { sensorId, from, to, channels: numbers === undefined ? null : channels, refill }
    await recordChange(tx, {
      actor,
      action: 'delete',
      kind: 'readings',
      id: sensorId,
      before: null,
      after,
      ownerId: enterpriseId,
    })
    return recordOf(made as ReadingDeletion)
  })
}

/** Requests the deletion of all data of a deleted sensor; in the transaction that deletes the sensor. */
export async function requestPurge(
  db: Database,
  actor: string,
  enterpriseId: string,
  sensor: { id: string; number: number } | undefined,
): Promise<void> {
  await db.execute(sql`
    INSERT INTO reading_deletions (id, enterprise_id, enterprise_number, sensor_id, sensor_number, requested_by)
    SELECT ${newId('del')}, id, number, ${sensor?.id ?? null}, ${sensor?.number ?? null}::integer, ${actor}
    FROM enterprises WHERE id = ${enterpriseId}`)
}

/** Newest first. */
export async function listDeletions(db: Database, sensorId: string, query: PageQuery): Promise<Page<DeletionRecord>> {
  const page = await pageOfTable(db, readingDeletions, eq(readingDeletions.sensorId, sensorId), query, 'desc')
  return { ...page, items: page.items.map(recordOf) }
}

/** @throws AppError NOT_FOUND */
export async function getDeletion(db: Database, sensorId: string, id: string): Promise<DeletionRecord> {
  const [found] = await db
    .select()
    .from(readingDeletions)
    .where(and(eq(readingDeletions.sensorId, sensorId), eq(readingDeletions.id, id)))
  if (found === undefined) throw new AppError('NOT_FOUND', { message: fieldText('noSuchDeletion') })
  return recordOf(found)
}

const lease = (leaseMs: number) => sql`now() + ${leaseMs} * interval '1 millisecond'`

/** The oldest deletion that no instance works on. */
export async function takeDeletion(db: Database, leaseMs: number): Promise<ReadingDeletion | undefined> {
  const next = db
    .select({ id: readingDeletions.id })
    .from(readingDeletions)
    .where(and(ne(readingDeletions.status, 'done'), sql`coalesce(${readingDeletions.leaseUntil}, '-infinity') < now()`))
    .orderBy(asc(readingDeletions.createdAt))
    .limit(1)
    .for('update', { skipLocked: true })
  const [taken] = await db
    .update(readingDeletions)
    .set({ status: 'running', leaseUntil: lease(leaseMs), attempts: sql`${readingDeletions.attempts} + 1` })
    .where(inArray(readingDeletions.id, next))
    .returning()
  return taken
}

/** Identifies an attempt. Once another attempt has begun, this one changes nothing. */
type Attempt = Pick<ReadingDeletion, 'id' | 'attempts'>
const held = ({ id, attempts }: Attempt) =>
  and(eq(readingDeletions.id, id), eq(readingDeletions.attempts, attempts), eq(readingDeletions.status, 'running'))

/** @returns false if another instance has taken it */
export async function renewDeletion(db: Database, attempt: Attempt, leaseMs: number): Promise<boolean> {
  const renewed = await db
    .update(readingDeletions)
    .set({ leaseUntil: lease(leaseMs) })
    .where(held(attempt))
    .returning({ id: readingDeletions.id })
  return renewed.length > 0
}

export async function noteDeletedReadings(db: Database, id: string, readings: number): Promise<void> {
  // a second attempt would count only the readings that the first has left
  await db
    .update(readingDeletions)
    .set({ readings })
    .where(and(eq(readingDeletions.id, id), sql`${readingDeletions.readings} IS NULL`))
}

/** @returns false if another instance has taken it */
export async function finishDeletion(db: Database, deletion: ReadingDeletion): Promise<boolean> {
  const ended = await db
    .update(readingDeletions)
    .set({ status: 'done', finishedAt: sql`now()`, leaseUntil: null })
    .where(held(deletion))
    .returning({ id: readingDeletions.id })
  if (ended.length === 0) return false
  // nothing of the enterprise remains
  const { enterpriseId, sensorId } = deletion
  if (sensorId === null) await db.delete(readingDeletions).where(eq(readingDeletions.enterpriseId, enterpriseId))
  return true
}

/** Releases the deletion for another attempt by any instance. */
export async function releaseDeletion(db: Database, attempt: Attempt): Promise<void> {
  await db.update(readingDeletions).set({ status: 'waiting', leaseUntil: null }).where(held(attempt))
}

/**
 * The number of deletions of a sensor's readings that allow sending them again, and the time before which all deleted
 * readings are. A period may end far in the future, but claims look up every reading before this time in ClickHouse, so
 * the time is limited: no deleted reading is later than the future tolerance after the deletion.
 */
export type Refills = { count: number; before: Date }

export async function refillsOf(db: Database, sensorIds: readonly string[]): Promise<Map<string, Refills>> {
  const rows = await db
    .select({
      sensorId: readingDeletions.sensorId,
      count: sql<string>`count(*)`,
      before: sql<string>`max(least(${readingDeletions.toAt}, ${readingDeletions.finishedAt} + ${FUTURE_TOLERANCE}))`,
    })
    .from(readingDeletions)
    .where(
      and(
        inArray(readingDeletions.sensorId, [...sensorIds]),
        eq(readingDeletions.refill, true),
        eq(readingDeletions.status, 'done'),
      ),
    )
    .groupBy(readingDeletions.sensorId)
  return new Map(
    rows.map(({ sensorId, count, before }) => [sensorId ?? '', { count: Number(count), before: new Date(before) }]),
  )
}
