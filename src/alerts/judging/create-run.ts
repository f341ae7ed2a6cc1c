import type { AlertRule, ZoneCrossingRule } from '../rule.ts'
import { ZoneRun } from '../zones/zone-run.ts'
import { ChangeRun } from './change-run.ts'
import type { Away, Run, Sink } from './run.ts'
import { SilenceRun } from './silence-run.ts'
import { ThresholdRun } from './threshold-run.ts'

/** The run of a rule, which watches no sensor yet. @param away for silences; in previews the server was never away */
export function createRun(rule: AlertRule | ZoneCrossingRule, sink: Sink, away: Away = () => 0): Run {
  switch (rule.kind) {
    case 'threshold':
      return new ThresholdRun(rule, sink)
    case 'change':
      return new ChangeRun(rule, sink)
    case 'silence':
      return new SilenceRun(rule, sink, away)
    case 'zone':
      return new ZoneRun(rule, sink)
  }
}
