/** The loader with a fake store and check: when segments are stored, checked and deleted. */
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { appendReading, createBatch, resetBatch, sensorProfile } from '../../../src/ingest/batch.ts'
import { type Loader, type LoaderOptions, startLoader } from '../../../src/ingest/loader.ts'
import type { Segment } from '../../../src/ingest/segments.ts'
import { openWal, type Wal } from '../../../src/ingest/wal.ts'
import { until } from '../../support/until.ts'

let dir = ''
let wal: Wal
let loader: Loader | undefined
const errors: unknown[] = []
beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'groundwave-loader-'))
  const onError = (error: unknown): void => void errors.push(error)
  wal = await openWal({ dir, segmentBytes: 1 << 20, ceilingBytes: 1 << 30, onSeal: async () => undefined, onError }, [])
})
afterEach(async () => {
  await loader?.stop()
  await wal.close()
  rmSync(dir, { recursive: true, force: true })
  errors.length = 0
})

function start(options: Partial<LoaderOptions>): void {
  loader = startLoader(
    {
      wal,
      intervalMs: 10,
      store: async () => undefined,
      beforeStore: async () => undefined,
      onStored: () => undefined,
      onError: (error) => void errors.push(error),
      ...options,
    },
    0,
  )
}
async function write(sensor: number): Promise<number> {
  const batch = createBatch()
  resetBatch(batch, Date.now())
  appendReading(batch, sensorProfile(7, sensor, 30, []), 1, 0, 1, 2)
  wal.append(
    { enterprise: 7, sensor, rows: 1, oldestMs: 1, receivedAtMs: 1 },
    batch.rows,
    0,
    batch.rowEnds[1] as number,
  )
  await wal.durable()
  return wal.position()
}

test('beforeStore runs before a segment is stored, the check after it, and the file stays until the check is done', async () => {
  const order: string[] = []
  const done = Promise.withResolvers<boolean>()
  let seen: Segment | undefined
  start({
    async beforeStore(segment) {
      seen = segment
      order.push('before')
      return () => {
        order.push('check')
        return done.promise
      }
    },
    store: async () => void order.push('store'),
  })
  const position = await write(3)
  // a segment under check counts as loaded, and nothing waits for the check
  await loader?.loadedThrough(position, 60_000)
  await loader?.loadedThrough(await write(4), 60_000)
  expect(order).toEqual(['before', 'store', 'check', 'before', 'store', 'check'])
  expect([...(seen?.sensors ?? [])]).toEqual([[7, new Set([4])]])
  expect(existsSync(seen?.path ?? '')).toBe(true)
  expect(loader?.checking().segments).toBe(2)
  expect(loader?.checking().bytes).toBeGreaterThan(100)
  done.resolve(true)
  await until(() => !existsSync(seen?.path ?? ''), 'deleting the segment')
  await until(() => loader?.checking().segments === 0, 'the end of the check')
  expect(loader?.checking()).toEqual({ segments: 0, bytes: 0 })
  expect(wal.segmentsOnDisk()).toBe(0)
})

test('a check that is interrupted by a stop leaves the file for the next start', async () => {
  let path = ''
  start({
    async beforeStore(segment) {
      path = segment.path
      return async () => false
    },
  })
  await loader?.loadedThrough(await write(3), 60_000)
  await Bun.sleep(50)
  expect(existsSync(path)).toBe(true)
  expect(errors).toEqual([])
})

test('a failed insert is retried, and the check runs only after it succeeds', async () => {
  let attempts = 0
  let checks = 0
  start({
    beforeStore: async () => async () => {
      checks++
      return true
    },
    async store() {
      attempts++
      if (attempts < 3) throw new Error('away')
      expect(checks).toBe(0)
    },
  })
  const position = await write(3)
  for (const deadline = Date.now() + 60_000; attempts < 3 && Date.now() < deadline; ) await Bun.sleep(20)
  await loader?.loadedThrough(position, 60_000)
  await until(() => checks === 1, 'the check')
  expect([attempts, checks, errors.length]).toEqual([3, 1, 2])
})

test('each attempt has its own deduplication token', async () => {
  const tokens: string[] = []
  start({
    async store(segment, token) {
      tokens.push(token)
      expect(token).not.toBe(segment.id)
      if (tokens.length < 3) throw new Error('away')
    },
  })
  await loader?.loadedThrough(await write(3), 60_000).catch(() => undefined)
  for (const deadline = Date.now() + 60_000; tokens.length < 3 && Date.now() < deadline; ) await Bun.sleep(20)
  expect(new Set(tokens).size).toBe(3)
})
