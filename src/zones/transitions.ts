/**
 * The rules of zone events. A zone is a polygon of the rule's layer. A sensor enters a zone with a position inside it
 * when its previous position is outside, and leaves it with the first position outside. A sensor's very first position
 * enters the zones around it. Edges belong to the inside, and are straight in longitude and latitude (RFC 7946, 3.1.1).
 */
import { isInSchedule } from '../alerts/schedule.ts'
import type { Crossing } from '../stores/postgres/alerts/rule-schema.ts'
import type { Position, Positions } from './positions.ts'
import type { SegmentRule } from './segment-rule.ts'

export type ZoneTransition = {
  rule: SegmentRule
  sensor: number
  position: Position
  /** Ids of features. */
  zones: string[]
  retentionDays: number
}

/** A rule's layer: finds the slots of the polygons around a point, and the id of the feature in a slot. */
export type Zones = {
  set: { holding(longitude: number, latitude: number, slots: number[]): void }
  idOf(slot: number): string
}

/** Zones listed in one event. */
const MAX_ZONES = 100

const applies = (rule: SegmentRule, { enterprise, sensor }: Positions): boolean =>
  rule.enterprise === enterprise && (rule.sensors?.includes(sensor) ?? true)

export function findZoneTransitions(
  positions: Positions,
  rules: readonly SegmentRule[],
  layer: Zones,
  emit: (transition: ZoneTransition) => void,
): void {
  const { sensor, list } = positions
  const own = rules.filter((rule) => applies(rule, positions))
  if (own.length === 0) return
  const ids = (slots: readonly number[]): string[] => slots.slice(0, MAX_ZONES).map((slot) => layer.idOf(slot))
  let before: Position | undefined
  let slotsBefore: number[] = []
  for (const [i, position] of list.entries()) {
    const newer = position.own ?? before?.own
    // a stored position matters only next to a new one
    const matters = newer !== undefined || list[i + 1]?.own !== undefined
    const slots: number[] = []
    if (matters) layer.set.holding(position.longitude, position.latitude, slots)
    if (newer !== undefined)
      for (const rule of own) {
        if (newer.receivedAtMs < rule.sinceMs) continue
        const zones = ids(crossed(rule.event, slotsBefore, slots))
        if (zones.length > 0 && isOpen(rule, position))
          emit({ rule, sensor, position, zones, retentionDays: newer.retentionDays })
      }
    before = position
    slotsBefore = slots
  }
}

const isOpen = ({ schedule }: SegmentRule, { ms }: Position): boolean =>
  schedule === undefined || isInSchedule(schedule, ms)

/** Slots of the zones that the step between two positions enters or leaves. */
function crossed(event: Crossing, before: readonly number[], after: readonly number[]): number[] {
  const [from, to] = event === 'enter' ? [before, after] : [after, before]
  return to.filter((slot) => !from.includes(slot))
}
