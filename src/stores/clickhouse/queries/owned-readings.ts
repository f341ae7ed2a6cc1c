/**
 * All readings and events of an enterprise, including readings hidden by a shorter retention, for the archive of its
 * data.
 */
import type { ClickHouse } from '../client.ts'
import { EARLIEST_MS, LATEST_MS } from '../client.ts'
import { SAYS_SOMETHING } from '../readings.ts'
import { exportReadings } from './export.ts'
import { csvField } from './export-lines.ts'
import { LONG_COLUMNS, type Measurement } from './export-request.ts'

type SensorOfExport = {
  id: string
  number: number
  channels: readonly { number: number; name: string; measurement: Measurement }[]
}

/** Months in UTC that have readings of a sensor, as `2026-01`, oldest first. */
export async function monthsWithReadings(clickhouse: ClickHouse, sensor: number): Promise<string[]> {
  const rows = await clickhouse.workRows<{ month: string }>(
    `SELECT DISTINCT formatDateTime(at, '%Y-%m') AS month FROM readings
     WHERE sensor = {sensor:UInt32} AND ${SAYS_SOMETHING} ORDER BY month`,
    { sensor },
    {},
  )
  return rows.map(({ month }) => month)
}

/** A CSV with a row for each value. */
export async function* monthOfReadings(
  clickhouse: ClickHouse,
  { id, number, channels }: SensorOfExport,
  month: string,
): AsyncGenerator<Uint8Array> {
  const from = new Date(`${month}-01T00:00:00Z`)
  const toMs = Date.UTC(from.getUTCFullYear(), from.getUTCMonth() + 1)
  yield new TextEncoder().encode(`${LONG_COLUMNS.map(csvField).join(',')}\r\n`)
  yield* exportReadings(
    clickhouse,
    {
      fromMs: Math.max(EARLIEST_MS, from.getTime()),
      toMs: Math.min(LATEST_MS, toMs),
      sensors: [{ id, number }],
      locations: true,
      rows: { layout: 'long', channels: channels.map((channel) => ({ ...channel, sensor: number })) },
    },
    'csv',
  )
}

/** Lines of JSON. @param enterprise its number */
export function zoneEventLines(clickhouse: ClickHouse, enterprise: number): AsyncIterable<Uint8Array> {
  const time = (column: string) => `concat(replaceOne(toString(e.${column}), ' ', 'T'), 'Z')`
  const fields: [name: string, sql: string][] = [
    ...([
      ['rule', 'toString(e.rule)'],
      ['sensorId', 's.sensor_id'],
      ['at', time('at')],
    ] as [string, string][]),
    ...([
      ['event', 'toString(e.event)'],
      ['longitude', 'e.longitude'],
      ['latitude', 'e.latitude'],
    ] as [string, string][]),
    ...([
      ['zones', 'e.zones'],
      ['layer', 'toString(e.layer)'],
      ['layerVersion', 'e.layer_version'],
    ] as [string, string][]),
    ['detectedAt', time('detected_at')],
  ]
  const pairs = fields.map(([name, value]) => `'"${name}":', toJSONString(${value})`)
  return clickhouse.stream(
    `SELECT concat('{', ${pairs.join(", ',', ")}, '}')
     FROM (SELECT * FROM zone_events FINAL WHERE enterprise = {enterprise:UInt32}) AS e
     LEFT JOIN (SELECT sensor, sensor_id FROM sensors FINAL WHERE enterprise = {enterprise:UInt32}) AS s ON s.sensor = e.sensor
     ORDER BY e.rule, e.at, e.sensor`,
    { enterprise },
    'TSVRaw',
  )
}
