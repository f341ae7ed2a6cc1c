/** Exports of readings as HTTP responses. */
import { EXPORT_MEDIA_TYPES, type ExportQuery, exportRows } from '../../analytics/export.ts'
import type { RetentionPolicy } from '../../analytics/time-range.ts'
import { contentDisposition } from '../../http/download.ts'
import { requestContextOf } from '../../http/request-context.ts'
import type { ClickHouse } from '../../stores/clickhouse/client.ts'
import type { Sensor } from '../../stores/postgres/sensors.ts'

/**
 * @param onError receives errors that occur after the response has started
 * @throws AppError VALIDATION_FAILED; QUERY_TOO_LARGE when the database rejects the query before the first row
 */
export async function exportResponse(
  clickhouse: ClickHouse,
  policy: RetentionPolicy,
  request: Request,
  sensors: readonly Sensor[],
  query: ExportQuery,
  onError: (error: unknown) => void,
): Promise<Response> {
  const rows = await exportRows(clickhouse, policy, sensors, query, onError)
  return new Response(rows, {
    headers: {
      'content-type': EXPORT_MEDIA_TYPES[query.format],
      'content-disposition': contentDisposition(`readings.${query.format}`),
      'x-request-id': requestContextOf(request).requestId,
    },
  })
}
