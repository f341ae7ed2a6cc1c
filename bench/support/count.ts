/** Counts the readings in a data folder. Runs in its own process, because chDB opens only one folder per process. */
import { openEmbeddedClickHouse } from '../../src/stores/clickhouse/embedded.ts'

const clickhouse = await openEmbeddedClickHouse(`${process.argv[2]}/clickhouse`)
const [counted] = await clickhouse.rows<{ rows: number }>('SELECT count() AS rows FROM readings FINAL')
await clickhouse.write('OPTIMIZE TABLE readings FINAL')
const [disk] = await clickhouse.rows<{ bytes: number; values: number }>(
  `SELECT sum(bytes_on_disk) AS bytes FROM system.parts WHERE active AND table = 'readings'`,
)
const [values] = await clickhouse.rows<{ values: number }>('SELECT sum(length(values)) AS values FROM readings')
const rows = counted?.rows ?? 0
const bytes = disk?.bytes ?? 0
process.stdout.write(
  `${JSON.stringify({ rows, bytesPerReading: bytes / rows, bytesPerValue: bytes / (values?.values ?? 0) })}\n`,
)
await clickhouse.close()
process.exit(0)
