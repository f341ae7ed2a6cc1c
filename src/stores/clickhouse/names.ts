/** Copies the names of sensors and channels from PostgreSQL to ClickHouse, for people who query it with SQL. */
import { and, asc, eq, gt, inArray, or } from 'drizzle-orm'
import { type Backoff, createBackoff } from '../backoff.ts'
import type { Changes } from '../changes.ts'
import type { Database } from '../postgres/client.ts'
import { assets, channels, enterprises, sensors } from '../postgres/schema.ts'
import type { ClickHouse } from './client.ts'

const PAGE = 1000
/** Changes of one operation are written together. */
const GATHER_MS = 50
const FIRST_RETRY_MS = 1_000
const LONGEST_RETRY_MS = 30_000

/** @param of the ids of sensors and assets to read; all if undefined */
async function sensorRows(db: Database, after: string, of: string[] | undefined) {
  return db
    .select({
      id: sensors.id,
      number: sensors.number,
      enterprise: enterprises.number,
      enterpriseId: enterprises.id,
      assetId: assets.id,
      assetName: assets.name,
    })
    .from(sensors)
    .innerJoin(enterprises, eq(enterprises.id, sensors.enterpriseId))
    .innerJoin(assets, eq(assets.id, sensors.assetId))
    .where(
      and(
        gt(sensors.id, after),
        of === undefined ? undefined : or(inArray(sensors.id, of), inArray(sensors.assetId, of)),
      ),
    )
    .orderBy(asc(sensors.id))
    .limit(PAGE)
}

/** The statements below take one array per column. */
function column<T, K extends keyof T>(rows: readonly T[], name: K): T[K][] {
  return rows.map((row) => row[name])
}

async function putNames(db: Database, clickhouse: ClickHouse, rows: Awaited<ReturnType<typeof sensorRows>>) {
  if (rows.length === 0) return
  const version = Date.now()
  const sensorOf = new Map(rows.map((row) => [row.id, row]))
  const found = await db
    .select()
    .from(channels)
    .where(inArray(channels.sensorId, [...sensorOf.keys()]))
  const channelRows = found.map((channel) => {
    const { number: sensor, enterprise } = sensorOf.get(channel.sensorId) as (typeof rows)[number]
    return { ...channel, sensor, enterprise, unit: channel.unit ?? '' }
  })
  await clickhouse.write(
    `INSERT INTO sensors SELECT t.1, t.2, t.3, t.4, t.5, t.6, {version:UInt64} FROM (SELECT arrayJoin(arrayZip(
       {numbers:Array(UInt32)}, {ids:Array(String)}, {enterprises:Array(UInt32)}, {enterpriseIds:Array(String)},
       {assetIds:Array(String)}, {assetNames:Array(String)})) AS t)`,
    {
      version,
      numbers: column(rows, 'number'),
      ids: column(rows, 'id'),
      enterprises: column(rows, 'enterprise'),
      enterpriseIds: column(rows, 'enterpriseId'),
      assetIds: column(rows, 'assetId'),
      assetNames: column(rows, 'assetName'),
    },
  )
  if (channelRows.length === 0) return
  await clickhouse.write(
    `INSERT INTO channels SELECT t.1, t.2, t.3, t.4, t.5, t.6, {version:UInt64} FROM (SELECT arrayJoin(arrayZip(
       {enterprises:Array(UInt32)}, {sensors:Array(UInt32)}, {numbers:Array(UInt16)}, {names:Array(String)}, {measurements:Array(String)},
       {units:Array(String)})) AS t)`,
    {
      version,
      enterprises: column(channelRows, 'enterprise'),
      sensors: column(channelRows, 'sensor'),
      numbers: column(channelRows, 'number'),
      names: column(channelRows, 'name'),
      measurements: column(channelRows, 'measurement'),
      units: column(channelRows, 'unit'),
    },
  )
}

export type NameSync = {
  /** Writes the waiting names once, and stops; if that fails, the next start writes all names. */
  stop(): Promise<void>
}

/** Writes all names now, and later the names of changed sensors; retries until it succeeds. */
export function startNameSync(
  db: Database,
  clickhouse: ClickHouse,
  changes: Changes,
  onError: (error: unknown) => void,
  backoff: Backoff = createBackoff(FIRST_RETRY_MS, LONGEST_RETRY_MS),
): NameSync {
  /** Ids of sensors and assets. */
  const waiting = new Set<string>()
  const stopped = new AbortController()
  let all = true
  let running: Promise<void> | undefined

  async function write(of: string[] | undefined): Promise<void> {
    for (let after = ''; ; ) {
      const rows = await sensorRows(db, after, of)
      await putNames(db, clickhouse, rows)
      if (rows.length < PAGE) return
      after = (rows.at(-1) as (typeof rows)[number]).id
    }
  }

  async function run(): Promise<void> {
    while (all || waiting.size > 0) {
      const everything = all
      const some = [...waiting].slice(0, PAGE)
      all = false
      for (const id of some) waiting.delete(id)
      try {
        await write(everything ? undefined : some)
        backoff.reset()
      } catch (error) {
        onError(error)
        all ||= everything
        for (const id of some) waiting.add(id)
        await backoff.pause(stopped.signal)
        if (stopped.signal.aborted) return
      }
    }
  }

  function start(): void {
    if (stopped.signal.aborted) return
    running ??= Bun.sleep(GATHER_MS)
      .then(run)
      .finally(() => {
        running = undefined
        // for changes after the last check
        if (all || waiting.size > 0) start()
      })
  }

  changes.subscribe((change) => {
    if (change.kind !== 'asset' && (change.kind !== 'sensor' || change.deleted)) return
    waiting.add(change.id)
    start()
  })
  start()
  return {
    async stop() {
      stopped.abort()
      await running
    },
  }
}
