/** Request schemas of the audit log. */
import { type TObject, type TProperties, Type } from '@sinclair/typebox'
import { AUDIT_ACTIONS, SUBJECT_KINDS } from '../../stores/postgres/accounts/audit.ts'
import { moment, pageQuery } from './model.ts'

const closed = { additionalProperties: false } as const
export const auditFilters = {
  subject: Type.Optional(
    Type.String({ maxLength: 64, description: 'Id of a record; return only changes of this record' }),
  ),
  owner: Type.Optional(
    Type.String({
      maxLength: 64,
      description: 'Id of an enterprise or a person; return only changes of its records',
    }),
  ),
  actor: Type.Optional(
    Type.String({
      maxLength: 320,
      description: 'E-mail address of an account in any role, id of an application, or `actor` of a record',
    }),
  ),
  action: Type.Optional(
    Type.Union(
      AUDIT_ACTIONS.map((action) => Type.Literal(action)),
      { description: 'What was done' },
    ),
  ),
  kind: Type.Optional(
    Type.Union(
      SUBJECT_KINDS.map((kind) => Type.Literal(kind)),
      { description: 'Kind of record' },
    ),
  ),
  from: moment('RFC 3339 time; return only changes since then'),
  to: moment('RFC 3339 time; return only changes before it'),
}
/** A handler gets the owner from the check (subject-paths.ts), so the type of the query lacks it. */
const withoutOwner = <P extends TProperties>(schema: TObject<P>) => schema as unknown as TObject<Omit<P, 'owner'>>
export const auditQuery = withoutOwner(Type.Object({ ...pageQuery.properties, ...auditFilters }, closed))
export const auditActorQuery = withoutOwner(
  Type.Object({ owner: Type.String({ maxLength: 64, description: 'Id of an enterprise or a person' }) }, closed),
)
export const auditExportQuery = withoutOwner(
  Type.Object(
    {
      ...auditFilters,
      format: Type.Union([Type.Literal('csv'), Type.Literal('jsonl')]),
      escapeFormulas: Type.Optional(Type.Union([Type.Literal('true'), Type.Literal('false')])),
    },
    closed,
  ),
)
