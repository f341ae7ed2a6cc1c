/**
 * Opens a cluster of two shards (two-shards.ts) with the row policies of sql/clickhouse/access on the `_local` tables of
 * the shards, as enterprise 7, and prints the results of queries. Arguments: an empty folder, and queries.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Session } from 'chdb'
import { ROOT } from '../processes.ts'
import { clusterArguments, createCluster, onCluster } from './two-shards.ts'

const [dir, ...queries] = process.argv.slice(2) as [string, ...string[]]
const access = readFileSync(join(ROOT, 'sql/clickhouse/access/0001-analysts.sql'), 'utf8')
const filters: Record<string, string> = {}
for (const [, table, filter] of access.matchAll(/ON (\w+)\s+USING (.+) TO groundwave_analyst;/g))
  filters[`${table}_local`] = (filter as string).replace("getSetting('SQL_enterprise')", '7')
const session = new Session(join(dir, 'data'), { connectionArgs: clusterArguments(dir, filters) })
createCluster(session)
session.query(
  onCluster(
    'INSERT INTO readings SELECT number % 2 + 6, number, now64(3), [1], [number], 1, 2, now64(3), 365 FROM numbers(40)',
  ),
)
process.stdout.write(JSON.stringify(queries.map((query) => session.query(query, 'JSONCompactEachRow').trim())))
process.exit(0)
