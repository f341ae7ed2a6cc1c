/** Activity of sensors as instances observe it: rhythms, and counts of accepted and refused readings. */
import { inTurns } from '../../event-loop-yield.ts'
import type { ClickHouse } from './client.ts'
import { asNumbers, type NumberTable } from './queries/number-table.ts'

export type RhythmRow = [enterprise: number, sensor: number, intervalMs: number]
/** Rows of one statement, whose parameters are part of an address on a server. */
const RHYTHM_ROWS = 5_000

export async function writeRhythms(clickhouse: ClickHouse, rows: readonly RhythmRow[]): Promise<void> {
  for (let from = 0; from < rows.length; from += RHYTHM_ROWS) {
    const some = rows.slice(from, from + RHYTHM_ROWS)
    await clickhouse.write(
      `INSERT INTO sensor_rhythms (enterprise, sensor, interval_ms) SELECT t.1, t.2, t.3 FROM (SELECT arrayJoin(arrayZip(
         {enterprises:Array(UInt32)}, {sensors:Array(UInt32)}, {intervals:Array(UInt64)})) AS t)`,
      {
        enterprises: some.map(([enterprise]) => enterprise),
        sensors: some.map(([, sensor]) => sensor),
        intervals: some.map(([, , intervalMs]) => Math.round(intervalMs)),
      },
    )
  }
}

export const ACCEPTED = 'accepted'
/** The sensor number of counts for the whole enterprise. */
export const NO_SENSOR = 0

export type ActivityRow = {
  enterprise: number
  sensor: number
  outcome: string
  /** Start of the period, in seconds since 1970. */
  period: number
  count: number
  lastMs: number
  /** When a call was last refused as a whole; 0 for never. */
  callMs: number
  example: string
}
const ACTIVITY_ROWS = 1_000
const EXAMPLE_CHARS = 100_000

/** Groups whose parameters are short enough for one statement. */
function* inGroups(rows: readonly ActivityRow[]): Iterable<ActivityRow[]> {
  let group: ActivityRow[] = []
  let chars = 0
  for (const row of rows) {
    if (group.length === ACTIVITY_ROWS || (chars > 0 && chars + row.example.length > EXAMPLE_CHARS)) {
      yield group
      group = []
      chars = 0
    }
    group.push(row)
    chars += row.example.length
  }
  if (group.length > 0) yield group
}

export async function writeActivity(clickhouse: ClickHouse, rows: readonly ActivityRow[]): Promise<void> {
  for (const group of inGroups(rows)) {
    const column = <K extends keyof ActivityRow>(name: K): ActivityRow[K][] => group.map((row) => row[name])
    await clickhouse.write(
      `INSERT INTO sensor_activity SELECT t.1, t.2, t.3, toDateTime(t.4, 'UTC'), t.5,
         fromUnixTimestamp64Milli(t.6, 'UTC'), fromUnixTimestamp64Milli(t.7, 'UTC'), t.8
       FROM (SELECT arrayJoin(arrayZip({enterprises:Array(UInt32)}, {sensors:Array(UInt32)}, {outcomes:Array(String)},
         {periods:Array(UInt32)}, {counts:Array(UInt64)}, {lasts:Array(Int64)}, {calls:Array(Int64)},
         {examples:Array(String)})) AS t)`,
      {
        enterprises: column('enterprise'),
        sensors: column('sensor'),
        outcomes: column('outcome'),
        periods: column('period'),
        counts: column('count'),
        lasts: column('lastMs'),
        calls: column('callMs'),
        examples: column('example'),
      },
    )
  }
}

/** Newest times of a sensor in milliseconds since 1970, 0 for none. */
export type SensorPulse = {
  sensor: number
  lastMs: number
  intervalMs: number
  refused: number
  callRefusedMs: number
  acceptedMs: number
}

const columnsOf = (...values: string[]): string =>
  ['last', 'interval', 'refused', 'call_refused', 'accepted'].map((name, i) => `${values[i]} AS ${name}`).join(', ')

/**
 * The inputs of sensor states, in one or more rows for each sensor that ever sent something; `since` is when refusals
 * begin to count. These tables have a few rows for each sensor, however many readings are stored.
 * @param own the condition on rows @param kept the condition on readings
 */
const pulseRows = (own: string, kept: string): string => `
  SELECT sensor, ${columnsOf('toUnixTimestamp64Milli(max(at))', 'toUInt64(0)', 'toUInt64(0)', 'toInt64(0)', 'toInt64(0)')}
  FROM latest_values WHERE ${own} AND ${kept} GROUP BY sensor
  UNION ALL
  SELECT sensor, ${columnsOf('toUnixTimestamp64Milli(at)', 'toUInt64(0)', 'toUInt64(0)', 'toInt64(0)', 'toInt64(0)')}
  FROM latest_positions WHERE ${own} AND ${kept}
  UNION ALL
  SELECT sensor, ${columnsOf('toInt64(0)', 'interval_ms', 'toUInt64(0)', 'toInt64(0)', 'toInt64(0)')}
  FROM sensor_rhythms FINAL WHERE ${own}
  UNION ALL
  SELECT sensor, ${columnsOf(
    'toInt64(0)',
    'toUInt64(0)',
    `if(outcome = '${ACCEPTED}', 0, count)`,
    'toUnixTimestamp64Milli(call_at)',
    `if(outcome = '${ACCEPTED}', toUnixTimestamp64Milli(last_at), 0)`,
  )}
  FROM sensor_activity
  WHERE ${own} AND sensor != ${NO_SENSOR} AND period >= toDateTime(intDiv({since:Int64}, 1000), 'UTC')`

export async function pulsesOf(
  clickhouse: ClickHouse,
  enterprise: number,
  { sinceMs, oldestMs }: { sinceMs: number; oldestMs: number },
  signal: AbortSignal,
  onPulse: (pulse: SensorPulse) => void,
): Promise<void> {
  const kept = `at >= fromUnixTimestamp64Milli({oldest:Int64}, 'UTC')`
  const {
    rows,
    columns: width,
    cells,
  } = await clickhouse.askNumbers(
    `SELECT ${asNumbers('sensor', 'max(last)', 'max(interval)', 'sum(refused)', 'max(call_refused)', 'max(accepted)')}
     FROM (${pulseRows('enterprise = {enterprise:UInt32}', kept)}) GROUP BY sensor`,
    { enterprise, since: sinceMs, oldest: oldestMs },
    signal,
  )
  // slices of the cells would take three times as long as the rest of such a loop
  await inTurns(rows, (row) => {
    const at = row * width
    onPulse({
      sensor: cells[at] as number,
      lastMs: cells[at + 1] as number,
      intervalMs: cells[at + 2] as number,
      refused: cells[at + 3] as number,
      callRefusedMs: cells[at + 4] as number,
      acceptedMs: cells[at + 5] as number,
    })
  })
}

/** The inputs of the states of all sensors, as columns `sensor, last, interval, call_refused, accepted`. */
export const allPulses = (clickhouse: ClickHouse, sinceMs: number, signal: AbortSignal): Promise<NumberTable> =>
  clickhouse.askNumbers(
    `SELECT ${asNumbers('sensor', 'max(last)', 'max(interval)', 'max(call_refused)', 'max(accepted)')}
     FROM (${pulseRows('true', 'true')}) GROUP BY sensor`,
    { since: sinceMs },
    signal,
  )

/** Readings of an enterprise accepted with `from` ≤ period < `to`. */
export async function acceptedBetween(
  clickhouse: ClickHouse,
  enterprise: number,
  { fromMs, toMs }: { fromMs: number; toMs: number },
  signal: AbortSignal,
): Promise<number> {
  const [row] = await clickhouse.ask<[number]>(
    `SELECT sum(count) FROM sensor_activity WHERE enterprise = {enterprise:UInt32} AND sensor = ${NO_SENSOR}
       AND outcome = '${ACCEPTED}' AND period >= toDateTime(intDiv({from:Int64}, 1000), 'UTC')
       AND period < toDateTime(intDiv({to:Int64}, 1000), 'UTC')`,
    { enterprise, from: fromMs, to: toMs },
    signal,
  )
  return Number(row?.[0] ?? 0)
}

/** Readings that an enterprise sent in each of the periods since a time; periods without any are missing. */
export async function acceptedBySteps(
  clickhouse: ClickHouse,
  enterprise: number,
  { fromMs, toMs, stepMs }: { fromMs: number; toMs: number; stepMs: number },
  signal: AbortSignal,
): Promise<[step: number, count: number][]> {
  const rows = await clickhouse.ask<[number, number]>(
    `SELECT intDiv(toUnixTimestamp(period) - intDiv({from:Int64}, 1000), intDiv({step:Int64}, 1000)) AS step, sum(count)
       FROM sensor_activity WHERE enterprise = {enterprise:UInt32} AND sensor = ${NO_SENSOR}
       AND outcome = '${ACCEPTED}' AND period >= toDateTime(intDiv({from:Int64}, 1000), 'UTC')
       AND period < toDateTime(intDiv({to:Int64}, 1000), 'UTC') GROUP BY step`,
    { enterprise, from: fromMs, to: toMs, step: stepMs },
    signal,
  )
  return rows.map(([step, count]) => [Number(step), Number(count)])
}

export type RefusalRow = [reason: string, count: number, lastMs: number, example: string]

/** A sensor's refusals since a time, by reason, newest first. */
export async function refusalsOf(
  clickhouse: ClickHouse,
  request: { enterprise: number; sensor: number; sinceMs: number },
  signal: AbortSignal,
): Promise<RefusalRow[]> {
  const { enterprise, sensor, sinceMs } = request
  return clickhouse.ask<RefusalRow>(
    `SELECT outcome, sum(count), toUnixTimestamp64Milli(max(last_at)) AS last, argMax(example, (example != '', period))
     FROM sensor_activity WHERE enterprise = {enterprise:UInt32} AND sensor = {sensor:UInt32} AND outcome != '${ACCEPTED}'
       AND period >= toDateTime(intDiv({since:Int64}, 1000), 'UTC')
     GROUP BY outcome ORDER BY last DESC`,
    { enterprise, sensor, since: sinceMs },
    signal,
  )
}

export type NewestValue = { channel: number; value: number; ms: number }

/**
 * The newest value of each channel of sensors, if it is not older than a given time. Without FINAL, whose merging of
 * parts takes longer than choosing the newest of a few rows.
 */
export async function newestValuesOf(
  clickhouse: ClickHouse,
  { enterprise, sensors, sinceMs }: { enterprise: number; sensors: readonly number[]; sinceMs: number },
  signal: AbortSignal,
): Promise<Map<number, NewestValue[]>> {
  const {
    rows,
    columns: width,
    cells,
  } = await clickhouse.askNumbers(
    `SELECT ${asNumbers('sensor', 'channel', 'argMax(value, at)', 'toUnixTimestamp64Milli(max(at))')} FROM latest_values
     WHERE enterprise = {enterprise:UInt32} AND sensor IN {sensors:Array(UInt32)}
       AND at >= fromUnixTimestamp64Milli({since:Int64}, 'UTC')
     GROUP BY sensor, channel`,
    { enterprise, sensors, since: sinceMs },
    signal,
  )
  const found = new Map<number, NewestValue[]>()
  await inTurns(rows, (row) => {
    const [sensor, channel, value, ms] = cells.subarray(row * width, row * width + width) as unknown as number[]
    const own = found.get(sensor as number) ?? []
    found.set(sensor as number, own)
    own.push({ channel: channel as number, value: value as number, ms: ms as number })
  })
  return found
}

/**
 * Calls `onValue` with the newest value of some channels of every sensor, if it is not older than a given time. FINAL
 * takes half the time of an aggregation here: nearly all rows of the table are asked for.
 */
export async function newestOfChannels(
  clickhouse: ClickHouse,
  { enterprise, channels, sinceMs }: { enterprise: number; channels: readonly number[]; sinceMs: number },
  signal: AbortSignal,
  onValue: (sensor: number, channel: number, value: number, ms: number) => void,
): Promise<void> {
  const {
    rows,
    columns: width,
    cells,
  } = await clickhouse.askNumbers(
    `SELECT ${asNumbers('sensor', 'channel', 'value', 'toUnixTimestamp64Milli(at)')} FROM latest_values FINAL
     WHERE enterprise = {enterprise:UInt32} AND channel IN {channels:Array(UInt16)}
       AND at >= fromUnixTimestamp64Milli({since:Int64}, 'UTC')`,
    { enterprise, channels, since: sinceMs },
    signal,
  )
  await inTurns(rows, (row) => {
    const at = row * width
    onValue(cells[at] as number, cells[at + 1] as number, cells[at + 2] as number, cells[at + 3] as number)
  })
}

/** The usual intervals of the sensors, by their numbers: 0 while one is unknown. Sensors that never sent anything are left out. */
export async function usualIntervals(
  clickhouse: ClickHouse,
  enterprises: readonly number[],
  sensors: readonly number[],
  signal: AbortSignal,
): Promise<Map<number, number>> {
  const own = 'enterprise IN {enterprises:Array(UInt32)} AND sensor IN {sensors:Array(UInt32)}'
  const { rows, columns, cells } = await clickhouse.askNumbers(
    `SELECT ${asNumbers('sensor', 'max(interval)')} FROM (
       SELECT sensor, toUInt64(0) AS interval FROM latest_values WHERE ${own}
       UNION ALL SELECT sensor, toUInt64(0) AS interval FROM latest_positions WHERE ${own}
       UNION ALL SELECT sensor, interval_ms AS interval FROM sensor_rhythms FINAL WHERE ${own}
     ) GROUP BY sensor`,
    { enterprises, sensors },
    signal,
  )
  return new Map(
    Array.from({ length: rows }, (_, row) => [cells[row * columns] as number, cells[row * columns + 1] as number]),
  )
}
