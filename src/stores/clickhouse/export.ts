/** Exports readings as a table of values. */
import type { ClickHouse, StreamFormat } from './client.ts'

export const EXPORT_COLUMNS = ['sensor_id', 'at', 'channel', 'value', 'longitude', 'latitude'] as const

/** Names of channels are never numbers to a spreadsheet. */
const FORMULA = /^[=+\-@\t\r]/

export type ExportRequest = {
  fromMs: number
  toMs: number
  sensors: readonly { number: number; id: string }[]
  channels: readonly { sensor: number; number: number; name: string }[]
  /** Whether a reading with only a location gives a row. */
  locations: boolean
  /** Whether names that a spreadsheet would run as a formula get a quote in front. */
  escapeFormulas: boolean
}

/** One row per value, ordered by sensor and time; booleans are 1 and 0; rows with only a location have no channel. */
export function exportReadings(
  clickhouse: ClickHouse,
  { fromMs, toMs, sensors, channels, locations, escapeFormulas }: ExportRequest,
  format: StreamFormat,
): AsyncIterable<Uint8Array> {
  return clickhouse.stream(
    `SELECT transform(sensor, {numbers:Array(UInt32)}, {ids:Array(String)}, '') AS sensor_id, at,
       if(number = 0, NULL, name) AS channel, if(number = 0, NULL, stored) AS value,
       if(isNaN(east), NULL, east) AS longitude, if(isNaN(north), NULL, north) AS latitude
     FROM (
       SELECT sensor, at, number, stored, longitude AS east, latitude AS north,
         transform(toUInt64(sensor) * 65536 + number, {keys:Array(UInt64)}, {names:Array(String)}, '') AS name
       FROM (
         SELECT sensor, at, channels, values, longitude, latitude FROM readings FINAL
         WHERE sensor IN {numbers:Array(UInt32)} AND at >= fromUnixTimestamp64Milli({from:Int64}, 'UTC')
           AND at < fromUnixTimestamp64Milli({to:Int64}, 'UTC')
       )
       LEFT ARRAY JOIN channels AS number, values AS stored
     )
     WHERE name != '' OR (number = 0 AND {locations:UInt8})
     ORDER BY sensor, at`,
    {
      ...{ from: fromMs, to: toMs, locations: locations ? 1 : 0 },
      numbers: sensors.map(({ number }) => number),
      ids: sensors.map(({ id }) => id),
      // never empty, because ClickHouse cannot infer the type of an empty array
      keys: [0, ...channels.map(({ sensor, number }) => sensor * 65_536 + number)],
      names: ['', ...channels.map(({ name }) => (escapeFormulas ? name.replace(FORMULA, "'$&") : name))],
    },
    format,
  )
}
