/** Runs queries on the folder of a stopped server and prints the rows of each as a line of JSON; chDB allows one folder per process. */
import { openEmbeddedClickHouse } from '../../../src/stores/clickhouse/embedded.ts'

const [dataDir, ...queries] = process.argv.slice(2)
const clickhouse = await openEmbeddedClickHouse(`${dataDir}/clickhouse`)
for (const query of queries) process.stdout.write(`${JSON.stringify(await clickhouse.rows(query))}\n`)
await clickhouse.close()
process.exit(0)
