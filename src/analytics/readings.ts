/** Pages of readings and latest values as JSON: channel names instead of numbers, booleans instead of 1 and 0. */
import { formatTimestamp } from '../ingest/timestamp.ts'
import type { ClickHouse } from '../stores/clickhouse/client.ts'
import { type LatestOfSensor, latestOf, type ReadingRow, readingsBetween } from '../stores/clickhouse/readings.ts'
import type { ChannelRecord, Sensor } from '../stores/postgres/sensors.ts'
import { TextInTurns } from '../turns.ts'
import { channelNames } from './channel-names.ts'
import { clampToRetention, oldestVisibleMs, parseTimeCursor, type RetentionPolicy } from './time-range.ts'

export type Value = number | boolean
export type Reading = { at: string; values: Record<string, Value>; location?: [number, number] }
export type Latest = {
  at: string | null
  values: Record<string, { value: Value; at: string }>
  location: [number, number] | null
}

/** Numbers of the requested channels, including those of earlier measurements; undefined for all channels. */
function channelNumbersOf(sensor: Sensor, texts: readonly string[]): number[] | undefined {
  if (texts.length === 0) return undefined
  const names = channelNames(texts, [sensor])
  return sensor.channels.filter(({ name }) => names.includes(name)).map(({ number }) => number)
}

export function valueIn(channel: ChannelRecord, stored: number): Value {
  return channel.measurement === 'boolean' ? stored !== 0 : stored
}

export function toReading(
  [ms, numbers, stored, longitude, latitude]: ReadingRow,
  channels: Map<number, ChannelRecord>,
  channelNumbers: number[] | undefined,
): Reading {
  const values: Record<string, Value> = Object.create(null)
  numbers.forEach((number, i) => {
    const channel = channels.get(number)
    if (channel === undefined || (channelNumbers !== undefined && !channelNumbers.includes(number))) return
    values[channel.name] = valueIn(channel, stored[i] as number)
  })
  const reading: Reading = { at: formatTimestamp(ms), values }
  if (longitude !== null && latitude !== null) reading.location = [longitude, latitude]
  return reading
}

export type ReadingsQuery = {
  from?: string | undefined
  to?: string | undefined
  /** Each `channel` parameter; all channels if there is none. */
  channel: readonly string[]
  limit?: number | undefined
  cursor?: string | undefined
}

/** `{items, nextCursor}` as JSON text: readings with from ≤ at < to, oldest first. @throws AppError VALIDATION_FAILED */
export async function readingsPage(
  clickhouse: ClickHouse,
  policy: RetentionPolicy,
  sensor: Sensor,
  query: ReadingsQuery,
  signal: AbortSignal,
): Promise<Buffer[]> {
  const { fromMs, toMs } = clampToRetention(policy, query)
  const afterMs = parseTimeCursor(query.cursor)
  const limit = query.limit ?? 100
  const channelNumbers = channelNumbersOf(sensor, query.channel)
  const startMs = afterMs === undefined ? fromMs : Math.max(fromMs, afterMs + 1)
  const range = { fromMs: startMs, toMs, limit: limit + 1, ...(channelNumbers && { channels: channelNumbers }) }
  const rows = await readingsBetween(clickhouse, sensor.number, range, signal)
  const channels = new Map(sensor.channels.map((channel) => [channel.number, channel]))
  const page = rows.slice(0, limit)
  const nextCursor = rows.length > limit ? String((page.at(-1) as ReadingRow)[0]) : null
  const text = new TextInTurns()
  text.add('{"items":[')
  await text.addList(page.length, (i) => JSON.stringify(toReading(page[i] as ReadingRow, channels, channelNumbers)))
  text.add(`],"nextCursor":${JSON.stringify(nextCursor)}}`)
  return text.end()
}

/** The owner of the readings. */
export type Enterprise = RetentionPolicy & { number: number }

/**
 * For each sensor, in the given order: the newest value of every active channel with its time, the newest location, and
 * the time of the last reading.
 */
export async function latest(
  clickhouse: ClickHouse,
  enterprise: Enterprise,
  sensors: readonly Sensor[],
  signal: AbortSignal,
): Promise<(index: number) => Latest> {
  const numbers = sensors.map(({ number }) => number)
  const found = await latestOf(clickhouse, enterprise.number, numbers, oldestVisibleMs(enterprise), signal)
  return (index) => {
    const sensor = sensors[index] as Sensor
    return latestToJson(sensor, found.get(sensor.number))
  }
}

/** `latest` of several sensors as JSON text, in pieces: together they may have a quarter of a million values. */
export async function latestText(...args: Parameters<typeof latest>): Promise<Buffer[]> {
  const [, , sensors] = args
  const latestAt = await latest(...args)
  const text = new TextInTurns()
  text.add('{"items":[')
  await text.addList(sensors.length, (i) => JSON.stringify({ sensorId: sensors[i]?.id, ...latestAt(i) }))
  text.add(']}')
  return text.end()
}

function latestToJson(sensor: Sensor, found: LatestOfSensor | undefined): Latest {
  const values: Latest['values'] = Object.create(null)
  const channels = new Map(sensor.channels.map((channel) => [channel.number, channel]))
  const { values: newest = [], location } = found ?? {}
  let newestMs = location?.[0] ?? Number.NEGATIVE_INFINITY
  for (const [number, value, ms] of newest) {
    newestMs = Math.max(newestMs, ms)
    const channel = channels.get(number)
    if (channel?.active === true) values[channel.name] = { value: valueIn(channel, value), at: formatTimestamp(ms) }
  }
  return {
    at: newestMs === Number.NEGATIVE_INFINITY ? null : formatTimestamp(newestMs),
    values,
    location: location === undefined ? null : [location[1], location[2]],
  }
}
