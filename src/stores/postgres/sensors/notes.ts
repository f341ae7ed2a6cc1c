/** Notes of people on the time axis of charts (sql/postgres/0043-notes.sql). */

import { and, count, eq, gte, isNull, lt, or, sql } from 'drizzle-orm'
import { pgTable, text } from 'drizzle-orm/pg-core'
import { AppError } from '../../../errors.ts'
import { fieldText } from '../../../field-texts/field-text.ts'
import { recordChange } from '../accounts/audit.ts'
import type { Database } from '../client.ts'
import { createdAt, timestampColumn, updatedAt } from '../columns.ts'
import { newId } from '../ids.ts'
import { type Page, type PageQuery, pageOfTable } from '../page.ts'
import { enterprises, sensors } from '../schema.ts'

const notes = pgTable('notes', {
  id: text('id').primaryKey(),
  enterpriseId: text('enterprise_id').notNull(),
  memberId: text('member_id'),
  sensorId: text('sensor_id'),
  startsAt: timestampColumn('starts_at').notNull(),
  endsAt: timestampColumn('ends_at'),
  text: text('text').notNull(),
  createdAt: createdAt(),
  updatedAt: updatedAt(),
})

export type Note = typeof notes.$inferSelect
/** Who reads or writes notes. */
export type NoteReader = { enterpriseId: string; memberId: string | undefined }
export type NoteWriter = NoteReader & { actor: string; isManager: boolean }
export type NoteInput = Pick<Note, 'sensorId' | 'startsAt' | 'endsAt' | 'text'> & { shared: boolean }
export type NoteChange = Partial<Pick<Note, 'startsAt' | 'endsAt' | 'text'>>

const MAX_NOTES = 10_000

/** Shared notes of the enterprise, and the private ones of the member. */
const visibleTo = ({ enterpriseId, memberId }: NoteReader) =>
  and(
    eq(notes.enterpriseId, enterpriseId),
    or(isNull(notes.memberId), memberId === undefined ? undefined : eq(notes.memberId, memberId)),
  )

/** @throws AppError NOT_FOUND, also for the private note of somebody else */
async function getNote(db: Database, reader: NoteReader, id: string): Promise<Note> {
  const [note] = await db
    .select()
    .from(notes)
    .where(and(visibleTo(reader), eq(notes.id, id)))
  if (note === undefined) throw new AppError('NOT_FOUND', { message: fieldText('noSuchNote') })
  return note
}

/** @param filter a sensor's notes include those for all sensors; a note with an end is in every range that it touches */
export const listNotes = (
  db: Database,
  reader: NoteReader,
  filter: { sensorId: string | undefined; from: Date; to: Date },
  query: PageQuery,
): Promise<Page<Note>> =>
  pageOfTable(
    db,
    notes,
    and(
      visibleTo(reader),
      filter.sensorId === undefined ? undefined : or(isNull(notes.sensorId), eq(notes.sensorId, filter.sensorId)),
      lt(notes.startsAt, filter.to),
      gte(sql`coalesce(${notes.endsAt}, ${notes.startsAt})`, filter.from.toISOString()),
    ),
    query,
  )

/** The log is read by managers, and a private note by its maker only: the log has no text of it. */
const logged = (note: Note): object => ({ ...note, ...(note.memberId !== null && { text: undefined }) })

/** @throws AppError NOT_FOUND for a sensor of another enterprise, CONFLICT for too many */
export async function createNote(
  tx: Database,
  { enterpriseId, memberId, actor }: NoteWriter,
  { shared, ...input }: NoteInput,
): Promise<Note> {
  // serializes new notes of an enterprise
  await tx.select().from(enterprises).where(eq(enterprises.id, enterpriseId)).for('update')
  if (input.sensorId !== null) {
    const own = and(eq(sensors.id, input.sensorId), eq(sensors.enterpriseId, enterpriseId))
    const [sensor] = await tx.select({ id: sensors.id }).from(sensors).where(own)
    if (sensor === undefined) throw new AppError('NOT_FOUND', { message: fieldText('sensorGone') })
  }
  const [existing] = await tx.select({ rows: count() }).from(notes).where(eq(notes.enterpriseId, enterpriseId))
  if ((existing?.rows ?? 0) >= MAX_NOTES)
    throw new AppError('CONFLICT', { message: fieldText('notesAtMost', { most: MAX_NOTES }) })
  const owner = shared ? null : (memberId ?? null)
  const [note] = await tx
    .insert(notes)
    .values({ ...input, id: newId('not'), enterpriseId, memberId: owner })
    .returning()
  if (note === undefined) throw new Error('the note was not inserted')
  await recordChange(tx, { actor, action: 'create', kind: 'note', id: note.id, before: null, after: logged(note) })
  return note
}

/**
 * @param changeOf the change of the note as it is
 * @param check compares the note with the state that the caller saw
 */
export function updateNote(
  db: Database,
  writer: NoteWriter,
  id: string,
  changeOf: (note: Note) => NoteChange,
  check: ((note: Note) => void) | undefined,
): Promise<Note> {
  return db.transaction(async (tx) => {
    const before = await changeable(tx, writer, id, check)
    const values = { ...changeOf(before), updatedAt: sql`now()` }
    const [after] = await tx.update(notes).set(values).where(eq(notes.id, id)).returning()
    if (after === undefined) throw new Error(`the note ${id} was locked and is gone`)
    const [was, is] = [logged(before), logged(after)]
    await recordChange(tx, { actor: writer.actor, action: 'update', kind: 'note', id, before: was, after: is })
    return after
  })
}

export function deleteNote(
  db: Database,
  writer: NoteWriter,
  id: string,
  check: ((note: Note) => void) | undefined,
): Promise<void> {
  return db.transaction(async (tx) => {
    const before = await changeable(tx, writer, id, check)
    await tx.delete(notes).where(eq(notes.id, id))
    const { actor } = writer
    await recordChange(tx, { actor, action: 'delete', kind: 'note', id, before: logged(before), after: null })
  })
}

/** Locks the note. @throws AppError NOT_FOUND, FORBIDDEN for a shared note and a member */
async function changeable(
  tx: Database,
  writer: NoteWriter,
  id: string,
  check: ((note: Note) => void) | undefined,
): Promise<Note> {
  await tx.select().from(notes).where(eq(notes.id, id)).for('update')
  const note = await getNote(tx, writer, id)
  if (note.memberId === null && !writer.isManager) throw new AppError('FORBIDDEN')
  check?.(note)
  return note
}
