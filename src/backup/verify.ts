/** Reads a whole archive: checksums, and whether everything in it can be read. */
import { mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import { Session } from 'chdb'
import { walkSegment } from '../ingest/row.ts'
import { segmentIdOf, stampOf } from '../ingest/segments.ts'
import {
  type ArchiveObject,
  type ClickHouseTable,
  type Manifest,
  type NamedObject,
  objectsOf,
  type RowsObject,
} from './manifest.ts'
import { contentOf, damageOf } from './objects.ts'
import type { Progress } from './progress.ts'
import type { ArchiveStore } from './store.ts'

export type Damage = { name: string; reason: string }

/** Compares every object with its size and checksum. */
export async function checkObjects(store: ArchiveStore, manifest: Manifest, progress: Progress): Promise<Damage[]> {
  const objects = objectsOf(manifest)
  progress.stage('Checksums', objects.length)
  const damages: Damage[] = []
  for (const object of objects) {
    const reason = await damageOf(store, object, progress.bytes)
    if (reason !== undefined) damages.push({ name: object.name, reason })
    progress.done()
  }
  return damages
}

/** Also decodes every object; the rows of readings with ClickHouse itself. */
export async function verifyArchive(store: ArchiveStore, manifest: Manifest, progress: Progress): Promise<Damage[]> {
  const damages = await checkObjects(store, manifest, progress)
  const damaged = new Set(damages.map(({ name }) => name))
  const dir = await mkdtemp(join(tmpdir(), 'groundwave-verify-'))
  const session = new Session(join(dir, 'clickhouse'))
  const note = async (object: ArchiveObject, read: () => Promise<string | undefined>): Promise<void> => {
    if (!damaged.has(object.name)) {
      const reason = await read().catch((error: unknown) => `cannot be read: ${(error as Error).message}`)
      if (reason !== undefined) damages.push({ name: object.name, reason })
    }
    progress.done()
  }
  try {
    const tables = [...manifest.postgres.tables, ...manifest.clickhouse.tables]
    progress.stage('Content', tables.reduce((sum, { objects }) => sum + objects.length, 0) + manifest.log.length)
    for (const { objects } of manifest.postgres.tables)
      for (const object of objects) await note(object, () => readLines(store, object))
    for (const table of manifest.clickhouse.tables)
      for (const object of table.objects)
        await note(object, () => readRows(store, table, object, session, join(dir, 'rows')))
    for (const object of manifest.log) await note(object, () => readSegment(store, object))
  } finally {
    session.close()
    await rm(dir, { recursive: true, force: true })
    progress.stop()
  }
  return damages
}

const wrongCount = (found: number, expected: number): string | undefined =>
  found === expected ? undefined : `contains ${found} rows instead of ${expected}`

async function readLines(store: ArchiveStore, object: RowsObject): Promise<string | undefined> {
  let rows = 0
  for await (const line of createInterface({ input: Readable.from(contentOf(store, object)) })) {
    JSON.parse(line)
    rows++
  }
  return wrongCount(rows, object.rows)
}

async function readRows(
  store: ArchiveStore,
  { structure }: ClickHouseTable,
  object: RowsObject,
  session: Session,
  path: string,
): Promise<string | undefined> {
  await writeContent(store, object, path)
  // reads every column: for rows of a fixed size, the count alone would be computed from the file size
  const sql = `SELECT count(), sum(cityHash64(*)) FROM file('${path}', 'RowBinary', '${structure.replaceAll("'", "\\'")}')`
  const [count] = new TextDecoder().decode((await session.queryAsync(sql, { format: 'TSV' })).bytes()).split('\t')
  return wrongCount(Number(count), object.rows)
}

async function readSegment(store: ArchiveStore, object: NamedObject): Promise<string | undefined> {
  const pieces: Uint8Array[] = []
  for await (const piece of contentOf(store, object)) pieces.push(piece)
  const stamp = stampOf(segmentIdOf(basename(object.path)))
  const bytes = Buffer.concat(pieces)
  // in archives of earlier releases an incomplete commit at the end is normal: the segment was being written
  if (walkSegment(bytes, stamp).bytes === bytes.length || stamp === 0n) return undefined
  return 'does not consist of complete commits'
}

/** Writes the content of a compressed object to a file. */
export async function writeContent(store: ArchiveStore, object: ArchiveObject, path: string): Promise<void> {
  const file = await open(path, 'w', 0o600)
  try {
    for await (const piece of contentOf(store, object))
      for (let done = 0; done < piece.length; ) done += (await file.write(piece, done)).bytesWritten
    await file.datasync()
  } finally {
    await file.close()
  }
}
