/** Exports of ten million values of the first sensor of queries.ts, compared with plain SQL in the same format. */
import type { ClickHouse, StreamFormat } from '../../src/stores/clickhouse/client.ts'
import { exportReadings } from '../../src/stores/clickhouse/queries/export.ts'
import { ms, quantile, say } from './tool-harness.ts'

const VALUES = 10_000_000
const TEXT_COLUMNS = "'sen_1' AS sensor_id, at, 'a' AS channel, values[1] AS value, longitude, latitude"
/** The columns of Groundwave's typed formats, so that both files have the same size. */
const TYPED_COLUMNS = `'sen_1' AS sensor_id, at, 'a' AS channel, 'number' AS measurement, values[1] AS value,
  CAST(NULL, 'Nullable(Bool)') AS boolean_value, longitude, latitude`
const EXPORTS = [
  { format: 'csv', plain: 'CSV', columns: TEXT_COLUMNS },
  { format: 'jsonl', plain: 'JSONEachRow', columns: TEXT_COLUMNS },
  { format: 'parquet', plain: 'Parquet', columns: TYPED_COLUMNS },
  { format: 'arrow', plain: 'ArrowStream', columns: TYPED_COLUMNS },
] as const

async function measureStream(chunks: AsyncIterable<Uint8Array>): Promise<{ seconds: number; bytes: number }> {
  const startedMs = performance.now()
  let bytes = 0
  for await (const chunk of chunks) bytes += chunk.length
  return { seconds: (performance.now() - startedMs) / 1000, bytes }
}

/** Medians of alternating runs: a single run depends on the momentary load of the disk. */
export async function measureExports(clickhouse: ClickHouse, fromMs: number, rounds: number): Promise<void> {
  const toMs = fromMs + VALUES * 1000
  const selection = {
    fromMs,
    toMs,
    locations: true,
    sensors: [{ number: 1, id: 'sen_1' }],
    rows: {
      layout: 'long' as const,
      channels: [{ sensor: 1, number: 1, name: 'a', measurement: 'number' as const }],
    },
  }
  for (const { format, plain, columns } of EXPORTS) {
    const sql = `SELECT ${columns} FROM readings FINAL WHERE sensor = 1
      AND at >= fromUnixTimestamp64Milli(toInt64(${fromMs}), 'UTC') AND at < fromUnixTimestamp64Milli(toInt64(${toMs}), 'UTC') ORDER BY at`
    const seconds: Record<'ours' | 'theirs', number[]> = { ours: [], theirs: [] }
    const megabytes = { ours: 0, theirs: 0 }
    for (let round = 0; round < rounds; round++)
      for (const side of round % 2 === 0 ? (['ours', 'theirs'] as const) : (['theirs', 'ours'] as const)) {
        const pieces =
          side === 'ours'
            ? exportReadings(clickhouse, selection, format)
            : clickhouse.stream(sql, {}, plain as StreamFormat)
        const measured = await measureStream(pieces)
        seconds[side].push(measured.seconds)
        megabytes[side] = measured.bytes / 1e6
      }
    const [a, b] = [quantile(seconds.ours, 0.5), quantile(seconds.theirs, 0.5)]
    say(
      `export of 10 million values as ${format}: ${ms(megabytes.ours)} MB at ${ms(megabytes.ours / a)} MB/s; plain SQL ${ms(megabytes.theirs)} MB at ${ms(megabytes.theirs / b)} MB/s; time ratio ${(a / b).toFixed(2)}`,
    )
  }
}
