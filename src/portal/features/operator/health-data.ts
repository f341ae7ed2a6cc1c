/** Reports of processes about themselves, and the history of their parts as segments of time. */
import { api, dataOf } from '../../api/client.ts'
import type { components } from '../../api/schema.d.ts'

export type Instance = components['schemas']['InstanceState']
export type HealthPart = components['schemas']['HealthPart']
export type HealthEvent = components['schemas']['HealthEvent']
export type Owner = { id: string; name: string }

export const HEALTH_MS = 5_000
/** The longest history that the server keeps. */
export const LONGEST_MS = 31 * 86_400_000

export type OpenUploads = { ownerId: string; count: number; receivedBytes: number; bytes: number }
export type Health = { items: Instance[]; owners: Owner[]; openUploads: OpenUploads[] }

export const loadHealth = (signal: AbortSignal): Promise<Health> =>
  dataOf(api.GET('/manage/v1/operator/health', { signal }))

export type State = HealthPart['state'] | 'unknown'
export type Segment = { fromMs: number; toMs: number; state: State }

const PROCESS = 'process'
const WORST: State[] = ['failing', 'degraded', 'ok', 'stopped', 'unknown']
const worse = (a: State, b: State): State => (WORST.indexOf(a) < WORST.indexOf(b) ? a : b)

export type Period = { fromMs: number; toMs: number; events: readonly HealthEvent[]; before: readonly HealthEvent[] }

/** States of one part of one process, without regard to whether the process ran. */
function changesOf(period: Period, instanceId: string, part: string, atFirst: State): [ms: number, state: State][] {
  const isOwn = (event: HealthEvent): boolean => event.instanceId === instanceId && event.part === part
  const first = period.before.find(isOwn)?.state ?? atFirst
  const later = period.events
    .filter(isOwn)
    .map((event): [number, State] => [Date.parse(event.at), event.state])
    .sort((a, b) => a[0] - b[0])
  return [[period.fromMs, first], ...later]
}

const stateAt = (changes: readonly [ms: number, state: State][], ms: number): State =>
  changes.findLast(([at]) => at <= ms)?.[1] ?? 'unknown'

/**
 * The history of a part: the worst state over its processes. A part works until an event says otherwise; while its
 * process does not run, its state is unknown.
 */
export function segmentsOf(period: Period, instances: readonly Instance[], part: string): Segment[] {
  const lines = instances.map(({ id, startedAt }) => {
    const running = changesOf(period, id, PROCESS, 'unknown')
    // the start itself may have been forgotten, because a newer event of the process exists
    if (Date.parse(startedAt) <= period.fromMs && running[0]?.[1] === 'unknown') running[0] = [period.fromMs, 'ok']
    return { running, own: part === PROCESS ? running : changesOf(period, id, part, 'ok') }
  })
  const times = new Set([period.fromMs])
  for (const { running, own } of lines) for (const [ms] of [...running, ...own]) times.add(ms)
  const segments: Segment[] = []
  for (const ms of [...times].filter((one) => one >= period.fromMs && one < period.toMs).sort((a, b) => a - b)) {
    const states = lines.map(({ running, own }) => {
      const process = stateAt(running, ms)
      return process === 'ok' || part === PROCESS ? stateAt(own, ms) : 'unknown'
    })
    const state = states.reduce(worse, 'unknown')
    const last = segments.at(-1)
    if (last !== undefined) last.toMs = ms
    if (last?.state === state) last.toMs = period.toMs
    else segments.push({ fromMs: ms, toMs: period.toMs, state })
  }
  return segments
}

/** The share of the known time in which a part worked; undefined if nothing is known. */
export function shareOfWork(segments: readonly Segment[]): number | undefined {
  const known = segments.filter(({ state }) => state !== 'unknown' && state !== 'stopped')
  const lengthOf = (some: readonly Segment[]): number => some.reduce((sum, { fromMs, toMs }) => sum + toMs - fromMs, 0)
  if (lengthOf(known) === 0) return undefined
  return lengthOf(known.filter(({ state }) => state !== 'failing')) / lengthOf(known)
}
