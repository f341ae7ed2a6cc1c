/** Archives beyond the limit of classic ZIP, 4 GB, as other programs read them, and in a bucket. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { closeSync, ftruncateSync, mkdtempSync, openSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { writeArchive } from '../src/archives/archive.ts'
import type { ClickHouse } from '../src/stores/clickhouse/client.ts'
import type { FileStore } from '../src/stores/files/client.ts'
import { openS3Store, partBytes } from '../src/stores/files/s3.ts'
import { attachEmbeddedPostgres, type Postgres } from '../src/stores/postgres/client.ts'
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
  await postgres.script(
    `INSERT INTO stored_files (id, person_id, role, filename, media_type, bytes) VALUES ${rows.join()}`,
  )
  return id
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
