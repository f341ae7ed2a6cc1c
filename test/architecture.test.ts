/** Layers: which folder may import which. */
import { expect, test } from 'bun:test'
import { dirname, join, relative } from 'node:path'
import { Glob } from 'bun'

const SRC = join(import.meta.dir, '../src')
const scanner = new Bun.Transpiler({ loader: 'ts' })

/** The layer of a file: its first folder, or its name for a top-level file. */
function layerOf(file: string): string {
  return file.includes('/') ? (file.split('/')[0] as string) : file.replace(/\.ts$/, '')
}

const MAY_IMPORT: Record<string, string[]> = {
  main: [
    'app',
    'store-errors',
    'supervisor',
    'wiring',
    'config',
    'errors',
    'http',
    'access',
    'surfaces',
    'ingest',
    'engine',
    'tools',
    'stores',
    'lib',
  ],
  'job-worker': ['config', 'errors', 'store-errors', 'stores', 'surfaces', 'wiring'],
  wiring: ['config', 'access', 'engine', 'stores', 'surfaces', 'tools'],
  app: ['http', 'access', 'surfaces', 'errors'],
  surfaces: ['access', 'engine', 'ingest', 'intake', 'tools', 'stores', 'http', 'errors', 'store-errors'],
  ingest: ['stores', 'errors'],
  access: ['stores', 'errors'],
  engine: ['tools', 'errors'],
  // processing of owners' uploads, run by the engine like tools
  intake: ['tools', 'lib', 'ingest', 'errors'],
  tools: ['lib', 'errors', 'schema-rules'],
  stores: ['errors'],
  http: ['errors', 'schema-rules', 'store-errors'],
  lib: [],
  supervisor: [],
  errors: [],
  'schema-rules': [],
  'store-errors': ['errors'],
  config: [],
  // separate programs that call a server over HTTP
  cli: ['config', 'ingest'],
  docs: ['config', 'errors', 'tools'],
  setup: [],
}

async function imports(): Promise<{ from: string; to: string }[]> {
  const found: { from: string; to: string }[] = []
  for await (const file of new Glob('**/*.ts').scan(SRC)) {
    const code = await Bun.file(join(SRC, file)).text()
    for (const { path } of scanner.scanImports(code))
      if (path.startsWith('.')) found.push({ from: file, to: relative(SRC, join(SRC, dirname(file), path)) })
  }
  return found
}

test('imports follow the layers', async () => {
  const wrong = (await imports()).filter(({ from, to }) => {
    if (to.startsWith('..')) return !to.endsWith('package.json')
    const [a, b] = [layerOf(from), layerOf(to)]
    return a !== b && !(MAY_IMPORT[a] ?? []).includes(b)
  })
  expect(wrong).toEqual([])
})

test('surfaces never import each other; intake imports only row.ts and cli only timestamp.ts from ingest', async () => {
  const all = await imports()
  const surfaceOf = (file: string): string => file.split('/')[1] as string
  const across = all.filter(
    ({ from, to }) => layerOf(from) === 'surfaces' && layerOf(to) === 'surfaces' && surfaceOf(from) !== surfaceOf(to),
  )
  expect(across).toEqual([])
  expect(
    all.filter(({ from, to }) => layerOf(from) === 'intake' && layerOf(to) === 'ingest' && to !== 'ingest/row.ts'),
  ).toEqual([])
  expect(
    all.filter(({ from, to }) => layerOf(from) === 'cli' && layerOf(to) === 'ingest' && to !== 'ingest/timestamp.ts'),
  ).toEqual([])
})

test('there are no import cycles', async () => {
  const graph = Map.groupBy(await imports(), ({ from }) => from)
  const done = new Set<string>()
  function visit(file: string, trail: string[]): string[] | undefined {
    if (trail.includes(file)) return [...trail, file]
    if (done.has(file)) return undefined
    for (const { to } of graph.get(file) ?? []) {
      const circle = visit(to, [...trail, file])
      if (circle !== undefined) return circle
    }
    done.add(file)
    return undefined
  }
  for (const file of graph.keys()) expect(visit(file, [])).toBeUndefined()
})

test('no catch-all file names, no environment access outside config, no schemas from elysia', async () => {
  const offences: string[] = []
  for await (const file of new Glob('**/*.ts').scan(SRC)) {
    const code = await Bun.file(join(SRC, file)).text()
    if (/(^|\/)(utils?|helpers?|common|misc|index)(\.ts|\/)/.test(file)) offences.push(`${file}: name`)
    if (
      /process\.env|Bun\.env/.test(code) &&
      !['main.ts', 'job-worker.ts', 'cli/client.ts', 'setup/test.ts'].includes(file)
    )
      offences.push(`${file}: environment`)
    if (/import[^;]*\bt\b[^;]*from 'elysia'/.test(code)) offences.push(`${file}: schema from elysia`)
  }
  expect(offences).toEqual([])
})
