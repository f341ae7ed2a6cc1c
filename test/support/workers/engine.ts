/** Runs tools in real worker processes without a server. All test files of a process share the workers. */
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Engine, startEngine } from '../../../src/engine/engine.ts'
import { openSandbox } from '../../../src/engine/sandbox.ts'
import { AppError } from '../../../src/errors.ts'
import { checkInput, isFileField, isFilesField } from '../../../src/tools/check.ts'
import { loadRegistry, type Registry } from '../../../src/tools/registry.ts'
import type { Plan } from '../../../src/tools/tool.ts'
import { inEnglish } from '../../../src/warnings/warning.ts'
import { ROOT } from '../processes.ts'
import { atRunEnd, sharedFolder } from '../run-end.ts'
import { FIXTURES } from './tools.ts'

type Shared = { engine: Engine; registry: Registry; home: string; replaced: string[] }

// each test file has its own modules, but all share one global object
const shared = globalThis as { groundwaveEngine?: Promise<Shared> }

export const NODE = join(ROOT, `node_modules/node-${process.platform}-${process.arch}/bin/node`)

function sharedEngine(): Promise<Shared> {
  shared.groundwaveEngine ??= (async () => {
    const shared = sharedFolder('engine')
    const home = join(shared, 'scratch')
    const sandbox = await openSandbox({ home: join(shared, 'sandbox'), scratch: home })
    const replaced: string[] = []
    const engine = startEngine({
      workers: { bun: 1, node: 2 },
      waiting: { total: 64, perTenant: 64 },
      runningPerTenant: 8,
      sandbox,
      maxMemoryBytes: 2 ** 30,
      limits: {
        maxFeatures: 1_000_000,
        maxUnpackedBytes: 50 * 2 ** 20,
        maxPixels: 1e8,
        maxSamples: 4e9,
        maxPages: 2_000,
      },
      nodePath: existsSync(NODE) ? NODE : undefined,
      onEvent: ({ event, reason }) => {
        if (event === 'killed') replaced.push(reason ?? '')
      },
    })
    atRunEnd(() => engine.stop())
    await engine.ready()
    return { engine, registry: await loadRegistry(), home, replaced }
  })()
  return shared.groundwaveEngine
}

/** Ends all workers; the next run starts fresh ones. */
export async function replaceWorkers(): Promise<void> {
  const { engine } = await sharedEngine()
  await engine.stop()
  delete shared.groundwaveEngine
}

/** @returns why worker processes were replaced meanwhile */
export async function replacedDuring(work: () => Promise<unknown>): Promise<string[]> {
  const { replaced } = await sharedEngine()
  const before = replaced.length
  await work()
  return replaced.slice(before)
}

/** The name of a fixture, or a name with content. */
export type Given = string | { name: string; content: string | Uint8Array }

export type Ran = {
  data: Record<string, unknown>
  warnings: string[]
  /** Path of the result file; empty if there is none. */
  path: string
  filename: string
  /** The result file as GeoJSON. */
  geojson(): { features: GeoFeature[] }
}
export type Geometry = { type: string; coordinates: never }
export type GeoFeature = { id?: string | number; properties: Record<string, unknown>; geometry: Geometry | null }

/** Validates the input and runs a tool. @throws AppError */
export async function runTool(id: string, input: Record<string, unknown>, plan: Plan = 'max'): Promise<Ran> {
  const { engine, registry, home } = await sharedEngine()
  const tool = registry.byId(id)
  if (tool === undefined) throw new Error(`no tool ${id}`)
  const scratch = mkdtempSync(join(home, 'run-'))
  let files = 0
  const place = (given: Given) => {
    const { name, content } =
      typeof given === 'string' ? { name: given, content: readFileSync(join(FIXTURES, given)) } : given
    const path = join(scratch, `input-${++files}`)
    writeFileSync(path, content)
    return { path, filename: name, bytes: Buffer.byteLength(content) }
  }
  const placed = Object.fromEntries(
    Object.entries(input).map(([field, value]) => {
      const schema = tool.input.properties[field]
      if (schema === undefined || !isFileField(schema)) return [field, value]
      return [field, isFilesField(schema) ? (value as Given[]).map(place) : place(value as Given)]
    }),
  )
  const result = await engine.run(tool, checkInput(tool, placed), {
    scratch,
    deadlineMs: 120_000,
    plan,
    tenant: 'tester',
  })
  const [output] = result.files ?? []
  return {
    data: result.data,
    warnings: inEnglish(result.warnings ?? []),
    path: output?.path ?? '',
    filename: output?.filename ?? '',
    geojson: () => JSON.parse(readFileSync(output?.path ?? '', 'utf8')) as { features: GeoFeature[] },
  }
}

/** The error with which a tool rejects its input; fails if the tool accepts it. */
export async function refusal(id: string, input: Record<string, unknown>, plan: Plan = 'max') {
  try {
    await runTool(id, input, plan)
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    const [first] = error.errors ?? []
    return { code: error.code, field: first?.field, rule: first?.rule, message: error.message }
  }
  throw new Error(`${id} accepted the input`)
}

/** @param features properties, geometry, and optionally an id */
export const geojson = (
  features: readonly [Record<string, unknown>, unknown, (string | number)?][],
  more: object = {},
): Given => ({
  name: 'layer.geojson',
  content: JSON.stringify({
    type: 'FeatureCollection',
    ...more,
    features: features.map(([properties, geometry, id]) => ({ type: 'Feature', id, properties, geometry })),
  }),
})

export const box = (x1: number, y1: number, x2: number, y2: number) => ({
  type: 'Polygon',
  coordinates: [
    [
      [x1, y1],
      [x2, y1],
      [x2, y2],
      [x1, y2],
      [x1, y1],
    ],
  ],
})

export const point = (...coordinates: number[]) => ({ type: 'Point', coordinates })
