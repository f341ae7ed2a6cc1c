/** Worker lanes: unavailable lanes, and replacement of processes that use too much memory. */
import { expect, test } from 'bun:test'
import { startEngine } from '../src/engine/engine.ts'
import { unconfined } from '../src/engine/sandbox.ts'
import { loadRegistry } from '../src/tools/registry.ts'
import type { Tool } from '../src/tools/tool.ts'

const { byId } = await loadRegistry()
const needsGdal = byId('convert.transform-crs-json') as Tool
const needsNone = byId('measure.distance-bearing') as Tool
const run = { scratch: '/tmp', deadlineMs: 10_000, plan: 'max' as const, tenant: 'tester' }

test.each([undefined, '/bin/false'])(
  'with %p as Node, calls that need GDAL are rejected, also those already waiting, and other tools still run',
  async (nodePath) => {
    const events: string[] = []
    const engine = startEngine({
      workers: { bun: 1, node: 2 },
      waiting: { total: 8, perTenant: 8 },
      runningPerTenant: 8,
      sandbox: unconfined('a test'),
      maxMemoryBytes: 2 ** 30,
      limits: { maxFeatures: 10, maxUnpackedBytes: 10, maxPixels: 10, maxSamples: 10, maxPages: 10 },
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
    waiting: { total: 8, perTenant: 8 },
    runningPerTenant: 8,
    sandbox: unconfined('a test'),
    // so low that every process uses too much memory after its first run
    maxMemoryBytes: 500 * 2 ** 20,
    limits: { maxFeatures: 10, maxUnpackedBytes: 10, maxPixels: 10, maxSamples: 10, maxPages: 10 },
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
