/** The documentation is in step with the code: links, generated parts, sizes, words, and the commands of the README. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { VARIABLES } from '../../src/config/variables.ts'
import { DOCS, generatedDocs } from '../../src/docs/generate.ts'
import { CODES } from '../../src/errors.ts'
import { ROOT } from '../support/processes.ts'
import { createInstance, type Instance } from '../support/server/instance.ts'

const PAGES = [
  join(ROOT, 'README.md'),
  ...readdirSync(DOCS)
    .filter((name) => name.endsWith('.md'))
    .map((name) => join(DOCS, name)),
  // the pages of rooms
  ...new Bun.Glob('{src,test}/**/README.md').scanSync({ cwd: ROOT, absolute: true }),
]
const textOf = (path: string): string => readFileSync(path, 'utf8')
const nameOf = (path: string): string => relative(ROOT, path)
const lineCount = (text: string): number => text.replace(/\n$/, '').split('\n').length

/** As GitHub makes them: lower case, without punctuation, hyphens for spaces. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-')
const anchorsOf = (path: string): string[] =>
  [...textOf(path).matchAll(/^#+ (.+)$/gm)].map(([, heading]) => anchorOf(heading ?? ''))

test('every link leads to a file and a heading that exist', () => {
  const broken: string[] = []
  for (const page of PAGES)
    for (const [, target = ''] of textOf(page).matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^https?:/.test(target)) continue
      const [file = '', anchor] = target.split('#')
      const path = file === '' ? page : join(dirname(page), file)
      if (!existsSync(path)) broken.push(`${nameOf(page)}: ${target}`)
      else if (anchor !== undefined && !anchorsOf(path).includes(anchor))
        broken.push(`${nameOf(page)}: ${target} names no heading`)
    }
  expect(broken).toEqual([])
})

test('every path of a file or folder that a page names exists', () => {
  const missing: string[] = []
  for (const page of PAGES)
    for (const [, path = ''] of textOf(page).matchAll(/`((?:src|test|bench|docs|sql|deploy)\/[\w./-]+)`/g))
      if (!existsSync(join(ROOT, path))) missing.push(`${nameOf(page)}: ${path}`)
  expect(missing).toEqual([])
})

test('every page is reachable from the README', () => {
  const reached = new Set<string>()
  const visit = (page: string): void => {
    if (reached.has(page)) return
    reached.add(page)
    for (const [, file = ''] of textOf(page).matchAll(/\]\(([^)#\s]+\.md)/g)) {
      const path = join(dirname(page), file)
      if (PAGES.includes(path)) visit(path)
    }
  }
  visit(join(ROOT, 'README.md'))
  expect(PAGES.filter((page) => !reached.has(page)).map(nameOf)).toEqual([])
})

test('the parts that `bun run docs` generates are up to date, and every tool has one', async () => {
  const stale: string[] = []
  for (const [name, text] of await generatedDocs()) if (textOf(join(DOCS, name)) !== text) stale.push(name)
  expect(stale).toEqual([])
})

test('every variable and code is documented', () => {
  const configuration = textOf(join(DOCS, 'configuration.md'))
  expect(Object.keys(VARIABLES).filter((name) => !configuration.includes(`| \`${name}\` |`))).toEqual([])
  const all = PAGES.map(textOf).join('\n')
  expect(Object.keys(CODES).filter((code) => !all.includes(`| \`${code}\` |`))).toEqual([])
})

test('variables that pages name are variables', () => {
  const known = new Set([...Object.keys(VARIABLES), ...Object.keys(CODES)])
  const unknown: string[] = []
  for (const page of PAGES)
    for (const [, name = ''] of textOf(page).matchAll(/`([A-Z]+(?:_[A-Z]+)+)`/g))
      if (!known.has(name) && /_(MB|MS|S|URL|BYTES|HOUR|MINUTE|MINUTES|DIR)$/.test(name))
        unknown.push(`${nameOf(page)}: ${name}`)
  expect(unknown).toEqual([])
})

test('the README has fewer than 120 lines', () => {
  expect(lineCount(textOf(join(ROOT, 'README.md')))).toBeLessThan(120)
})

/** Words of the earlier texts that nobody outside of the project would use. */
const PRIVATE_WORDS = /\b(told|anew|by and by|of its own|is not there|goes on as)\b/i

test('the documentation is in plain English', () => {
  const found = PAGES.flatMap((page) =>
    textOf(page)
      .split('\n')
      .flatMap((line, i) => {
        const word = PRIVATE_WORDS.exec(line)?.[1]
        return word === undefined ? [] : [`${nameOf(page)}:${i + 1}: ${word}`]
      }),
  )
  expect(found).toEqual([])
})

const work = mkdtempSync(join(tmpdir(), 'groundwave-readme-'))
afterAll(() => rmSync(work, { recursive: true, force: true }))

const SHELL_BLOCKS = [...textOf(join(ROOT, 'README.md')).matchAll(/```sh\n([\s\S]*?)```/g)].map(
  ([, block = '']) => block,
)

/** Runs commands of the README in an empty folder. */
async function paste(commands: string, shell: string, instance: Instance) {
  const script = commands
    .replace('http://127.0.0.1:8080', instance.url())
    .replace('data/operator.token', join(instance.dir, 'operator.token'))
  const child = Bun.spawn([shell, '-c', script], { cwd: work, stdout: 'pipe', stderr: 'pipe' })
  const [output, errors, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ])
  return { output, errors, code }
}

describe.each([
  ['with GDAL', 'src/main.ts'],
  ['while GDAL is being built', 'test/support/server/server-without-gdal.ts'],
])('the commands of the README, %s', (_, program) => {
  let instance: Instance
  beforeAll(async () => {
    instance = await createInstance({}, undefined, program)
  }, 120_000)
  afterAll(() => instance.remove())

  test.each(['bash', 'sh'])('run in %s as they are shown, and write no files', async (shell) => {
    const { output, errors, code } = await paste(SHELL_BLOCKS.join('\necho\n'), shell, instance)
    expect({ errors, code }).toEqual({ errors: '', code: 0 })
    expect(output).toMatch(/"accepted":\["[^"]+"\],"duplicates":\[\],"refused":\[\]/)
    expect(output).toContain('"type":"FeatureCollection"')
    expect(output).toMatch(/"values":\{"temperature":\{"value":21\.5,"at":"[^"]+"\}\},"location":\[13\.4,52\.5\]/)
    expect(output).toMatch(/"channel":"temperature","agg":"max","points":\[\["[^"]+",21\.5\]\]/)
    expect(output).toContain('"passed":true')
    expect(readdirSync(work)).toEqual([])
  })

  test('report the error, and skip the steps that depend on it', async () => {
    const [reading = '', tool = '', query = '', api = ''] = SHELL_BLOCKS
    const failing = tool.replace('distance_m=500', 'distance_m=far')
    const invalid = await paste(`${reading}${failing}`, 'bash', instance)
    expect(invalid.errors).toMatch(/^"message":"distance_m: .*"\n"message":"/)
    expect(invalid.output).not.toContain('fil')
    const wrongToken = reading.replace('TOKEN=$(', 'TOKEN=wrong-$(')
    const refused = await paste(`${wrongToken}`, 'bash', instance)
    expect(refused).toEqual({ output: '', errors: '"message":"The operator token is missing or wrong."\n', code: 1 })
    for (const block of [tool, query, api]) {
      const { output, errors } = await paste(`${wrongToken}${block}`, 'bash', instance)
      expect(output).toBe('')
      expect(errors).toMatch(/(ENTERPRISE|SENSOR): parameter null or not set/)
    }
  })
})

test('lint does not read files that users write into the folder', async () => {
  const path = join(ROOT, `readme-${process.pid}.json`)
  writeFileSync(path, '{ "written":"by curl"}')
  try {
    // `format` reads the same files as `lint`, and takes a hundredth of its time
    const lint = Bun.spawn(['biome', 'format', path], { cwd: ROOT, stdout: 'ignore', stderr: 'pipe' })
    expect(await new Response(lint.stderr).text()).toContain('These paths were provided but ignored')
  } finally {
    rmSync(path)
  }
})
