/** Segments in files that earlier segments used. */
import { afterEach, beforeEach, expect, test } from 'bun:test'
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { appendReading, createBatch, resetBatch, sensorProfile } from '../../../src/ingest/batch.ts'
import { openDayCounts } from '../../../src/ingest/day-counts.ts'
import { recoverSegments } from '../../../src/ingest/recovery.ts'
import { walkSegment } from '../../../src/ingest/row.ts'
import { type Segment, segmentIdOf, stampOf } from '../../../src/ingest/segments.ts'
import { openWal, type Wal } from '../../../src/ingest/wal.ts'
import { runs } from '../../support/fuzz.ts'
import { segmentsIn } from '../../support/stores/segments.ts'

let dir = ''
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'groundwave-log-'))
})
afterEach(() => rmSync(dir, { recursive: true, force: true }))

const options = {
  segmentBytes: 1e9,
  ceilingBytes: 1e9,
  onSeal: async () => undefined,
  onError: (error: unknown) => {
    throw error
  },
}

/** Appends `count` readings from `firstMs` on and waits until they are on disk. */
async function commit(wal: Wal, firstMs: number, count: number, receivedAtMs = 5): Promise<void> {
  const batch = createBatch()
  resetBatch(batch, receivedAtMs)
  for (let i = 0; i < count; i++) appendReading(batch, sensorProfile(3, 7, 90, []), firstMs + i, 1, 1, 2)
  const note = { enterprise: 3, sensor: 7, rows: count, oldestMs: firstMs, receivedAtMs }
  wal.append(note, batch.rows, 0, batch.rowEnds[count] as number)
  await wal.durable()
}

async function next(wal: Wal): Promise<Segment> {
  const segment = await wal.nextSegment()
  if (segment === undefined) throw new Error('no segment')
  return segment
}

async function recovered(from: string): Promise<{ times: number[]; segments: Segment[]; damaged: string[] }> {
  const damaged: string[] = []
  const counts = await openDayCounts(from, 0)
  const segments = await recoverSegments(from, counts, (copy) => damaged.push(copy), options.onError)
  const times: number[] = []
  for (const { id, path, bytes } of segments) {
    const content = readFileSync(path)
    expect(content.length).toBe(bytes)
    walkSegment(content, stampOf(id), ({ atMs }) => times.push(atMs))
  }
  return { times, segments, damaged }
}

const filesOf = (suffix: string): string[] => readdirSync(dir).filter((name) => name.endsWith(suffix))

/** A copy of a log in use. The log may rename a spare file meanwhile; spare files hold no rows. */
function copied(log: string): string {
  const copy = mkdtempSync(join(dir, 'copy-'))
  for (const name of readdirSync(log).filter((one) => statSync(join(log, one), { throwIfNoEntry: false })?.isFile()))
    try {
      copyFileSync(join(log, name), join(copy, name))
    } catch (error) {
      if (!name.endsWith('.spare') || existsSync(join(log, name))) throw error
    }
  return copy
}

test('a kill at any commit leaves exactly the commits that were not loaded, also of equal size in one file', async () => {
  // the number of readings of each commit, or the number of loaded segments
  const step = fc.oneof({ weight: 4, arbitrary: fc.integer({ min: 1, max: 3 }) }, fc.constant(0))
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
      const log = mkdtempSync(join(dir, 'run-'))
      const wal = await openWal({ ...options, dir: log }, [])
      let unloaded: number[] = []
      let atMs = 1_000
      for (const count of steps) {
        if (count > 0) {
          await commit(wal, atMs, count)
          for (let i = 0; i < count; i++) unloaded.push(atMs++)
        } else if (unloaded.length > 0) {
          await wal.drop(await next(wal))
          unloaded = []
        }
        const copy = copied(log)
        const { times, damaged } = await recovered(copy)
        expect(times).toEqual(unloaded)
        expect(damaged).toEqual([])
        const others = readdirSync(copy).filter((name) => !name.endsWith('.rows'))
        expect(others).toEqual(unloaded.length > 0 ? ['day-counts.json'] : [])
        rmSync(copy, { recursive: true })
      }
      await wal.close()
    }),
    runs(60),
  )
})

test('files are reused, and a sealed one ends with its last commit', async () => {
  const wal = await openWal({ ...options, dir }, [])
  await commit(wal, 1_000, 500)
  const large = await next(wal)
  const { ino } = statSync(large.path)
  await wal.drop(large)
  expect(filesOf('.spare').length).toBe(1)
  const sizes: number[] = []
  const inodes: number[] = []
  for (let i = 0; i < 4; i++) {
    await commit(wal, 2_000 + i, 1)
    const segment = await next(wal)
    sizes.push(statSync(segment.path).size - segment.bytes)
    inodes.push(statSync(segment.path).ino)
    await wal.drop(segment)
  }
  expect(inodes).toContain(ino)
  expect(sizes).toEqual([0, 0, 0, 0])
  await wal.close()
  expect(readdirSync(dir)).toEqual([])
})

test('a segment that was moved out of the log is written again once it is given back', async () => {
  const wal = await openWal({ ...options, dir }, [])
  const other = join(dir, 'other')
  mkdirSync(other)
  await commit(wal, 1_000, 500)
  const segment = await next(wal)
  const { ino } = statSync(segment.path)
  const moved = join(other, '1.rows')
  chmodSync(segment.path, 0o644)
  const giveBack = await wal.move(segment, moved)
  expect(readFileSync(moved).length).toBe(segment.bytes)
  await giveBack()
  expect(readdirSync(other)).toEqual([])
  const reused: { ino: number; mode: number }[] = []
  for (let i = 0; i < 3; i++) {
    await commit(wal, 2_000 + i, 1)
    const { path } = await next(wal)
    reused.push(statSync(path))
  }
  expect(reused.map((file) => file.ino)).toContain(ino)
  expect(reused.every(({ mode }) => (mode & 0o777) === 0o600)).toBe(true)
  const { times, damaged } = await recovered(copied(dir))
  expect({ times, damaged }).toEqual({ times: [2_000, 2_001, 2_002], damaged: [] })
  // after the end, nothing stays
  await commit(wal, 3_000, 1)
  const giveLast = await wal.move(await next(wal), moved)
  await wal.close()
  await giveLast()
  expect(readdirSync(other)).toEqual([])
  expect(filesOf('.spare')).toEqual([])
})

test('spare files are few, and a killed process’s spare files are deleted at the next start', async () => {
  const wal = await openWal({ ...options, dir, segmentBytes: 1 }, [])
  for (let i = 0; i < 12; i++) await commit(wal, 1_000 + i, 1)
  for (let i = 0; i < 12; i++) await wal.drop(await next(wal))
  expect(filesOf('.spare').length).toBe(8)
  const copy = mkdtempSync(join(tmpdir(), 'groundwave-log-'))
  cpSync(dir, copy, { recursive: true })
  await wal.close()
  expect((await recovered(copy)).segments).toEqual([])
  expect(readdirSync(copy)).toEqual([])
  rmSync(copy, { recursive: true })
})

test('segments of earlier releases are recovered, and their files are deleted after loading', async () => {
  const wal = await openWal({ ...options, dir }, [])
  await commit(wal, 1_000, 3)
  const bytes = readFileSync(join(dir, segmentsIn(dir)[0] as string))
  await wal.close()
  rmSync(dir, { recursive: true })
  mkdirSync(dir)
  // without a stamp, and with an incomplete commit at the end
  bytes.fill(0, bytes.length - 26)
  writeFileSync(join(dir, `${Bun.randomUUIDv7()}.rows`), Buffer.concat([bytes, bytes.subarray(0, 50)]))
  const { segments } = await recovered(dir)
  expect(segments.map(({ rows }) => rows)).toEqual([3])
  const after = await openWal({ ...options, dir }, segments)
  const old = await next(after)
  await after.drop(old)
  expect(filesOf('.spare')).toEqual([])
  expect(existsSync(old.path)).toBe(false)
  await after.close()
})

test('a damaged commit before an intact one is reported, and a copy of the segment remains', async () => {
  const wal = await openWal({ ...options, dir }, [])
  await commit(wal, 1_000, 2)
  await commit(wal, 2_000, 2)
  await commit(wal, 3_000, 2)
  await wal.close()
  const name = segmentsIn(dir)[0] as string
  const bytes = readFileSync(join(dir, name))
  const second = bytes.length / 3 + 20
  bytes[second] = (bytes[second] as number) ^ 1
  writeFileSync(join(dir, name), bytes)
  const { times, damaged } = await recovered(dir)
  expect(times).toEqual([1_000, 1_001])
  expect(damaged).toEqual([join(dir, `${name}.damaged`)])
  expect(readFileSync(damaged[0] as string).equals(bytes)).toBe(true)
  expect(walkSegment(bytes, stampOf(segmentIdOf(name))).rows).toBe(2)
})

test('recovered readings count for their day also after a second restart', async () => {
  const today = Date.now()
  const wal = await openWal({ ...options, dir }, [])
  await commit(wal, 1_000, 3, today)
  await wal.close()
  const counts = await openDayCounts(dir, today)
  const [segment] = await recoverSegments(dir, counts, () => undefined, options.onError)
  expect(counts.used(3, today)).toBe(3)
  // the segment was loaded
  rmSync((segment as Segment).path)
  expect((await openDayCounts(dir, today)).used(3, today)).toBe(3)
})
