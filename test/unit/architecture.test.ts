/** Layers: which folder may import which. */
import { expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { Glob } from 'bun'

const ROOT = join(import.meta.dir, '../..')
const SRC = join(ROOT, 'src')
const scanners = { ts: new Bun.Transpiler({ loader: 'ts' }), tsx: new Bun.Transpiler({ loader: 'tsx' }) }

/** Each was reviewed: a streamed answer ends with the rights of its caller (http/long-answers.ts). */
const MAKE_ANSWERS = [
  'http/download.ts',
  'http/envelope.ts',
  'http/file-answer.ts',
  'http/listener.ts',
  'surfaces/assets/export.ts',
  'surfaces/auth/oidc-routes.ts',
  'surfaces/enterprise/tus.ts',
  'surfaces/manage/audit.ts',
  'surfaces/portal/page-routes.ts',
]

test('answers are made in few places, and streamed answers end with the rights of their caller', async () => {
  const found: string[] = []
  for (const folder of ['http', 'surfaces'])
    for (const file of new Glob(`${folder}/**/*.ts`).scanSync(SRC)) {
      const text = await Bun.file(join(SRC, file)).text()
      if (text.includes('new Response(')) found.push(file)
      if (/streamOf\(|new ReadableStream|\.stream\(\)/.test(text) && !/^http\/body/.test(file))
        expect([file, text.includes('whileAllowed(')]).toEqual([file, true])
    }
  expect(found.toSorted()).toEqual(MAKE_ANSWERS.toSorted())
})

/** Folders whose lists grow with the data of a call or of a store. */
const DATA_FOLDERS = ['lib', 'tools', 'stores', 'analytics', 'ingest', 'zones', 'intake']

// `.push({ ...item })` adds one item
test('no list of data becomes the arguments of a call, which accepts about 125,000', async () => {
  const found: string[] = []
  // `.push({ ...item })` adds one item
  for (const folder of DATA_FOLDERS)
    for (const file of new Glob(`${folder}/**/*.ts`).scanSync(SRC))
      for (const [call] of (await Bun.file(join(SRC, file)).text()).matchAll(
        /(Math\.(max|min)|\.push)\((.*, )?\.\.\./g,
      ))
        if (!/[{[]/.test(call)) found.push(`${file}: ${call}`)
  expect(found).toEqual([])
})

/** The layer of a file: its first folder, or its name for a top-level file. */
function layerOf(file: string): string {
  return file.includes('/') ? (file.split('/')[0] as string) : file.replace(/\.tsx?$/, '')
}

/**
 * Modules that every part of the server may use: the table of failures, the texts of warnings and of faulty fields, the
 * rules of schemas and of JSON, yields of long work, lists.
 */
const ERRORS = [
  'errors',
  'field-texts',
  'store-errors',
  'warnings',
  'schema-rules',
  'json-text',
  'event-loop-yield',
  'tracing',
  'multi-host-url',
  'lists',
  'time-zone',
]
/** Services without HTTP. */
const SERVICES = [
  'analytics',
  'archives',
  'tool-apis',
  'runs',
  'zones',
  'alerts',
  'intake',
  'monitoring',
  'destinations',
  'provisioning',
]

const MAY_IMPORT: Record<string, string[]> = {
  main: ['app', 'supervisor', 'config', 'composition', 'http'],
  'job-worker': ['config', 'composition', 'http', 'stores'],
  // separate programs for operators, which read and write the stores
  backup: ['config', 'ingest', 'stores', 'niceness', ...ERRORS],
  // examines an installation without starting it
  doctor: ['config', 'engine', 'stores', ...ERRORS],
  composition: [
    'config',
    'http',
    'access',
    'surfaces',
    'engine',
    'ingest',
    'tools',
    'stores',
    'lib',
    ...SERVICES,
    ...ERRORS,
  ],
  app: ['http', 'access', 'surfaces', 'ingest', ...ERRORS],
  surfaces: ['access', ...SERVICES, 'engine', 'ingest', 'tools', 'stores', 'http', ...ERRORS],
  analytics: ['ingest', 'stores', ...ERRORS],
  archives: ['stores', ...ERRORS],
  provisioning: ['stores', ...ERRORS],
  destinations: ['access', 'stores', 'lib', 'placeholders', ...ERRORS],
  'tool-apis': ['access', 'intake', 'engine', 'tools', 'stores', ...ERRORS],
  monitoring: ['engine', 'ingest', 'stores', ...ERRORS],
  runs: ['engine', 'ingest', 'tools', 'stores', ...ERRORS],
  zones: ['alerts', 'engine', 'ingest', 'tools', 'stores', ...ERRORS],
  // its tasks for worker processes read polygons, so they need the algorithms of lib too
  alerts: ['zones', 'engine', 'ingest', 'tools', 'stores', 'lib', ...ERRORS],
  // its tasks for worker processes read owners' data, so they need the algorithms of lib too
  intake: ['engine', 'tools', 'stores', 'lib', ...ERRORS],
  ingest: ['stores', ...ERRORS],
  access: ['stores', ...ERRORS],
  engine: ['tools', 'niceness', ...ERRORS],
  tools: ['lib', ...ERRORS],
  stores: ['niceness', ...ERRORS],
  http: ERRORS,
  // the limit of nesting
  lib: ['json-text', 'lists', 'warnings', 'field-texts'],
  errors: ['account-codes', 'upload-codes', 'field-texts'],
  'account-codes': [],
  'upload-codes': [],
  'store-errors': ['errors'],
  placeholders: [],
  'field-texts': ['placeholders'],
  warnings: ['placeholders'],
  'schema-rules': ['field-texts'],
  'json-text': ['errors', 'field-texts'],
  'event-loop-yield': [],
  lists: [],
  'time-zone': [],
  niceness: [],
  'multi-host-url': [],
  tracing: [],
  config: ['multi-host-url'],
  supervisor: [],
  // separate programs, which send requests to a server
  cli: ['config', 'errors', 'ingest', 'stores'],
  docs: ['config', 'errors', 'tools'],
  setup: [],
  // runs in the browser; it knows the server by its API, and the codes that the API answers with
  portal: ['errors'],
}

type Import = { from: string; to: string; isType: boolean }

/** `import type` too, which Bun's scanner drops. */
const IMPORT = /^(?:import|export)\s+(type\s+)?(?:[^'"`;]*?\sfrom\s+)?['"](\.[^'"]+)['"]/gm
const DYNAMIC_IMPORT = /\bimport\(\s*['"](\.[^'"]+)['"]\s*\)/g

function importsIn(file: string, code: string): Import[] {
  const of = (path: string, isType: boolean): Import => ({ from: file, to: join(dirname(file), path), isType })
  const found = [
    ...[...code.matchAll(IMPORT)].map(([, type, path]) => of(path as string, type !== undefined)),
    ...[...code.matchAll(DYNAMIC_IMPORT)].map(([, path]) => of(path as string, false)),
    // the template of a new tool in new-tool.ts contains imports too
  ].filter(({ to }) => existsSync(join(ROOT, to)))
  // every import that Bun finds must have been found here as well
  for (const { path } of scanners[file.endsWith('.tsx') ? 'tsx' : 'ts'].scanImports(code))
    if (path.startsWith('.') && !found.some(({ to }) => to === join(dirname(file), path)))
      throw new Error(`${file} imports ${path} in a form that this test does not read`)
  return found
}

/** Paths relative to the project's root. */
async function importsBelow(...folders: string[]): Promise<Import[]> {
  const found: Import[] = []
  for (const folder of folders)
    for await (const path of new Glob('**/*.{ts,tsx}').scan(join(ROOT, folder))) {
      const file = join(folder, path)
      found.push(...importsIn(file, await Bun.file(join(ROOT, file)).text()))
    }
  return found
}

/** Paths relative to src. */
async function imports(): Promise<Import[]> {
  const inSrc = (file: string): string => relative(SRC, join(ROOT, file))
  return (await importsBelow('src')).map(({ from, to, isType }) => ({ from: inSrc(from), to: inSrc(to), isType }))
}

test('every import is allowed by the table of layers', async () => {
  const wrong = (await imports()).filter(({ from, to }) => {
    if (to.startsWith('..')) return !to.endsWith('package.json')
    const [a, b] = [layerOf(from), layerOf(to)]
    return a !== b && !(MAY_IMPORT[a] ?? []).includes(b)
  })
  expect(wrong).toEqual([])
})

test('surfaces never import each other, nor does the job worker import one directly or indirectly', async () => {
  const all = await imports()
  const surfaceOf = (file: string): string => file.split('/')[1] as string
  const across = all.filter(
    ({ from, to }) => layerOf(from) === 'surfaces' && layerOf(to) === 'surfaces' && surfaceOf(from) !== surfaceOf(to),
  )
  expect(across).toEqual([])
  const graph = Map.groupBy(all, ({ from }) => from)
  const reached = new Set(['job-worker.ts'])
  for (const file of reached) for (const { to } of graph.get(file) ?? []) reached.add(to)
  expect([...reached].filter((file) => layerOf(file) === 'surfaces')).toEqual([])
})

test('worker processes, which Node runs too, load no module of Bun', async () => {
  const graph = Map.groupBy(
    (await imports()).filter(({ isType }) => !isType),
    ({ from }) => from,
  )
  const reached = new Set(['engine/worker.ts'])
  for (const file of reached) for (const { to } of graph.get(file) ?? []) reached.add(to)
  expect(reached).toContain('errors.ts')
  const offences: string[] = []
  for (const file of reached)
    if (/^import (?!type )[^'"]*['"]bun[':]/m.test(await Bun.file(join(SRC, file)).text())) offences.push(file)
  expect(offences).toEqual([])
})

test('services see types of ingest, the row format and timestamps; a command line sees timestamps and migrations', async () => {
  const all = await imports()
  const ofIngest = all.filter(({ to }) => layerOf(to) === 'ingest')
  const services = ofIngest.filter(({ from }) => SERVICES.includes(layerOf(from)))
  expect(
    services.filter(({ to, isType }) => !isType && !['ingest/row.ts', 'ingest/timestamp.ts'].includes(to)),
  ).toEqual([])
  const ofCli = all.filter(({ from, to }) => layerOf(from) === 'cli' && ['ingest', 'stores'].includes(layerOf(to)))
  const seen = ['ingest/timestamp.ts', 'stores/clickhouse/migrate.ts']
  expect(ofCli.filter(({ to }) => !seen.includes(to))).toEqual([])
})

test('services do not handle requests or responses', async () => {
  const offences: string[] = []
  for (const folder of SERVICES)
    for await (const path of new Glob(`${folder}/**/*.ts`).scan(SRC))
      if (/\b(Request|Response|Headers)\b/.test(await Bun.file(join(SRC, path)).text())) offences.push(path)
  expect(offences).toEqual([])
})

test('there are no circular imports, not even of types', async () => {
  const graph = Map.groupBy(await importsBelow('src', 'bench', 'test'), ({ from }) => from)
  const done = new Set<string>()
  const circles: string[][] = []
  function visit(file: string, trail: string[]): void {
    const at = trail.indexOf(file)
    if (at >= 0) circles.push([...trail.slice(at), file])
    if (at >= 0 || done.has(file)) return
    for (const { to } of graph.get(file) ?? []) visit(to, [...trail, file])
    done.add(file)
  }
  for (const file of graph.keys()) visit(file, [])
  expect(circles).toEqual([])
})

test('no catch-all file names, no environment access outside config, no schemas from elysia', async () => {
  const offences: string[] = []
  for await (const file of new Glob('**/*.ts').scan(SRC)) {
    const code = await Bun.file(join(SRC, file)).text()
    if (/(^|\/)(utils?|helpers?|common|misc|index)(\.ts|\/)/.test(file)) offences.push(`${file}: name`)
    if (
      /process\.env|Bun\.env/.test(code) &&
      ![
        'main.ts',
        'job-worker.ts',
        'doctor.ts',
        'backup/main.ts',
        'cli/client.ts',
        'cli/health-check.ts',
        'engine/confine/launch.ts',
        'setup/test.ts',
        'setup/build-portal.ts',
        'setup/portal-api.ts',
      ].includes(file)
    )
      offences.push(`${file}: environment`)
    if (/import[^;]*\bt\b[^;]*from 'elysia'/.test(code)) offences.push(`${file}: schema from elysia`)
  }
  expect(offences).toEqual([])
})

test('no test waits in a synchronous spawn, which can lose the exit of its child and block the test runner', async () => {
  const offences: string[] = []
  for await (const file of new Glob('test/**/*.ts').scan(ROOT))
    if (/\b(spawnSync|execSync|execFileSync)\(/.test(await Bun.file(join(ROOT, file)).text())) offences.push(file)
  expect(offences).toEqual([])
})

test('spatial references of GDAL are read and created in files that check them', async () => {
  // see spatial-reference.ts: unchecked ones may belong to another file
  const unchecked: string[] = []
  for await (const file of new Glob('src/{lib,tools,intake}/**/*.ts').scan(ROOT)) {
    const text = await Bun.file(join(ROOT, file)).text()
    const isUsed = /\bSpatialReference\.from|\b(dataset|layer|first|raster)\.srs\b/.test(text)
    if (isUsed && !text.includes('spatial-reference.ts') && !file.endsWith('spatial-reference.ts')) unchecked.push(file)
  }
  expect(unchecked).toEqual([])
})

test('no object is written out only to be spread', async () => {
  const found: string[] = []
  for (const file of new Glob('{src,test,bench}/**/*.{ts,tsx}').scanSync(ROOT))
    if (/\.\.\.\{/.test(await Bun.file(join(ROOT, file)).text())) found.push(file)
  expect(found).toEqual([])
})

test('no source file has more than 400 lines without a reason in its head', async () => {
  const tooLong: string[] = []
  for await (const file of new Glob('{src,test,bench}/**/*.{ts,tsx,css,mjs,py}').scan(ROOT)) {
    const text = await Bun.file(join(ROOT, file)).text()
    const lines = text.split('\n').length - 1
    const hasReason = /^(\/\/ Generated from|\/\*\*(?:(?!\*\/)[\s\S])*More than 400 lines, since )/.test(text)
    if (lines > 400 && !hasReason) tooLong.push(`${file}: ${lines} lines`)
  }
  expect(tooLong).toEqual([])
})

test('no folder has more than 25 files without a README that gives the reason', () => {
  const files = [...new Glob('{src,test,bench}/**/*').scanSync({ cwd: ROOT, dot: true })]
  // fixtures are data; tests take all files of a folder
  const folders = Map.groupBy(
    files.filter((file) => !file.startsWith('test/fixtures/')),
    dirname,
  )
  expect(folders.size).toBeGreaterThan(100)
  const large = [...folders].filter(([folder, { length }]) => length > 25 && !files.includes(`${folder}/README.md`))
  expect(large.map(([folder, { length }]) => `${folder}: ${length} files`)).toEqual([])
})

/** Headers and parameters that identify caller, owner and subject: only the check may read them from a request. */
const RAW_FACTS = [
  /headers\.(get|has)\(\s*['"`](x-enterprise|x-api-\w+|x-operator|x-csrf-token|authorization|cookie)['"`]/i,
  /(searchParams\.get\(|query\.|params\.)\s*['"`]?(owner|ownerId|enterprise)\b/,
]
/** The path of a record whose owner decides, without the wrapper that hides its id from handlers. */
const RAW_PATH = /['"`]\/(owners|enterprises|people|members|invitations|applications|sensors|assets|tool-apis)\/:/

test('handlers get owner, caller and subject from the check, and not from the request again', async () => {
  const found: string[] = []
  for await (const file of new Glob('**/*.ts').scan(join(SRC, 'surfaces'))) {
    const code = await Bun.file(join(SRC, 'surfaces', file)).text()
    for (const fact of RAW_FACTS) if (fact.test(code)) found.push(`${file} ${fact.exec(code)?.[0]}`)
    if (file.startsWith('manage/') && RAW_PATH.test(code)) found.push(`${file} ${RAW_PATH.exec(code)?.[0]}`)
  }
  expect(found.toSorted()).toEqual([
    // the check itself
    "manage/callers.ts headers.get('authorization'",
    // below /operator, which admits operators only, for any id
    "manage/operator/console-routes.ts '/enterprises/:",
    'manage/operator/console-routes.ts query.owner',
    "manage/subject-paths.ts '/owners/:",
    // the language of a page
    "portal/page.ts headers.get('cookie'",
  ])
})

test('the portal makes no part of a page from a string', async () => {
  const makers =
    /\b(innerHTML|outerHTML|insertAdjacentHTML|dangerouslySetInnerHTML|document\.write|srcdoc|eval)\b|new Function/
  const found: string[] = []
  for await (const file of new Glob('**/*.{ts,tsx}').scan(join(SRC, 'portal')))
    if (makers.test(await Bun.file(join(SRC, 'portal', file)).text())) found.push(file)
  expect(found).toEqual([])
})

type Package = { version?: string; integrity?: string; link?: boolean; inBundle?: boolean; resolved?: string }

test('packages have exact versions and integrity sums, and run nothing when they are installed', async () => {
  const { trustedDependencies, ...own } = await Bun.file(join(ROOT, 'package.json')).json()
  const versions = Object.entries({ ...own.dependencies, ...own.devDependencies, ...own.optionalDependencies })
  expect(versions.filter(([, version]) => !/^\d+\.\d+\.\d+[\w.-]*$/.test(String(version)))).toEqual([])
  expect(trustedDependencies).toEqual([])
  expect(await Bun.file(join(ROOT, '.npmrc')).text()).toContain('ignore-scripts=true')
  const { packages } = (await Bun.file(join(ROOT, 'package-lock.json')).json()) as { packages: Record<string, Package> }
  const unsealed = Object.entries(packages).filter(
    ([name, { integrity, link, inBundle }]) => name.includes('node_modules/') && !integrity && !link && !inBundle,
  )
  expect(unsealed.map(([name]) => name)).toEqual([])
})
