/** Query parameters of lists of runs and jobs. */

import { Type } from '@sinclair/typebox'
import { invalidField } from '../../errors.ts'
import { fieldText } from '../../field-texts/field-text.ts'
import type { Json } from '../../http/openapi/openapi-schemas.ts'
import { parseQueryTimestamp } from '../../ingest/timestamp.ts'
import type { PageQuery } from '../../stores/postgres/page.ts'
import { RUN_STATES, type RunFilter, type RunListFilter, type RunState } from '../../stores/postgres/runs/run-list.ts'
import { queryParameter } from './operation.ts'

export const MAX_RUN_NAME = 200
export const MAX_FOLDER_NAME = 100

const id = Type.Optional(Type.String({ minLength: 1, maxLength: 64 }))
const moment = Type.Optional(Type.String({ maxLength: 40 }))
const flag = Type.Optional(Type.Union([Type.Literal('true'), Type.Literal('false')]))
const closed = { additionalProperties: false } as const

export const jobsQuery = Type.Object(
  {
    limit: Type.Optional(Type.Number({ minimum: 1, maximum: 1000, multipleOf: 1, default: 100 })),
    cursor: Type.Optional(Type.String({ description: 'nextCursor of the previous page', maxLength: 64 })),
    processID: Type.Optional(Type.String({ minLength: 1, maxLength: 80 })),
    status: Type.Optional(Type.String({ minLength: 1, maxLength: 80 })),
    memberId: id,
    applicationId: id,
    from: moment,
    to: moment,
  },
  closed,
)
export const runsQuery = Type.Object(
  {
    ...jobsQuery.properties,
    jobs: flag,
    named: flag,
    q: Type.Optional(Type.String({ minLength: 1, maxLength: MAX_RUN_NAME })),
    folder: Type.Optional(Type.String({ minLength: 1, maxLength: MAX_FOLDER_NAME })),
  },
  closed,
)

/** Documentation of the filters in `jobsQuery`. */
export const FILTER_PARAMETERS: Json[] = [
  queryParameter('processID', 'Return only runs of this tool.'),
  queryParameter('status', `Only those in one of these states, separated by commas: ${RUN_STATES.join(', ')}.`),
  queryParameter('memberId', 'Return only runs of this member.'),
  queryParameter('applicationId', 'Return only runs of this application.'),
  queryParameter('from', 'Start of the range in which they were started, inclusive (RFC 3339).', {
    type: 'string',
    format: 'date-time',
  }),
  queryParameter('to', 'End of that range, exclusive (RFC 3339).', { type: 'string', format: 'date-time' }),
]

type JobsQuery = typeof jobsQuery.static
type RunsQuery = typeof runsQuery.static

export const pageOf = ({ limit = 100, cursor }: JobsQuery): PageQuery => ({ limit, cursor })

const isState = (text: string): text is RunState => (RUN_STATES as readonly string[]).includes(text)

function statesOf(text: string | undefined): RunState[] | undefined {
  const states = text?.split(',').map((state) => state.trim())
  if (states === undefined || states.every(isState)) return states
  throw invalidField('query.status', 'enum', fieldText('runStates', { states: RUN_STATES.join(', ') }))
}

function momentOf(field: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const ms = parseQueryTimestamp(text)
  if (Number.isNaN(ms)) throw invalidField(field, 'date-time', fieldText('dateTime'))
  return ms
}

/** @throws AppError VALIDATION_FAILED */
export function jobFilter(query: JobsQuery): RunFilter {
  const { processID: toolId, memberId, applicationId } = query
  const [fromMs, toMs] = [momentOf('query.from', query.from), momentOf('query.to', query.to)]
  if (fromMs !== undefined && toMs !== undefined && fromMs > toMs)
    throw invalidField('query.from', 'order', fieldText('notLater', { field: 'query.to' }))
  return { toolId, memberId, applicationId, fromMs, toMs, states: statesOf(query.status) }
}

/** @throws AppError VALIDATION_FAILED */
export const runFilter = (query: RunsQuery): RunListFilter => ({
  ...jobFilter(query),
  isNamed: query.named === 'true',
  text: query.q,
  folder: query.folder,
})

const PLACE = { name: MAX_RUN_NAME, folder: MAX_FOLDER_NAME } as const
type Place = { name?: string | null; folder?: string | null }

/** @returns the name and folder in the body of a change, if present. @throws AppError VALIDATION_FAILED */
export function placeIn(body: unknown): Place {
  const fields = typeof body === 'object' && body !== null ? (body as Record<string, unknown>) : {}
  const unknown = Object.keys(fields).find((field) => !(field in PLACE))
  if (unknown !== undefined) throw invalidField(`body.${unknown}`, 'unknown', fieldText('nameAndFolder'))
  const place: Place = {}
  for (const field of ['name', 'folder'] as const) if (field in fields) place[field] = textIn(field, fields[field])
  return Object.keys(place).length === 0 ? { name: textIn('name', undefined) } : place
}

function textIn(field: keyof typeof PLACE, text: unknown): string | null {
  if (text === null) return null
  if (typeof text === 'string' && text.trim() !== '' && text.length <= PLACE[field]) return text.trim()
  throw invalidField(`body.${field}`, 'text', fieldText('nullOrText', { most: PLACE[field] }))
}
