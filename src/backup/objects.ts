/** Writes and reads the objects of an archive. */
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { constants, createZstdCompress, createZstdDecompress } from 'node:zlib'
import type { ArchiveObject } from './manifest.ts'
import type { ArchiveStore } from './store.ts'

/** At level 3 and more the processor, not the disk, would set the pace of a backup. */
const LEVEL = 1
const NAME = /^(.+)\.([0-9a-f]{64})(\.zst)?$/

export type ObjectWriter = {
  /**
   * The object with this identity from an earlier or interrupted backup, if its content still has its checksum. A
   * damaged object is deleted.
   */
  reuse(identity: string): Promise<ArchiveObject | undefined>
  /** Writes an object. An object with the same content is not written again. */
  write(identity: string, source: AsyncIterable<Uint8Array>, isCompressed?: boolean): Promise<ArchiveObject>
  /** Deletes all objects except these. */
  keepOnly(objects: readonly ArchiveObject[]): Promise<number>
}

/** @param onBytes called with the number of bytes written, or read because the object existed */
export async function createObjectWriter(store: ArchiveStore, onBytes: (bytes: number) => void): Promise<ObjectWriter> {
  const known = new Map<string, ArchiveObject>()
  for (const [name, bytes] of await store.list()) {
    const [, identity, sha256] = NAME.exec(name) ?? []
    if (identity !== undefined && sha256 !== undefined) known.set(identity, { name, bytes, sha256 })
  }

  return {
    async reuse(identity) {
      const object = known.get(identity)
      if (object === undefined) return undefined
      if ((await damageOf(store, object)) === undefined) {
        onBytes(object.bytes)
        return object
      }
      await store.remove(object.name)
      known.delete(identity)
      return undefined
    },

    async write(identity, source, isCompressed = true) {
      const draft = await store.create()
      try {
        const hash = new Bun.CryptoHasher('sha256')
        let bytes = 0
        for await (const piece of isCompressed ? compressed(source) : source) {
          hash.update(piece)
          bytes += piece.length
          await draft.write(piece)
          onBytes(piece.length)
        }
        const sha256 = hash.digest('hex')
        const name = `${identity}.${sha256}${isCompressed ? '.zst' : ''}`
        await draft.commit(name)
        const object = { name, bytes, sha256 }
        known.set(identity, object)
        return object
      } catch (error) {
        await draft.discard().catch(() => undefined)
        throw error
      }
    },

    async keepOnly(objects) {
      const needed = new Set(objects.map(({ name }) => name))
      let removed = 0
      for (const name of (await store.list()).keys()) {
        if (needed.has(name) || !NAME.test(name)) continue
        await store.remove(name)
        removed++
      }
      return removed
    },
  }
}

async function* compressed(source: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  const params = { [constants.ZSTD_c_compressionLevel]: LEVEL, [constants.ZSTD_c_checksumFlag]: 1 }
  yield* through(source, createZstdCompress({ params }))
}

/** The content of a compressed object. */
export async function* contentOf(store: ArchiveStore, { name }: ArchiveObject): AsyncIterable<Uint8Array> {
  yield* through(store.read(name), createZstdDecompress())
}

async function* through(
  source: AsyncIterable<Uint8Array>,
  transform: ReturnType<typeof createZstdCompress>,
): AsyncIterable<Uint8Array> {
  const piping = pipeline(Readable.from(source, { objectMode: true, highWaterMark: 1 }), transform)
  // the error is thrown by the loop, or by waiting for the end
  piping.catch(() => undefined)
  for await (const piece of transform) yield piece as Uint8Array
  await piping
}

/** Why an object cannot be used; undefined if it is intact. */
export async function damageOf(
  store: ArchiveStore,
  { name, bytes, sha256 }: ArchiveObject,
  onBytes: (bytes: number) => void = () => undefined,
): Promise<string | undefined> {
  const hash = new Bun.CryptoHasher('sha256')
  let read = 0
  try {
    for await (const piece of store.read(name)) {
      hash.update(piece)
      read += piece.length
      onBytes(piece.length)
    }
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    return code === 'ENOENT' || code === 'NoSuchKey' ? 'is missing' : `cannot be read: ${message}`
  }
  if (read !== bytes) return `has ${read} bytes instead of ${bytes}`
  return hash.digest('hex') === sha256 ? undefined : 'has a wrong checksum'
}
