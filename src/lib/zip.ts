/** ZIP archives: unpacks untrusted uploads within limits, and packs results. */
import { createWriteStream } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { basename, extname, join } from 'node:path'
import { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { fieldText } from '../field-texts/field-text.ts'
import { InputError, reasonOf } from './input-error.ts'

const MAX_ENTRIES = 1_000

/** `name` is the path in the archive. */
export type ZipEntry = { name: string; path: string }

/**
 * Unpacks the files with a wanted extension into `dir`, without folders, under unique names. Declared sizes are checked
 * before unpacking and enforced while unpacking.
 * @throws InputError for too many entries, more bytes than `maxBytes`, an encrypted or damaged archive
 */
export async function unpack(
  path: string,
  dir: string,
  wanted: (extension: string) => boolean,
  maxBytes: number,
): Promise<ZipEntry[]> {
  const { openPromise } = await import('yauzl')
  await mkdir(dir, { recursive: true })
  const entries: ZipEntry[] = []
  let total = 0
  try {
    const archive = await openPromise(path, { validateEntrySizes: true, strictFileNames: false })
    if (archive.entryCount > MAX_ENTRIES)
      throw new InputError('zipEntries', fieldText('entriesAtMost', { most: MAX_ENTRIES }))
    for await (const entry of archive.eachEntry()) {
      const { fileName } = entry
      if (fileName.endsWith('/') || fileName.startsWith('__MACOSX/') || basename(fileName).startsWith('.')) continue
      if (!wanted(extname(fileName).toLowerCase())) continue
      total += entry.uncompressedSize
      if (total > maxBytes) throw new InputError('unpackedBytes', fieldText('unpacksToAtMost', { most: maxBytes }))
      if (entry.isEncrypted()) throw new InputError('encrypted', fieldText('encryptedZip'))
      // files in different folders may have the same name
      const to = join(dir, `${entries.length}-${nameOnDisk(basename(fileName))}`)
      let written = 0
      const limit = new Transform({
        transform(chunk: Buffer, _encoding, done) {
          written += chunk.length
          done(
            written > maxBytes
              ? new InputError('unpackedBytes', fieldText('unpacksToAtMost', { most: maxBytes }))
              : null,
            chunk,
          )
        },
      })
      const content = await archive.openReadStreamPromise(entry)
      // a damaged entry may fail twice; pipeline handles the first error, and an unhandled second one ends the process
      content.on('error', () => undefined)
      await pipeline(content, limit, createWriteStream(to))
      entries.push({ name: fileName, path: to })
    }
  } catch (error) {
    if (error instanceof InputError) throw error
    throw new InputError('zip', fieldText('zipUnread', { reason: reasonOf(error) }), error)
  }
  return entries
}

/** Long names in several scripts still fit into the 255 bytes of a file system. */
const MAX_STEM_LENGTH = 50

function nameOnDisk(name: string): string {
  const extension = extname(name)
  const stem = name.slice(0, name.length - extension.length)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: names in an archive may contain any character
  return stem.slice(0, MAX_STEM_LENGTH).replace(/[\0-\x1f\x7f\\]|\p{Surrogate}/gu, '_') + extension
}

/** Packs files into a new archive. */
export async function pack(entries: readonly ZipEntry[], to: string): Promise<void> {
  const { ZipFile } = await import('yazl')
  const archive = new ZipFile()
  // a low compression level, because shapefiles and GML are large and the caller waits
  for (const { name, path } of entries) archive.addFile(path, name, { compressionLevel: 1 })
  archive.end()
  await pipeline(archive.outputStream, createWriteStream(to))
}
