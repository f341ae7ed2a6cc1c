/** An archive in a bucket of an S3 service. Objects are completed in a local file, because their names end with their hash. */
import { mkdir, open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { openBucket, uploadFile } from '../stores/files/s3.ts'
import type { ArchiveStore } from './store.ts'

export async function openS3Archive(url: string, spoolDir: string): Promise<ArchiveStore> {
  const { client, prefix } = openBucket(url)
  const { host, pathname } = new URL(url)
  await rm(spoolDir, { recursive: true, force: true })
  await mkdir(spoolDir, { recursive: true, mode: 0o700 })

  return {
    label: `s3://${host}${pathname}`,
    async list() {
      const found = new Map<string, number>()
      for (let continuationToken: string | undefined; ; ) {
        const page = await client.list({ prefix, ...(continuationToken && { continuationToken }) })
        for (const { key, size } of page.contents ?? []) found.set(key.slice(prefix.length), size ?? 0)
        continuationToken = page.nextContinuationToken
        if (!page.isTruncated || continuationToken === undefined) return found
      }
    },
    async *read(name) {
      yield* client.file(prefix + name).stream() as unknown as AsyncIterable<Uint8Array>
    },
    async readText(name) {
      const file = client.file(prefix + name)
      return (await file.exists()) ? file.text() : undefined
    },
    async create() {
      const path = join(spoolDir, Bun.randomUUIDv7())
      const file = await open(path, 'wx', 0o600)
      return {
        async write(bytes) {
          for (let done = 0; done < bytes.length; ) done += (await file.write(bytes, done)).bytesWritten
        },
        async commit(name) {
          await file.close()
          await uploadFile(client, prefix + name, path)
          await rm(path, { force: true })
        },
        async discard() {
          await file.close()
          await rm(path, { force: true })
        },
      }
    },
    async remove(name) {
      await client.delete(prefix + name)
    },
    sync: async () => undefined,
  }
}
