/** Reads a ZIP of any entries one by one, without writing to disk. */
import type { Readable } from 'node:stream'
import { reasonOf } from '../input-error.ts'
import { Finding } from './finding.ts'

export type Entry = { name: string; content: AsyncIterable<Buffer> }
export type ArchiveLimits = {
  maxUnpackedBytes: number
}

const MAX_ENTRIES = 10_000
/** Maximum compression ratio of an entry. Deflate reaches about 1,030 to 1; real files stay far below 500. */
const MAX_RATIO = 500
/** Smaller entries are never treated as a bomb. */
const BOMB_MIN_BYTES = 10 * 2 ** 20

/**
 * @param source a path, or the bytes of a small archive
 * @param inspect is called with each file, and must read its content before it returns
 * @throws Finding for a bomb, or a damaged or encrypted archive
 */
export async function eachEntry(
  source: string | Buffer,
  { maxUnpackedBytes }: ArchiveLimits,
  inspect: (entry: Entry) => Promise<void>,
): Promise<void> {
  const { fromBufferPromise, openPromise } = await import('yauzl')
  const options = { validateEntrySizes: true, strictFileNames: false } as const
  let total = 0
  async function* limitSize(stream: Readable, packed: number): AsyncGenerator<Buffer> {
    let bytes = 0
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      bytes += chunk.length
      total += chunk.length
      if (total > maxUnpackedBytes || (bytes > BOMB_MIN_BYTES && bytes > packed * MAX_RATIO))
        throw new Finding('infected', 'archive-bomb', `unpacks to more than ${total} bytes`)
      yield chunk
    }
  }
  try {
    const archive =
      typeof source === 'string' ? await openPromise(source, options) : await fromBufferPromise(source, options)
    if (archive.entryCount > MAX_ENTRIES)
      throw new Finding('infected', 'archive-bomb', `contains more than ${MAX_ENTRIES} entries`)
    for await (const entry of archive.eachEntry()) {
      const { fileName: name, compressedSize } = entry
      if (name.endsWith('/')) continue
      if (entry.isEncrypted()) throw new Finding('failed', 'encrypted', 'is an encrypted archive')
      const stream = await archive.openReadStreamPromise(entry)
      // a damaged entry may fail twice; its reader handles the first error, and an unhandled second one ends the process
      stream.on('error', () => undefined)
      await inspect({ name, content: limitSize(stream, compressedSize) })
    }
  } catch (error) {
    if (error instanceof Finding) throw error
    throw new Finding('failed', 'unreadable', `is a damaged archive (${reasonOf(error)})`)
  }
}
