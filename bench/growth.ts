/**
 * How time grows with features and with columns, for every format read and written and every vector tool: `bun run bench growth [most features] [part of a name]`. The exponent is the slope between the two largest
 * sizes on logarithmic axes; 1 is linear. Exits with 1 if one is above 1.2.
 */
import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startEngine } from '../src/engine/engine.ts'
import { openSandbox } from '../src/engine/sandbox.ts'
import { TARGET_FORMATS } from '../src/lib/geo/formats/vector-formats.ts'
import { checkInput } from '../src/tools/check.ts'
import { loadRegistry } from '../src/tools/registry.ts'
import { ROOT } from '../test/support/processes.ts'
import { load, ms, say } from './support/tool-harness.ts'

const [most = '100000', filter = ''] = process.argv.slice(2)
const SIZES = [100, 1_000, 10_000, 100_000].filter((size) => size <= Number(most))
const COLUMNS = [10, 100, 1_000]
const WIDE_FEATURES = 300
const MAX_EXPONENT = 1.2
/** Shorter runs are mostly fixed costs, and their differences noise. */
const MIN_MS = 100
/** Longer runs are measured once. */
const LONG_MS = 5_000
const home = mkdtempSync(join(tmpdir(), 'groundwave-growth-'))
const engine = startEngine({
  workers: { bun: 1, node: 1 },
  waiting: { total: 4, perTenant: 4 },
  runningPerTenant: 4,
  sandbox: await openSandbox({ home: join(home, 'sandbox'), scratch: home }, 'limits'),
  maxMemoryBytes: 4 * 2 ** 30,
  limits: { maxFeatures: 1e6, maxUnpackedBytes: 2 ** 30, maxPixels: 1e8, maxSamples: 4e9, maxPages: 2_000 },
  nodePath: join(ROOT, `node_modules/node-${process.platform}-${process.arch}/bin/node`),
  onEvent: () => undefined,
})
await engine.ready()
const { tools, byId } = await loadRegistry()

/** Squares beside each other, a few of which overlap the next one, or their outlines. */
function layer(count: number, columns: number, type: 'Polygon' | 'LineString' = 'Polygon'): string {
  const side = Math.ceil(Math.sqrt(count))
  const features = Array.from({ length: count }, (_, i) => {
    const [x, y] = [((i % side) * 10) / side, 40 + (Math.floor(i / side) * 10) / side]
    const size = (i % 10 === 0 ? 12 : 8) / side
    const ring = [
      [x, y],
      [x + size, y],
      [x + size, y + size],
      [x, y + size],
      [x, y],
    ]
    const properties = Object.fromEntries(Array.from({ length: columns }, (_, k) => [`c${k}`, k % 2 ? i * k : `v${i}`]))
    return { type: 'Feature', properties, geometry: { type, coordinates: type === 'Polygon' ? [ring] : ring } }
  })
  return JSON.stringify({ type: 'FeatureCollection', features })
}

let made = 0
type Placed = { path: string; filename: string; bytes: number }

function place(filename: string, content: string): Placed {
  const path = join(home, `${++made}-${filename}`)
  writeFileSync(path, content)
  return { path, filename, bytes: statSync(path).size }
}

async function timed(id: string, input: Record<string, unknown>): Promise<{ took: number; output: Placed }> {
  const tool = byId(id)
  if (tool === undefined) throw new Error(`no tool ${id}`)
  const scratch = join(home, `run-${++made}`)
  mkdirSync(scratch)
  const started = performance.now()
  const options = { scratch, deadlineMs: 600_000, plan: 'max', tenant: 'growth' } as const
  const { files } = await engine.run(tool, checkInput(tool, input), options)
  const { path = '', filename = '' } = files?.[0] ?? {}
  return {
    took: performance.now() - started,
    output: { path, filename, bytes: path === '' ? 0 : statSync(path).size },
  }
}

let excess = 0
async function measure(name: string, sizes: readonly number[], run: (size: number) => Promise<number>): Promise<void> {
  if (!name.includes(filter)) return
  const times: number[] = []
  for (const size of sizes) {
    const took = await run(size)
    times.push(took > LONG_MS ? took : Math.min(took, await run(size)))
  }
  const [before = 0, last = 0] = times.slice(-2)
  const [smaller = 1, larger = 1] = sizes.slice(-2)
  const exponent = Math.log(last / Math.max(before, MIN_MS)) / Math.log(larger / smaller)
  const isExcess = last > MIN_MS && exponent > MAX_EXPONENT
  if (isExcess) excess++
  say(
    `${name.padEnd(40)} ${times.map(ms).join(' → ')} ms, exponent ${exponent.toFixed(2)}${isExcess ? '  TOO STEEP' : ''}`,
  )
}

say(`load ${load()}; features ${SIZES.join(', ')}`)
const layers = new Map<number, Placed>(SIZES.map((size) => [size, place('layer.geojson', layer(size, 10))]))
const wide = new Map<number, Placed>(COLUMNS.map((size) => [size, place('wide.geojson', layer(WIDE_FEATURES, size))]))
for (const [what, sizes, files] of [
  ['features', SIZES, layers],
  ['columns', COLUMNS, wide],
] as const) {
  for (const format of TARGET_FORMATS) {
    const written = new Map<number, Placed>()
    await measure(`write ${format} by ${what}`, sizes, async (size) => {
      const { took, output } = await timed('vector.explode', { file: files.get(size), target_format: format })
      written.set(size, output)
      return took
    })
    await measure(`read ${format} by ${what}`, sizes, async (size) => {
      const file =
        written.get(size) ?? (await timed('vector.explode', { file: files.get(size), target_format: format })).output
      return (await timed('vector.explode', { file, target_format: 'fgb' })).took
    })
  }
  const csvSizes = new Map<number, Placed>()
  await measure(`write csv by ${what}`, sizes, async (size) => {
    const input = { file: files.get(size), target_format: 'csv' }
    const { took, output } = await timed('export.workspace-export', input)
    csvSizes.set(size, output)
    return took
  })
  await measure(`read csv by ${what}`, sizes, async (size) => {
    const input = { file: files.get(size), target_format: 'csv' }
    const file = csvSizes.get(size) ?? (await timed('export.workspace-export', input)).output
    return (await timed('vector.explode', { file, target_format: 'fgb' })).took
  })
}

/** Open squares, for the tools that take lines. */
const lines = new Map<number, Placed>(
  SIZES.map((size) => [size, place('lines.geojson', layer(size, 10, 'LineString'))]),
)
const wideLines = new Map<number, Placed>(
  COLUMNS.map((size) => [size, place('wide-lines.geojson', layer(WIDE_FEATURES, size, 'LineString'))]),
)
const SECOND = ['mask', 'overlay', 'join', 'reference']
/** The only tool without columns. */
const OF_COORDINATES = 'vector.line-to-polygon'

/** Whole input of the tools that take something other than one layer of polygons. */
function ownInput(id: string, file: Placed | undefined, line: Placed | undefined, size: number) {
  if (id === 'vector.line-to-polygon-file') return { file: line }
  if (id === 'vector.merge') return { files: [file, file], target_format: 'fgb' }
  if (id !== OF_COORDINATES) return { file, target_format: 'fgb' }
  const angle = (2 * Math.PI) / size
  return { coordinates: Array.from({ length: size }, (_, i) => [10 * Math.cos(i * angle), 10 * Math.sin(i * angle)]) }
}

for (const { id, input } of tools.filter(({ id }) => /^(vector|convert.validate)/.test(id)))
  for (const [what, sizes, files, lineFiles] of [
    ['features', SIZES, layers, lines],
    ['columns', COLUMNS, wide, wideLines],
  ] as const) {
    if (id === OF_COORDINATES && what === 'columns') continue
    await measure(`${id} by ${what}`, sizes, async (size) => {
      const file = files.get(size)
      const fields: Record<string, unknown> = ownInput(id, file, lineFiles.get(size), size)
      if (!('target_format' in input.properties)) delete fields.target_format
      if ('rule' in input.properties) fields.rule = 'inside'
      const features = what === 'features' ? size : WIDE_FEATURES
      if ('cell_size_m' in input.properties) fields.cell_size_m = 1_000_000 / Math.sqrt(features)
      for (const name of SECOND) if (name in input.properties) fields[name] = file
      return (await timed(id, fields)).took
    })
  }
await engine.stop()
rmSync(home, { recursive: true })
process.exit(excess > 0 ? 1 : 0)
