/** Runs a query on the folder of a stopped server and prints its rows as JSON; chDB allows one folder per process. */
import { openEmbeddedClickHouse } from '../../../src/stores/clickhouse/embedded.ts'

const [dataDir, query] = process.argv.slice(2) as [string, string]
const clickhouse = await openEmbeddedClickHouse(`${dataDir}/clickhouse`)
process.stdout.write(JSON.stringify(await clickhouse.rows(query)))
await clickhouse.close()
process.exit(0)
