/**
 * What is remembered of a sensor for a zone rule, and what a position changes. Of all polygons only those are kept that
 * hold the sensor or have a run of positions inside: a polygon that is not kept is outside. `inside` and `outside` look
 * at the layer as a whole, the others at each polygon.
 */
import type { ZoneAlertRule, ZoneCrossingRule } from '../rule.ts'
import { crossing, judgeZone, nextSide, type Position, type SideState } from '../zone-side.ts'

export type AnyZoneRule = ZoneAlertRule | ZoneCrossingRule

/** Where a position is: slots of polygons in the layer. `near`: outside, but within the buffer. */
export type Sides = { inside: readonly number[]; near: readonly number[] }

/** `longitude` and `latitude`: the first position of the run. */
type KeptZone = { state: SideState & { firedMs?: number | undefined }; longitude: number; latitude: number }
/** By the id of a polygon, or null for the layer as a whole. Its entries are plain values. */
export type ZoneMemory = Map<string | null, KeptZone>

/** `polygon`: the id of its feature, for `dwell`. `zones`: ids of features that were crossed with the same positions. */
export type ZoneChange =
  | { type: 'firing'; startedMs: number; firedMs: number; polygon: string | null }
  | { type: 'resolved'; resolvedMs: number; polygon: string | null }
  | ZoneCrossing
export type ZoneCrossing = { type: 'crossing'; atMs: number; longitude: number; latitude: number; zones: string[] }

export type ZoneJudging = {
  rule: AnyZoneRule
  /** The id of the feature in a slot. */
  idOf(slot: number): string
  isOpen(atMs: number): boolean
  emit(change: ZoneChange): void
}

export type At = { atMs: number; longitude: number; latitude: number }

/** Zones listed in one event. */
const MAX_ZONES = 100

/**
 * @param memory changed in place; undefined: nothing is known
 * @param at newer than the position before
 * @returns undefined when nothing is to be remembered
 */
export function judgePosition(
  judging: ZoneJudging,
  memory: ZoneMemory | undefined,
  at: At,
  sides: Sides,
): ZoneMemory | undefined {
  const { rule } = judging
  if (memory === undefined && sides.inside.length === 0 && rule.when !== 'outside') return undefined
  const zones: ZoneMemory = memory ?? new Map()
  const crossings = new Map<number, ZoneCrossing>()
  const judgeOne = (polygon: string | null, position: Position): void => {
    const before = zones.get(polygon)
    const after = moved(judging, before, polygon, at, position)
    if (polygon !== null && crosses(judging, before?.state, after.state, at.atMs))
      addCrossing(crossings, after, polygon)
    const { side, run } = after.state
    if (side === 'inside' || run?.side === 'inside' || rule.when === 'outside') zones.set(polygon, after)
    else zones.delete(polygon)
  }
  if (rule.when === 'inside' || rule.when === 'outside') judgeOne(null, wholeLayer(sides))
  else {
    const inside = new Set(sides.inside.map(judging.idOf))
    const near = new Set(zones.size === 0 ? [] : sides.near.map(judging.idOf))
    for (const id of [...zones.keys()])
      if (id !== null && !inside.has(id)) judgeOne(id, near.has(id) ? 'near' : 'outside')
    for (const id of inside) judgeOne(id, 'inside')
  }
  for (const change of crossings.values()) judging.emit(change)
  return zones.size === 0 ? undefined : zones
}

function wholeLayer({ inside, near }: Sides): Position {
  if (inside.length > 0) return 'inside'
  return near.length > 0 ? 'near' : 'outside'
}

/** The zone after a position. Emits what its alert does. */
function moved(
  { rule, isOpen, emit }: ZoneJudging,
  before: KeptZone | undefined,
  polygon: string | null,
  { atMs, longitude, latitude }: At,
  position: Position,
): KeptZone {
  const state =
    rule.when === 'enter' || rule.when === 'leave'
      ? nextSide(rule, before?.state, atMs, position)
      : judgeZone(rule, before?.state, atMs, position, isOpen)
  if (before !== undefined && state === before.state) return before
  const firedBefore = before?.state.firedMs
  if (firedBefore !== undefined && state.firedMs === undefined) emit({ type: 'resolved', resolvedMs: atMs, polygon })
  if (firedBefore === undefined && state.firedMs !== undefined)
    emit({ type: 'firing', startedMs: state.sinceMs, firedMs: state.firedMs, polygon })
  const isFirst = (state.run?.firstMs ?? state.sinceMs) === atMs
  return isFirst || before === undefined ? { state, longitude, latitude } : { ...before, state }
}

function crosses(
  { rule, isOpen }: ZoneJudging,
  before: SideState | undefined,
  after: SideState,
  atMs: number,
): boolean {
  return crossing(before, after) === rule.when && isOpen(atMs)
}

/** Polygons whose runs began with the same position are crossed together. */
function addCrossing(crossings: Map<number, ZoneCrossing>, { state, longitude, latitude }: KeptZone, id: string): void {
  const crossed = crossings.get(state.sinceMs) ?? {
    type: 'crossing',
    atMs: state.sinceMs,
    longitude,
    latitude,
    zones: [],
  }
  crossings.set(state.sinceMs, crossed)
  if (crossed.zones.length < MAX_ZONES) crossed.zones.push(id)
}
