import { afterEach, beforeEach, expect, test } from 'bun:test'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { appendReading, createBatch, resetBatch, sensorProfile } from '../../../src/ingest/batch.ts'
import { openDayCounts } from '../../../src/ingest/day-counts.ts'
import { MARK_BYTES, walkSegment } from '../../../src/ingest/row.ts'
import { segmentIdOf, stampOf } from '../../../src/ingest/segments.ts'
import { openWal, type Wal } from '../../../src/ingest/wal.ts'
import { segmentsIn } from '../../support/stores/segments.ts'
import { until } from '../../support/until.ts'

let dir = ''
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'groundwave-log-'))
})
afterEach(() => rmSync(dir, { recursive: true, force: true }))

const options = (more = {}) => ({
  dir,
  segmentBytes: 1e9,
  ceilingBytes: 1e9,
  onSeal: async () => undefined,
  onError: () => undefined,
  ...more,
})

/** Appends `count` readings of one request, with an increasing number of channels. */
function append(wal: Wal, sensor: number, count: number, receivedAtMs = 5): void {
  const batch = createBatch()
  resetBatch(batch, receivedAtMs)
  for (let i = 0; i < count; i++) appendReading(batch, sensorProfile(3, sensor, 90, []), 1000 + i, (i * 37) % 256, 1, 2)
  wal.append(
    { enterprise: 3, sensor, rows: count, oldestMs: 1_000, receivedAtMs },
    batch.rows,
    0,
    batch.rowEnds[count] as number,
  )
}

async function written(calls: number[][]): Promise<{ bytes: Buffer; ends: number[]; stamp: bigint }> {
  const wal = await openWal(options(), [])
  const ends: number[] = []
  const name = (): string => segmentsIn(dir)[0] as string
  for (const counts of calls) {
    for (const [i, count] of counts.entries()) append(wal, i + 1, count)
    await wal.durable()
    ends.push(readFileSync(join(dir, name())).length)
  }
  const bytes = readFileSync(join(dir, name()))
  const stamp = stampOf(segmentIdOf(name()))
  await wal.close()
  return { bytes, ends, stamp }
}

test('a segment truncated anywhere keeps exactly its complete commits', async () => {
  const { bytes, ends, stamp } = await written([[3], [1, 2], [5]])
  const rows = [3, 6, 11]
  for (let cut = 0; cut <= bytes.length; cut++) {
    const sound = walkSegment(bytes.subarray(0, cut), stamp)
    const whole = ends.filter((end) => end <= cut).length
    expect(sound).toEqual({ bytes: ends[whole - 1] ?? 0, rows: rows[whole - 1] ?? 0 })
  }
})

test('a segment with a flipped bit is never accepted beyond that bit', async () => {
  const { bytes, ends, stamp } = await written([[2], [2]])
  for (let p = 0; p < bytes.length; p += 3) {
    const broken = Buffer.from(bytes)
    broken[p] = (broken[p] as number) ^ (1 << (p % 8))
    const commit = ends.findIndex((end) => p < end)
    // the last 18 bytes of a mark's row are zeros that nothing reads
    if (p >= (ends[commit] as number) - 18) continue
    expect(walkSegment(broken, stamp).bytes).toBe(commit === 0 ? 0 : (ends[0] as number))
  }
})

test('garbage and zeros after the last commit are not rows', async () => {
  const { bytes, stamp } = await written([[4]])
  for (const tail of [Buffer.alloc(5000), Buffer.alloc(5000, 255), bytes.subarray(0, bytes.length - MARK_BYTES)])
    expect(walkSegment(Buffer.concat([bytes, tail]), stamp)).toEqual({ bytes: bytes.length, rows: 4 })
})

test('many requests share a commit, and each waits for it', async () => {
  const wal = await openWal(options(), [])
  const waits = Array.from({ length: 50 }, (_, i) => {
    append(wal, i + 1, 2)
    return wal.durable()
  })
  await Promise.all(waits)
  const name = segmentsIn(dir)[0] as string
  let rows = 0
  expect(walkSegment(readFileSync(join(dir, name)), stampOf(segmentIdOf(name)), () => rows++).rows).toBe(100)
  expect(rows).toBe(100)
  await wal.close()
})

test('segments are returned in order, each once, and their files are removed when they are dropped', async () => {
  const wal = await openWal(options({ segmentBytes: 1000 }), [])
  let taken = 0
  let rows = 0
  for (let i = 0; i < 20; i++) {
    append(wal, 1, 10)
    await wal.durable()
    if (i % 3 === 0) {
      for (let segment = await wal.nextSegment(); segment !== undefined; segment = await wal.nextSegment()) {
        taken++
        rows += segment.rows
        await wal.drop(segment)
      }
    }
  }
  for (let segment = await wal.nextSegment(); segment !== undefined; segment = await wal.nextSegment()) {
    taken++
    rows += segment.rows
    await wal.drop(segment)
  }
  expect(rows).toBe(200)
  expect(taken).toBeGreaterThan(6)
  expect(segmentsIn(dir)).toEqual([])
  expect(wal.bytesOnDisk()).toBe(0)
  await wal.close()
  expect(readdirSync(dir)).toEqual([])
})

test('rows are written while earlier segments are being sealed, which are returned in their order', async () => {
  const seals: { id: string; end(): void }[] = []
  const onSeal = (segment: { id: string }): Promise<void> =>
    new Promise((resolve) => seals.push({ id: segment.id, end: resolve }))
  const wal = await openWal(options({ segmentBytes: 500, onSeal }), [])
  for (let i = 0; i < 3; i++) {
    append(wal, 1, 10 + i)
    await wal.durable()
  }
  // seals run one at a time
  await until(() => seals.length === 1, 'the first seal')
  expect(wal.sealedSegments()).toBe(0)
  const first = wal.nextSegment()
  for (let i = 0; i < 3; i++) {
    await until(() => seals.length === i + 1, 'a seal')
    seals[i]?.end()
  }
  const segments = [await first, await wal.nextSegment(), await wal.nextSegment()]
  expect(segments.map((segment) => segment?.rows)).toEqual([10, 11, 12])
  expect(segments.map((segment) => segment?.id)).toEqual(seals.map(({ id }) => id))
  expect(await wal.nextSegment()).toBeUndefined()
  await wal.close()
})

test('accepts no rows at the size limit, and again once a segment is deleted', async () => {
  const wal = await openWal(options({ ceilingBytes: 2000 }), [])
  append(wal, 1, 20)
  await wal.durable()
  expect(wal.takesMore()).toBe(false)
  const segment = await wal.nextSegment()
  if (segment === undefined) throw new Error('no segment')
  await wal.drop(segment)
  expect(wal.takesMore()).toBe(true)
  await wal.close()
})

test('a commit that cannot be written rejects its callers, and the log stays usable', async () => {
  const errors: unknown[] = []
  const wal = await openWal(options({ onError: (error: unknown) => errors.push(error) }), [])
  rmSync(dir, { recursive: true })
  append(wal, 1, 3)
  await expect(wal.durable()).rejects.toThrow('ENOENT')
  await wal.durable().catch(() => undefined)
  expect(errors.length).toBe(1)
  const { mkdirSync } = await import('node:fs')
  mkdirSync(dir)
  append(wal, 1, 4)
  await wal.durable()
  expect((await wal.nextSegment())?.rows).toBe(4)
  await wal.close()
})

test('daily counts survive a restart: counts of the snapshot and of later segments', async () => {
  const today = Date.now()
  const counts = await openDayCounts(dir, today)
  expect(counts.reserve(3, 10, 25, today)).toBe(10)
  const segment = { id: '0001', path: '', bytes: 0, rows: 10, endPosition: 0, sensors: new Map(), oldest: new Map() }
  await counts.writeSnapshot(segment, [{ enterprise: 3, sensor: 1, rows: 10, oldestMs: today, receivedAtMs: today }])

  const after = await openDayCounts(dir, today)
  after.replay('0001', 3, today) // in the snapshot already
  after.replay('0002', 3, today)
  after.replay('0002', 3, today - 86_400_000)
  expect(after.used(3, today)).toBe(11)
  expect(after.reserve(3, 100, 25, today)).toBe(14)
  expect(after.reserve(3, 1, 25, today)).toBe(0)
  const tomorrow = today + 86_400_000
  expect(after.reserve(3, 100, 25, tomorrow)).toBe(25)

  writeFileSync(join(dir, 'day-counts.json'), JSON.stringify({ day: 1, throughSegment: '9', counts: [[3, 9]] }))
  expect((await openDayCounts(dir, today)).used(3, today)).toBe(0)
})
