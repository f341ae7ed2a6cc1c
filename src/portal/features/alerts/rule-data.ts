/** What pages of alerts show of rules. */
import { ApiError } from '../../api/client.ts'
import { loadRules, loadRule as loadVersion, type Rule } from '../rules/rule-data.ts'

export type { Rule } from '../rules/rule-data.ts'

export const rulesById = async (signal?: AbortSignal): Promise<ReadonlyMap<string, Rule>> =>
  new Map((await loadRules(signal)).map((rule) => [rule.id, rule]))

/** @returns undefined for a rule that was deleted meanwhile */
export async function loadRule(id: string, signal: AbortSignal): Promise<Rule | undefined> {
  try {
    return (await loadVersion(id, signal)).record
  } catch (failure) {
    if (failure instanceof ApiError && failure.status === 404) return undefined
    throw failure
  }
}

/** The channels that a rule names, the one whose value an alert has first. */
export const channelsOf = ({ conditions = [], channel }: Rule): string[] => [
  ...new Set([...conditions.map((condition) => condition.channel), ...(channel == null ? [] : [channel])]),
]

export type Threshold = { channel: string; value: number }

/** The values at which lines are drawn. */
export function thresholdsOf({ conditions = [], steps = [] }: Rule): Threshold[] {
  const [first] = conditions
  const higher = first === undefined ? [] : steps.map(({ value }) => ({ channel: first.channel, value }))
  const own = conditions.flatMap(({ channel, value }) => (typeof value === 'number' ? [{ channel, value }] : []))
  return [...own, ...higher]
}
