/**
 * What is remembered of a sensor for a zone rule, and what a position changes. Of all polygons only those are kept that
 * hold the sensor or have a run of positions inside: a polygon that is not kept is outside. `inside` and `outside` look
 * at the layer as a whole, the other rules at each polygon.
 */
import type { Change, Crossing, Places, Surroundings } from '../judging/run.ts'
import type { ZoneAlertRule, ZoneCrossingRule } from '../rule.ts'
import { crossing, judgeZone, nextSide, type Position, type Side, type ZoneAlertState } from '../zone-side.ts'

export type AnyZoneRule = ZoneAlertRule | ZoneCrossingRule

/** `longitude` and `latitude`: the first position of the run. */
export type KeptZone = { state: ZoneAlertState; longitude: number; latitude: number }
/** By the id of a polygon, or undefined for the layer as a whole. */
export type ZoneMemory = Map<string | undefined, KeptZone>

export type ZoneJudging = {
  rule: AnyZoneRule
  idOf: Places['idOf']
  isOpen(atMs: number): boolean
  change(change: Change): void
  crossing(crossing: Crossing): void
}

export type At = { atMs: number; longitude: number; latitude: number }

export const isCrossing = (rule: AnyZoneRule): rule is ZoneCrossingRule =>
  rule.when === 'enter' || rule.when === 'leave'

/** Polygons listed in one event. */
const MAX_POLYGONS = 100

/** The side on which a rule is pending or fires. */
export const sideOf = ({ when }: AnyZoneRule): Side => (when === 'outside' || when === 'leave' ? 'outside' : 'inside')

/**
 * @param memory changed in place; undefined: nothing is known
 * @param at newer than the position before
 * @returns undefined when nothing is to be remembered
 */
export function judgePosition(
  judging: ZoneJudging,
  memory: ZoneMemory | undefined,
  at: At,
  around: Surroundings,
): ZoneMemory | undefined {
  const { rule, isOpen, idOf } = judging
  const zones: ZoneMemory = memory ?? new Map()
  const crossings = new Map<number, Crossing>()
  const judgeOne = (polygon: string | undefined, position: Position): void => {
    const before = zones.get(polygon)
    const after = moved(judging, before, polygon, at, position)
    if (polygon !== undefined && crossing(before?.state, after.state) === rule.when && isOpen(at.atMs))
      addCrossing(crossings, after, polygon)
    const { side, run } = after.state
    if (side === 'inside' || run?.side === 'inside' || rule.when === 'outside') zones.set(polygon, after)
    else zones.delete(polygon)
  }
  if (rule.when === 'inside' || rule.when === 'outside') judgeOne(undefined, wholeLayer(around))
  else {
    const inside = new Set(around.inside.map(idOf))
    const near = new Set(zones.size === 0 ? [] : around.near.map(idOf))
    for (const id of [...zones.keys()] as string[]) if (!inside.has(id)) judgeOne(id, near.has(id) ? 'near' : 'outside')
    for (const id of inside) judgeOne(id, 'inside')
  }
  for (const one of crossings.values()) judging.crossing(one)
  return zones.size === 0 ? undefined : zones
}

function wholeLayer({ inside, near }: Surroundings): Position {
  if (inside.length > 0) return 'inside'
  return near.length > 0 ? 'near' : 'outside'
}

/** The zone after a position; its alert begins or ends. */
function moved(
  judging: ZoneJudging,
  before: KeptZone | undefined,
  polygon: string | undefined,
  { atMs, longitude, latitude }: At,
  position: Position,
): KeptZone {
  const state = stateAfter(judging, before?.state, atMs, position)
  if (before !== undefined && state === before.state) return before
  const ended = before?.state
  if (ended?.firedMs !== undefined && state.firedMs === undefined)
    judging.change({ type: 'resolved', startedMs: ended.sinceMs, resolvedMs: atMs, polygon })
  if (ended?.firedMs === undefined && state.firedMs !== undefined) {
    const { severity } = judging.rule
    const { sinceMs: startedMs, firedMs } = state
    judging.change({ type: 'firing', startedMs, firedMs, severity, values: {}, late: false, polygon })
  }
  const isFirst = (state.run?.firstMs ?? state.sinceMs) === atMs
  return isFirst || before === undefined ? { state, longitude, latitude } : { ...before, state }
}

function stateAfter(
  { rule, isOpen }: ZoneJudging,
  before: ZoneAlertState | undefined,
  atMs: number,
  position: Position,
): ZoneAlertState {
  if (!isCrossing(rule)) return judgeZone(rule, before, atMs, position, isOpen)
  const after = nextSide(rule, before, atMs, position)
  return before !== undefined && after === before ? before : { ...after, firedMs: undefined }
}

/** Polygons whose runs began with the same position are crossed together. */
function addCrossing(crossings: Map<number, Crossing>, { state, longitude, latitude }: KeptZone, id: string): void {
  const atMs = state.sinceMs
  const crossed = crossings.get(atMs) ?? { atMs, longitude, latitude, polygons: [] }
  crossings.set(atMs, crossed)
  if (crossed.polygons.length < MAX_POLYGONS) crossed.polygons.push(id)
}
