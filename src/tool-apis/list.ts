/**
 * The Tool APIs of an owner as a list, searched, filtered and sorted by settings and activity. Filtering by state and
 * calls needs all Tool APIs; keys are read only for the shown page.
 */
import { invalidField } from '../errors.ts'
import { fieldText } from '../field-texts/field-text.ts'
import type { Owner } from '../stores/postgres/accounts/owners.ts'
import type { Database } from '../stores/postgres/client.ts'
import * as store from '../stores/postgres/runs/tool-apis.ts'
import { activityOf, type ToolApiActivity, type ToolFacts } from './activity.ts'

/** States that need attention first. */
export const TOOL_API_STATES = ['refused', 'held', 'off', 'on'] as const
type State = (typeof TOOL_API_STATES)[number]

export const TOOL_API_SORTS = ['name', 'tool', 'binding', 'state', 'calls', 'refused', 'p95', 'lastCall'] as const
type Sort = (typeof TOOL_API_SORTS)[number]

type Lang = 'en' | 'ar'
type Titles = (toolId: string) => Record<Lang, string> | undefined

export type ToolApiListQuery = {
  q?: string | undefined
  /** Names of states, separated by commas. */
  state?: string | undefined
  tool?: string | undefined
  sort?: Sort | undefined
  order?: 'asc' | 'desc' | undefined
  /** The language for sorting names and titles. */
  lang?: Lang | undefined
  limit: number
  cursor?: string | undefined
  offset?: number | undefined
}

type Listed = { api: store.ToolApiRecord; activity: ToolApiActivity }
export type ToolApiPage = {
  items: { api: store.ToolApi; activity: ToolApiActivity }[]
  nextCursor: string | null
  /** Number of Tool APIs that match all filters. */
  total: number
  /** Counts over all Tool APIs of the owner. */
  states: Record<State, number>
  /** Tools of the owner's Tool APIs. */
  tools: string[]
}

/** Positions, because states and calls change meanwhile. @throws AppError VALIDATION_FAILED */
function offsetOf({ cursor, offset }: ToolApiListQuery): number {
  if (cursor === undefined) return offset ?? 0
  if (offset !== undefined)
    throw invalidField('query.offset', 'forbidden', fieldText('notTogether', { field: 'cursor' }))
  if (!/^o\d{1,9}$/.test(cursor)) throw invalidField('query.cursor', 'cursor', fieldText('sameSort'))
  return Number(cursor.slice(1))
}

/** @throws AppError VALIDATION_FAILED */
function statesIn(text: string | undefined): ReadonlySet<State> | undefined {
  if (text === undefined) return undefined
  const names = text.split(',').map((name) => name.trim() as State)
  if (names.some((name) => !TOOL_API_STATES.includes(name)))
    throw invalidField('query.state', 'enum', fieldText('listOf', { values: TOOL_API_STATES.join(', ') }))
  return new Set(names)
}

/** @returns undefined for a missing value, which comes last in either order */
function keyOf(sort: Sort, { api, activity }: Listed, titles: Titles, lang: Lang): string | number | undefined {
  switch (sort) {
    case 'name':
      return api.name
    case 'tool':
      return titles(api.toolId)?.[lang] ?? api.toolId
    case 'binding':
      return activity.boundName ?? undefined
    case 'state':
      return TOOL_API_STATES.indexOf(activity.state)
    case 'calls':
      return activity.today.calls
    case 'refused':
      return activity.today.refused + activity.today.failed
    case 'p95':
      return activity.today.latency?.p95Ms
    case 'lastCall':
      return activity.lastCallAt?.getTime()
  }
}

function sorted(found: readonly Listed[], query: ToolApiListQuery, titles: Titles): Listed[] {
  const { sort = 'state', lang = 'en' } = query
  const { compare } = new Intl.Collator(lang, { numeric: true })
  const isDown = query.order === 'desc'
  const keyed = found.map((one) => ({ one, key: keyOf(sort, one, titles, lang) }))
  keyed.sort((a, b) => {
    if (a.key === undefined || b.key === undefined) {
      if (a.key !== b.key) return a.key === undefined ? 1 : -1
    } else {
      const order = typeof a.key === 'string' ? compare(a.key, String(b.key)) : a.key - Number(b.key)
      if (order !== 0) return isDown ? -order : order
    }
    return compare(a.one.api.name, b.one.api.name) || (a.one.api.id < b.one.api.id ? -1 : 1)
  })
  return keyed.map(({ one }) => one)
}

/** @throws AppError VALIDATION_FAILED */
export async function pageOfToolApis(
  db: Database,
  owner: Owner,
  query: ToolApiListQuery,
  about: { factsOf: ToolFacts; titles: Titles; nowMs: number },
): Promise<ToolApiPage> {
  const offset = offsetOf(query)
  const wanted = statesIn(query.state)
  const records = await store.allToolApis(db, owner.id)
  const activity = await activityOf(db, about.factsOf, owner, records, about.nowMs)
  const all = records.map((api): Listed => ({ api, activity: activity.get(api.id) as ToolApiActivity }))
  const states = Object.fromEntries(TOOL_API_STATES.map((state) => [state, 0])) as Record<State, number>
  for (const one of all) states[one.activity.state]++
  const text = query.q?.toLowerCase()
  const matches = ({ api, activity: { boundName } }: Listed): boolean =>
    text === undefined ||
    [api.name, api.id, ...Object.values(about.titles(api.toolId) ?? {}), boundName ?? ''].some((one) =>
      one.toLowerCase().includes(text),
    )
  const found = all.filter(
    (one) =>
      (wanted === undefined || wanted.has(one.activity.state)) &&
      (query.tool === undefined || one.api.toolId === query.tool) &&
      matches(one),
  )
  const shown = sorted(found, query, about.titles).slice(offset, offset + query.limit)
  const apis = await store.withKeysOf(
    db,
    shown.map(({ api }) => api),
  )
  const next = offset + shown.length
  return {
    items: shown.map((one, i) => ({ api: apis[i] as store.ToolApi, activity: one.activity })),
    nextCursor: next < found.length ? `o${next}` : null,
    total: found.length,
    states,
    tools: [...new Set(records.map(({ toolId }) => toolId))].sort(),
  }
}
