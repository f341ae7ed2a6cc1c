/** Exports of readings as tables: a row for each value, or a row for each reading with a column for each channel. */

import type { ClickHouse } from '../client.ts'
import { SAYS_SOMETHING } from '../readings.ts'
import { linesOf, sensorIdOf } from './export-lines.ts'
import type { ExportChannel, ExportFormat, ExportRequest, WideColumn } from './export-request.ts'

/** Rows in the order of sensor and time; text without a header line. */
export function exportReadings(
  clickhouse: ClickHouse,
  request: ExportRequest,
  format: ExportFormat,
): AsyncIterable<Uint8Array> {
  const params = {
    from: request.fromMs,
    to: request.toMs,
    locations: request.locations ? 1 : 0,
    numbers: request.sensors.map(({ number }) => number),
    ...channelParams(request),
  }
  const { rows } = request
  const from = `FROM (${rows.layout === 'long' ? longRows(rows.channels) : WIDE_ROWS}) ORDER BY sensor, at`
  if (format === 'csv' || format === 'jsonl') {
    const line = linesOf(format, request)
    return clickhouse.stream(`SELECT ${line.sql} ${from}`, { ...params, ...line.params }, 'TSVRaw')
  }
  const columns = rows.layout === 'long' ? longTyped(rows.channels) : wideTyped(rows.columns)
  return clickhouse.stream(
    `SELECT ${sensorIdOf(request)} AS sensorId, at, ${columns} ${from}`,
    { ...params, ids: request.sensors.map(({ id }) => id) },
    format === 'parquet' ? 'Parquet' : 'ArrowStream',
  )
}

const READINGS = `SELECT sensor, at, channels, values, longitude AS east, latitude AS north FROM readings FINAL
  WHERE sensor IN {numbers:Array(UInt32)} AND at >= fromUnixTimestamp64Milli({from:Int64}, 'UTC')
    AND at < fromUnixTimestamp64Milli({to:Int64}, 'UTC') AND ${SAYS_SOMETHING}`
/** The entry of a list for a channel of the reading's sensor; 0 for channels that are not exported. */
const ofChannel = (number: string, list: string): string =>
  `transform(toUInt64(sensor) * 65536 + ${number}, {keys:Array(UInt64)}, {${list}:Array(UInt32)}, toUInt32(0))`

/**
 * `entry` is an index, from 1, in the list of channels; 0 in the row of a reading with only a location. A single channel
 * needs neither a row for each value nor a search in lists: that takes half of the time.
 */
function longRows(channels: readonly ExportChannel[]): string {
  const [only, ...others] = channels
  if (only !== undefined && others.length === 0)
    return `SELECT sensor, at, values[indexOf(channels, ${only.number})] AS stored, east, north,
        toUInt32(sensor = ${only.sensor} AND has(channels, ${only.number})) AS entry, ${only.measurement === 'boolean'} AS isBoolean
      FROM (${READINGS}) WHERE entry != 0 OR (empty(channels) AND {locations:UInt8})`
  const hasBooleans = channels.some(({ measurement }) => measurement === 'boolean')
  return `SELECT sensor, at, stored, east, north, ${ofChannel('number', 'indexes')} AS entry,
      ${hasBooleans ? `${ofChannel('number', 'booleans')} = 1` : 'false'} AS isBoolean
    FROM (${READINGS}) LEFT ARRAY JOIN channels AS number, values AS stored
    WHERE entry != 0 OR (number = 0 AND {locations:UInt8})`
}

/** `columns` has the column, from 1, of each of the values. */
const WIDE_ROWS = `SELECT sensor, at, values, east, north,
    arrayMap(number -> ${ofChannel('number', 'indexes')}, channels) AS columns,
    arrayMap(number -> ${ofChannel('number', 'booleans')} = 1, channels) AS areBoolean
  FROM (${READINGS})
  WHERE arrayExists(column -> column != 0, columns) OR ({locations:UInt8} AND NOT isNaN(east))`

function channelParams({ rows }: ExportRequest): Record<string, unknown> {
  const indexed =
    rows.layout === 'long'
      ? rows.channels.map((channel, i) => ({ channel, index: i + 1 }))
      : rows.columns.flatMap(({ channels }, i) => channels.map((channel) => ({ channel, index: i + 1 })))
  // never empty, because ClickHouse cannot infer the type of an empty array
  return {
    keys: [0, ...indexed.map(({ channel }) => channel.sensor * 65_536 + channel.number)],
    indexes: [0, ...indexed.map(({ index }) => index)],
    booleans: [0, ...indexed.map(({ channel }) => (channel.measurement === 'boolean' ? 1 : 0))],
    ...(rows.layout === 'long' && {
      names: rows.channels.map(({ name }) => name),
      measurements: rows.channels.map(({ measurement }) => measurement),
    }),
  }
}

const LOCATION = 'if(isNaN(east), NULL, east) AS longitude, if(isNaN(north), NULL, north) AS latitude'

/** Numbers and booleans have a column each, because a typed column cannot hold both. */
function longTyped(channels: readonly ExportChannel[]): string {
  const index = channels.length === 1 ? '1' : 'entry'
  return `if(entry = 0, NULL, {names:Array(String)}[${index}]) AS channel,
    if(entry = 0, NULL, {measurements:Array(String)}[${index}]) AS measurement,
    if(entry = 0 OR isBoolean, NULL, stored) AS value,
    CAST(if(isBoolean, toBool(stored != 0), NULL), 'Nullable(Bool)') AS booleanValue, ${LOCATION}`
}

function wideTyped(columns: readonly WideColumn[]): string {
  const typed = columns.map(({ name, type }, i) => {
    const at = `indexOf(columns, ${i + 1})`
    const value = { number: `values[${at}]`, whole: `toInt64(values[${at}])`, boolean: `toBool(values[${at}] != 0)` }
    const text = `if(areBoolean[${at}], if(values[${at}] = 0, 'false', 'true'), toString(values[${at}]))`
    return `if(has(columns, ${i + 1}), ${type === 'text' ? text : value[type]}, NULL) AS ${identifier(name)}`
  })
  return [LOCATION, ...typed].join(', ')
}

/** A name as SQL; ClickHouse reads escapes in quoted names as in texts. */
const identifier = (name: string): string => `\`${name.replace(/[\\`]/g, '\\$&')}\``
