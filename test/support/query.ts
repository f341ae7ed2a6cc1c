/** Runs a query on a stopped server's folder and prints its rows as JSON; a process of its own, as chDB wants it. */
import { openEmbeddedClickHouse } from '../../src/stores/clickhouse/embedded.ts'

const [dataDir, query] = process.argv.slice(2) as [string, string]
const clickhouse = await openEmbeddedClickHouse(`${dataDir}/clickhouse`)
process.stdout.write(JSON.stringify(await clickhouse.rows(query)))
await clickhouse.close()
process.exit(0)
