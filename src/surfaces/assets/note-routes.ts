/** Notes of people on the time axis of charts. A private note is seen by its maker only. */
import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { STAFF } from '../../access/authorization.ts'
import type { Organization } from '../../access/organization.ts'
import { parseRange, parseTime } from '../../analytics/time-range.ts'
import { AppError, IDEMPOTENCY_HOURS, invalidField } from '../../errors.ts'
import { fieldText } from '../../field-texts/field-text.ts'
import type { BodyLimits } from '../../http/body/body.ts'
import { bodySchema } from '../../http/body/body-schema.ts'
import type { Callers } from '../../http/callers.ts'
import { seenBy, succeedWithTag } from '../../http/entity-tags.ts'
import { succeed } from '../../http/envelope.ts'
import type { Idempotency } from '../../http/idempotency.ts'
import { object, page, ref, string } from '../../http/openapi/openapi-schemas.ts'
import { requestContextOf } from '../../http/request-context.ts'
import type { Database } from '../../stores/postgres/client.ts'
import type { KeySpace } from '../../stores/postgres/runs/idempotency.ts'
import {
  createNote,
  deleteNote,
  listNotes,
  type Note,
  type NoteChange,
  type NoteWriter,
  updateNote,
} from '../../stores/postgres/sensors/notes.ts'
import { operation } from './operation.ts'
import { closed, from, limit, moment, to } from './request-schemas.ts'

const fields = {
  at: moment('When the note applies, or from when (RFC 3339)'),
  until: Type.Union([moment('Until when the note applies (RFC 3339)'), Type.Null()]),
  text: Type.String({ minLength: 1, maxLength: 2_000, pattern: '\\S' }),
}
const noteInput = Type.Object(
  {
    at: fields.at,
    text: fields.text,
    until: Type.Optional(fields.until),
    sensorId: Type.Optional(
      Type.Union([Type.String({ maxLength: 64 }), Type.Null()], { description: 'Null for all sensors' }),
    ),
    shared: Type.Optional(
      Type.Boolean({
        description:
          'Whether all members read the note, which owners and admins make. Otherwise only its maker does, who must be a member; this is the default for members',
      }),
    ),
  },
  closed,
)
const noteChange = Type.Partial(Type.Object(fields), closed)
const notesQuery = Type.Object(
  {
    sensor: Type.Optional(
      Type.String({ maxLength: 64, description: 'Only notes of this sensor, and those for all sensors' }),
    ),
    from,
    to,
    limit,
    cursor: Type.Optional(Type.String({ description: 'nextCursor of the previous page', maxLength: 64 })),
  },
  closed,
)

export type NoteRoutesDeps = {
  db: Database
  callers: Callers<Organization>
  recordBody: BodyLimits
  idempotency: Idempotency<Database, KeySpace>
}

const noteToJson = ({ id, sensorId, memberId, startsAt, endsAt, text, createdAt, updatedAt }: Note) => ({
  id,
  sensorId,
  at: startsAt,
  until: endsAt,
  text,
  shared: memberId === null,
  createdAt,
  updatedAt,
})

const timeOf = (field: string, text: string): Date => new Date(parseTime(field, text, Number.NaN))

/** @throws AppError VALIDATION_FAILED */
function timesOf(at: string, until: string | null): { startsAt: Date; endsAt: Date | null } {
  const times = { startsAt: timeOf('body.at', at), endsAt: until === null ? null : timeOf('body.until', until) }
  if (times.endsAt !== null && times.endsAt <= times.startsAt)
    throw invalidField('body.at', 'order', fieldText('earlier', { field: 'body.until' }))
  return times
}

export function noteRoutes({ db, callers, recordBody, idempotency }: NoteRoutesDeps) {
  async function writerOf(request: Request): Promise<NoteWriter> {
    const { enterprise, caller } = await callers.of(request)
    const { memberId, actor, ownRunsOnly } = caller
    return { enterpriseId: enterprise.id, memberId, actor, isManager: !ownRunsOnly }
  }
  return new Elysia({ name: 'notes' })
    .onParse(callers.parse(recordBody))
    .post(
      '/notes',
      async ({ request, body }) => {
        const writer = await writerOf(request)
        const { sensorId = null, text } = body
        const isMember = writer.memberId !== undefined
        const { shared = !isMember } = body
        if (shared && !writer.isManager) throw new AppError('FORBIDDEN')
        if (!shared && !isMember) throw invalidField('body.shared', 'const', fieldText('sharedNotes'))
        const times = timesOf(body.at, body.until ?? null)
        return idempotency.kept(
          request,
          (tx) => createNote(tx, writer, { ...times, sensorId, text, shared }),
          (note) => succeedWithTag(request, noteToJson(note)),
        )
      },
      {
        beforeHandle: ({ request, body }) =>
          idempotency.begin(request, async () => {
            const { keySpace: space } = (await callers.of(request)).caller
            return { space, route: `POST ${requestContextOf(request).path}`, content: JSON.stringify(body) }
          }),
        afterHandle: idempotency.requireKept,
        ...operation({
          summary: 'Create a note',
          description: `A note is shown on the time axis of the sensor's charts, or of all sensors. A request with an \`Idempotency-Key\` can be repeated for ${IDEMPOTENCY_HOURS} hours without creating another note.`,
          rights: { of: 'enterprise-in-header', for: STAFF },
          body: bodySchema(noteInput),
          result: ref('Note'),
        }),
      },
    )
    .get(
      '/notes',
      async ({ request, query }) => {
        const { fromMs, toMs } = parseRange(query)
        const filter = { sensorId: query.sensor, from: new Date(fromMs), to: new Date(toMs) }
        const pageQuery = { limit: query.limit ?? 100, cursor: query.cursor }
        const found = await listNotes(db, await writerOf(request), filter, pageQuery)
        return succeed(request, { ...found, items: found.items.map(noteToJson) })
      },
      operation({
        summary: 'List notes',
        description: 'Returns the shared notes, and the private notes of the caller, that touch the range.',
        rights: { of: 'enterprise-in-header', for: STAFF },
        query: notesQuery,
        result: page(ref('Note')),
      }),
    )
    .patch(
      '/notes/:id',
      async ({ request, params, body }) => {
        const changeOf = ({ startsAt, endsAt }: Note): NoteChange => {
          const { at = startsAt.toISOString(), until = endsAt?.toISOString() ?? null, text } = body
          return { ...timesOf(at, until), ...(text !== undefined && { text }) }
        }
        const note = await updateNote(db, await writerOf(request), params.id, changeOf, seenBy(request, noteToJson))
        return succeedWithTag(request, noteToJson(note))
      },
      operation({
        summary: 'Update a note',
        description: 'Changes the sent fields. Owners and admins change shared notes, and everybody their own.',
        rights: { of: 'enterprise-in-header', for: STAFF },
        body: bodySchema(noteChange),
        result: ref('Note'),
      }),
    )
    .delete(
      '/notes/:id',
      async ({ request, params }) => {
        await deleteNote(db, await writerOf(request), params.id, seenBy(request, noteToJson))
        return succeed(request, { id: params.id })
      },
      operation({
        summary: 'Delete a note',
        rights: { of: 'enterprise-in-header', for: STAFF },
        result: object({ id: string }),
      }),
    )
}
