/**
 * `bun run cluster-sql`: writes sql/clickhouse/cluster/ from the files in sql/clickhouse/, so that a table is defined
 * in one place. Each table becomes a replicated one on every shard (`<name>_local`) and a Distributed one that reads
 * and writes all of them. Statements that insert or comment are left out: Groundwave runs them when it starts.
 */
import { readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { RUN_ON_CLUSTERS } from '../stores/clickhouse/migrate.ts'

const BASE = join(import.meta.dir, '../../sql/clickhouse')
const ON_CLUSTER = "ON CLUSTER '{cluster}'"
/** Small tables of which every node has a full copy. */
const WHOLE = new Set(['sensors', 'channels', 'rollup_done'])
/** A sensor's rows of every table are on one shard, so that FINAL and joins by sensor need no other shard. */
const SHARDING_KEY = 'intHash64(sensor)'

const TABLE = /^CREATE TABLE IF NOT EXISTS (\w+)\n(\([\s\S]*?\n\))\nENGINE = (\w+)(?:\((\w+)\))?\n([\s\S]*)$/
const MATERIALIZED_VIEW = /^CREATE MATERIALIZED VIEW IF NOT EXISTS (\w+) TO (\w+) AS\n([\s\S]*)$/
const VIEW = /^CREATE (VIEW IF NOT EXISTS|OR REPLACE VIEW) (\w+) ([\s\S]*)$/
const CHANGED_COLUMNS = /^ALTER TABLE (\w+)\s+((?:ADD|MODIFY) COLUMN [\s\S]*)$/
const CHANGED_SETTING = /^ALTER TABLE (\w+)\s+(MODIFY (?:SETTING|TTL) [\s\S]*)$/
const CHANGED_VIEW = /^ALTER TABLE (\w+) MODIFY QUERY\n([\s\S]*)$/
const DROPPED_VIEW = /^DROP VIEW IF EXISTS \w+$/

/**
 * Foreground: an acknowledgement means that the shards have the rows, not that they are queued. Global: subqueries on
 * other tables see the rows of all shards; ClickHouse rejects them by default. Groundwave's own queries say where the
 * local shard is enough.
 */
const USER_SETTINGS = `ALTER USER IF EXISTS groundwave ${ON_CLUSTER}
    SETTINGS distributed_foreground_insert = 1, insert_quorum = 'auto', prefer_localhost_replica = 1, distributed_product_mode = 'global'`

const onLocal = (select: string): string => select.replace(/^FROM (\w+)/m, 'FROM $1_local')

/** A base file as statements for a cluster; empty when it has nothing to create. */
export function clusterStatements(sql: string): string[] {
  const statements = sql
    .replace(/[ \t]*--.*$/gm, '')
    .split(/;\s*$/m)
    .map((statement) => statement.trim())
  const filledByViews = new Set(statements.map((statement) => MATERIALIZED_VIEW.exec(statement)?.[2]))
  return statements.flatMap((statement) => {
    if (statement === '' || RUN_ON_CLUSTERS.test(statement)) return []
    const table = TABLE.exec(statement)
    if (table !== null) return tableStatements(table, filledByViews)
    const filling = MATERIALIZED_VIEW.exec(statement)
    if (filling !== null) {
      const [, name, target, select = ''] = filling
      return [`CREATE MATERIALIZED VIEW IF NOT EXISTS ${name} ${ON_CLUSTER} TO ${target}_local AS\n${onLocal(select)}`]
    }
    const changedView = CHANGED_VIEW.exec(statement)
    if (changedView !== null) {
      const [, name, select = ''] = changedView
      return [`ALTER TABLE ${name} ${ON_CLUSTER} MODIFY QUERY\n${onLocal(select)}`]
    }
    const columns = CHANGED_COLUMNS.exec(statement)
    if (columns !== null) {
      // a Distributed table has columns of the same types, and stores nothing that a codec could compress
      const [, name, change = ''] = columns
      const shown = change.replace(/ CODEC\((?:[^()]|\([^()]*\))*\)/g, '')
      return [
        `ALTER TABLE ${name}_local ${ON_CLUSTER} ${change}`,
        ...(change.startsWith('ADD') ? [`ALTER TABLE ${name} ${ON_CLUSTER} ${shown}`] : []),
      ]
    }
    const setting = CHANGED_SETTING.exec(statement)
    if (setting !== null) return [`ALTER TABLE ${setting[1]}_local ${ON_CLUSTER} ${setting[2]}`]
    const view = VIEW.exec(statement)
    if (view !== null) return [`CREATE ${view[1]} ${view[2]} ${ON_CLUSTER} ${view[3]}`]
    if (DROPPED_VIEW.test(statement)) return [`${statement} ${ON_CLUSTER}`]
    throw new Error(`no rule for the statement ${statement.split('\n', 1)}`)
  })
}

function tableStatements(parts: RegExpExecArray, filledByViews: ReadonlySet<string | undefined>): string[] {
  const [, name = '', columns, engine, version, rest = ''] = parts
  const replicated = (table: string, shard: string, replica: string): string => {
    const parameters = [
      `'/clickhouse/tables/${shard}/{database}/${name}'`,
      `'${replica}'`,
      ...(version ? [version] : []),
    ]
    return `CREATE TABLE IF NOT EXISTS ${table} ${ON_CLUSTER}
${columns}
ENGINE = Replicated${engine}(${parameters.join(', ')})
${rest.replace('non_replicated_deduplication_window', 'replicated_deduplication_window')}`
  }
  if (WHOLE.has(name)) return [replicated(name, 'all', '{shard}-{replica}')]
  const isSynced = rest.includes('fsync_after_insert') && !filledByViews.has(name)
  const distributed = `CREATE TABLE IF NOT EXISTS ${name} ${ON_CLUSTER} AS ${name}_local
ENGINE = Distributed('{cluster}', currentDatabase(), ${name}_local, ${SHARDING_KEY})${isSynced ? '\nSETTINGS fsync_after_insert = 1' : ''}`
  const statements = [replicated(`${name}_local`, '{shard}', '{replica}'), distributed]
  return name === 'readings' ? [...statements, USER_SETTINGS] : statements
}

/** The cluster's files by name, with the numbers of the base files. */
export async function clusterFiles(): Promise<Map<string, string>> {
  const files = new Map<string, string>()
  for (const name of (await readdir(BASE)).filter((file) => file.endsWith('.sql')).sort()) {
    const statements = clusterStatements(await readFile(join(BASE, name), 'utf8'))
    if (statements.length === 0) continue
    const header = `-- Generated from ../${name} by "bun run cluster-sql"; do not edit.
--
-- Run these files once, in order, on any node of the cluster, before Groundwave starts with CLICKHOUSE_URL on the
-- database. {cluster}, {shard} and {replica} are macros of each node.
`
    files.set(name, `${header}\n${statements.join(';\n\n')};\n`)
  }
  return files
}

if (import.meta.main) {
  const dir = join(BASE, 'cluster')
  await rm(dir, { recursive: true, force: true })
  for (const [name, sql] of await clusterFiles()) await Bun.write(join(dir, name), sql)
}
