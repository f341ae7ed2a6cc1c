/** `bun run check`: the tests that belong to a folder, and its output. */
import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { areaOf, runSteps } from '../../src/setup/check.ts'
import { ROOT } from '../support/processes.ts'

const TESTS = [
  'test/unit/engine/lane.test.ts',
  'test/unit/engine/lane-order.test.ts',
  'test/server/engine.test.ts',
  'test/server/zone-rules.test.ts',
]
const ENGINE = TESTS.slice(0, 3)
const SOURCES = [
  'src/engine',
  'src/engine/lane.ts',
  'src/engine/turns.ts',
  'src/engine/zone.ts',
  'src/rules',
  'src/none',
]
const of = (path: string) =>
  areaOf(path, {
    tests: TESTS,
    exists: (name) => SOURCES.includes(name),
    textOf: (name) => (name.includes('zone') ? "from '../src/rules/a.ts'\nfrom '../src/engine/zone.ts'" : ''),
  })

describe('the tests of a path', () => {
  test.each([
    ['src/engine', ENGINE, 'src/engine'],
    ['./src/engine/', ENGINE, 'src/engine'],
    ['test/engine', ENGINE, 'src/engine'],
    ['src/engine/lane.ts', TESTS.slice(0, 1), 'src/engine/lane.ts'],
    ['test/unit/engine/lane.test.ts', TESTS.slice(0, 1), undefined],
    ['test/unit/engine/lane', TESTS.slice(0, 2), undefined],
    ['test/server', TESTS.slice(2), undefined],
    ['test/unit/engine', TESTS.slice(0, 2), 'src/engine'],
    ['src/engine/turns.ts', ENGINE, 'src/engine/turns.ts'],
    ['src/engine/zone.ts', TESTS.slice(3), 'src/engine/zone.ts'],
    ['src/rules', TESTS.slice(3), 'src/rules'],
    ['test/zone', TESTS.slice(3), undefined],
  ])('%s', (path, tests, source) => {
    expect(of(path)).toEqual({ tests, lint: source === undefined ? tests : [source, ...tests] })
  })

  test('a source may have none', () => {
    expect(of('src/none')).toEqual({ lint: ['src/none'], tests: [] })
  })

  test.each(['src', 'test', 'docs', '../src/engine', 'src/enginee', 'test/engine/none', ''])(
    '"%s" is wrong',
    (path) => {
      expect(of(path)).toBeUndefined()
    },
  )
})

test('the summary names the failed steps, with their output', async () => {
  let printed = ''
  const say = (text: string, code: number) => ['sh', '-c', `printf '${text}'; exit ${code}`]
  const print = (text: string): void => {
    printed += text
  }
  const fine = { name: 'lint', command: say('nothing to say', 0) }
  expect(
    await runSteps([fine, { name: 'tests', command: say('(pass) a\\n(fail) b\\n\\n 1 pass\\n 1 fail\\n', 1) }], print),
  ).toBe(false)
  expect(printed).toContain('# tests\n(fail) b\n')
  expect(printed).toMatch(/\npassed +[\d.]+ s +lint\nFAILED +[\d.]+ s +tests +1 pass +1 fail\n$/)
  expect(printed).not.toContain('nothing to say')
  expect(await runSteps([fine], print)).toBe(true)
})

test.each([
  [['--help'], 0, ''],
  [[], 2, 'No path was given.'],
  [['src/nothing'], 2, 'src/nothing is no source'],
  [['src/intake'], 2, 'There are no tests for src/intake'],
])('with %p it ends with %p and shows examples', async (args, code, said) => {
  const child = Bun.spawn([process.execPath, join(ROOT, 'src/setup/check.ts'), ...args], {
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const text = (await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])).join('')
  expect(await child.exited).toBe(code)
  expect(text).toStartWith(said)
  expect(text).toContain('bun run check src/ingest ')
})
