/**
 * The contents of an archive. The manifest is written last and replaced as a whole, so an archive without one is an
 * interrupted first backup, and an interrupted later backup leaves the previous one as it was.
 *
 * Names of objects end with the SHA-256 of their bytes. So an object is never overwritten with other content, and a
 * list of names is enough to resume.
 */
import { BackupError } from './errors.ts'
import type { ArchiveStore } from './store.ts'

export const FORMAT = 1
const NAME = 'manifest.json'

export type ArchiveObject = {
  name: string
  /** Size of the stored, mostly compressed, bytes; `sha256` covers the same bytes. */
  bytes: number
  sha256: string
}
/** Compressed with Zstandard: `rows` lines of JSON, or rows in RowBinary. */
export type RowsObject = ArchiveObject & { rows: number }
export type PostgresTable = { name: string; columns: string[]; objects: RowsObject[] }
export type ClickHouseTable = { name: string; columns: string[]; structure: string; objects: RowsObject[] }
export type NamedObject = ArchiveObject & { path: string }
export type FileObject = ArchiveObject & { key: string }

export type Manifest = {
  format: number
  id: string
  /** All readings that were answered before this time are in the archive. */
  createdAt: string
  /** Version of the program that wrote the archive. */
  version: string
  /** Names of the applied migration files. */
  migrations: { postgres: string[]; clickhouse: string[] }
  postgres: { tables: PostgresTable[]; sequences: { name: string; last: string }[] }
  clickhouse: { tables: ClickHouseTable[] }
  /** Segments of the log that ClickHouse may not contain yet. */
  log: NamedObject[]
  /** Counts of the day, tokens and secrets; paths in DATA_DIR. */
  system: NamedObject[]
  files: FileObject[]
}

export function objectsOf(manifest: Manifest): ArchiveObject[] {
  const tables = [...manifest.postgres.tables, ...manifest.clickhouse.tables]
  return [...tables.flatMap(({ objects }) => objects), ...manifest.log, ...manifest.system, ...manifest.files]
}

/** The manifest with the SHA-256 of its text, so that a damaged one is recognized. */
type Sealed = { sha256: string; manifest: Manifest }

const digest = (text: string): string => new Bun.CryptoHasher('sha256').update(text).digest('hex')

export async function writeManifest(store: ArchiveStore, manifest: Manifest): Promise<void> {
  const sealed: Sealed = { sha256: digest(JSON.stringify(manifest)), manifest }
  const draft = await store.create()
  await draft.write(Buffer.from(JSON.stringify(sealed)))
  await draft.commit(NAME)
}

/** @throws BackupError when the manifest is damaged or of a newer format; undefined when there is none */
export async function findManifest(store: ArchiveStore): Promise<Manifest | undefined> {
  const text = await store.readText(NAME)
  if (text === undefined) return undefined
  let sealed: Sealed
  try {
    sealed = JSON.parse(text) as Sealed
  } catch (cause) {
    throw new BackupError(`${store.label}: ${NAME} is damaged; it is not valid JSON`, { cause })
  }
  const { manifest } = sealed
  if (typeof manifest !== 'object' || manifest === null || digest(JSON.stringify(manifest)) !== sealed.sha256)
    throw new BackupError(`${store.label}: ${NAME} is damaged; its checksum is wrong`)
  if (manifest.format > FORMAT)
    throw new BackupError(
      `${store.label} has archive format ${manifest.format}, written by version ${manifest.version}; this version reads up to format ${FORMAT}. Use the newer version`,
    )
  return manifest
}

/** @throws BackupError when there is no complete archive */
export async function readManifest(store: ArchiveStore): Promise<Manifest> {
  const manifest = await findManifest(store)
  if (manifest !== undefined) return manifest
  const isEmpty = (await store.list()).size === 0
  throw new BackupError(
    isEmpty
      ? `${store.label} contains no archive`
      : `${store.label} is incomplete: it has no ${NAME}, so its backup was interrupted. Run the backup again`,
  )
}
