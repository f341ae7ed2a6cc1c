/** Events of zone rules, and the stored positions that a check of new readings needs. */
import { type ClickHouse, EARLIEST_MS, LATEST_MS } from './client.ts'
import { asNumbers, columnOf, type NumberTable } from './queries/number-table.ts'

/**
 * Stores a file of lines of JSON. Rows that are stored already are the same events.
 * @param structure columns of the file, as zones/event-file.ts writes them
 */
export async function storeZoneEvents(clickhouse: ClickHouse, path: string, structure: string): Promise<void> {
  await clickhouse.insertFile({
    table: 'zone_events',
    path,
    format: 'JSONEachRow',
    structure,
    select: '*',
    where: '1',
    settings: { async_insert: 0, max_partitions_per_insert_block: 0, max_threads: 1, max_insert_threads: 1 },
  })
}

/** Positions of sensors, by column because there may be very many. */
export type PositionColumns = [sensors: number[], times: number[], longitudes: number[], latitudes: number[]]

const ofEachColumn = (numbers: (column: number) => number[]): PositionColumns =>
  [0, 1, 2, 3].map(numbers) as PositionColumns
const columnsOf = (table: NumberTable): PositionColumns => ofEachColumn((column) => columnOf(table, column))
const together = (all: readonly PositionColumns[]): PositionColumns =>
  ofEachColumn((column) => all.flatMap((one) => one[column] as number[]))
const POSITION = asNumbers('sensor', 'toUnixTimestamp64Milli(at)', 'longitude', 'latitude')

/** The last position of each given sensor that has one. */
export async function newestPositions(
  clickhouse: ClickHouse,
  enterprises: readonly number[],
  sensors: readonly number[],
  signal: AbortSignal,
): Promise<PositionColumns> {
  return columnsOf(
    await clickhouse.askNumbers(
      `SELECT ${POSITION} FROM latest_positions FINAL
       WHERE enterprise IN {enterprises:Array(UInt32)} AND sensor IN {sensors:Array(UInt32)}`,
      { enterprises, sensors },
      signal,
    ),
  )
}

/** A period with readings of a sensor, from the first to the last. */
export type Span = { sensor: number; firstMs: number; lastMs: number }

/** Maximum number of stored positions that one query returns. */
const MAX_POSITIONS = 500_000
/** Distance from a span within which neighbours are searched first. */
const NEAR_MS = 86_400_000
const FAR_MS = 200 * 365 * 86_400_000

/** SQL for the bounds of a row's span; there must be at most one span per sensor. */
function boundsOf(spans: readonly Span[]) {
  const params = {
    sensors: spans.map(({ sensor }) => sensor),
    firsts: spans.map(({ firstMs }) => firstMs),
    lasts: spans.map(({ lastMs }) => lastMs),
    lowest: spans.reduce((least, { firstMs }) => Math.min(least, firstMs), FAR_MS),
    highest: spans.reduce((most, { lastMs }) => Math.max(most, lastMs), -FAR_MS),
  }
  const of = (name: string): string =>
    `fromUnixTimestamp64Milli(transform(sensor, {sensors:Array(UInt32)}, {${name}:Array(Int64)}, toInt64(0)), 'UTC')`
  return { params, first: of('firsts'), last: of('lasts') }
}

const moment = (name: string): string => `fromUnixTimestamp64Milli({${name}:Int64}, 'UTC')`
const IS_LOCATED = 'sensor IN {sensors:Array(UInt32)} AND NOT isNaN(longitude)'

/** The last position before each span, or the first one after it, where there is one. */
async function neighbours(
  clickhouse: ClickHouse,
  spans: readonly Span[],
  side: 'before' | 'after',
  signal: AbortSignal,
): Promise<PositionColumns> {
  const found: PositionColumns[] = []
  let left = spans
  for (const reachMs of [NEAR_MS, FAR_MS]) {
    if (left.length === 0) break
    const { params, first, last } = boundsOf(left)
    const { where, nearest, pick, range } =
      side === 'before'
        ? {
            where: `at < ${first} AND at >= ${moment('from')} AND at < ${moment('to')}`,
            nearest: 'max(p.at)',
            pick: 'argMax',
            range: { from: Math.max(params.lowest - reachMs, EARLIEST_MS), to: params.highest },
          }
        : {
            where: `at > ${last} AND at > ${moment('from')} AND at <= ${moment('to')}`,
            nearest: 'min(p.at)',
            pick: 'argMin',
            range: { from: params.lowest, to: Math.min(params.highest + reachMs, LATEST_MS) },
          }
    const ofNearest = [`toUnixTimestamp64Milli(${nearest})`, `${pick}(p.longitude, p.at)`, `${pick}(p.latitude, p.at)`]
    const table = await clickhouse.askNumbers(
      `SELECT ${asNumbers('sensor', ...ofNearest)} FROM (SELECT sensor, at, longitude, latitude FROM readings WHERE ${IS_LOCATED} AND ${where}) AS p
       GROUP BY sensor`,
      { ...params, ...range },
      signal,
    )
    const positions = columnsOf(table)
    found.push(positions)
    const known = new Set(positions[0])
    left = left.filter(({ sensor }) => !known.has(sensor))
  }
  return together(found)
}

/** Stored positions within spans; undefined if there are too many for one query. */
async function within(
  clickhouse: ClickHouse,
  spans: readonly Span[],
  most: number,
  signal: AbortSignal,
): Promise<PositionColumns | undefined> {
  const { params, first, last } = boundsOf(spans)
  const positions = columnsOf(
    await clickhouse.askNumbers(
      `SELECT ${POSITION} FROM readings
       WHERE ${IS_LOCATED} AND at >= ${moment('lowest')} AND at <= ${moment('highest')} AND at >= ${first} AND at <= ${last}
       LIMIT ${most + 1}`,
      params,
      signal,
    ),
  )
  return positions[0].length > most ? undefined : positions
}

/**
 * Every stored position that may be adjacent to a new one: positions within a sensor's spans, and the nearest positions
 * before and after each span. The spans of a sensor are ordered by time and do not overlap.
 */
export async function positionsAround(
  clickhouse: ClickHouse,
  spansOf: ReadonlyMap<number, readonly Span[]>,
  signal: AbortSignal,
  most = MAX_POSITIONS,
): Promise<PositionColumns> {
  const wholes = [...spansOf].map(([sensor, spans]) => ({
    sensor,
    firstMs: (spans[0] as Span).firstMs,
    lastMs: (spans.at(-1) as Span).lastMs,
  }))
  const inside = await within(clickhouse, wholes, most, signal)
  if (inside !== undefined)
    return together([
      await neighbours(clickhouse, wholes, 'before', signal),
      inside,
      await neighbours(clickhouse, wholes, 'after', signal),
    ])
  const found: PositionColumns[] = []
  if (spansOf.size > 1) {
    const halves = [...spansOf]
    const middle = halves.length >> 1
    for (const half of [halves.slice(0, middle), halves.slice(middle)])
      found.push(await positionsAround(clickhouse, new Map(half), signal, most))
    return together(found)
  }
  // one sensor with too many positions between its first and last span: read each span alone
  for (const span of [...spansOf.values()].flat()) {
    found.push(await neighbours(clickhouse, [span], 'before', signal))
    found.push((await within(clickhouse, [span], Number.MAX_SAFE_INTEGER - 1, signal)) ?? together([]))
    found.push(await neighbours(clickhouse, [span], 'after', signal))
  }
  return together(found)
}

export type ZoneEventRow = [
  sensor: number,
  ms: number,
  event: string,
  longitude: number,
  latitude: number,
  zones: string[],
  layer: string,
  layerVersion: number,
  detectedMs: number,
]

/** Events of a rule with `fromMs` ≤ at < `toMs`, oldest first; `after` is the last event of the previous page. */
export async function zoneEvents(
  clickhouse: ClickHouse,
  request: {
    enterprise: number
    rule: string
    fromMs: number
    toMs: number
    sensor?: number | undefined
    after?: { ms: number; sensor: number } | undefined
    limit: number
  },
  signal: AbortSignal,
): Promise<ZoneEventRow[]> {
  const { enterprise, rule, fromMs, toMs, sensor, after, limit } = request
  const conditions = [
    'enterprise = {enterprise:UInt32} AND rule = {rule:String}',
    `at >= ${moment('from')} AND at < ${moment('to')}`,
    ...(sensor === undefined ? [] : ['sensor = {sensor:UInt32}']),
    ...(after === undefined ? [] : [`(at, sensor) > (${moment('afterMs')}, {afterSensor:UInt32})`]),
  ]
  return clickhouse.ask<ZoneEventRow>(
    `SELECT sensor, toUnixTimestamp64Milli(at), event, longitude, latitude, zones, layer, layer_version,
       toUnixTimestamp64Milli(detected_at)
     FROM zone_events FINAL WHERE ${conditions.join(' AND ')} ORDER BY at, sensor LIMIT {limit:UInt32}`,
    {
      enterprise,
      rule,
      from: fromMs,
      to: toMs,
      limit,
      ...(sensor !== undefined && { sensor }),
      ...(after !== undefined && { afterMs: after.ms, afterSensor: after.sensor }),
    },
    signal,
  )
}
