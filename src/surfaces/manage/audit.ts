/** Routes for the audit log: pages, actors, and exports. */

import { type TObject, type TProperties, Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { KEEPERS } from '../../access/authorization.ts'
import { escapedFormula } from '../../analytics/export.ts'
import { streamOf } from '../../analytics/row-stream.ts'
import { invalidField } from '../../errors.ts'
import { fieldText } from '../../field-texts/field-text.ts'
import { contentDisposition } from '../../http/download.ts'
import { succeed } from '../../http/envelope.ts'
import { whileAllowed } from '../../http/long-answers.ts'
import { list, nullable, object, page, ref, string } from '../../http/openapi/openapi-schemas.ts'
import { callerOf, requestContextOf, subjectOf } from '../../http/request-context.ts'
import { longRunning } from '../../http/route-options.ts'
import { parseQueryTimestamp } from '../../ingest/timestamp.ts'
import { csvField } from '../../stores/clickhouse/queries/export-lines.ts'
import {
  AUDIT_ACTIONS,
  type AuditFilter,
  type AuditRecord,
  actorsNamed,
  auditActors,
  listAudit,
  recordChange,
  SUBJECT_KINDS,
} from '../../stores/postgres/accounts/audit.ts'
import { auditNames } from '../../stores/postgres/accounts/audit-names.ts'
import type { Database } from '../../stores/postgres/client.ts'
import type { ManageDeps } from './deps.ts'
import { operation } from './operation.ts'
import { closed, moment, pageOf, pageQuery } from './request-schemas.ts'

const auditFilters = {
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
const auditQuery = withoutOwner(Type.Object({ ...pageQuery.properties, ...auditFilters }, closed))
const auditActorQuery = withoutOwner(
  Type.Object({ owner: Type.String({ maxLength: 64, description: 'Id of an enterprise or a person' }) }, closed),
)
const auditExportQuery = withoutOwner(
  Type.Object(
    {
      ...auditFilters,
      format: Type.Union([Type.Literal('csv'), Type.Literal('jsonl')]),
      escapeFormulas: Type.Optional(Type.Union([Type.Literal('true'), Type.Literal('false')])),
    },
    closed,
  ),
)

type Query = {
  subject?: string | undefined
  actor?: string | undefined
  action?: AuditFilter['action']
  kind?: AuditFilter['kind']
  from?: string | undefined
  to?: string | undefined
}
type Entry = AuditRecord & { actorName: string | null; subjectName: string | null }

/** The owner whose changes the caller may see; undefined for the operator, who sees all. */
const ownerIn = (request: Request): string | undefined => requestContextOf(request).subject

/** @throws AppError VALIDATION_FAILED */
function filterOf(ownerId: string | undefined, { subject, actor, action, kind, from, to }: Query): AuditFilter {
  const moment = (field: 'from' | 'to', text: string | undefined): Date | undefined => {
    if (text === undefined) return undefined
    const ms = parseQueryTimestamp(text)
    if (Number.isNaN(ms)) throw invalidField(`query.${field}`, 'date-time', fieldText('dateTime'))
    return new Date(ms)
  }
  return {
    subjectId: subject,
    ownerId,
    action,
    kind,
    actors: actor === undefined ? undefined : actorsNamed(actor),
    from: moment('from', from),
    to: moment('to', to),
  }
}

async function withNames(db: Database, records: readonly AuditRecord[]): Promise<Entry[]> {
  const nameOf = await auditNames(db, records)
  return records.map((record) => ({
    ...record,
    actorName: nameOf(record.actor, record.ownerId) ?? null,
    subjectName: nameIn(record) ?? nameOf(record.subjectId, record.ownerId) ?? null,
  }))
}

/** The name that the record had after the change, or before it. */
function nameIn({ before, after }: AuditRecord): string | undefined {
  const state = { ...before, ...after }
  const name = state.name ?? state.email ?? state.filename
  return typeof name === 'string' ? name : undefined
}

export function auditRoutes({ db }: ManageDeps, onExportError: (error: unknown) => void) {
  return new Elysia({ name: 'manage-audit' })
    .get(
      '/audit',
      async ({ request, query }) => {
        const page = await listAudit(db, pageOf(query), filterOf(ownerIn(request), query))
        return succeed(request, { ...page, items: await withNames(db, page.items) })
      },
      operation({
        summary: 'List changes',
        description:
          'Returns the audit log, newest first: who changed which record, when, and its state before and after; only what matches every filter. With a session, `owner` is required.',
        rights: { of: 'owner-in-query', for: KEEPERS },
        query: auditQuery,
        result: page(ref('AuditRecord')),
      }),
    )
    .get(
      '/audit/actors',
      async ({ request }) => {
        const owner = subjectOf(request)
        const actors = await auditActors(db, owner)
        const nameOf = await auditNames(
          db,
          actors.map((actor) => ({ actor, subjectId: '' })),
        )
        return succeed(request, { items: actors.map((actor) => ({ actor, name: nameOf(actor, owner) ?? null })) })
      },
      operation({
        summary: 'List who acted',
        description: 'Returns everybody and every application that the audit log of an owner names, at most 1,000.',
        rights: { of: 'owner-in-query', for: KEEPERS },
        query: auditActorQuery,
        result: object({ items: list(object({ actor: string, name: nullable(string) })) }),
      }),
    )
    .get(
      '/audit/export',
      async ({ request, query }) => {
        longRunning({ request })
        const { format, escapeFormulas, ...rest } = query
        const owner = ownerIn(request)
        const filter = filterOf(owner, rest)
        const headers = {
          'content-type': format === 'csv' ? 'text/csv; charset=utf-8' : 'application/jsonl',
          'content-disposition': contentDisposition(`audit.${format}`),
          'x-request-id': requestContextOf(request).requestId,
          'cache-control': 'no-store',
        }
        // a page sends HEAD before it starts a download, whose failure it would not see
        if (request.method === 'HEAD') return new Response(null, { headers })
        const after = Object.fromEntries(Object.entries(query).filter(([, value]) => value !== undefined))
        await recordChange(db, {
          actor: callerOf(request),
          action: 'download',
          kind: 'audit',
          id: owner ?? 'audit',
          before: null,
          after,
          ownerId: owner,
        })
        const line = LINES[format]
        const isEscaped = format === 'csv' && escapeFormulas !== 'false'
        const rows = exportOf(db, filter, (entry) => line(entry, isEscaped), format === 'csv' ? CSV_HEAD : '')
        return new Response(whileAllowed(request, streamOf(rows, onExportError)), { headers })
      },
      operation({
        summary: 'Export changes',
        description:
          'Streams the audit log, newest first, as CSV or JSON Lines; only what matches every filter. In CSV, text that a spreadsheet would run has an apostrophe before it, unless `escapeFormulas=false` asks for it as it is. Every export is in the audit log itself.',
        rights: { of: 'owner-in-query', for: KEEPERS },
        query: auditExportQuery,
        result: 'file',
      }),
    )
}

const COLUMNS = [
  'id',
  'at',
  'actor',
  'actorName',
  'action',
  'subjectKind',
  'subjectId',
  'subjectName',
  'before',
  'after',
] as const
const CSV_HEAD = `${COLUMNS.join(',')}\r\n`

const entryToJson = ({ at, ownerId: _, ...entry }: Entry) => ({ ...entry, at: at.toISOString() })

const LINES: Record<'csv' | 'jsonl', (entry: Entry, isEscaped: boolean) => string> = {
  jsonl: (entry) => `${JSON.stringify(entryToJson(entry))}\n`,
  csv(entry, isEscaped) {
    const record = entryToJson(entry) as Record<string, unknown>
    const fields = COLUMNS.map((column) => {
      const value = record[column]
      if (value === null || value === undefined) return ''
      const text = typeof value === 'object' ? JSON.stringify(value) : String(value)
      return csvField(isEscaped ? escapedFormula(text) : text)
    })
    return `${fields.join(',')}\r\n`
  },
}

const EXPORT_PAGE = 200

/** Reads a page only when the client has taken the previous one. */
async function* exportOf(
  db: Database,
  filter: AuditFilter,
  line: (entry: Entry) => string,
  head: string,
): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder()
  if (head !== '') yield encoder.encode(head)
  let cursor: string | undefined
  do {
    const page = await listAudit(db, { limit: EXPORT_PAGE, cursor }, filter)
    if (page.items.length > 0) yield encoder.encode((await withNames(db, page.items)).map(line).join(''))
    cursor = page.nextCursor ?? undefined
  } while (cursor !== undefined)
}
