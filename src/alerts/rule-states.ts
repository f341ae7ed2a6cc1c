/** The states of a rule: what fires is stored, and the process that judges knows the other states. */
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Engine } from '../engine/engine.ts'
import { type StoredState, storedStates } from '../stores/postgres/alerts/rule-states.ts'
import { getRule } from '../stores/postgres/alerts/rules.ts'
import type { Database } from '../stores/postgres/client.ts'
import { newId } from '../stores/postgres/ids.ts'
import type { Page, PageQuery } from '../stores/postgres/page.ts'
import type { RunState } from './judging/run.ts'
import statesTask, { type StatesData } from './states.ts'

/** `since`: by the sensor's clock; null for `unknown`. */
export type RuleState = { sensorId: string; state: RunState['state']; since: Date | null; alertId?: string }
/** The states of a rule, by the ids of the sensors that it watches. @throws AppError NOT_FOUND */
export type RuleStates = (enterpriseId: string, ruleId: string, query: PageQuery) => Promise<Page<RuleState>>

/**
 * States of a rule for sensors, by their numbers, as the process that judges has them. Null for those it does not know;
 * none at all while nothing judges.
 */
export type JudgedStates = (rule: string, sensors: readonly number[]) => Promise<readonly (RunState | null)[]>
export type JudgedStatesDeps = { engine: Pick<Engine, 'run'>; scratchDir: string; timeoutMs: number }

const MEMORY_BYTES = 256 * 2 ** 20

/** States in the process that judges, if it is one of this server. */
export function createJudgedStates({ engine, scratchDir, timeoutMs }: JudgedStatesDeps): JudgedStates {
  return async (rule, sensors) => {
    const scratch = join(scratchDir, newId('run'))
    await mkdir(scratch)
    try {
      // without a signal: a caller that leaves must not end the process, whose memory takes a while to restore
      const limits = { deadlineMs: timeoutMs, plan: 'max', memoryBytes: MEMORY_BYTES } as const
      const { data } = await engine.run(statesTask, { rule, sensors }, { ...limits, tenant: 'alerts', scratch })
      return (data as StatesData).states
    } finally {
      await rm(scratch, { recursive: true, force: true })
    }
  }
}

export function createRuleStates(db: Database, judged: JudgedStates): RuleStates {
  return async (enterpriseId, ruleId, query) => {
    const { enabled, event } = await getRule(db, enterpriseId, ruleId)
    // these rules make events
    if (event === 'enter' || event === 'leave') return { items: [], nextCursor: null }
    const page = await storedStates(db, enterpriseId, ruleId, query)
    const others = enabled
      ? page.items.filter(({ alertId, isOff }) => alertId === null && !isOff).map(({ number }) => number)
      : []
    const states = others.length === 0 ? [] : await judged(ruleId, others)
    const known = new Map(others.map((number, i) => [number, states[i]]))
    return { ...page, items: page.items.map((stored) => stateOf(stored, known.get(stored.number))) }
  }
}

function stateOf(
  { id: sensorId, alertId, startedMs, clearedMs, isOff }: StoredState,
  known: RunState | null | undefined,
): RuleState {
  if (alertId !== null) return { sensorId, state: 'firing', since: dateOf(startedMs), alertId }
  if (isOff) return { sensorId, state: 'unknown', since: null }
  // an alert that a change has ended may still fire in the process that judges
  if (known && known.state !== 'firing')
    return { sensorId, state: known.state, since: known.state === 'unknown' ? null : dateOf(known.sinceMs) }
  return { sensorId, state: clearedMs === null ? 'unknown' : 'ok', since: dateOf(clearedMs) }
}

const dateOf = (ms: number | null): Date | null => (ms === null || !Number.isFinite(ms) ? null : new Date(ms))
