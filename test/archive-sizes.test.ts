/** Archives beyond the limits of classic ZIP, 4 GB and 65,535 entries, as other programs read them, and in a bucket. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { randomBytes } from 'node:crypto'
import { closeSync, ftruncateSync, mkdtempSync, openSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { sql } from 'drizzle-orm'
import { type Progress, writeArchive } from '../src/archives/archive.ts'
import { openS3Archive } from '../src/backup/store-s3.ts'
import type { ClickHouse } from '../src/stores/clickhouse/client.ts'
import type { FileStore } from '../src/stores/files/client.ts'
import { openBucket, openS3Store, partBytes, uploadFile } from '../src/stores/files/s3.ts'
import { attachEmbeddedPostgres, type Postgres } from '../src/stores/postgres/client.ts'
import { objectsPage } from '../src/stores/postgres/owned-records.ts'
import { rowsOf } from '../src/stores/postgres/rows.ts'
import { type Bucket, startBucket } from './support/bucket.ts'
import { createInstance, type Instance } from './support/instance.ts'
import { runProgram } from './support/program.ts'
import { python } from './support/python.ts'

const GIB = 2 ** 30
const MIB = 2 ** 20
const home = mkdtempSync(join(tmpdir(), 'groundwave-zip64-'))
let instance: Instance
let postgres: Postgres
let bucket: Bucket
beforeAll(async () => {
  instance = await createInstance()
  postgres = attachEmbeddedPostgres(join(instance.dir, 'run/postgres'))
  bucket = await startBucket(join(home, 'bucket'))
}, 120_000)
afterAll(async () => {
  bucket?.kill()
  await postgres?.close()
  await instance?.remove()
  rmSync(home, { recursive: true, force: true })
})

let people = 0
const keyOf = (i: number): string => `fil_${people.toString(16)}${i.toString(16).padStart(31, '0')}`
/** People have no sensors, so nothing asks for readings. */
const noReadings = {} as ClickHouse

async function personWith(files: { filename: string; bytes: number }[]): Promise<string> {
  const email = `archive${++people}@example.org`
  const { id } = await instance.manage<{ id: string }>('POST', '/people', { email, plan: 'pro' })
  const rows = files.map(
    ({ filename, bytes }, i) => `('${keyOf(i)}', '${id}', 'upload', '${filename}', 'x/y', ${bytes})`,
  )
  if (rows.length > 0)
    await postgres.script(
      `INSERT INTO stored_files (id, person_id, role, filename, media_type, bytes) VALUES ${rows.join()}`,
    )
  return id
}

async function personWithMany(count: number): Promise<string> {
  const person = await personWith([])
  const id = `'fil_${people.toString(16)}' || lpad(to_hex(n), 31, '0')`
  // a picture is not compressed again
  await postgres.script(`
    INSERT INTO stored_files (id, person_id, role, filename, media_type, bytes)
    SELECT ${id}, '${person}', 'upload', 'picture-' || n || '.png', 'image/png', 7 FROM generate_series(0, ${count - 1}) AS n`)
  return person
}

/** A store whose files are made while they are read. */
const storeOf = (streamOf: (key: string) => ReadableStream<Uint8Array>): FileStore =>
  ({
    open: (key: string) => ({ exists: () => Promise.resolve(true), stream: () => streamOf(key) }),
  }) as unknown as FileStore

const PIECE = 8 * MIB
/** The same letter again and again. */
function letters(bytes: number, letter: string): ReadableStream<Uint8Array> {
  const piece = new Uint8Array(PIECE).fill(letter.charCodeAt(0))
  let left = bytes
  return new ReadableStream({
    pull(controller) {
      if (left === 0) return controller.close()
      const next = Math.min(left, PIECE)
      left -= next
      controller.enqueue(next === PIECE ? piece : piece.subarray(0, next))
    },
  })
}
function crcOf(bytes: number, letter: string): number {
  const piece = new Uint8Array(PIECE).fill(letter.charCodeAt(0))
  let crc = 0
  for (let left = bytes; left > 0; left -= PIECE) crc = crc32(left >= PIECE ? piece : piece.subarray(0, left), crc)
  return crc
}

const never = new AbortController().signal

test('an archive with a file beyond 4 GB, and with files behind it, is read by Python, unzip and zipinfo', async () => {
  // a large one that is not compressed, and two behind it
  const files = [
    { filename: 'stored.zip', bytes: 4 * GIB + 3 * MIB + 1, letter: 'a' },
    { filename: 'small.txt', bytes: 5, letter: 'b' },
    { filename: 'letters.txt', bytes: 20 * MIB, letter: 'c' },
  ]
  const owner = await personWith(files)
  const path = join(home, 'large.zip')
  const store = storeOf((key) => {
    const { bytes, letter } = files[files.findIndex((_, i) => keyOf(i) === key)] ?? { bytes: 0, letter: '' }
    return letters(bytes, letter)
  })
  let peak = 0
  const watch = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage.rss())
  }, 100)
  const before = process.memoryUsage.rss()
  await writeArchive({ db: postgres.db, clickhouse: noReadings, files: store }, owner, path, () => undefined, never)
  clearInterval(watch)
  // a part of the archive, not of 4 GB
  expect(peak - before).toBeLessThan(400 * MIB)
  expect(statSync(path).size).toBeGreaterThan(4 * GIB)

  const program = `import json, sys, zipfile
with zipfile.ZipFile(sys.argv[1]) as archive:
    infos = [i for i in archive.infolist() if i.filename.startswith('files/stored/')]
    print(json.dumps([[i.filename.split('/')[-1], i.file_size, i.CRC, i.header_offset] for i in infos]))`
  const infos = JSON.parse(await python(program, path)) as [string, number, number, number][]
  expect(infos.map(([name, size, crc]) => [name, size, crc])).toEqual(
    files.map(({ filename, bytes, letter }) => [filename, bytes, crcOf(bytes, letter)]),
  )
  expect(infos[1]?.[3]).toBeGreaterThan(4 * GIB)
  // reads every byte of every entry and compares the checksums
  const tested = runProgram('unzip', ['-tq', path])
  expect([tested.status, String(tested.stdout)]).toEqual([0, expect.stringContaining('No errors detected')])
  const listed = runProgram('zipinfo', ['-v', path])
  expect(listed.status).toBe(0)
  expect(String(listed.stdout)).toContain(`uncompressed size:                              ${files[0]?.bytes} bytes`)
  rmSync(path)
}, 900_000)

test('an archive with more than 65,535 entries is read by Python, unzip and zipinfo', async () => {
  const count = 66_000
  // somebody else has as many
  await personWithMany(count)
  const owner = await personWithMany(count)
  await postgres.script('ANALYZE stored_files')
  const contentOf = (key: string): string => key.slice(-7)
  const path = join(home, 'many.zip')
  const store = storeOf((key) => new Blob([contentOf(key)]).stream())
  let partsDone = 0
  const report = (progress: Progress): void => {
    partsDone = progress.partsDone
  }
  await writeArchive({ db: postgres.db, clickhouse: noReadings, files: store }, owner, path, report, never)
  expect(partsDone).toBeWithin(count, count + 100)

  const program = `import json, sys, zipfile
with zipfile.ZipFile(sys.argv[1]) as archive:
    assert archive.testzip() is None
    names = archive.namelist()
    assert len(set(names)) == len(names)
    stored = [name for name in names if name.startswith('files/stored/')]
    print(json.dumps([len(names), len(stored), archive.read(stored[-1]).decode()]))`
  const [entries, stored, last] = JSON.parse(await python(program, path)) as [number, number, string]
  expect([stored, last]).toEqual([count, contentOf(keyOf(count - 1))])
  const listed = runProgram('unzip', ['-l', path])
  expect([listed.status, String(listed.stdout).trim().endsWith(`${entries} files`)]).toEqual([0, true])
  expect(String(runProgram('zipinfo', ['-h', path]).stdout)).toContain(`number of entries: ${entries}`)
  // reads every entry and compares the checksums
  const tested = runProgram('unzip', ['-tq', path])
  expect([tested.status, String(tested.stdout)]).toEqual([0, expect.stringContaining('No errors detected')])

  // a page is read in the order of an index; which of them depends on how many files others have
  const plan = rowsOf(await postgres.db.execute(sql`EXPLAIN ${objectsPage(owner, keyOf(500), 500)}`))
  expect(JSON.stringify(plan)).toMatch(/Index Scan using stored_files_(owner|pkey) on stored_files /)
  rmSync(path)
}, 900_000)

test('a file of a compressed format is stored as it is, others are compressed', async () => {
  const files = [
    { filename: 'picture.png', bytes: 50_000 },
    { filename: 'text.txt', bytes: 50_000 },
  ]
  const owner = await personWith(files)
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
  const bytes = 700 * MIB
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
  expect(peak - before).toBeLessThan(300 * MIB)
  await store.remove(keyOf(1))
}, 300_000)

/** Passes requests to the bucket, and notes how many bytes each part of an upload has. */
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

test('an object with more parts than S3 accepts has larger ones, and reaches the bucket as it is', async () => {
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
  // an archive of a backup is written in the same way
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
      ...[bytes, true, true, true],
    ])
  }
  // small files wait for few requests
  expect(partBytes(GIB)).toBeLessThanOrEqual(16 * MIB)
})
