/**
 * A ClickHouse cluster of two shards within one chDB, for tests of sql/clickhouse/cluster and of Groundwave's
 * statements for a cluster.
 *
 * Real: the statements of the cluster files, the engine Distributed with two shards and everything it does to a query
 * (FINAL on each shard, aggregation in two stages, rejected subqueries), and the separate tables of each shard, which
 * are in the databases `shard_1` and `shard_2`.
 *
 * Emulated: both shards are addresses of this process, so on each of them `<name>_local` is a Merge table with a row
 * policy that shows the rows of `shard_<shardNum()>`. Merge tables take no rows, so this file sends inserts to the
 * shards by the expression of the Distributed table; it carries out ON CLUSTER on both. Tables are not Replicated,
 * because chDB has no Keeper: nothing here tests replicas. Fully replicated tables exist once.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Session } from 'chdb'
import { ROOT } from '../processes.ts'

const SHARDS = [1, 2]
const FOLDER = join(ROOT, 'sql/clickhouse/cluster')
const ON_CLUSTER = / ON CLUSTER '\{cluster\}'/
const LOCAL_TABLE = /^CREATE TABLE IF NOT EXISTS (\w+)_local /
const DISTRIBUTED_TABLE = /^CREATE TABLE IF NOT EXISTS (\w+) [^(]*ENGINE = Distributed\([^)]*\), \w+, (.+)\)/
/** The path and the replica's name, which come before other parameters. */
const REPLICATED = /ENGINE = Replicated(\w+)\('[^']*', '[^']*'(?:, )?([^)]*)\)/
const ALL_MUTATIONS = /clusterAllReplicas\('\{cluster\}', system\.mutations\)/g

export function clusterStatements(): string[] {
  const files = readdirSync(FOLDER).sort()
  return files.flatMap((file) =>
    readFileSync(join(FOLDER, file), 'utf8')
      .replace(/^--.*$/gm, '')
      .split(/;\s*$/m)
      .map((statement) => statement.trim())
      .filter((statement) => statement !== ''),
  )
}

/** The sharding key of each Distributed table. */
function distributedTables(): Map<string, string> {
  const found = clusterStatements().map((statement) => DISTRIBUTED_TABLE.exec(statement))
  return new Map(found.flatMap((match) => (match === null ? [] : [[match[1] as string, match[2] as string]])))
}

const keys = distributedTables()
const shardDatabase = (shard: number): string => `shard_${shard}`
const belongsTo = (table: string, shard: number): string => `${keys.get(table)} % ${SHARDS.length} = ${shard - 1}`
const onShard = (statement: string, shard: number): string =>
  statement.replace(/\b\w+_local\b/g, (name) => `${shardDatabase(shard)}.${name}`)

/**
 * Writes the configuration of a cluster to a folder and returns chDB's arguments for it.
 * @param filters conditions of row policies on the shards, by table (`readings_local`)
 */
export function clusterArguments(dir: string, filters: Record<string, string> = {}): string[] {
  const policies = (database: string, all: [string, string][]): string =>
    `<${database}>${all.map(([table, filter]) => `<${table}><filter>${filter}</filter></${table}>`).join('')}</${database}>`
  const ownShard = [...keys.keys()].map((table): [string, string] => [
    `${table}_local`,
    "_database = concat('shard_', toString(shardNum()))",
  ])
  const user = /SETTINGS (.*)/.exec(clusterStatements().find((text) => text.startsWith('ALTER USER')) ?? '')?.[1] ?? ''
  const profile = user.split(', ').map((setting) => setting.replace(/^(\w+) = '?([^']*)'?$/, '<$1>$2</$1>'))
  writeFileSync(
    join(dir, 'users.xml'),
    `<clickhouse><quotas><default/></quotas><profiles><default>${profile.join('')}</default></profiles><users><default>
     <password></password><networks><ip>::/0</ip></networks><profile>default</profile><quota>default</quota>
     <databases>${policies('default', ownShard)}${SHARDS.map((shard) => policies(shardDatabase(shard), Object.entries(filters))).join('')}</databases>
     </default></users></clickhouse>`,
  )
  // the port of this process makes the address local, so nothing is sent over the network
  const address = '<shard><replica><host>127.0.0.1</host><port>9000</port></replica></shard>'
  writeFileSync(
    join(dir, 'config.xml'),
    `<clickhouse><user_directories><users_xml><path>${join(dir, 'users.xml')}</path></users_xml></user_directories>
     <tcp_port>9000</tcp_port><macros><cluster>groundwave</cluster><shard>1</shard><replica>1</replica></macros>
     <remote_servers><groundwave>${address.repeat(SHARDS.length)}</groundwave></remote_servers>
     <backups><allowed_path>${join(dir, 'backups')}/</allowed_path></backups></clickhouse>`,
  )
  return [`--config-file=${join(dir, 'config.xml')}`]
}

/** The statements that carry out one of the cluster files. */
function creating(statement: string): string[] {
  // chDB's user is in users.xml, which has these settings
  if (statement.startsWith('ALTER USER')) return []
  const alone = statement
    .replace(ON_CLUSTER, '')
    .replace(REPLICATED, 'ENGINE = $1($2)')
    .replace('replicated_deduplication_window', 'non_replicated_deduplication_window')
  const local = LOCAL_TABLE.exec(statement)?.[1]
  if (local !== undefined)
    return [
      ...SHARDS.map((shard) => onShard(alone, shard)),
      `CREATE TABLE IF NOT EXISTS ${local}_local AS shard_1.${local}_local ENGINE = Merge(REGEXP('^shard_[0-9]+$'), '^${local}_local$')`,
      `CREATE TABLE IF NOT EXISTS ${local}_in AS shard_1.${local}_local ENGINE = Null COMMENT 'Sends inserted rows to the shards'`,
      ...SHARDS.map(
        (shard) =>
          `CREATE MATERIALIZED VIEW IF NOT EXISTS ${local}_to_${shard} TO ${shardDatabase(shard)}.${local}_local AS SELECT * FROM ${local}_in WHERE ${belongsTo(local, shard)}`,
      ),
    ]
  const [, change, view] = /^(CREATE MATERIALIZED|DROP) VIEW IF (?:NOT )?EXISTS (\w+)/.exec(statement) ?? []
  if (change !== undefined) {
    const onShards = SHARDS.map((shard) =>
      onShard(alone, shard).replace(/(VIEW IF (?:NOT )?EXISTS) /, `$1 ${shardDatabase(shard)}.`),
    )
    // the start looks for it beside the Distributed tables, where it is in a real cluster
    return change === 'DROP'
      ? onShards
      : [...onShards, `CREATE VIEW IF NOT EXISTS ${view} AS SELECT * FROM ${shardDatabase(1)}.${view}`]
  }
  if (/^ALTER TABLE \w+_local /.test(statement)) return SHARDS.map((shard) => onShard(alone, shard))
  if (/^ALTER TABLE \w+ ON CLUSTER '\{cluster\}' MODIFY QUERY/.test(statement))
    return SHARDS.map((shard) => onShard(alone, shard).replace('ALTER TABLE ', `ALTER TABLE ${shardDatabase(shard)}.`))
  return [alone]
}

/** Runs the cluster files. */
export function createCluster(session: Session): void {
  for (const shard of SHARDS) session.query(`CREATE DATABASE IF NOT EXISTS ${shardDatabase(shard)}`)
  for (const statement of clusterStatements().flatMap(creating)) session.query(statement)
}

/** The statement that runs in place of a client's statement for the cluster. */
export function onCluster(sql: string): string {
  const [, inserted, rest] = /^INSERT INTO (\w+)\b([\s\S]*)$/.exec(sql) ?? []
  if (inserted !== undefined && keys.has(inserted)) {
    // a segment with its deduplication token goes directly to the shards' tables
    if (/ FROM file\(/.test(sql))
      return SHARDS.map(
        (shard) => `INSERT INTO ${shardDatabase(shard)}.${inserted}_local${rest} AND ${belongsTo(inserted, shard)}`,
      ).join('; ')
    return `INSERT INTO ${inserted}_in${rest}`
  }
  // statements that an operator runs ON CLUSTER, on the local tables
  const [, verb, table, end] = /^(OPTIMIZE TABLE|TRUNCATE TABLE) (\w+)(.*)$/.exec(sql) ?? []
  if (table !== undefined && keys.has(table))
    return SHARDS.map((shard) => `${verb} ${shardDatabase(shard)}.${table}_local${end}`).join('; ')
  // in one statement, as each node takes part in one backup
  if (/^(BACKUP|RESTORE) DATABASE default /.test(sql))
    return sql
      .replace(ON_CLUSTER, '')
      .replace('DATABASE default', SHARDS.map((shard) => `DATABASE ${shardDatabase(shard)}`).join(', '))
  if (ON_CLUSTER.test(sql)) return SHARDS.map((shard) => onShard(sql.replace(ON_CLUSTER, ''), shard)).join('; ')
  return sql.replace(ALL_MUTATIONS, `(SELECT * REPLACE ('default' AS database) FROM system.mutations)`)
}
