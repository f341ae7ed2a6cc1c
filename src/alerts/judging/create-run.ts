import type { AlertRule, ZoneCrossingRule } from '../rule.ts'
import { ZoneRun } from '../zones/zone-run.ts'
import { ChangeRun } from './change-run.ts'
import type { Pauses, Run, Sink } from './run.ts'
import { SilenceRun } from './silence-run.ts'
import { ThresholdRun } from './threshold-run.ts'

/** In previews. */
const NO_PAUSES: Pauses = { away: () => 0, spentUntil: () => [] }
const UNKNOWN = (): number => 0

/**
 * The run of a rule, which watches no sensor yet.
 * @param pauses for silences @param usualMs for silences: the usual interval of the sensor in a slot; 0 while it is unknown
 */
export function createRun(
  rule: AlertRule | ZoneCrossingRule,
  sink: Sink,
  pauses = NO_PAUSES,
  usualMs: (slot: number) => number = UNKNOWN,
): Run {
  switch (rule.kind) {
    case 'threshold':
      return new ThresholdRun(rule, sink)
    case 'change':
      return new ChangeRun(rule, sink)
    case 'silence':
      return new SilenceRun(rule, sink, pauses, usualMs)
    case 'zone':
      return new ZoneRun(rule, sink)
  }
}
