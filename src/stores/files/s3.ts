/** Stored files in a bucket of an S3 service. */
import { rm } from 'node:fs/promises'
import { checkKey, type FileStore } from './client.ts'

/**
 * @param url `http[s]://accessKey:secretKey@host[:port]/bucket[/prefix][?region=…]`
 */
export function openS3Store(url: string): FileStore {
  const { protocol, host, username, password, pathname, searchParams } = new URL(url)
  const [bucket = '', ...rest] = pathname.split('/').filter((part) => part !== '')
  const prefix = rest.length === 0 ? '' : `${rest.join('/')}/`
  const client = new Bun.S3Client({
    endpoint: `${protocol}//${host}`,
    bucket,
    accessKeyId: decodeURIComponent(username),
    secretAccessKey: decodeURIComponent(password),
    region: searchParams.get('region') ?? 'us-east-1',
  })
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
    async remove(key) {
      await client.delete(nameOf(key))
    },
    async ping() {
      // the object need not exist: only a wrong bucket or wrong credentials are an error
      await client.exists(`${prefix}ready`)
    },
  }
}
