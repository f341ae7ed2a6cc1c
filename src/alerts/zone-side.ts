/**
 * On which side of a polygon, or of all polygons of a layer, a sensor is. A position within `bufferM` outside an edge
 * counts as the present side. The side changes after `minReadings` positions in a row on the other side that span
 * `minMs`, so a jump out and back, or a position that moves along an edge, changes nothing.
 */
import type { ZoneAlertRule } from './rule.ts'

export type Position = 'inside' | 'near' | 'outside'
export type Side = 'inside' | 'outside'

/** `sinceMs`: the first position of the run that led to this side. `run`: positions in a row on the other side. */
export type SideState = {
  side: Side | undefined
  sinceMs: number
  run: { side: Side; firstMs: number; count: number } | undefined
}

const UNKNOWN: SideState = { side: undefined, sinceMs: 0, run: undefined }

export type Debounce = Pick<ZoneAlertRule, 'minReadings' | 'minMs'>

export function nextSide(debounce: Debounce, state: SideState = UNKNOWN, atMs: number, position: Position): SideState {
  const side = position === 'near' ? (state.side ?? 'outside') : position
  if (side === state.side) return state.run === undefined ? state : { ...state, run: undefined }
  const before = state.run?.side === side ? state.run : { side, firstMs: atMs, count: 0 }
  const run = { ...before, count: before.count + 1 }
  const isConfirmed = run.count >= debounce.minReadings && atMs - run.firstMs >= debounce.minMs
  return isConfirmed ? { side, sinceMs: run.firstMs, run: undefined } : { ...state, run }
}

/** @returns whether the change is an event: a first position outside leaves nothing */
export function crossing(before: SideState | undefined, after: SideState): 'enter' | 'leave' | undefined {
  if (after.side === before?.side) return undefined
  if (after.side === 'inside') return 'enter'
  return before?.side === 'inside' ? 'leave' : undefined
}

export type ZoneAlertState = SideState & {
  /** When the alert fired, while it does. */
  firedMs: number | undefined
}

/**
 * One alert of an `inside`, `outside` or `dwell` rule. It begins with the first position of the run and ends with the
 * position that confirms the other side. The time of a dwell includes gaps.
 */
export function judgeZone(
  rule: Pick<ZoneAlertRule, 'when' | 'dwellMs'> & Debounce,
  state: ZoneAlertState | undefined,
  atMs: number,
  position: Position,
  isOpen: (atMs: number) => boolean,
): ZoneAlertState {
  const after = nextSide(rule, state, atMs, position)
  const firedMs = firedAfter(rule, state?.firedMs, after, atMs, isOpen)
  // most positions change nothing
  return state !== undefined && after === state && firedMs === state.firedMs ? state : { ...after, firedMs }
}

function firedAfter(
  { when, dwellMs }: Pick<ZoneAlertRule, 'when' | 'dwellMs'>,
  before: number | undefined,
  { side, sinceMs }: SideState,
  atMs: number,
  isOpen: (atMs: number) => boolean,
): number | undefined {
  if (side !== (when === 'outside' ? 'outside' : 'inside')) return undefined
  if (before !== undefined) return before
  const lasts = when !== 'dwell' || atMs - sinceMs >= dwellMs
  return lasts && isOpen(atMs) ? atMs : undefined
}
