import type { AlertRule } from '../rule.ts'
import type { Run, Sink } from './run.ts'

/** The run of a rule, which watches no sensor yet. */
export function createRun(rule: AlertRule, _sink: Sink): Run {
  throw new Error(`Rules of the kind ${rule.kind} are not judged yet.`)
}
