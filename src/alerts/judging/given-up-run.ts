/** Stands for the run of a rule whose judging threw: it finds nothing, until the rule means something else. */
import type { AlertRule, ZoneCrossingRule } from '../rule.ts'
import type { Places, Run, RunState } from './run.ts'

export class GivenUpRun implements Run {
  readonly channels: readonly string[] = []
  readonly values = new Float64Array(0)
  readonly bytes = 0
  places: Places | undefined

  /** @param why the message of the error */
  constructor(
    public rule: AlertRule | ZoneCrossingRule,
    readonly why: string,
  ) {}

  add(): number {
    return 0
  }

  remove(): void {
    // no sensor has anything to be removed
  }

  push(): boolean {
    return true
  }

  pushRest(): boolean {
    return true
  }

  tick(): void {
    // finds nothing
  }

  stateOf(): RunState {
    return { state: 'unknown', sinceMs: Number.NaN }
  }

  newestOf(): number {
    return Number.NEGATIVE_INFINITY
  }

  save(): void {
    // the state names the rule (judging-state.ts)
  }

  load(): void {
    // nothing was saved
  }
}

/** Whether judging again would throw the same: memory and files are of the process, not of a rule. */
export const isOfRule = (error: unknown): error is Error =>
  error instanceof Error && !(error instanceof RangeError) && !('code' in error)
