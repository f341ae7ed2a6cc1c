/**
 * Brings an archive into an empty system, whose server is stopped.
 *
 * DATA_DIR/restoring.json exists from the first change to the last. While it does, no server starts on the folder, and
 * the same restore may be run again; it begins from the start, except for files that exist already.
 */
import { existsSync } from 'node:fs'
import { mkdir, open, readFile, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { sql } from 'drizzle-orm'
import type { Config } from '../config.ts'
import { walkSegment } from '../ingest/row.ts'
import { SEGMENT_SUFFIX, segmentIdOf, stampOf } from '../ingest/segments.ts'
import { migrateClickHouse } from '../stores/clickhouse/migrate.ts'
import { RESTORE_MARKER } from '../stores/data-dir.ts'
import { moveDurably, writeDurably } from '../stores/durable-files.ts'
import { readMigrations } from '../stores/migrations.ts'
import { portalSecret } from '../stores/postgres/accounts/account-schema.ts'
import type { Database } from '../stores/postgres/client.ts'
import { migratePostgres } from '../stores/postgres/migrate.ts'
import { rowsOf } from '../stores/postgres/rows.ts'
import { openRedis } from '../stores/redis/client.ts'
import { loadClickHouse, occupiedClickHouseTables } from './clickhouse-load.ts'
import { BackupError } from './errors.ts'
import type { Manifest, NamedObject } from './manifest.ts'
import { namesIn } from './moment.ts'
import { loadPostgres, occupiedTables } from './postgres-load.ts'
import type { Progress } from './progress.ts'
import type { ArchiveStore } from './store.ts'
import { SQL, type System } from './system.ts'
import { checkObjects, writeContent } from './verify.ts'

export type RestoreOptions = {
  /** The data folder belongs to the backed-up system, as in a move. */
  isSameHome?: boolean
}
type Marker = { archive: string; stores: string }

/** A server on another machine counts as running if it has reported within this time. */
const REPORTED_S = 20

/** @throws BackupError when the archive is damaged or of a newer version */
export async function requireIntact(store: ArchiveStore, manifest: Manifest, progress: Progress): Promise<void> {
  await requireKnownMigrations(manifest)
  const damages = await checkObjects(store, manifest, progress)
  progress.stop()
  if (damages.length > 0) throw damaged(store, damages)
}

/**
 * @param manifest of an archive that is intact
 * @throws BackupError when the system cannot be used; nothing is changed then
 */
export async function restore(
  system: System,
  store: ArchiveStore,
  manifest: Manifest,
  progress: Progress,
  options: RestoreOptions = {},
): Promise<void> {
  const { home } = system.config
  const marker: Marker = { archive: manifest.id, stores: storesOf(system) }
  const isAgain = await isSameRestore(home, marker)
  if (!isAgain) await requireEmpty(system, options)
  await requireMigrations(system, manifest)
  await writeDurably(join(home, RESTORE_MARKER), JSON.stringify(marker))

  const scratchDir = join(home, 'restore')
  await rm(scratchDir, { recursive: true, force: true })
  await mkdir(scratchDir, { recursive: true, mode: 0o700 })
  await migratePostgres(system.postgres, join(SQL, 'postgres'), new Set(manifest.migrations.postgres))
  await migrateClickHouse(system.clickhouse, join(SQL, 'clickhouse'), new Set(manifest.migrations.clickhouse))
  await loadClickHouse(system.clickhouse, store, manifest.clickhouse.tables, progress, scratchDir)
  await loadFiles(system, store, manifest, progress, scratchDir)
  await loadFolders(system, store, manifest, scratchDir)
  await forgetClaims(system)
  const secret = await secretOf(store, manifest, scratchDir)
  await loadPostgres(system.postgres.db, store, manifest.postgres, progress, (tx) => keepSecret(tx, system, secret))
  await rm(scratchDir, { recursive: true, force: true })
  await rm(join(home, RESTORE_MARKER))
  progress.say(`Restored the backup of ${manifest.createdAt}; start the server now`)
}

function damaged(store: ArchiveStore, damages: readonly { name: string; reason: string }[]): BackupError {
  const lines = damages.slice(0, 10).map(({ name, reason }) => `\n  ${name} ${reason}`)
  const more = damages.length > 10 ? `\n  and ${damages.length - 10} more` : ''
  return new BackupError(`${store.label} is damaged; nothing was restored:${lines.join('')}${more}`)
}

/** @throws BackupError when this version lacks a migration of the archive */
async function requireKnownMigrations({ migrations, version }: Manifest): Promise<void> {
  for (const kind of ['postgres', 'clickhouse'] as const) {
    const known = new Set((await readMigrations(join(SQL, kind))).map(({ name }) => name))
    const missing = migrations[kind].find((name) => !known.has(name))
    if (missing !== undefined)
      throw new BackupError(
        `The archive is of version ${version}, which is newer: this version does not know the migration ${kind}/${missing}. Restore it with that version or a newer one`,
      )
  }
}

/** Refuses newer tables, because the migrations that changed them would not run on the archive's rows. */
async function requireMigrations({ postgres, clickhouse }: System, { migrations }: Manifest): Promise<void> {
  const tables = rowsOf<{ has: boolean }>(
    await postgres.db.execute(sql`SELECT to_regclass('migrations') IS NOT NULL AS has`),
  )
  const inPostgres = tables[0]?.has
    ? rowsOf<{ name: string }>(await postgres.db.execute(sql`SELECT name FROM migrations`))
    : []
  const [made] = await clickhouse.rows<{ has: number }>(
    `SELECT count() AS has FROM system.tables WHERE database = currentDatabase() AND name = 'migrations'`,
  )
  const inClickHouse =
    Number(made?.has) > 0 ? await clickhouse.rows<{ name: string }>('SELECT name FROM migrations') : []
  for (const [kind, found, variable] of [
    ['postgres', inPostgres, 'POSTGRES_URL'],
    ['clickhouse', inClickHouse, 'CLICKHOUSE_URL'],
  ] as const) {
    const newer = found.find(({ name }) => !migrations[kind].includes(name))
    if (newer !== undefined)
      throw new BackupError(
        `The tables of ${kind} are newer than the archive (${newer.name}). Restore into a system on which no server of this version was started: another DATA_DIR, or an empty database in ${variable}. The next start brings it up to date`,
      )
  }
}

const storesOf = ({ config: { home, postgresUrl, clickhouseUrl, s3Url } }: System): string =>
  new Bun.CryptoHasher('sha256').update(JSON.stringify([home, postgresUrl, clickhouseUrl, s3Url])).digest('hex')

/** @throws BackupError when another restore was interrupted here */
async function isSameRestore(home: string, marker: Marker): Promise<boolean> {
  const path = join(home, RESTORE_MARKER)
  if (!existsSync(path)) return false
  const found = JSON.parse(await readFile(path, 'utf8')) as Marker
  if (found.archive === marker.archive && found.stores === marker.stores) return true
  throw new BackupError(
    `Another restore into ${home} was interrupted. Run that one again, or begin with an empty DATA_DIR and empty databases`,
  )
}

async function requireEmpty({ config, postgres, clickhouse, files, instanceDirs }: System, options: RestoreOptions) {
  const full = (what: string): BackupError =>
    new BackupError(`The system is not empty: ${what}. A restore needs an empty one; nothing was changed`)
  const tables = await occupiedTables(postgres.db)
  const [running] =
    tables.includes('migrations') || !(await hasTable(postgres.db, 'server_instances'))
      ? []
      : rowsOf<{ name: string }>(
          await postgres.db.execute(sql`
          SELECT name FROM server_instances
          WHERE stopped_at IS NULL AND reported_at > now() - ${REPORTED_S} * interval '1 second'`),
        )
  if (tables.length > 0) throw full(`PostgreSQL has rows in ${tables.slice(0, 5).join(', ')}`)
  if (running !== undefined && config.postgresUrl !== undefined)
    throw new BackupError(`A server (${running.name}) uses POSTGRES_URL; stop it first`)
  const readings = await occupiedClickHouseTables(clickhouse)
  if (readings.length > 0) throw full(`ClickHouse has rows in ${readings.join(', ')}`)
  if (options.isSameHome === true) return
  for (const dir of instanceDirs) if (await hasRows(join(dir, 'log'))) throw full(`${dir}/log contains readings`)
  for await (const key of files.list()) throw full(`the file store contains ${key}`)
}

/** Whether a log has segments other than the one without commits that is prepared for the next readings. */
async function hasRows(logDir: string): Promise<boolean> {
  for (const name of (await namesIn(logDir)).filter((name) => name.endsWith(SEGMENT_SUFFIX)))
    if (walkSegment(await readFile(join(logDir, name)), stampOf(segmentIdOf(name))).rows > 0) return true
  return false
}

async function hasTable(db: Database, name: string): Promise<boolean> {
  const [row] = rowsOf<{ has: boolean }>(await db.execute(sql`SELECT to_regclass(${name}::text) IS NOT NULL AS has`))
  return row?.has === true
}

async function loadFiles(
  { files }: System,
  store: ArchiveStore,
  manifest: Manifest,
  progress: Progress,
  scratchDir: string,
): Promise<void> {
  progress.stage('Files', manifest.files.length)
  for (const object of manifest.files) {
    const { key, bytes } = object
    const there = files.open(key)
    // stored files never change
    if (!(await there.exists()) || (await there.stat()).size !== bytes) {
      const path = join(scratchDir, key)
      const file = await open(path, 'w', 0o600)
      try {
        for await (const piece of store.read(object.name))
          for (let done = 0; done < piece.length; ) done += (await file.write(piece, done)).bytesWritten
      } finally {
        await file.close()
      }
      await files.put(key, path)
    }
    progress.bytes(bytes)
    progress.done()
  }
}

/** The folder for the segments of an archive. */
export const logDirOf = ({ home, instances }: Config): string => join(home, instances > 1 ? 'instance-1/log' : 'log')

/**
 * The log and the small files of DATA_DIR. The next start of a server loads the segments, wherever they were written;
 * with several instances the first one does.
 */
async function loadFolders(system: System, store: ArchiveStore, manifest: Manifest, scratchDir: string): Promise<void> {
  const { home } = system.config
  const to = dirname(logDirOf(system.config))
  for (const object of manifest.log) await put(store, object, join(to, 'log', basename(object.path)), scratchDir)
  const counts = manifest.system.filter(({ path }) => path.endsWith('day-counts.json'))
  for (const object of manifest.system) {
    const { path } = object
    if (!path.includes('/')) await put(store, object, join(home, path), scratchDir)
    // counts of several instances are in Redis; each begins with its own. Archives of earlier releases have other files too
    else if (counts.length === 1 && object === counts[0])
      await put(store, object, join(to, 'log/day-counts.json'), scratchDir)
  }
}

async function put(store: ArchiveStore, object: NamedObject, path: string, scratchDir: string): Promise<void> {
  const draft = join(scratchDir, 'draft')
  await writeContent(store, object, draft)
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  await moveDurably(draft, path)
}

/** Clears Redis, whose claims of readings belong to another system. */
async function forgetClaims({ config: { redisUrl } }: System): Promise<void> {
  if (redisUrl === undefined) return
  const { servers, close } = await openRedis(redisUrl, () => undefined)
  try {
    for (const redis of servers())
      for (let cursor = '0'; ; ) {
        const [next, keys] = await redis.scan(cursor, 'MATCH', 'gw:*', 'COUNT', 1_000)
        // one by one, because keys of a cluster are in different slots
        await Promise.all(keys.map((key) => redis.unlink(key)))
        cursor = next
        if (cursor === '0') break
      }
  } finally {
    await close()
  }
}

/** The secret of cookies is in a file with the embedded PostgreSQL, and in a table with a server. */
async function secretOf(store: ArchiveStore, manifest: Manifest, scratchDir: string): Promise<string | undefined> {
  const object = manifest.system.find(({ path }) => path === 'portal.secret')
  if (object === undefined) return undefined
  const path = join(scratchDir, 'secret')
  await writeContent(store, object, path)
  const secret = (await readFile(path, 'utf8')).trim()
  await rm(path)
  return secret
}

async function keepSecret(tx: Database, { config }: System, fromFile: string | undefined): Promise<void> {
  const [row] = await tx.select().from(portalSecret)
  const secret = fromFile ?? row?.secret
  if (secret === undefined) return
  const file = join(config.home, 'portal.secret')
  if (config.postgresUrl === undefined) {
    await writeDurably(file, `${secret}\n`)
    await tx.delete(portalSecret)
    return
  }
  await tx.delete(portalSecret)
  await tx.insert(portalSecret).values({ secret })
  await rm(file, { force: true })
}
