/**
 * Archives beyond the limits of classic ZIP, 4 GB and 65,535 entries, as other programs read them. Not part of
 * `npm test`: they write 4 GB, which holds up the disk of every other test. `bun run test:archives`
 */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'drizzle-orm'
import { type Progress, writeArchive } from '../src/archives/archive.ts'
import type { ClickHouse } from '../src/stores/clickhouse/client.ts'
import { attachEmbeddedPostgres, type Postgres } from '../src/stores/postgres/client.ts'
import { objectsPage } from '../src/stores/postgres/files/owned-records.ts'
import { rowsOf } from '../src/stores/postgres/rows.ts'
import { crcOf, keyOf, letters, MIB, personWith, storeOf } from './support/formats/large-archives.ts'
import { runProgram } from './support/program.ts'
import { python } from './support/python.ts'
import { createInstance, type Instance } from './support/server/instance.ts'

const GIB = 2 ** 30
const home = mkdtempSync(join(tmpdir(), 'groundwave-zip64-'))
let instance: Instance
let postgres: Postgres
beforeAll(async () => {
  instance = await createInstance()
  postgres = attachEmbeddedPostgres(join(instance.dir, 'run/postgres'))
}, 120_000)
afterAll(async () => {
  await postgres?.close()
  await instance?.remove()
  rmSync(home, { recursive: true, force: true })
})

/** People have no sensors, so readings are never loaded. */
const noReadings = {} as ClickHouse
const never = new AbortController().signal

async function personWithMany(count: number): Promise<string> {
  const person = await personWith(instance, postgres, [])
  const id = `'${keyOf(0).slice(0, -31)}' || lpad(to_hex(n), 31, '0')`
  // a picture is not compressed again
  await postgres.script(`
    INSERT INTO stored_files (id, person_id, role, filename, media_type, bytes)
    SELECT ${id}, '${person}', 'upload', 'picture-' || n || '.png', 'image/png', 7 FROM generate_series(0, ${count - 1}) AS n`)
  return person
}

test('an archive with a file beyond 4 GB, and with files after it, is read by Python, unzip and zipinfo', async () => {
  // a large file that is not compressed, and two files after it
  const files = [
    { filename: 'stored.zip', bytes: 4 * GIB + 3 * MIB + 1, letter: 'a' },
    { filename: 'small.txt', bytes: 5, letter: 'b' },
    { filename: 'letters.txt', bytes: 20 * MIB, letter: 'c' },
  ]
  const owner = await personWith(instance, postgres, files)
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
  // memory holds only a part of the archive, not 4 GB
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
  // another person has as many files
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

  // a page is read in the order of an index, so its content depends on how many files others have
  const plan = rowsOf(await postgres.db.execute(sql`EXPLAIN ${objectsPage(owner, keyOf(500), 500)}`))
  expect(JSON.stringify(plan)).toMatch(/Index Scan using stored_files_(owner|pkey) on stored_files /)
  rmSync(path)
}, 900_000)
