/**
 * Opens chDB with the row policies of sql/clickhouse/access applied to its only user, as enterprise 7, and prints the
 * results of queries. chDB has no users, roles or custom settings, so the number of the enterprise replaces the setting.
 * Tested are the rows that the policies let through, also through views.
 * Arguments: an empty folder, and queries.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Session } from 'chdb'
import { readMigrations } from '../../../src/stores/migrations.ts'
import { ROOT } from '../processes.ts'

const [dir, ...queries] = process.argv.slice(2) as [string, ...string[]]
const access = readFileSync(join(ROOT, 'sql/clickhouse/access/0001-analysts.sql'), 'utf8')
const policies = [...access.matchAll(/ON (\w+)\s+USING (.+) TO groundwave_analyst;/g)]
const filters = policies
  .map(
    ([, table, filter]) =>
      `<${table}><filter>${filter?.replace("getSetting('SQL_enterprise')", '7')}</filter></${table}>`,
  )
  .join('')
const users = join(dir, 'users.xml')
writeFileSync(
  users,
  `<clickhouse><quotas><default/></quotas><profiles><default/></profiles><users><default>
  <password></password><networks><ip>::/0</ip></networks><profile>default</profile><quota>default</quota>
  <databases><default>${filters}</default></databases></default></users></clickhouse>`,
)
const config = join(dir, 'config.xml')
writeFileSync(
  config,
  `<clickhouse><user_directories><users_xml><path>${users}</path></users_xml></user_directories></clickhouse>`,
)
const session = new Session(join(dir, 'data'), { connectionArgs: [`--config-file=${config}`] })
for (const { statements } of await readMigrations(join(ROOT, 'sql/clickhouse')))
  for (const statement of statements) session.query(statement)
session.query(
  `INSERT INTO readings SELECT number % 2 + 6, number % 2 + 60, toStartOfHour(now64(3)) + number, [1], [number], 1, 2, now64(3), 365 FROM numbers(10)`,
)
for (const n of [6, 7]) {
  session.query(`INSERT INTO sensors VALUES (${n + 54}, 'sen_${n}', ${n}, 'ent_${n}', 'ass', 'Pump', 1)`)
  session.query(`INSERT INTO channels VALUES (${n}, ${n + 54}, 1, 'a', 'number', '', 1)`)
}
for (const n of [6, 7]) {
  for (const unit of ['hour', 'day'])
    session.query(
      `INSERT INTO rollup_${unit} SELECT ${n}, ${n + 54}, 1, toStartOfInterval(now(), INTERVAL 1 ${unit}), 1, 1, 1, 1, now64(3), 1, now64(3), 1, 365, now64(3)`,
    )
  session.query(
    `INSERT INTO zone_events SELECT ${n}, 'rul', ${n + 54}, now64(3), 'enter', 1, 2, ['A'], 'lay', 1, now64(3), 365`,
  )
}
process.stdout.write(
  JSON.stringify({
    policies: policies.length,
    found: queries.map((query) => session.query(query, 'JSONCompactEachRow').trim()),
  }),
)
process.exit(0)
