/** Entries of archives as other programs read them, and large objects in a bucket. */
import { afterAll, expect, test } from 'bun:test'
import { randomBytes } from 'node:crypto'
import { closeSync, ftruncateSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { writeArchive } from '../../../src/archives/archive.ts'
import { openS3Archive } from '../../../src/backup/store-s3.ts'
import type { ClickHouse } from '../../../src/stores/clickhouse/client.ts'
import { openBucket, openS3Store, partBytes, uploadFile } from '../../../src/stores/files/s3.ts'
import { attachEmbeddedPostgres } from '../../../src/stores/postgres/client.ts'
import { keyOf, letters, MIB, personWith, storeOf } from '../../support/formats/large-archives.ts'
import { python } from '../../support/python.ts'
import { sharedInstance } from '../../support/server/shared-instance.ts'
import { startBucket } from '../../support/stores/bucket.ts'

const GIB = 2 ** 30
const home = mkdtempSync(join(tmpdir(), 'groundwave-zip64-'))
const instance = await sharedInstance()
const postgres = attachEmbeddedPostgres(join(instance.dir, 'run/postgres'))
const bucket = await startBucket(join(home, 'bucket'))
afterAll(async () => {
  bucket?.kill()
  await postgres?.close()
  rmSync(home, { recursive: true, force: true })
})

/** People have no sensors, so readings are never loaded. */
const noReadings = {} as ClickHouse
const never = new AbortController().signal

test('a file of a compressed format is stored unchanged, others are compressed', async () => {
  const files = [
    { filename: 'picture.png', bytes: 50_000 },
    { filename: 'text.txt', bytes: 50_000 },
  ]
  const owner = await personWith(instance, postgres, files)
  const path = join(home, 'formats.zip')
  const store = storeOf(() => letters(50_000, 'x'))
  await writeArchive({ db: postgres.db, clickhouse: noReadings, files: store }, owner, path, () => undefined, never)
  const program = `import json, sys, zipfile
with zipfile.ZipFile(sys.argv[1]) as archive:
    assert archive.testzip() is None
    infos = [i for i in archive.infolist() if i.filename.startswith('files/stored/')]
    print(json.dumps([[i.filename.split('/')[-1], i.compress_type, i.compress_size == i.file_size] for i in infos]))`
  const [STORED, DEFLATED] = [0, 8]
  expect(JSON.parse(await python(program, path))).toEqual([
    ['picture.png', STORED, true],
    ['text.txt', DEFLATED, false],
  ])
})

test('a large archive reaches the bucket in parts and is read from there, without being held in memory', async () => {
  const bytes = 400 * MIB
  const path = join(home, 'upload.zip')
  const file = openSync(path, 'w')
  ftruncateSync(file, bytes)
  closeSync(file)
  const store = openS3Store(bucket.url)
  let peak = 0
  const watch = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage.rss())
  }, 20)
  Bun.gc(true)
  const before = process.memoryUsage.rss()
  await store.put(keyOf(1), path)
  expect(await store.open(keyOf(1)).exists()).toBe(true)
  let read = 0
  for await (const piece of store.open(keyOf(1)).stream() as unknown as AsyncIterable<Uint8Array>) read += piece.length
  clearInterval(watch)
  expect(read).toBe(bytes)
  expect(peak - before).toBeLessThan(250 * MIB)
  await store.remove(keyOf(1))
}, 300_000)

/** Forwards requests to the bucket, and records the size of each part of an upload. */
function startPartCounter(): { url: string; parts: number[]; stop(): Promise<void> } {
  const parts: number[] = []
  const { host } = new URL(bucket.url)
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    maxRequestBodySize: GIB,
    async fetch(request) {
      const url = new URL(request.url)
      const body = await request.arrayBuffer()
      if (url.searchParams.has('partNumber')) parts.push(body.byteLength)
      const passed = { method: request.method, headers: request.headers, ...(body.byteLength > 0 && { body }) }
      return fetch(`http://${host}${url.pathname}${url.search}`, passed)
    },
  })
  return { url: bucket.url.replace(host, `127.0.0.1:${server.port}`), parts, stop: () => server.stop(true) }
}

test('an object with more parts than S3 accepts gets larger parts, and reaches the bucket unchanged', async () => {
  const path = join(home, 'parts')
  const bytes = 64 * MIB + 7
  writeFileSync(path, randomBytes(bytes))
  const counter = startPartCounter()
  const { client, prefix } = openBucket(counter.url)
  const hashOf = (content: ArrayBuffer): string => new Bun.CryptoHasher('sha256').update(content).digest('hex')
  const expected = hashOf(await Bun.file(path).arrayBuffer())
  // 13 parts of 5 MiB, or 8 of 9 MiB, where a bucket accepted 8
  for (const { maxParts, expectedParts } of [
    { maxParts: undefined, expectedParts: [...Array<number>(12).fill(5 * MIB), 4 * MIB + 7] },
    { maxParts: 8, expectedParts: [...Array<number>(7).fill(9 * MIB), MIB + 7] },
  ]) {
    counter.parts.length = 0
    await uploadFile(client, `${prefix}parts`, path, maxParts)
    expect(counter.parts.toSorted((a, b) => b - a)).toEqual(expectedParts)
    expect(hashOf(await client.file(`${prefix}parts`).arrayBuffer())).toBe(expected)
  }
  // the archive of a backup is written in the same way
  counter.parts.length = 0
  const archive = await openS3Archive(counter.url, join(home, 'spool'))
  const draft = await archive.create()
  await draft.write(new Uint8Array(await Bun.file(path).arrayBuffer()))
  await draft.commit('object')
  expect(counter.parts.toSorted((a, b) => b - a)).toEqual([...Array<number>(12).fill(5 * MIB), 4 * MIB + 7])
  expect((await archive.list()).get('object')).toBe(bytes)
  const hash = new Bun.CryptoHasher('sha256')
  for await (const piece of archive.read('object')) hash.update(piece)
  expect(hash.digest('hex')).toBe(expected)
  await counter.stop()
  rmSync(path)
}, 300_000)

test('an object has at most 10,000 parts of at least 5 MB, as S3 demands, up to its 5 TB', () => {
  for (const bytes of [0, 1, 5 * MIB, 40 * GIB, 50_000 * MIB, 50_000 * MIB + 1, 500 * GIB, 5_000 * GIB]) {
    const part = partBytes(bytes)
    expect([bytes, part >= 5 * MIB, part <= 5 * GIB, Math.ceil(bytes / part) <= 10_000]).toEqual([
      bytes,
      true,
      true,
      true,
    ])
  }
  // small files wait for few requests
  expect(partBytes(GIB)).toBeLessThanOrEqual(16 * MIB)
})
