/** Tool APIs as the pages know them, and the requests about them. */
import type { Feature } from 'geojson'
import { api, dataOf, send } from '../../../api/client.ts'
import type { Versioned } from '../../../api/record.ts'
import type { components, paths } from '../../../api/schema.d.ts'

export type ToolApi = components['schemas']['ToolApiWithActivity']
export type Counts = components['schemas']['ToolApiCounts']
export type ToolApiState = ToolApi['activity']['state']
export type Binding = { kind: 'layer' | 'file' | 'file-version'; id: string; version?: number }
export type Rule = { kind: 'inside' | 'partly' | 'percent'; percent?: number }
export type ToolApiVersion = Versioned<ToolApi>

/** A tool that can be saved. */
export type SavableTool = {
  id: string
  title: { en: string; ar: string }
  description: { en: string; ar: string }
  tier: string | null
  secondInput: { field: string; kind: 'layer' | 'polygons' | 'raster' } | null
  tellsFields: boolean
  settings: { properties: Record<string, unknown>; required?: string[] }
}

export const INSIDE_CHECK = 'vector.inside-check'

export async function loadTools(signal: AbortSignal): Promise<SavableTool[]> {
  const { items } = await dataOf(api.GET('/manage/v1/tool-api-tools', { signal }))
  return items as unknown as SavableTool[]
}

export const toolApiPath = (id: string): string => `/manage/v1/tool-apis/${encodeURIComponent(id)}`

const LIST = '/manage/v1/owners/{ownerId}/tool-apis'
type ListQuery = NonNullable<paths[typeof LIST]['get']['parameters']['query']>
const SORTS = ['name', 'tool', 'binding', 'state', 'calls', 'refused', 'p95', 'lastCall'] as const

/** The order in the address; by default broken Tool APIs come first. */
export const sortOf = (text: string | undefined): (typeof SORTS)[number] =>
  SORTS.find((sort) => sort === text) ?? 'state'

export const loadToolApis = (ownerId: string, query: ListQuery, signal: AbortSignal) =>
  dataOf(api.GET(LIST, { params: { path: { ownerId }, query }, signal }))

export type ToolApiPage = Awaited<ReturnType<typeof loadToolApis>>

export type Allowance = {
  used: number
  allowance: number
  /** Name of the plan or tier. */
  plan: string
  includesToolApis: boolean
}

/** The owner's usage and allowance of today, and whether the plan includes Tool APIs at all. */
export async function loadAllowance(ownerId: string, isPerson: boolean, signal: AbortSignal): Promise<Allowance> {
  const path = { id: ownerId }
  const [usage, tiers, plan] = await Promise.all([
    dataOf(api.GET('/manage/v1/owners/{ownerId}/usage', { params: { path: { ownerId } }, signal })),
    dataOf(api.GET('/manage/v1/tiers', { signal })),
    isPerson
      ? dataOf(api.GET('/manage/v1/people/{id}', { params: { path }, signal })).then((person) => person.plan)
      : dataOf(api.GET('/manage/v1/enterprises/{id}', { params: { path }, signal })).then(({ tier }) => tier),
  ])
  const { used, allowance } = usage.requests
  const includesToolApis = tiers.items.find(({ name }) => name === plan)?.toolApis === true
  return { used, allowance, plan, includesToolApis }
}

/** The answer of a call: the verdict of an inside check, or a layer. */
export type Verdict = {
  passed: boolean
  counts: { inside: number; partial: number; outside: number; passed: number }
  results: {
    index: number
    id?: string | number
    relation: 'inside' | 'partial' | 'outside'
    percentInside: number
    pass: boolean
    matchCount: number
    reference: Record<string, unknown>
  }[]
}
export type LayerResult = { featureCount: number; result: { type: 'FeatureCollection'; features: object[] } }
export type Answer = { data: Verdict | LayerResult; text: string; durationMs: number }

/** Sends an input to a route that answers like a call. @throws ApiError */
export async function sendInput(path: string, body: object, signal: AbortSignal): Promise<Answer> {
  const startedMs = performance.now()
  const response = await send(path, {
    method: 'POST',
    signal,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  const text = await response.text()
  const durationMs = performance.now() - startedMs
  const { data } = JSON.parse(text) as { data: Answer['data'] }
  return { data, text, durationMs }
}

/** Limit of features drawn from a bound layer; calls read all of it. */
const SHOWN_FEATURES = 1_000

/** The first features of a bound layer. */
export async function loadBound(ownerId: string, id: string, signal: AbortSignal): Promise<Feature[]> {
  const { items } = (await dataOf(
    api.GET('/manage/v1/owners/{ownerId}/layers/{id}/features', {
      params: { path: { ownerId, id }, query: { limit: SHOWN_FEATURES } },
      signal,
    }),
  )) as unknown as { items: Feature[] }
  return items
}
