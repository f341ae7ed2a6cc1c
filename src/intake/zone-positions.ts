/** Positions of sensors in the order of time: those of a segment, among those that are stored already. */
import { eachLocatedRow } from '../ingest/row.ts'
import type { ZoneRule } from './zone-transitions.ts'

/** A list for each column. */
export type KnownPositions = [sensors: number[], times: number[], longitudes: number[], latitudes: number[]]

export type Position = {
  ms: number
  longitude: number
  latitude: number
  /** Of one that came with the segment; undefined of one that is stored. */
  own: { receivedAtMs: number; retentionDays: number } | undefined
}

export type Positions = {
  enterprise: number
  sensor: number
  /** In the order of time, no two of one time. */
  list: Position[]
  /** Whether a stored one is not older than all of the segment's. */
  isLate: boolean
}

/** A gap in a sensor's positions that makes two spans of them. */
const GAP_MS = 600_000

/** Of the sensors that any rule watches, by their numbers; `only` leaves out others. */
export function positionsOf(
  segment: Uint8Array,
  rules: readonly ZoneRule[],
  only: ReadonlySet<number> | undefined,
  [sensors, times, longitudes, latitudes]: KnownPositions,
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
  for (const positions of bySensor.values()) order(positions)
  return bySensor
}

const earliest = (list: readonly Position[]): number =>
  list.reduce((least, { ms }) => Math.min(least, ms), Number.POSITIVE_INFINITY)

function order(positions: Positions): void {
  // of two of one time, which are one reading, the segment's own stays
  positions.list.sort((a, b) => a.ms - b.ms || Number(a.own === undefined) - Number(b.own === undefined))
  positions.list = positions.list.filter(({ ms }, i) => i === 0 || ms !== positions.list[i - 1]?.ms)
}

/** Times of the segment's own positions. */
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
