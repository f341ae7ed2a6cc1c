/** Dashboards of the API, their panels, and the data of a panel. */
import { ApiError, errorOf, send } from '../../api/client.ts'
import type { components } from '../../api/schema.d.ts'
import type { Range } from '../../ui/chart/range.ts'
import type { SensorState } from '../sensors/state.tsx'

export type DashboardDocument = components['schemas']['DashboardDocument']
export type Panel = DashboardDocument['panels'][number]
export type Dashboard = components['schemas']['Dashboard']
export type ListedDashboard = components['schemas']['ListedDashboard']
export type Variables = NonNullable<DashboardDocument['variables']>

export const PANEL_TYPES = ['chart', 'number', 'table', 'states', 'map'] as const
export const AGGREGATES = ['avg', 'min', 'max', 'sum', 'last'] as const
export const SORTS = ['worst', 'highest', 'lowest', 'name'] as const
/** As the server limits them. */
export const MAX_PANELS = 50

type Value = number | boolean
export type ChartPanelData = {
  sensors: number
  shownSensors: number
  stepMs: number
  series: {
    sensorId: string | null
    sensorName: string | null
    channel: string
    unit: string | null
    measurement: 'number' | 'whole' | 'boolean'
    points: [at: string, value: number][]
  }[]
}
export type NumberPanelData = {
  sensors: number
  shownSensors: number
  agg: (typeof AGGREGATES)[number]
  unit: string | null
  measurement: 'number' | 'whole' | 'boolean'
  value: number | null
  lastAt: string | null
  before: number | null
}
export type TablePanelData = {
  sensors: number
  channels: string[]
  items: {
    sensorId: string
    sensorName: string
    assetName: string
    state: SensorState
    lastAt: string | null
    values: ({ value: Value; unit: string | null; at: string } | null)[]
  }[]
}
export type StatesPanelData = { sensors: number; states: Record<SensorState, number> }
export type MapPanelData = {
  sensors: number
  located: number
  items: { sensorId: string; name: string; state: SensorState; at: string; location: [number, number] }[]
}

/** Loads what a panel shows: with the session, or with a link. */
export type LoadPanel = (panel: Panel, points: number, signal: AbortSignal) => Promise<unknown>

export const DASHBOARDS = '/enterprise/v1/assets/dashboards'
export const dashboardPath = (id: string): string => `${DASHBOARDS}/${encodeURIComponent(id)}`

async function dataOf<T>(response: Response): Promise<T> {
  return ((await response.json()) as { data: T }).data
}
export const sendJson = async <T>(method: string, path: string, body: object, headers: Record<string, string> = {}) =>
  dataOf<T>(
    await send(path, {
      method,
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    }),
  )

/** @param range as it is when a panel is loaded: one that follows the clock ends now */
export function loaderOf(rangeNow: () => Range, variables: Variables): LoadPanel {
  return async (panel, points, signal) => {
    const { fromMs, toMs } = rangeNow()
    const body = { panel, points, variables, from: new Date(fromMs).toISOString(), to: new Date(toMs).toISOString() }
    const response = await send('/enterprise/v1/assets/panels', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal,
    })
    return dataOf(response)
  }
}

/** Requests of a link: without the session, so that nothing but the link decides. */
export async function sendShared<T>(token: string, path: string, body?: object, signal?: AbortSignal): Promise<T> {
  let response: Response
  try {
    response = await fetch(`/shared-dashboard${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) },
      credentials: 'omit',
      ...(body && { body: JSON.stringify(body) }),
      ...(signal && { signal }),
    })
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') throw error
    throw new ApiError(0, 'OFFLINE', '')
  }
  if (!response.ok) throw await errorOf(response)
  return dataOf(response)
}

/** All dashboards that the person sees. */
export async function loadDashboards(signal: AbortSignal): Promise<ListedDashboard[]> {
  const items: ListedDashboard[] = []
  for (let cursor = ''; ; ) {
    const page = await dataOf<{ items: ListedDashboard[]; nextCursor: string | null }>(
      await send(`${DASHBOARDS}?limit=1000${cursor}`, { signal }),
    )
    items.push(...page.items)
    if (page.nextCursor === null) return items
    cursor = `&cursor=${encodeURIComponent(page.nextCursor)}`
  }
}

export const createDashboard = (name: string, document: DashboardDocument, shared: boolean | undefined, key: string) =>
  sendJson<Dashboard>(
    'POST',
    DASHBOARDS,
    { name, document, ...(shared !== undefined && { shared }) },
    { 'idempotency-key': key },
  )

type Asset = { id: string; name: string }
/** @param q part of the name */
export async function findAssets(q: string, signal: AbortSignal): Promise<Asset[]> {
  const query = new URLSearchParams({ q, limit: '30', sort: 'name' })
  const found = await dataOf<{ items: { assetId: string; assetName: string }[] }>(
    await send(`/enterprise/v1/assets/sensors?${query}`, { signal }),
  )
  const names = new Map(found.items.map(({ assetId, assetName }) => [assetId, assetName]))
  return [...names].map(([id, name]) => ({ id, name }))
}

export async function assetName(id: string, signal: AbortSignal): Promise<string> {
  const path = `/manage/v1/assets/${encodeURIComponent(id)}`
  return (await dataOf<Asset>(await send(path, { signal }))).name
}

/** The channels that a fleet has, as its first sensors show them. */
export async function loadChannels(signal: AbortSignal): Promise<{ name: string; unit: string | null }[]> {
  const found = await dataOf<{ items: { channels: { name: string; unit: string | null }[] }[] }>(
    await send('/enterprise/v1/assets/sensors?limit=200', { signal }),
  )
  const channels = new Map<string, string | null>()
  for (const { channels: own } of found.items)
    for (const { name, unit } of own) if (!channels.has(name)) channels.set(name, unit)
  return [...channels].map(([name, unit]) => ({ name, unit }))
}
