/** The positions of each sensor in time order: a segment's positions merged with stored ones. */
import { eachLocatedRow } from '../ingest/row.ts'
import type { PositionColumns } from '../stores/clickhouse/zone-events.ts'
import type { SegmentRule } from './segment-rule.ts'

export type Position = {
  ms: number
  longitude: number
  latitude: number
  /** Set for a position from the segment, undefined for a stored one. */
  own: { receivedAtMs: number; retentionDays: number } | undefined
}

export type Positions = {
  enterprise: number
  sensor: number
  /** In time order, one position for each time. */
  list: Position[]
  /** Whether any stored position is at least as new as the segment's oldest. */
  isLate: boolean
}

/** A longer gap between a sensor's positions starts a new span. */
const GAP_MS = 600_000

/** Positions by sensor number, for sensors watched by a rule. @param only restricts the result to these sensors */
export function positionsOf(
  segment: Uint8Array,
  rules: readonly SegmentRule[],
  only: ReadonlySet<number> | undefined,
  [sensors, times, longitudes, latitudes]: PositionColumns,
): Map<number, Positions> {
  const watchesAll = new Set(rules.filter(({ sensors }) => sensors === null).map(({ enterprise }) => enterprise))
  const watched = new Set(rules.flatMap(({ sensors }) => sensors ?? []))
  const bySensor = new Map<number, Positions>()
  eachLocatedRow(segment, ({ enterprise, sensor, atMs, longitude, latitude, receivedAtMs, retentionDays }) => {
    if (only?.has(sensor) === false || !(watched.has(sensor) || watchesAll.has(enterprise))) return
    let positions = bySensor.get(sensor)
    if (positions === undefined) {
      positions = { enterprise, sensor, list: [], isLate: false }
      bySensor.set(sensor, positions)
    }
    positions.list.push({ ms: atMs, longitude, latitude, own: { receivedAtMs, retentionDays } })
  })
  const firstOf = new Map([...bySensor].map(([sensor, { list }]) => [sensor, earliest(list)]))
  for (const [row, sensor] of sensors.entries()) {
    const positions = bySensor.get(sensor)
    if (positions === undefined) continue
    const [ms, longitude, latitude] = [times[row], longitudes[row], latitudes[row]] as [number, number, number]
    positions.isLate ||= ms >= (firstOf.get(sensor) as number)
    positions.list.push({ ms, longitude, latitude, own: undefined })
  }
  for (const positions of bySensor.values()) sortByTime(positions)
  return bySensor
}

const earliest = (list: readonly Position[]): number =>
  list.reduce((least, { ms }) => Math.min(least, ms), Number.POSITIVE_INFINITY)

function sortByTime(positions: Positions): void {
  // two positions with the same time are the same reading: keep the one from the segment
  positions.list.sort((a, b) => a.ms - b.ms || Number(a.own === undefined) - Number(b.own === undefined))
  positions.list = positions.list.filter(({ ms }, i) => i === 0 || ms !== positions.list[i - 1]?.ms)
}

/** The times that the segment's own positions cover, split at long gaps. */
export function spansOf({ list }: Positions): [firstMs: number, lastMs: number][] {
  const spans: [number, number][] = []
  for (const { ms, own } of list) {
    if (own === undefined) continue
    const last = spans.at(-1)
    if (last === undefined || ms - last[1] > GAP_MS) spans.push([ms, ms])
    else last[1] = ms
  }
  return spans
}
