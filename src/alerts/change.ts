/**
 * Rules about a change of a value within a window of time: up from the lowest value of the window, down from the
 * highest. The window [t - `withinMs`, t] includes the value that is judged.
 */
import type { ChangeRule } from './rule.ts'

/**
 * `lows` and `highs` have the values that can still become the lowest and highest of the window, in order of time.
 * `onsetMs` is the first reading of a change that lasts, `firedMs` is set once the alert fires.
 */
export type ChangeState = {
  lows: readonly (readonly [atMs: number, value: number])[]
  highs: readonly (readonly [atMs: number, value: number])[]
  onsetMs: number | undefined
  firedMs: number | undefined
}

const START: ChangeState = { lows: [], highs: [], onsetMs: undefined, firedMs: undefined }

/** @param value of the rule's channel in a reading newer than the one before */
export function judgeChange(
  rule: ChangeRule,
  state: ChangeState = START,
  atMs: number,
  value: number,
  isOpen: (atMs: number) => boolean,
): ChangeState {
  const oldestMs = atMs - rule.withinMs
  const lows = pushed(state.lows, atMs, value, oldestMs, (earlier) => earlier >= value)
  const highs = pushed(state.highs, atMs, value, oldestMs, (earlier) => earlier <= value)
  const rise = value - (lows[0]?.[1] as number)
  const fall = (highs[0]?.[1] as number) - value
  const isChange = (rule.direction !== 'down' && rise >= rule.by) || (rule.direction !== 'up' && fall >= rule.by)
  if (!isChange) return { lows, highs, onsetMs: undefined, firedMs: undefined }
  const onsetMs = state.onsetMs ?? atMs
  return { lows, highs, onsetMs, firedMs: state.firedMs ?? (isOpen(atMs) ? atMs : undefined) }
}

/** A queue whose first entry is the extreme of the window: entries that a newer value makes irrelevant are dropped. */
function pushed(
  queue: ChangeState['lows'],
  atMs: number,
  value: number,
  oldestMs: number,
  isIrrelevant: (earlier: number) => boolean,
): ChangeState['lows'] {
  let end = queue.length
  while (end > 0 && isIrrelevant((queue[end - 1] as [number, number])[1])) end--
  let start = 0
  while (start < end && (queue[start] as [number, number])[0] < oldestMs) start++
  return [...queue.slice(start, end), [atMs, value]]
}
