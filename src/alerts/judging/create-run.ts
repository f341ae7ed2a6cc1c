import type { AlertRule, ZoneCrossingRule } from '../rule.ts'
import { ZoneRun } from '../zones/zone-run.ts'
import type { Run, Sink } from './run.ts'

/** The run of a rule, which watches no sensor yet. */
export function createRun(rule: AlertRule | ZoneCrossingRule, sink: Sink): Run {
  if (rule.kind === 'zone') return new ZoneRun(rule, sink)
  throw new Error(`Rules of the kind ${rule.kind} are not judged yet.`)
}
