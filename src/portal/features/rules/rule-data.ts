/** Rules of all kinds as the API has them, with their states and firing alerts. */
import { send } from '../../api/client.ts'
import { loadRecord, type Versioned } from '../../api/record.ts'

export const KINDS = ['threshold', 'silence', 'change', 'zone'] as const
export type Kind = (typeof KINDS)[number]
export const WHENS = ['enter', 'leave', 'inside', 'outside', 'dwell'] as const
export type When = (typeof WHENS)[number]

export const SEVERITIES = ['info', 'warning', 'critical'] as const
export type Severity = (typeof SEVERITIES)[number]
export const OPERATORS = ['>', '>=', '<', '<=', '=', '!='] as const
export type Operator = (typeof OPERATORS)[number]
export const WEEKDAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const
export type Weekday = (typeof WEEKDAYS)[number]
export type Window = { days: Weekday[]; from: string; to: string }
export type Schedule = { tz: string; weekly: Window[] }

export type Condition = { channel: string; op: Operator; value: number | boolean; clearValue?: number | null }
export type Step = { severity: Severity; value: number; clearValue?: number | null }
export type Within = { layerId: string; when: 'inside' | 'outside' }

/** The fields of the other kinds are absent or null. */
export type RuleFields = {
  name: string
  kind: Kind
  severity: Severity
  note?: string
  enabled: boolean
  sensorIds: 'all' | string[]
  tags: string[]
  schedule?: Schedule | null
  conditions?: Condition[]
  match?: 'all' | 'any'
  steps?: Step[]
  forSeconds?: number | null
  keepFiringSeconds?: number
  maxGapSeconds?: number | null
  gap?: 'reset' | 'hold'
  within?: Within | null
  channel?: string | null
  withinSeconds?: number
  by?: number
  direction?: 'up' | 'down' | 'both'
  layerId?: string | null
  when?: When | null
  dwellSeconds?: number | null
  minReadings?: number
  minSeconds?: number
  bufferM?: number
}
export type Rule = RuleFields & { id: string; layerUsable?: boolean | null; createdAt: string; updatedAt: string }

/** A rule that only records events has no severity. */
export const firesAlerts = ({ kind, when }: Pick<RuleFields, 'kind' | 'when'>): boolean =>
  kind !== 'zone' || (when !== 'enter' && when !== 'leave')

/** The channel whose value an alert has. */
export const mainChannel = ({ conditions, channel }: RuleFields): string | undefined =>
  conditions?.[0]?.channel ?? channel ?? undefined

const RULES = '/enterprise/v1/assets/rules'
const PAGE = 1_000

export const rulePath = (id: string): string => `${RULES}/${encodeURIComponent(id)}`

async function dataAt<T>(path: string, init: RequestInit = {}): Promise<T> {
  return ((await (await send(path, init)).json()) as { data: T }).data
}

const posted = (body: object, headers: Record<string, string> = {}): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': 'application/json', ...headers },
  body: JSON.stringify(body),
})

async function allPages<T>(path: string, query: URLSearchParams, signal?: AbortSignal): Promise<T[]> {
  const items: T[] = []
  query.set('limit', String(PAGE))
  for (;;) {
    const page = await dataAt<{ items: T[]; nextCursor: string | null }>(`${path}?${query}`, signal ? { signal } : {})
    items.push(...page.items)
    if (page.nextCursor === null) return items
    query.set('cursor', page.nextCursor)
  }
}

export const loadRules = (signal?: AbortSignal): Promise<Rule[]> => allPages<Rule>(RULES, new URLSearchParams(), signal)
export const loadRule = (id: string, signal?: AbortSignal): Promise<Versioned<Rule>> => loadRecord(rulePath(id), signal)

/** @returns the rule, and what the server wants people to know about it */
export const createRule = (rule: Omit<RuleFields, 'severity'>, key: string): Promise<Rule & Warned> =>
  dataAt(RULES, posted(rule, { 'idempotency-key': key }))

/** How many sensors fire now, for each rule. */
export async function loadFiring(signal: AbortSignal): Promise<ReadonlyMap<string, number>> {
  const { groups } = await dataAt<{ groups: { ruleId: string; count: number }[] }>(
    '/enterprise/v1/assets/alerts?state=firing&limit=1',
    { signal },
  )
  return new Map(groups.map(({ ruleId, count }) => [ruleId, count]))
}

export type RuleState = {
  sensorId: string
  state: 'unknown' | 'ok' | 'pending' | 'firing'
  since: string | null
  alertId?: string
}
const SHOWN_STATES = 100

export const loadStates = (
  id: string,
  signal: AbortSignal,
): Promise<{ items: RuleState[]; nextCursor: string | null }> =>
  dataAt(`${rulePath(id)}/states?limit=${SHOWN_STATES}`, { signal })

export type Alert = {
  id: string
  sensorId: string
  severity: Severity
  startedAt: string
  firedAt: string
  resolvedAt: string | null
  resolvedBy: string | null
  value: number | null
}
const SHOWN_ALERTS = 20

export const loadAlerts = async (ruleId: string, signal: AbortSignal): Promise<Alert[]> =>
  (
    await dataAt<{ items: Alert[] }>(
      `/enterprise/v1/assets/alerts?rule=${encodeURIComponent(ruleId)}&limit=${SHOWN_ALERTS}`,
      { signal },
    )
  ).items

export type Episode = Pick<Alert, 'sensorId' | 'severity' | 'startedAt' | 'firedAt' | 'resolvedAt' | 'value'>
/** Notes of the server on a rule that it took, in both languages. */
export type Warned = { warnings?: string[]; warningsAr?: string[] }

export type Preview = Warned & { episodes: Episode[]; forSeconds: number | null; maxGapSeconds: number | null }

/** When the rule would have fired: found in stored readings, nothing is stored. */
export const previewRule = (rule: RuleFields, fromMs: number, toMs: number, signal: AbortSignal): Promise<Preview> =>
  dataAt(`${RULES}/preview`, {
    ...posted({ rule, from: new Date(fromMs).toISOString(), to: new Date(toMs).toISOString() }),
    signal,
  })

const SHOWN_NAMES = 20

/** Names for ids, for as many sensors as a page shows; a deleted sensor keeps its id. */
export async function sensorNames(ids: readonly string[], signal: AbortSignal): Promise<ReadonlyMap<string, string>> {
  const names = await Promise.all(
    [...new Set(ids)].slice(0, SHOWN_NAMES).map(async (id): Promise<[string, string]> => {
      const page = await dataAt<{ items: { id: string; name: string }[] }>(
        `/enterprise/v1/assets/sensors?q=${encodeURIComponent(id)}&limit=1`,
        { signal },
      )
      return [id, page.items[0]?.name ?? id]
    }),
  )
  return new Map(names)
}
