/** Worker lanes: unavailable lanes, and replacement of processes that use too much memory. */
import { expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gdalSetup } from '../../../src/composition/gdal-setup.ts'
import { type GdalSetup, startEngine } from '../../../src/engine/engine.ts'
import type { AppError } from '../../../src/errors.ts'
import { loadRegistry } from '../../../src/tools/registry.ts'
import type { Tool } from '../../../src/tools/tool.ts'
import { sharedFolder } from '../../support/run-end.ts'
import { scriptOf } from '../../support/workers/hidden-gdal.ts'
import { unconfined } from '../../support/workers/unconfined.ts'

const { byId } = await loadRegistry()
const needsGdal = byId('convert.transform-crs-json') as Tool
const needsNone = byId('measure.distance-bearing') as Tool
const SCRATCH = sharedFolder('lanes')
const OPTIONS = {
  waiting: { total: 8, perTenant: 8 },
  runningPerTenant: 8,
  sandbox: unconfined(SCRATCH),
  limits: { maxFeatures: 10, maxUnpackedBytes: 10, maxPixels: 10, maxSamples: 10, maxPages: 10 },
}
mkdirSync(join(SCRATCH, 'run'))
const run = { scratch: join(SCRATCH, 'run'), deadlineMs: 10_000, plan: 'max' as const, tenant: 'tester' }

test.each([undefined, '/bin/false'])(
  'with %p as Node, calls that need GDAL are rejected, also those already waiting, and other tools still run',
  async (nodePath) => {
    const events: string[] = []
    const engine = startEngine({
      workers: { bun: 1, node: 2 },
      ...OPTIONS,
      maxMemoryBytes: 2 ** 30,
      nodePath,
      onEvent: ({ lane, event }) => events.push(`${lane} ${event}`),
    })
    try {
      const input = { source_crs: 'EPSG:4326', target_crs: 'EPSG:3857', points: [{ x: 1, y: 1 }] }
      const early = engine.run(needsGdal, input, run).catch((error) => error.code)
      const job = engine.run(needsGdal, input, { ...run, background: true }).catch((error) => error.code)
      expect(await Promise.all([early, job])).toEqual(['TOOL_UNAVAILABLE', 'TOOL_UNAVAILABLE'])
      await engine.ready()
      expect(engine.status().node.available).toBe(false)
      expect(events.filter((event) => event === 'node unavailable')).toHaveLength(1)
      const points = [
        { lon: 0, lat: 0 },
        { lon: 1, lat: 0 },
      ]
      expect((await engine.run(needsNone, { points }, run)).data.segment_count).toBe(1)
    } finally {
      await engine.stop()
    }
  },
)

test('a process that uses too much memory for the next run is replaced first, a new process never is', async () => {
  const events: string[] = []
  const engine = startEngine({
    workers: { bun: 1, node: 1 },
    ...OPTIONS,
    // so low that every process uses too much memory after its first run
    maxMemoryBytes: 500 * 2 ** 20,
    nodePath: undefined,
    onEvent: ({ lane, event, reason }) => events.push(`${lane} ${event} ${reason ?? ''}`),
  })
  try {
    await engine.ready()
    const points = [
      { lon: 0, lat: 0 },
      { lon: 1, lat: 0 },
    ]
    const counts = await Promise.all(
      [1, 2, 3].map(async () => (await engine.run(needsNone, { points }, run)).data.segment_count),
    )
    expect(counts).toEqual([1, 1, 1])
    expect(events.filter((event) => event === 'bun killed grown').length).toBeGreaterThanOrEqual(2)
  } finally {
    await engine.stop()
  }
})

test('while GDAL is being installed, its tools answer 503 with a time to retry; they run once that is done', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'groundwave-gdal-'))
  const file = join(dir, 'progress')
  // a process that runs as long as the test
  writeFileSync(file, JSON.stringify({ pid: process.pid, progress: 'still running' }))
  const node = join(dir, 'node')
  writeFileSync(node, scriptOf(file), { mode: 0o755 })
  const setup = (await gdalSetup(file)) as GdalSetup
  const engine = startEngine({
    workers: { bun: 1, node: 1 },
    ...OPTIONS,
    maxMemoryBytes: 2 ** 30,
    nodePath: node,
    gdalSetup: setup,
    onEvent: () => undefined,
  })
  try {
    const input = { source_crs: 'EPSG:4326', target_crs: 'EPSG:3857', points: [{ x: 1, y: 1 }] }
    const early = await engine.run(needsGdal, input, run).catch((error) => error as AppError)
    expect(early).toMatchObject({ code: 'TOOL_UNAVAILABLE', retryAfterS: 30 })
    expect(engine.status().node).toMatchObject({ available: false, reason: 'GDAL is being installed: still running' })
    rmSync(file)
    await engine.ready()
    expect(engine.status().node).toMatchObject({ available: true, ready: 1 })
    const { data } = await engine.run(needsGdal, input, run)
    expect(data).toMatchObject({ transformedPoints: [{ x: expect.closeTo(111_319.49, 1) }] })
  } finally {
    await engine.stop()
    rmSync(dir, { recursive: true })
  }
})

test('the server does not wait for a set-up that was killed while it installed GDAL', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'groundwave-gdal-'))
  const ended = Bun.spawn(['true'])
  await ended.exited
  writeFileSync(join(dir, 'progress'), JSON.stringify({ pid: ended.pid, progress: 'started' }))
  expect(await gdalSetup(join(dir, 'progress'))).toBeUndefined()
  expect(await gdalSetup(join(dir, 'none'))).toBeUndefined()
  rmSync(dir, { recursive: true })
})
