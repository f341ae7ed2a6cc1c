/** Readings as a table, streamed from the database. */
import { invalidField } from '../errors.ts'
import type { ClickHouse, StreamFormat } from '../stores/clickhouse/client.ts'
import { EXPORT_COLUMNS, exportReadings } from '../stores/clickhouse/export.ts'
import type { Sensor } from '../stores/postgres/sensors.ts'
import { clampToRetention, type RetentionPolicy } from './time-range.ts'

export const EXPORT_FORMATS = {
  csv: { format: 'CSV', mediaType: 'text/csv; charset=utf-8' },
  jsonl: { format: 'JSONEachRow', mediaType: 'application/jsonl' },
  parquet: { format: 'Parquet', mediaType: 'application/vnd.apache.parquet' },
  arrow: { format: 'ArrowStream', mediaType: 'application/vnd.apache.arrow.stream' },
} as const satisfies Record<string, { format: StreamFormat; mediaType: string }>
export type ExportFormat = keyof typeof EXPORT_FORMATS

export type ExportQuery = {
  format: ExportFormat
  from?: string | undefined
  to?: string | undefined
  channel?: string | undefined
  escapeFormulas?: 'true' | 'false' | undefined
}

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
  const names = query.channel?.split(',').map((name) => name.trim())
  const channels = sensors.flatMap(({ number: sensor, channels }) =>
    channels
      .filter(({ name }) => names === undefined || names.includes(name))
      .map(({ number, name }) => ({ sensor, number, name })),
  )
  const unknown = names?.find((wanted) => !channels.some(({ name }) => name === wanted))
  if (unknown !== undefined)
    throw invalidField('query.channel', 'enum', `"${unknown}" is not a channel of any of the sensors`)
  const exportRequest = {
    ...clampToRetention(policy, query),
    sensors: sensors.map(({ number, id }) => ({ number, id })),
    channels,
    locations: names === undefined,
    escapeFormulas: query.format === 'csv' && query.escapeFormulas === 'true',
  }
  const rows = exportReadings(clickhouse, exportRequest, EXPORT_FORMATS[query.format].format)[Symbol.asyncIterator]()
  // a query that fails at once is reported as an error, not in the stream
  const first = await rows.next()
  const head = query.format === 'csv' ? `${EXPORT_COLUMNS.join(',')}\r\n` : ''
  return streamOf(head, first, rows, onError)
}

/** Reads from the database as fast as the client reads; when the client disconnects, the query ends. */
function streamOf(
  head: string,
  first: IteratorResult<Uint8Array>,
  rows: AsyncIterator<Uint8Array>,
  onError: (error: unknown) => void,
): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>({
    start(controller) {
      if (head !== '') controller.enqueue(new TextEncoder().encode(head))
      if (first.done !== true) controller.enqueue(first.value)
      else controller.close()
    },
    async pull(controller) {
      try {
        const { done, value } = await rows.next()
        if (done === true) controller.close()
        else controller.enqueue(value)
      } catch (error) {
        // the transfer has started: the client sees a broken transfer, the log gets the cause
        onError(error)
        controller.error(error)
      }
    },
    async cancel() {
      await rows.return?.()
    },
  })
}
