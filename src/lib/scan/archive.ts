/** Looks through a ZIP entry by entry, whatever is in it, without writing anything. */
import type { Readable } from 'node:stream'
import { Finding } from './finding.ts'

export type Entry = { name: string; content: AsyncIterable<Buffer> }
export type ArchiveLimits = {
  maxUnpackedBytes: number
}

const MAX_ENTRIES = 10_000
/** Deflate cannot do better than about 1,030 to 1; what people keep comes nowhere near this. */
const MAX_RATIO = 500
/** Below this nothing is a bomb. */
const HARMLESS_BYTES = 10 * 2 ** 20

/**
 * @param source a path, or the whole of a small archive
 * @param look is given each file; its content must be read before the next one comes
 * @throws Finding for a bomb, a damaged or an encrypted archive, a name that leads out of it
 */
export async function eachEntry(
  source: string | Buffer,
  { maxUnpackedBytes }: ArchiveLimits,
  look: (entry: Entry) => Promise<void>,
): Promise<void> {
  const { fromBufferPromise, openPromise } = await import('yauzl')
  const options = { validateEntrySizes: true, strictFileNames: false } as const
  let total = 0
  async function* counted(stream: Readable, packed: number): AsyncGenerator<Buffer> {
    let bytes = 0
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      bytes += chunk.length
      total += chunk.length
      if (total > maxUnpackedBytes || (bytes > HARMLESS_BYTES && bytes > packed * MAX_RATIO))
        throw new Finding('infected', 'archive-bomb', `unpacks to more than ${total} bytes`)
      yield chunk
    }
  }
  try {
    const archive =
      typeof source === 'string' ? await openPromise(source, options) : await fromBufferPromise(source, options)
    if (archive.entryCount > MAX_ENTRIES)
      throw new Finding('infected', 'archive-bomb', `holds more than ${MAX_ENTRIES} entries`)
    for await (const entry of archive.eachEntry()) {
      const { fileName: name, compressedSize } = entry
      if (name.endsWith('/')) continue
      if (entry.isEncrypted()) throw new Finding('failed', 'encrypted', 'is an encrypted archive')
      const stream = await archive.openReadStreamPromise(entry)
      await look({ name, content: counted(stream, compressedSize) })
    }
  } catch (error) {
    if (error instanceof Finding) throw error
    throw new Finding('failed', 'unreadable', `is a damaged archive (${(error as Error).message.slice(0, 120)})`)
  }
}
