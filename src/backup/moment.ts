/**
 * The moment of a backup: one state of log, readings, derived tables and metadata, while readings arrive.
 *
 * A reading that was answered is in a segment of the log until ClickHouse has acknowledged its insert and its zone check
 * is stored. So the order is: log, readings, log again, derived tables, metadata.
 *
 * - Nothing is lost. A reading that was answered before the first look at the log is in that copy, or its segment was
 *   deleted earlier, and then the readings, which follow, contain it.
 * - Nothing is doubled. A reading in both is stored once, because (sensor, at) is the key of the table.
 * - Derived rows are complete. A reading in the copy of the readings is in the second copy of the log, and is loaded and
 *   checked again after a restore; or its segment was deleted before, and then its derived rows were stored before the
 *   derived tables are copied, which follow.
 * - Derived rows are not ahead. Rollups take in no reading earlier than 20 s after its insert, and all copies are made
 *   within 15 s. `rollup_hours`, which lists the hours missing in the rollups, is copied before the rollups. The newest
 *   values are not copied, a restore computes them.
 * - Metadata is last, so numbers of sensors and channels that readings have are never given to others.
 * - Deletions of readings run in ClickHouse and are recorded in PostgreSQL. If one was recorded as done meanwhile, the
 *   readings might be from before it: then everything is copied again.
 */
import { readdir, readFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { sql } from 'drizzle-orm'
import { walkSegment } from '../ingest/row.ts'
import { SEGMENT_SUFFIX, segmentIdOf, stampOf } from '../ingest/segments.ts'
import type { Database } from '../stores/postgres/client.ts'
import { rowsOf } from '../stores/postgres/rows.ts'
import {
  dropSnapshots,
  prepareSnapshot,
  type SnapshotTable,
  storedTables,
  takeSnapshot,
} from './clickhouse-snapshot.ts'
import { BackupError } from './errors.ts'
import type { Manifest, NamedObject } from './manifest.ts'
import type { ObjectWriter } from './objects.ts'
import { dumpPostgres, type MetadataDump } from './postgres-dump.ts'
import type { Progress } from './progress.ts'
import type { System } from './system.ts'

/** Shorter than the time after which a reading enters the rollups (stores/clickhouse/maintenance/rollups.ts). */
const LONGEST_MS = 15_000
const ATTEMPTS = 20
const PAUSE_MS = 1_000

export type Moment = {
  createdAt: string
  log: NamedObject[]
  tables: SnapshotTable[]
  metadata: MetadataDump
  migrations: Manifest['migrations']
}

class Disturbed extends Error {}

export async function takeMoment(system: System, writer: ObjectWriter, progress: Progress): Promise<Moment> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await tryMoment(system, writer, progress)
    } catch (error) {
      if (!(error instanceof Disturbed)) throw error
      if (attempt === ATTEMPTS) throw new BackupError(`${error.message} in ${ATTEMPTS} attempts; try again later`)
      progress.say(`${error.message}; trying again`)
      await Bun.sleep(PAUSE_MS)
    }
  }
}

async function tryMoment(
  { clickhouse, postgres, instanceDirs, config }: System,
  writer: ObjectWriter,
  progress: Progress,
): Promise<Moment> {
  await dropSnapshots(clickhouse)
  const names = await storedTables(clickhouse)
  const tables: SnapshotTable[] = []
  for (const name of names) tables.push(await prepareSnapshot(clickhouse, name))
  const deletions = await deletionsOf(postgres.db)
  const log = new Map<string, NamedObject>()
  const createdAt = new Date().toISOString()

  await copyLogs(instanceDirs, config.home, writer, log)
  const startedMs = performance.now()
  await takeSnapshot(clickhouse, 'readings')
  await copyLogs(instanceDirs, config.home, writer, log)
  const first = ['readings', 'rollup_hours']
  for (const name of ['rollup_hours', ...names.filter((name) => !first.includes(name))])
    await takeSnapshot(clickhouse, name)
  if (performance.now() - startedMs > LONGEST_MS)
    throw new Disturbed(`ClickHouse needed more than ${LONGEST_MS / 1000} s to copy its tables`)
  const [metadata, migrations] = await postgres.db.transaction(
    async (tx) => {
      if ((await deletionsOf(tx)) !== deletions) throw new Disturbed('Readings were deleted during the copy')
      return [await dumpPostgres(tx, writer, progress), await migrationsOf(tx)] as const
    },
    { isolationLevel: 'repeatable read' },
  )
  const applied = await clickhouse.rows<{ name: string }>('SELECT DISTINCT name FROM migrations ORDER BY name')
  return {
    createdAt,
    tables,
    metadata,
    log: [...log.values()],
    migrations: { postgres: migrations, clickhouse: applied.map(({ name }) => name) },
  }
}

/** Changes when a deletion of readings begins or ends. */
async function deletionsOf(db: Database): Promise<string> {
  const [row] = rowsOf<{ state: string }>(
    await db.execute(sql`
      SELECT concat((SELECT md5(string_agg(concat(id, status), ' ' ORDER BY id)) FROM reading_deletions), ' ',
        (SELECT md5(string_agg(concat_ws(' ', enterprise_id, kept_days, is_deleting, extensions, deleted_before), ','
          ORDER BY enterprise_id)) FROM retentions)) AS state`),
  )
  return String(row?.state)
}

async function migrationsOf(db: Database): Promise<string[]> {
  const rows = rowsOf<{ name: string }>(await db.execute(sql`SELECT name FROM migrations ORDER BY number`))
  return rows.map(({ name }) => name)
}

/**
 * Copies the complete commits of all segments, including the open one. A segment that has grown since the first look
 * replaces its earlier copy. A segment whose file was reused meanwhile has been loaded and checked, like a deleted one.
 */
async function copyLogs(
  instanceDirs: readonly string[],
  home: string,
  writer: ObjectWriter,
  copied: Map<string, NamedObject>,
): Promise<void> {
  for (const dir of instanceDirs) {
    const folder = join(dir, 'log')
    for (const name of (await namesIn(folder)).filter((name) => name.endsWith(SEGMENT_SUFFIX))) {
      const bytes = await readIfThere(join(folder, name))
      if (bytes === undefined) continue
      const length = walkSegment(bytes, stampOf(segmentIdOf(name))).bytes
      // the file of the next segment has no commits
      if (length === 0) continue
      const path = relative(home, join(folder, name))
      const identity = `log/${name}-${length}`
      if (copied.get(path)?.name.startsWith(`${identity}.`)) continue
      copied.set(path, { ...(await writer.write(identity, onePiece(bytes.subarray(0, length)))), path })
    }
  }
}

export async function* onePiece(bytes: Uint8Array): AsyncIterable<Uint8Array> {
  yield bytes
}

export async function namesIn(dir: string): Promise<string[]> {
  return readdir(dir).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw error
  })
}

export async function readIfThere(path: string): Promise<Buffer | undefined> {
  return readFile(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
}
