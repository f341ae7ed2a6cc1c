/** Writes a system into an archive, whether its server runs or not. */
import { join, relative } from 'node:path'
import packageJson from '../../package.json'
import { dumpClickHouse } from './clickhouse-dump.ts'
import { dropSnapshots } from './clickhouse-snapshot.ts'
import { BackupError } from './errors.ts'
import {
  type FileObject,
  FORMAT,
  findManifest,
  type Manifest,
  type NamedObject,
  objectsOf,
  writeManifest,
} from './manifest.ts'
import { onePiece, readIfThere, takeMoment } from './moment.ts'
import { createObjectWriter, type ObjectWriter } from './objects.ts'
import { megabytes, type Progress } from './progress.ts'
import type { ArchiveStore } from './store.ts'
import type { System } from './system.ts'

/** Files of DATA_DIR, besides stores and log. */
const SYSTEM_FILES = ['operator.token', 'portal.secret', 'first-operator.link']
/** Small files wait for the disk, large ones for the processor. */
const FILES_AT_ONCE = 4

/** @throws BackupError */
export async function backUp(system: System, store: ArchiveStore, progress: Progress): Promise<Manifest> {
  const before = await findManifest(store).catch((error: unknown) => {
    // a damaged manifest is replaced; a manifest of a newer version must not be replaced
    if (error instanceof BackupError && /damaged/.test(error.message)) return undefined
    throw error
  })
  const writer = await createObjectWriter(store, progress.bytes)
  const files = new Map<string, FileObject>()
  try {
    // a file that is deleted during the backup may still be named by the metadata
    await copyFiles(system, writer, progress, files)
    const moment = await takeMoment(system, writer, progress)
    const systemFiles = await copySystemFiles(system, writer)
    const { fileKeys, ...postgres } = moment.metadata
    const tables = await dumpClickHouse(system.clickhouse, moment.tables, writer, progress)
    await copyFiles(system, writer, progress, files)
    const manifest: Manifest = {
      format: FORMAT,
      id: Bun.randomUUIDv7(),
      createdAt: moment.createdAt,
      version: packageJson.version,
      migrations: moment.migrations,
      postgres,
      clickhouse: { tables },
      log: moment.log,
      system: systemFiles,
      // omits files made after the moment, whose keys are in no row
      files: [...files.values()].filter(({ key }) => fileKeys.has(key)),
    }
    await store.sync()
    await writeManifest(store, manifest)
    await store.sync()
    const objects = objectsOf(manifest)
    const removed = await writer.keepOnly(objects)
    const bytes = objects.reduce((sum, object) => sum + object.bytes, 0)
    progress.say(
      `${before === undefined ? 'Backup' : 'Backup, following the one of '.concat(before.createdAt)}: ${objects.length} objects, ${megabytes(bytes)}${removed > 0 ? `; ${removed} old objects removed` : ''}`,
    )
    return manifest
  } finally {
    progress.stop()
    await dropSnapshots(system.clickhouse)
  }
}

/** Counts of the day, tokens and secrets. */
async function copySystemFiles(
  { config: { home }, instanceDirs }: System,
  writer: ObjectWriter,
): Promise<NamedObject[]> {
  const paths = SYSTEM_FILES.map((name) => join(home, name))
  for (const dir of instanceDirs) paths.push(join(dir, 'log/day-counts.json'))
  const copied: NamedObject[] = []
  for (const file of paths) {
    const bytes = await readIfThere(file)
    if (bytes === undefined) continue
    const path = relative(home, file)
    copied.push({ ...(await writer.write(`system/${path}`, onePiece(bytes))), path })
  }
  return copied
}

async function copyFiles(
  { files }: System,
  writer: ObjectWriter,
  progress: Progress,
  copied: Map<string, FileObject>,
): Promise<void> {
  const waiting: string[] = []
  for await (const key of files.list()) if (!copied.has(key)) waiting.push(key)
  progress.stage('Files', waiting.length)
  async function work(): Promise<void> {
    for (let key = waiting.shift(); key !== undefined; key = waiting.shift()) {
      const identity = `files/${key}`
      try {
        const object =
          (await writer.reuse(identity)) ??
          (await writer.write(identity, files.open(key).stream() as unknown as AsyncIterable<Uint8Array>, false))
        copied.set(key, { ...object, key })
      } catch (error) {
        // deleted since it was listed
        if (await files.open(key).exists()) throw error
      }
      progress.done()
    }
  }
  await Promise.all(Array.from({ length: FILES_AT_ONCE }, work))
}
