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

/** @param url as for `openBucket` */
export function openS3Store(url: string): FileStore {
  const { client, prefix } = openBucket(url)
  const nameOf = (key: string): string => prefix + checkKey(key)
  return {
    // the upload needs the key, which is not known yet
    prepare: () => undefined,
    async put(key, path) {
      await client.write(nameOf(key), Bun.file(path))
      await rm(path, { force: true })
    },
    open: (key) => client.file(nameOf(key)),
    async fetch(key, path) {
      await Bun.write(path, client.file(nameOf(key)))
    },
    async *list() {
      for (let continuationToken: string | undefined; ; ) {
        const page = await client.list({ prefix, ...(continuationToken && { continuationToken }) })
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
      // the object need not exist: only a wrong bucket or wrong credentials are an error
      await client.exists(`${prefix}ready`)
    },
  }
}
