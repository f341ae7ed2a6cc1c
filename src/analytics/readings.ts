/** Pages of readings and latest values as JSON: channel names instead of numbers, booleans instead of 1 and 0. */

import { TextInTurns } from '../event-loop-yield.ts'
import { formatTimestamp } from '../ingest/timestamp.ts'
import { jsonString } from '../json-text.ts'
import { append } from '../lists.ts'
import type { ClickHouse } from '../stores/clickhouse/client.ts'
import {
  type LatestOfSensor,
  latestOf,
  type ReadingRow,
  type ReadingsRange,
  readingsBetween,
} from '../stores/clickhouse/readings.ts'
import type { ChannelRecord, Sensor } from '../stores/postgres/sensors/sensors.ts'
import { channelNames } from './channel-names.ts'
import { clampToRetention, oldestVisibleMs, parseTimeCursor, type RetentionPolicy } from './time-range.ts'

export type Value = number | boolean
export type Reading = { at: string; values: Record<string, Value>; location?: [number, number] }
export type Latest = {
  at: string | null
  values: Record<string, { value: Value; at: string }>
  location: [number, number] | null
}

/** Numbers of the requested channels, including numbers for earlier measurements; undefined for all channels. */
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
  /** `desc`: newest first. */
  order?: 'asc' | 'desc' | undefined
}

/** Length of the first search for the newest readings; each further one is eight times as long. */
const FIRST_LOOK_MS = 3_600_000
/** How far clocks may be ahead; later readings are not accepted. */
const AHEAD_MS = 86_400_000

/**
 * The newest readings of a range. They are looked for from its end in growing steps, so that a page does not cost the
 * history of the sensor.
 */
async function newestBetween(
  clickhouse: ClickHouse,
  sensor: number,
  { fromMs, toMs, limit, ...range }: ReadingsRange,
  signal: AbortSignal,
): Promise<ReadingRow[]> {
  const rows: ReadingRow[] = []
  let endMs = Math.min(toMs, Date.now() + AHEAD_MS)
  for (let lookMs = FIRST_LOOK_MS; rows.length < limit && endMs > fromMs; lookMs *= 8) {
    const startMs = Math.max(fromMs, endMs - lookMs)
    const part = { ...range, fromMs: startMs, toMs: endMs, limit: limit - rows.length, isNewestFirst: true }
    append(rows, await readingsBetween(clickhouse, sensor, part, signal))
    endMs = startMs
  }
  return rows
}

/** `{items, nextCursor}` as JSON text: readings with from ≤ at < to, oldest first unless `order` says otherwise. @throws AppError VALIDATION_FAILED */
export async function readingsPage(
  clickhouse: ClickHouse,
  policy: RetentionPolicy,
  sensor: Sensor,
  query: ReadingsQuery,
  signal: AbortSignal,
): Promise<Buffer[]> {
  const { fromMs, toMs } = clampToRetention(policy, query)
  const cursorMs = parseTimeCursor(query.cursor)
  const limit = query.limit ?? 100
  const channelNumbers = channelNumbersOf(sensor, query.channel)
  const isNewestFirst = query.order === 'desc'
  const range = {
    fromMs: cursorMs === undefined || isNewestFirst ? fromMs : Math.max(fromMs, cursorMs + 1),
    toMs: cursorMs === undefined || !isNewestFirst ? toMs : Math.min(toMs, cursorMs),
    limit: limit + 1,
    ...(channelNumbers && { channels: channelNumbers }),
  }
  const read = isNewestFirst ? newestBetween : readingsBetween
  const rows = await read(clickhouse, sensor.number, range, signal)
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

/** The newest value of each active channel with its time, the newest location, and the time of the last reading. */
export async function latest(
  clickhouse: ClickHouse,
  enterprise: Enterprise,
  sensor: Sensor,
  signal: AbortSignal,
): Promise<Latest> {
  const found = await latestOf(clickhouse, enterprise.number, [sensor.number], oldestVisibleMs(enterprise), signal)
  return JSON.parse(`{${latestMembers(sensor, found.get(sensor.number))}}`) as Latest
}

/**
 * The latest values of several sensors as JSON text, in the given order and in pieces: there may be a quarter of a
 * million values. Written directly, in a third of the time of JSON.stringify.
 */
export async function latestText(
  clickhouse: ClickHouse,
  enterprise: Enterprise,
  sensors: readonly Sensor[],
  signal: AbortSignal,
): Promise<Buffer[]> {
  const numbers = sensors.map(({ number }) => number)
  const found = await latestOf(clickhouse, enterprise.number, numbers, oldestVisibleMs(enterprise), signal)
  const text = new TextInTurns()
  text.add('{"items":[')
  await text.addList(sensors.length, (i) => {
    const sensor = sensors[i] as Sensor
    return `{"sensorId":${jsonString(sensor.id)},${latestMembers(sensor, found.get(sensor.number))}}`
  })
  text.add(']}')
  return text.end()
}

/** The members of a `Latest` as JSON. */
function latestMembers({ channels }: Sensor, found: LatestOfSensor | undefined): string {
  const { values: newest = [], location } = found ?? {}
  let newestMs = location?.[0] ?? Number.NEGATIVE_INFINITY
  for (const [, , ms] of newest) if (ms > newestMs) newestMs = ms
  // most values come from the newest reading
  const newestText = newestMs === Number.NEGATIVE_INFINITY ? 'null' : `"${formatTimestamp(newestMs)}"`
  let text = `"at":${newestText},"values":{`
  let separator = ''
  for (const [number, value, ms] of newest) {
    const channel = activeChannel(channels, number)
    if (channel === undefined) continue
    const at = ms === newestMs ? newestText : `"${formatTimestamp(ms)}"`
    text += `${separator}${jsonString(channel.name)}:{"value":${valueIn(channel, value)},"at":${at}}`
    separator = ','
  }
  return `${text}},"location":${location === undefined ? 'null' : `[${location[1]},${location[2]}]`}`
}

function activeChannel(channels: readonly ChannelRecord[], number: number): ChannelRecord | undefined {
  for (const channel of channels) if (channel.number === number) return channel.active ? channel : undefined
  return undefined
}
