/** `bun run check FOLDER`: lint, types and the tests of one part of the project at the same time, for use before a commit. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const ROOT = join(import.meta.dir, '../..')
/** The timeout of `npm test`; Bun accepts it on its command line only. */
const TIMEOUT_MS = 120_000

const HELP = `Checks one part of the project: lint, types, and the tests of the part.

  bun run check PATH ...

  bun run check src/ingest             its sources, and the tests in test/unit/ingest
  bun run check test/unit/ingest       the same
  bun run check src/engine/lane.ts     test/unit/engine/lane.test.ts
  bun run check src/composition        no test has its name: the tests that import it
  bun run check src/zones test/server/sensors/zone
                                       these sources, and tests whose paths begin like this

\`npm test\` checks everything.`

/** The inputs of the choice of tests; all paths are relative to the project. */
export type Project = { tests: readonly string[]; exists(path: string): boolean; textOf(test: string): string }
export type Area = { lint: string[]; tests: string[] }

/**
 * The tests of a path below src or test: tests whose paths have it as prefix; for a source without such tests, tests
 * that import it; otherwise the tests of its parent folder.
 * @returns undefined for a wrong path; a source may have no tests
 */
export function areaOf(path: string, project: Project): Area | undefined {
  const [top, ...parts] = path.replace(/^\.\//, '').replace(/\/+$/, '').split('/')
  if ((top !== 'src' && top !== 'test') || parts.length === 0) return undefined
  const source = withoutRoom(['test', ...parts].join('/')).replace(/^test\//, 'src/')
  const hasSource = project.exists(source)
  if (top === 'src' && !hasSource) return undefined
  let found = testsLike(parts, project.tests)
  if (top === 'src' && found.length === 0)
    found = project.tests.filter((test) => project.textOf(test).includes(`/${source}`))
  // a misspelt test must not run the tests of its parent folder
  if (top === 'src')
    for (let length = parts.length - 1; length > 0 && found.length === 0; length--)
      found = testsLike(parts.slice(0, length), project.tests)
  if (found.length === 0 && top === 'test') return undefined
  return { lint: hasSource ? [source, ...found] : found, tests: found }
}

/** Tests are in folders by what they need, and each of these mirrors the folders of src. */
const withoutRoom = (test: string): string => test.replace(/^test\/(unit|server|browser|durability)\//, 'test/')

/** A file has one test at most. */
function testsLike(parts: readonly string[], tests: readonly string[]): string[] {
  const start = ['test', ...parts].join('/')
  const file = start.replace(/(\.test)?\.tsx?$/, '.test.ts')
  const isLike = (test: string): boolean =>
    file === start && !start.endsWith('.ts') ? test.startsWith(start) : test === file
  return tests.filter((test) => isLike(test) || isLike(withoutRoom(test)))
}

type Step = { name: string; command: string[] }

/** Runs the commands at the same time, and prints the output of the failed ones. @returns whether all succeeded */
export async function runSteps(steps: readonly Step[], print: (text: string) => void): Promise<boolean> {
  const outcomes = await Promise.all(
    steps.map(async ({ name, command }) => {
      const startedMs = performance.now()
      const child = Bun.spawn(command, { cwd: ROOT, stdout: 'pipe', stderr: 'pipe' })
      const output = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
      const hasPassed = (await child.exited) === 0
      const text = output.join('')
      const counts = [...text.matchAll(/^ *(\d+ (?:pass|fail|errors?))$/gm)].map(([, count]) => count)
      if (!hasPassed) print(`\n# ${name}\n${text.replace(/^\(pass\) .*\n/gm, '')}`)
      const seconds = `${((performance.now() - startedMs) / 1000).toFixed(1)} s`
      return {
        hasPassed,
        line: [hasPassed ? 'passed' : 'FAILED', seconds.padStart(8), ` ${name}`, ...counts].join('  '),
      }
    }),
  )
  print(`\n${outcomes.map(({ line }) => line).join('\n')}\n`)
  return outcomes.every(({ hasPassed }) => hasPassed)
}

function areaOfAll(paths: readonly string[], project: Project): Area {
  const areas = paths.map((path) => {
    const area = areaOf(path, project)
    if (area === undefined) throw new UsageError(`${path} is no source, and no test has a path that begins so.`)
    return area
  })
  const unique = (lists: string[][]): string[] => [...new Set(lists.flat())].sort()
  const tests = unique(areas.map((area) => area.tests))
  if (paths.length === 0) throw new UsageError('No path was given.')
  if (tests.length === 0) throw new UsageError(`There are no tests for ${paths.join(' ')}; give their path as well.`)
  return { lint: unique(areas.map(({ lint }) => lint)), tests }
}

class UsageError extends Error {}

async function main(paths: readonly string[]): Promise<number> {
  if (paths[0] === '--help' || paths[0] === '-h') {
    console.log(HELP)
    return 0
  }
  const area = areaOfAll(paths, {
    tests: [...new Bun.Glob('test/**/*.test.ts').scanSync(ROOT)].sort(),
    exists: (name) => existsSync(join(ROOT, name)),
    textOf: (test) => readFileSync(join(ROOT, test), 'utf8'),
  })
  console.log(
    `${area.tests.length} test files: ${area.tests.slice(0, 8).join(' ')}${area.tests.length > 8 ? ' …' : ''}`,
  )
  const steps = [
    { name: 'lint', command: ['biome', 'check', '--error-on-warnings', ...area.lint] },
    { name: 'types of the server', command: ['tsc', '--noEmit'] },
    { name: 'types of the portal', command: ['sh', '-c', 'bun src/setup/portal-api.ts && tsc --noEmit -p src/portal'] },
    {
      name: 'tests',
      command: ['bun', 'test', '--timeout', String(TIMEOUT_MS), ...area.tests.map((test) => `./${test}`)],
    },
  ]
  return (await runSteps(steps, (text) => process.stdout.write(text))) ? 0 : 1
}

if (import.meta.main)
  try {
    process.exit(await main(process.argv.slice(2)))
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    console.error(`${error.message}\n\n${HELP}`)
    process.exit(2)
  }
