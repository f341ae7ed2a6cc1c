/** Exports of readings as HTTP responses. */
import { EXPORT_MEDIA_TYPES, type ExportQuery, exportRows } from '../../analytics/export.ts'
import { parseRange, type RetentionPolicy } from '../../analytics/time-range.ts'
import { contentDisposition } from '../../http/download.ts'
import { whileAllowed } from '../../http/long-answers.ts'
import { requestContextOf } from '../../http/request-context.ts'
import type { ClickHouse } from '../../stores/clickhouse/client.ts'
import type { Sensor } from '../../stores/postgres/sensors/sensors.ts'

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
  const headers = {
    'content-type': EXPORT_MEDIA_TYPES[query.format],
    'content-disposition': contentDisposition(nameOf(sensors, query)),
    'x-request-id': requestContextOf(request).requestId,
    // not cached, because readings arrive all the time
    'cache-control': 'no-store',
  }
  // a page sends HEAD before it starts a download, whose failure it would not see
  if (request.method === 'HEAD') {
    parseRange(query)
    return new Response(null, { headers })
  }
  const rows = await exportRows(clickhouse, policy, sensors, query, onError)
  return new Response(whileAllowed(request, rows), { headers })
}

/** Characters that some file systems refuse. */
const REFUSED = /[\\/:*?"<>|\p{Cc}\p{Cf}]+/gu

/** `readings.csv`; of a single sensor, its name and the range. */
function nameOf([sensor, ...others]: readonly Sensor[], { format, from, to }: ExportQuery): string {
  if (sensor === undefined || others.length > 0) return `readings.${format}`
  const days = [from, to].flatMap((time) => (time === undefined ? [] : [time.slice(0, 10)]))
  return `${[sensor.name.replace(REFUSED, ' ').replace(/\s+/g, ' ').trim(), ...days].join(' ')}.${format}`
}
