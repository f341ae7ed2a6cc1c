/** Damaged ZIP archives: rejected, or unpacked within their limits, without effects on later work. */
import { afterAll, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { reasonOf } from '../../../src/lib/input-error.ts'
import { eachEntry } from '../../../src/lib/scan/archive.ts'
import { Finding } from '../../../src/lib/scan/finding.ts'
import { pack, unpack } from '../../../src/lib/zip.ts'
import { mutated, runs, sampled, succeedsOrRejects } from '../../support/fuzz.ts'
import { runProgram } from '../../support/program.ts'
import { seeded, whole } from '../../support/random.ts'
import { NODE } from '../../support/workers/engine.ts'

const home = mkdtempSync(join(tmpdir(), 'groundwave-zip-'))
afterAll(() => rmSync(home, { recursive: true, force: true }))

const MAX_BYTES = 100_000

/** An archive of files with some repetition in them, as layers have. */
async function archive(): Promise<Buffer> {
  const random = seeded(1)
  const entries = [200, 3_000, 20_000].map((bytes, i) => {
    const path = join(home, `file-${i}.shp`)
    writeFileSync(
      path,
      Uint8Array.from({ length: bytes }, () => whole(random, 6)),
    )
    return { name: `layer/${i}.shp`, path }
  })
  await pack(entries, join(home, 'packed.zip'))
  return readFileSync(join(home, 'packed.zip'))
}

const packed = await archive()

test('names that are invalid for files are replaced', async () => {
  const path = join(home, 'file-0.shp')
  const long = `${'مكان'.repeat(75)}x`
  // the packer accepts any name that is not a path
  const names = [`${long}.shp`, `${long}.dbf`, 'with\0null.shp', 'back\tslash.shp']
  await pack(
    names.map((name) => ({ name, path })),
    join(home, 'names.zip'),
  )
  const unpacked = await unpack(join(home, 'names.zip'), join(home, 'names'), () => true, MAX_BYTES)
  const stems = unpacked.map(({ path: on }) => on.slice(join(home, 'names').length + 1).replace(/^\d+-|\.\w+$/g, ''))
  expect(stems[0]).toBe(stems[1] as string)
  expect(unpacked.map(({ name }) => name).slice(0, 2)).toEqual(names.slice(0, 2))
  expect(stems.slice(2)).toEqual(['with_null', 'back_slash'])
  for (const { path: on } of unpacked) expect(statSync(on).size).toBe(200)
})

test('reasons of failures contain no paths of this machine', () => {
  const texts = [
    "ENOENT: no such file or directory, open '/var/lib/groundwave/data/scratch/run_1/input-1'",
    'cannot open "/srv/data/a.shp": permission denied',
    'GDAL: file:///srv/data/x.gml is not XML',
    '/data/scratch/a: failed',
  ]
  for (const text of texts) expect(reasonOf(new Error(text))).not.toMatch(/\/(var|srv|work|data|scratch)/)
  expect(reasonOf(Object.assign(new Error('x'), { syscall: 'open', code: 'ENAMETOOLONG' }))).toBe(
    'open failed (ENAMETOOLONG)',
  )
  expect(reasonOf(new Error('bad block at 1/2 of I/O'))).toBe('bad block at 1/2 of I/O')
})

test('packed files are unpacked unchanged', async () => {
  const unpacked = await unpack(
    join(home, 'packed.zip'),
    join(home, 'whole'),
    (extension) => extension === '.shp',
    MAX_BYTES,
  )
  expect(unpacked.map(({ name }) => name)).toEqual(['layer/0.shp', 'layer/1.shp', 'layer/2.shp'])
  for (const [i, { path }] of unpacked.entries())
    expect(readFileSync(path).equals(readFileSync(join(home, `file-${i}.shp`)))).toBe(true)
})

test('a damaged archive is rejected or unpacked within its limit', async () => {
  let folders = 0
  await fc.assert(
    fc.asyncProperty(mutated(packed), async (bytes) => {
      const [path, dir] = [join(home, 'damaged.zip'), join(home, String(++folders))]
      writeFileSync(path, bytes)
      mkdirSync(dir)
      const entries = await succeedsOrRejects(() => unpack(path, dir, () => true, MAX_BYTES))
      // names do not lead out of the folder
      for (const entry of entries ?? []) expect(readdirSync(dir)).toContain(entry.path.slice(dir.length + 1))
      const written = readdirSync(dir).reduce((sum, name) => sum + statSync(join(dir, name)).size, 0)
      expect(written).toBeLessThanOrEqual(MAX_BYTES)
      rmSync(dir, { recursive: true })
    }),
    runs(300),
  )
})

test('a damaged archive is scanned completely, or there is a finding', async () => {
  await fc.assert(
    fc.asyncProperty(mutated(packed), async (bytes) => {
      let read = 0
      try {
        await eachEntry(bytes, { maxUnpackedBytes: MAX_BYTES }, async ({ content }) => {
          for await (const chunk of content) read += chunk.length
        })
      } catch (error) {
        expect(error).toBeInstanceOf(Finding)
      }
      expect(read).toBeLessThanOrEqual(MAX_BYTES)
    }),
    runs(300),
  )
})

test('damaged archives do not end a Node process, whose streams may fail a second time', () => {
  const folder = mkdtempSync(join(home, 'node-'))
  const archives = sampled(mutated(packed), 600)
  for (const [i, bytes] of archives.entries()) writeFileSync(join(folder, `${i}.zip`), bytes)
  const program = join(import.meta.dir, '../../support/formats/unpack-archives.ts')
  const { status, stdout, stderr } = runProgram(NODE, [program, folder, String(MAX_BYTES)])
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  const { unpacked = 0, refused = 0 } = JSON.parse(stdout.toString()) as Record<string, number>
  expect(unpacked + refused).toBe(archives.length)
})
