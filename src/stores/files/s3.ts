/** Stored files in a bucket of an S3 service. */
import { rm } from 'node:fs/promises'
import { checkKey, type FileStore, isStorageKey } from './client.ts'

/** @param url `http[s]://accessKey:secretKey@host[:port]/bucket[/prefix][?region=…]` */
export function openBucket(url: string): { client: Bun.S3Client; prefix: string } {
  const { protocol, host, username, password, pathname, searchParams } = new URL(url)
  const [bucket = '', ...rest] = pathname.split('/').filter((part) => part !== '')
  const client = new Bun.S3Client({
    endpoint: `${protocol}//${host}`,
    bucket,
    accessKeyId: decodeURIComponent(username),
    secretAccessKey: decodeURIComponent(password),
    region: searchParams.get('region') ?? 'us-east-1',
  })
  return { client, prefix: rest.length === 0 ? '' : `${rest.join('/')}/` }
}

const MIB = 2 ** 20
/** Maximum number of parts of an object in S3. */
const MAX_PARTS = 10_000

/** The part size of an object: the smallest that S3 accepts, unless that makes too many parts. */
export const partBytes = (bytes: number, maxParts = MAX_PARTS): number =>
  Math.max(5 * MIB, Math.ceil(bytes / maxParts / MIB) * MIB)

/** Uploads a file in parts, so that neither memory nor S3's limit of one request bounds its size. */
export async function uploadFile(client: Bun.S3Client, name: string, path: string, maxParts?: number): Promise<void> {
  const file = Bun.file(path)
  await client.write(name, file, { partSize: partBytes(file.size, maxParts) })
}

/** @param url as for `openBucket` */
export function openS3Store(url: string): FileStore {
  const { client, prefix } = openBucket(url)
  const nameOf = (key: string): string => prefix + checkKey(key)
  return {
    // the upload needs the key, which is not known yet
    prepare: () => undefined,
    async put(key, path) {
      await uploadFile(client, nameOf(key), path)
      await rm(path, { force: true })
    },
    open: (key) => client.file(nameOf(key)),
    // the local file was deleted
    uncache: () => undefined,
    async fetch(key, path) {
      await Bun.write(path, client.file(nameOf(key)))
    },
    async *list(after) {
      const startAfter = after === undefined ? undefined : nameOf(after)
      for (let continuationToken: string | undefined; ; ) {
        const page = await client.list({
          prefix,
          ...(startAfter && { startAfter }),
          ...(continuationToken && { continuationToken }),
        })
        for (const { key } of page.contents ?? []) {
          const name = key.slice(prefix.length)
          if (isStorageKey(name)) yield name
        }
        continuationToken = page.nextContinuationToken
        if (!page.isTruncated || continuationToken === undefined) return
      }
    },
    async remove(key) {
      await client.delete(nameOf(key))
    },
    async ping() {
      // the object need not exist, but the bucket must; `exists` does not distinguish the two
      try {
        await client.file(`${prefix}ready`).bytes()
      } catch (error) {
        if ((error as { code?: unknown }).code !== 'NoSuchKey') throw error
      }
    },
  }
}
