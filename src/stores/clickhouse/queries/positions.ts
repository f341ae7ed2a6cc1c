/** Current and past positions of sensors. */
import { inTurns } from '../../../event-loop-yield.ts'
import type { ClickHouse } from '../client.ts'
import { asNumbers, type NumberTable } from './number-table.ts'

/** West, south, east and north in degrees; if west is greater than east, the box crosses the antimeridian. */
export type Box = readonly [west: number, south: number, east: number, north: number]

export type LatestPosition = [sensor: number, ms: number, longitude: number, latitude: number, insertedMs: number]

export type PositionsRequest = {
  box?: Box | undefined
  /** Only positions at or after this time. */
  sinceMs?: number | undefined
  /** Only positions stored after this time. */
  insertedAfterMs?: number | undefined
  limit: number
}

/** The last position of each sensor of an enterprise, if it lies in the box and is recent enough; in any order. */
export async function latestPositions(
  clickhouse: ClickHouse,
  enterprise: number,
  { box, sinceMs, insertedAfterMs, limit }: PositionsRequest,
  signal: AbortSignal,
): Promise<LatestPosition[]> {
  // numbers in the statement: ClickHouse takes a tenth longer with parameters
  const conditions = [`enterprise = ${enterprise}`]
  if (box !== undefined) {
    const [west, south, east, north] = box
    const isAcross = west > east
    conditions.push(
      `latitude >= ${south} AND latitude <= ${north}`,
      `(longitude >= ${west} ${isAcross ? 'OR' : 'AND'} longitude <= ${east})`,
    )
  }
  if (sinceMs !== undefined) conditions.push(`at >= fromUnixTimestamp64Milli(toInt64(${sinceMs}), 'UTC')`)
  if (insertedAfterMs !== undefined)
    conditions.push(`inserted_at > fromUnixTimestamp64Milli(toInt64(${insertedAfterMs}), 'UTC')`)
  // the column is read only if the caller filters by it
  const insertedMs = insertedAfterMs === undefined ? '0' : 'toUnixTimestamp64Milli(inserted_at)'
  const table = await clickhouse.askNumbers(
    `SELECT ${asNumbers('sensor', 'toUnixTimestamp64Milli(at)', 'longitude', 'latitude', insertedMs)}
     FROM latest_positions FINAL WHERE ${conditions.join(' AND ')} LIMIT ${limit}`,
    {},
    signal,
  )
  const positions: LatestPosition[] = []
  await inTurns(table.rows, (row) => positions.push(latestPositionIn(table, row)))
  return positions
}

function latestPositionIn({ columns, cells }: NumberTable, row: number): LatestPosition {
  const at = row * columns
  return [cells[at], cells[at + 1], cells[at + 2], cells[at + 3], cells[at + 4]] as LatestPosition
}

/** Positions of a sensor with `fromMs` ≤ at < `toMs`, oldest first, as rows of time, longitude and latitude. */
export async function track(
  clickhouse: ClickHouse,
  sensor: number,
  { fromMs, toMs, limit }: { fromMs: number; toMs: number; limit: number },
  signal: AbortSignal,
): Promise<NumberTable> {
  return clickhouse.askNumbers(
    `SELECT ${asNumbers('toUnixTimestamp64Milli(at)', 'longitude', 'latitude')} FROM readings FINAL
     WHERE sensor = {sensor:UInt32} AND at >= fromUnixTimestamp64Milli({from:Int64}, 'UTC')
       AND at < fromUnixTimestamp64Milli({to:Int64}, 'UTC') AND NOT isNaN(longitude)
     ORDER BY at LIMIT {limit:UInt64}`,
    { sensor, from: fromMs, to: toMs, limit },
    signal,
  )
}
