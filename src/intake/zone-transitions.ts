/**
 * What zone rules see in the positions of a sensor. A sensor enters a zone, which is a polygon of the rule's layer, with
 * a position that lies in it when the position before does not, and leaves it with the first that does not any more;
 * its very first position enters what it lies in. `inside` and `outside` look at each position alone: in any zone, and
 * in none. Edges belong to the inside, and are straight in longitude and latitude (RFC 7946, 3.1.1).
 */
import type { CachedLayer } from '../lib/geo/cached-layer.ts'
import type { Position, Positions } from './zone-positions.ts'

export type ZoneEventKind = 'enter' | 'leave' | 'inside' | 'outside'

export type ZoneRule = {
  id: string
  enterprise: number
  event: ZoneEventKind
  /** Readings received before it are not checked. */
  sinceMs: number
  /** Numbers; null for all of the enterprise. */
  sensors: number[] | null
}

export type ZoneTransition = {
  rule: ZoneRule
  sensor: number
  position: Position
  /** Ids of features. */
  zones: string[]
  retentionDays: number
}

/** Zones that one event tells. */
const MAX_ZONES = 100

const isOf = (rule: ZoneRule, { enterprise, sensor }: Positions): boolean =>
  rule.enterprise === enterprise && (rule.sensors?.includes(sensor) ?? true)

export const isWatchedForCrossings = (positions: Positions, rules: readonly ZoneRule[]): boolean =>
  rules.some((rule) => (rule.event === 'enter' || rule.event === 'leave') && isOf(rule, positions))

export function findZoneTransitions(
  positions: Positions,
  rules: readonly ZoneRule[],
  layer: CachedLayer,
  emit: (transition: ZoneTransition) => void,
): void {
  const { sensor, list } = positions
  const own = rules.filter((rule) => isOf(rule, positions))
  if (own.length === 0) return
  const ids = (slots: readonly number[]): string[] => slots.slice(0, MAX_ZONES).map((slot) => layer.idOf(slot))
  let before: Position | undefined
  let slotsBefore: number[] = []
  for (const [i, position] of list.entries()) {
    const newer = position.own ?? before?.own
    // one that is stored matters only next to one that is new
    const matters = newer !== undefined || list[i + 1]?.own !== undefined
    const slots: number[] = []
    if (matters) layer.set.holding(position.longitude, position.latitude, slots)
    if (newer !== undefined)
      for (const rule of own) {
        if (newer.receivedAtMs < rule.sinceMs) continue
        const seen = seenBy(rule.event, position, slots, slotsBefore)
        if (seen !== undefined) emit({ rule, sensor, position, zones: ids(seen), retentionDays: newer.retentionDays })
      }
    before = position
    slotsBefore = slots
  }
}

/** Slots of the zones that an event is about; undefined when there is none. */
function seenBy(
  event: ZoneEventKind,
  { own }: Position,
  slots: readonly number[],
  slotsBefore: readonly number[],
): readonly number[] | undefined {
  if (event === 'enter' || event === 'leave') {
    const [from, to] = event === 'enter' ? [slotsBefore, slots] : [slots, slotsBefore]
    const crossed = to.filter((slot) => !from.includes(slot))
    return crossed.length > 0 ? crossed : undefined
  }
  if (own === undefined || (event === 'inside') !== slots.length > 0) return undefined
  return slots
}
