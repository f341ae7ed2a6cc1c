/** Readings as a table, streamed from the database. */

import { invalidField } from '../errors.ts'
import { fieldText } from '../field-texts/field-text.ts'
import type { ClickHouse } from '../stores/clickhouse/client.ts'
import { exportReadings } from '../stores/clickhouse/queries/export.ts'
import { csvField } from '../stores/clickhouse/queries/export-lines.ts'
import {
  type ExportChannel,
  type ExportFormat,
  type ExportRequest,
  LONG_COLUMNS,
  WIDE_COLUMNS,
  type WideColumn,
} from '../stores/clickhouse/queries/export-request.ts'
import type { Sensor } from '../stores/postgres/sensors/sensors.ts'
import { channelNames } from './channel-names.ts'
import { streamOf } from './row-stream.ts'
import { clampToRetention, type RetentionPolicy } from './time-range.ts'

export const EXPORT_MEDIA_TYPES = {
  csv: 'text/csv; charset=utf-8',
  jsonl: 'application/jsonl',
  parquet: 'application/vnd.apache.parquet',
  arrow: 'application/vnd.apache.arrow.stream',
} as const satisfies Record<ExportFormat, string>

export type ExportQuery = {
  format: ExportFormat
  from?: string | undefined
  to?: string | undefined
  /** Each `channel` parameter; all channels if there is none. */
  channel: readonly string[]
  layout?: 'long' | 'wide' | undefined
  escapeFormulas?: 'true' | 'false' | undefined
}

const MAX_WIDE_COLUMNS = 1_000
/** Text that a spreadsheet would run as a formula. */
const FORMULA = /^[=+\-@\t\r]/
export const escapedFormula = (text: string): string => text.replace(FORMULA, "'$&")

/**
 * @param onError receives errors that occur after the first row
 * @throws AppError VALIDATION_FAILED; QUERY_TOO_LARGE when the database rejects the query before the first row
 */
export async function exportRows(
  clickhouse: ClickHouse,
  policy: RetentionPolicy,
  sensors: readonly Sensor[],
  query: ExportQuery,
  onError: (error: unknown) => void,
): Promise<ReadableStream<Uint8Array>> {
  const names = query.channel.length === 0 ? undefined : channelNames(query.channel, sensors)
  const isEscaped = query.format === 'csv' && query.escapeFormulas === 'true'
  const channels = sensors.flatMap(({ number: sensor, channels }) =>
    channels
      .filter(({ name }) => names === undefined || names.includes(name))
      .map(({ number, name, measurement }): ExportChannel => {
        const shown = isEscaped ? escapedFormula(name) : name
        return { sensor, number, name: shown, measurement }
      }),
  )
  const rows: ExportRequest['rows'] =
    query.layout === 'wide' ? { layout: 'wide', columns: wideColumns(channels) } : { layout: 'long', channels }
  const request: ExportRequest = {
    ...clampToRetention(policy, query),
    sensors: sensors.map(({ number, id }) => ({ number, id })),
    locations: names === undefined,
    rows,
  }
  const pieces = exportReadings(clickhouse, request, query.format)[Symbol.asyncIterator]()
  // a query that fails at once is reported as an error, not in the stream
  const first = await pieces.next()
  const columns = rows.layout === 'long' ? LONG_COLUMNS : [...WIDE_COLUMNS, ...rows.columns.map(({ name }) => name)]
  const head = query.format === 'csv' ? [new TextEncoder().encode(`${columns.map(csvField).join(',')}\r\n`)] : []
  return streamOf(pieces, onError, first.done === true ? head : [...head, first.value])
}

/** A column for each name of a channel, in the order of the sensors' channels. */
function wideColumns(all: readonly ExportChannel[]): WideColumn[] {
  const taken = new Set<string>(WIDE_COLUMNS)
  const columns = [...Map.groupBy(all, ({ name }) => name)].map(([name, channels]): WideColumn => {
    let unique = name
    // such as a channel called "at"
    while (taken.has(unique)) unique = `channel:${unique}`
    taken.add(unique)
    return { name: unique, type: commonType(channels), channels }
  })
  if (columns.length > MAX_WIDE_COLUMNS)
    throw invalidField(
      'query.layout',
      'maxColumns',
      fieldText('wideChannels', { count: columns.length, most: MAX_WIDE_COLUMNS }),
    )
  return columns
}

function commonType(channels: readonly ExportChannel[]): WideColumn['type'] {
  const [only = 'number', ...others] = new Set(channels.map(({ measurement }) => measurement))
  if (others.length === 0) return only
  return only === 'boolean' || others.includes('boolean') ? 'text' : 'number'
}
