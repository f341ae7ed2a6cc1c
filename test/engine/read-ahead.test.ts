/** What a real worker process reads ahead is what the run uses, and only that run. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Engine, startEngine } from '../../src/engine/engine.ts'
import { unconfined } from '../../src/engine/sandbox.ts'
import { loadRegistry } from '../../src/tools/registry.ts'
import type { InputFile, Tool } from '../../src/tools/tool.ts'
import { NODE } from '../support/engine.ts'
import { geotiff } from '../support/rasters.ts'

const { byId } = await loadRegistry()
let home: string
let engine: Engine

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'groundwave-read-ahead-'))
  engine = startEngine({
    workers: { bun: 1, node: 1 },
    waiting: { total: 8, perTenant: 8 },
    runningPerTenant: 8,
    sandbox: unconfined('a test'),
    limits: { maxFeatures: 1_000, maxUnpackedBytes: 1e7, maxPixels: 1e7, maxSamples: 1e7, maxPages: 10 },
    maxMemoryBytes: 2 ** 30,
    nodePath: NODE,
    onEvent: () => undefined,
  })
  await engine.ready()
}, 60_000)
afterAll(async () => {
  await engine.stop()
  rmSync(home, { recursive: true, force: true })
})

const points = (count: number): string =>
  JSON.stringify({
    type: 'FeatureCollection',
    features: Array.from({ length: count }, (_, i) => ({
      type: 'Feature',
      properties: { i },
      geometry: { type: 'Point', coordinates: [i, i] },
    })),
  })
const flat = (value: number): Buffer => geotiff([new Float32Array(400).fill(value)], 20).content

let folders = 0
function file(filename: string, content: string | Buffer): InputFile & { scratch: string } {
  const scratch = join(home, String(++folders))
  mkdirSync(scratch)
  const path = join(scratch, 'input-1')
  writeFileSync(path, content)
  return { scratch, path, filename, bytes: content.length }
}

const options = ({ scratch }: { scratch: string }, ahead?: string) => ({
  ...{ scratch, deadlineMs: 30_000, plan: 'max' as const, tenant: 'a', ahead },
})

// the run's own file differs from the one that is read ahead, which shows where a result comes from
const KINDS: [
  string,
  Record<string, unknown>,
  string,
  (n: number) => string | Buffer,
  (data: Record<string, unknown>) => unknown,
][] = [
  ['vector.centroids', { target_format: 'geojson' }, 'a.geojson', points, ({ featureCount }) => featureCount],
  ['raster.raster-inspect', {}, 'a.tif', flat, ({ bands }) => (bands as { max: number }[])[0]?.max],
]

test.each(KINDS)(
  '%s',
  async (id, settings, filename, content, resultOf) => {
    const tool = byId(id) as Tool
    const run = async (ahead?: string): Promise<unknown> => {
      const own = file(filename, content(5))
      const { scratch: _, ...input } = own
      return resultOf((await engine.run(tool, { ...settings, file: input }, options(own, ahead))).data)
    }
    async function readAhead(id: string): Promise<void> {
      const { scratch, ...first } = file(filename, content(9))
      const ahead = engine.readAhead(
        tool,
        { field: 'file', file: first, maxBytes: first.bytes },
        options({ scratch }, id),
      )
      ahead?.arrived(100, false)
      ahead?.arrived(first.bytes, true)
      expect(ahead).toBeDefined()
      await ahead?.done
    }
    await readAhead('one')
    expect(await run('one')).toBe(9)
    // once
    expect(await run('one')).toBe(5)
    await readAhead('two')
    expect(await run('other')).toBe(5)
    expect(await run('two')).toBe(5)
    await readAhead('three')
    expect(await run()).toBe(5)
  },
  60_000,
)
