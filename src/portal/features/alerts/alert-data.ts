/** Alerts, silences and rules of the API. */
import { api, dataOf } from '../../api/client.ts'
import type { components } from '../../api/schema.d.ts'

export type Alert = components['schemas']['Alert']
export type AlertPage = Awaited<ReturnType<typeof loadAlerts>>
export type AlertGroup = components['schemas']['AlertGroup']
export type Silence = components['schemas']['AlertSilence']

/** From worst to best, in which lists sort them. */
export const SEVERITIES = ['critical', 'warning', 'info'] as const
export type Severity = (typeof SEVERITIES)[number]

export type AlertFilter = {
  state?: 'firing' | 'resolved' | undefined
  severity?: Severity | undefined
  sensor?: string | undefined
  rule?: string | undefined
  tag?: string | undefined
  from?: string | undefined
  to?: string | undefined
}

export const PAGE = 50
/** Maximum of one request. */
const MOST = 1_000

/** Newest first, with counts and groups of the firing alerts that match. */
export function loadAlerts(
  filter: AlertFilter,
  { limit = PAGE, cursor }: { limit?: number; cursor?: string | undefined } = {},
  signal?: AbortSignal,
) {
  const given = Object.entries({ ...filter, cursor }).filter(([, value]) => value !== undefined)
  const query: AlertFilter & { limit: number; cursor?: string } = { ...Object.fromEntries(given), limit }
  return dataOf(
    api.GET('/enterprise/v1/assets/alerts', { params: { query: query as never }, ...(signal && { signal }) }),
  )
}

export type Section = { severity: Severity; page: AlertPage }
export type Firing = { counts: AlertPage['counts']; sections: Section[] }

/** What fires now, the worst severity first. @param sensor only of this sensor */
export async function loadFiring(signal: AbortSignal, filter: AlertFilter = {}): Promise<Firing> {
  const all = await loadAlerts({ ...filter, state: 'firing' }, {}, signal)
  const severities = SEVERITIES.filter((severity) => all.counts.bySeverity[severity] > 0)
  const pages = await Promise.all(
    severities.map((severity) =>
      severities.length === 1 ? all : loadAlerts({ ...filter, state: 'firing', severity }, {}, signal),
    ),
  )
  return {
    counts: all.counts,
    sections: severities.map((severity, i) => ({ severity, page: pages[i] as AlertPage })),
  }
}

export const loadAlert = (id: string, signal: AbortSignal): Promise<Alert> =>
  dataOf(api.GET('/enterprise/v1/assets/alerts/{id}', { params: { path: { id } }, signal }))

/** Alerts with the first acknowledgement keep it. */
export async function acknowledge(ids: readonly string[], comment: string): Promise<void> {
  await dataOf(
    api.POST('/enterprise/v1/assets/alerts/acknowledge', {
      body: { ids: [...ids], ...(comment !== '' && { comment }) },
    }),
  )
}

/** @returns the ids of all firing alerts of a group */
export async function idsOf(filter: AlertFilter): Promise<string[]> {
  const ids: string[] = []
  for (let cursor: string | undefined; ; ) {
    const page = await loadAlerts({ ...filter, state: 'firing' }, { limit: MOST, cursor })
    ids.push(...page.items.map(({ id }) => id))
    if (page.nextCursor === null) return ids
    cursor = page.nextCursor
  }
}

export function inParts(ids: readonly string[]): string[][] {
  return Array.from({ length: Math.ceil(ids.length / MOST) }, (_, i) => ids.slice(i * MOST, (i + 1) * MOST))
}

export const takeBack = (id: string): Promise<unknown> =>
  dataOf(api.DELETE('/enterprise/v1/assets/alerts/{id}/acknowledge', { params: { path: { id } } }))

/** Silences that have not ended, newest first. @param alert only those that hold it now */
export async function loadSilences(signal: AbortSignal, alert?: string): Promise<Silence[]> {
  const query = { limit: MOST, state: alert === undefined ? 'active,planned' : 'active', ...(alert && { alert }) }
  return (await dataOf(api.GET('/enterprise/v1/assets/alert-silences', { params: { query }, signal }))).items
}

export const endSilence = (id: string): Promise<unknown> =>
  dataOf(api.DELETE('/enterprise/v1/assets/alert-silences/{id}', { params: { path: { id } } }))
