/** Mutations: changes of rows that ClickHouse makes in the background by rewriting their parts. */
import type { ClickHouse } from '../client.ts'

/** The first pause of the exponential backoff. */
const FIRST_POLL_MS = 10
const LONGEST_POLL_MS = 500

/** The table that stores the rows: on a cluster, the local table of each shard. */
async function placeOf(clickhouse: ClickHouse, table: string): Promise<{ database: string; isOnCluster: boolean }> {
  const [made] = await clickhouse.rows<{ database: string; engine: string }>(
    'SELECT database, engine FROM system.tables WHERE database = currentDatabase() AND name = {table:String}',
    { table },
  )
  return { database: made?.database ?? '', isOnCluster: made?.engine === 'Distributed' }
}

/** Begins a mutation of a table, on every shard of a cluster. */
export async function mutate(clickhouse: ClickHouse, table: string, command: string): Promise<void> {
  const { isOnCluster } = await placeOf(clickhouse, table)
  const target = isOnCluster ? `${table}_local ON CLUSTER '{cluster}'` : table
  // not awaited here: it may take longer than the client's timeout
  await clickhouse.write(`ALTER TABLE ${target} ${command}`, {}, { mutations_sync: 0 })
}

/** Resolves when no mutation whose text contains `mark` runs on the table, or when `isStopped` returns true. */
export async function untilMutated(
  clickhouse: ClickHouse,
  table: string,
  mark: string,
  isStopped: () => boolean,
): Promise<void> {
  const { database, isOnCluster } = await placeOf(clickhouse, table)
  // each node lists its own mutations only
  const [source, name] = isOnCluster
    ? ["clusterAllReplicas('{cluster}', system.mutations)", `${table}_local`]
    : ['system.mutations', table]
  for (let pauseMs = FIRST_POLL_MS; ; pauseMs = Math.min(pauseMs * 2, LONGEST_POLL_MS)) {
    const [state] = await clickhouse.rows<{ running: number; reason: string }>(
      `SELECT count() AS running, max(latest_fail_reason) AS reason FROM ${source}
       WHERE database = {database:String} AND table = {name:String} AND NOT is_done
         AND position(command, {mark:String}) > 0`,
      { database, name, mark },
    )
    if (isStopped() || Number(state?.running) === 0) return
    if (state?.reason) throw new Error(`a mutation of ${table} fails: ${state.reason}`)
    await Bun.sleep(pauseMs)
  }
}
