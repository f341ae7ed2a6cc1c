/** Computes the rollups of a stopped server's folder, which a server does only after readings have settled. */
import { openEmbeddedClickHouse } from '../../../src/stores/clickhouse/embedded.ts'
import { startRollups } from '../../../src/stores/clickhouse/maintenance/rollups.ts'

const [dataDir] = process.argv.slice(2) as [string]
const clickhouse = await openEmbeddedClickHouse(`${dataDir}/clickhouse`)
const rollups = startRollups(clickhouse, (error) => {
  throw error
})
while (await rollups.refresh());
await rollups.stop()
await clickhouse.close()
process.exit(0)
