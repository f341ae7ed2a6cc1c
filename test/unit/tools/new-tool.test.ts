/** The templates of new tools: their code compiles, is formatted, and its tests fail until it is filled in. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { newToolFiles, TEMPLATE_GROUPS } from '../../../src/cli/tool-templates.ts'
import { ROOT } from '../../support/processes.ts'

/** A copy of the repository with one new tool of each group, so that no other test sees them. */
const copy = mkdtempSync(join(tmpdir(), 'groundwave-new-tool-'))
const written: string[] = []

async function run(...command: string[]): Promise<{ exitCode: number; output: string }> {
  const program = join(ROOT, 'node_modules/.bin', command[0] as string)
  const child = Bun.spawn([program, ...command.slice(1)], { cwd: copy, stdout: 'pipe', stderr: 'pipe' })
  const [stdout, stderr] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
  return { exitCode: await child.exited, output: stdout + stderr }
}

beforeAll(() => {
  for (const path of [
    'src',
    'test/support',
    'test/awaited-rejections.grit',
    'tsconfig.json',
    'biome.json',
    'bunfig.toml',
    'package.json',
  ])
    cpSync(join(ROOT, path), join(copy, path), { recursive: true })
  mkdirSync(join(copy, 'test/fixtures'))
  for (const path of ['node_modules', 'test/fixtures/tools', 'sql']) symlinkSync(join(ROOT, path), join(copy, path))
  for (const group of TEMPLATE_GROUPS) {
    const files = newToolFiles({ group, name: 'new-tool', title: 'New tool', arabicTitle: 'أداة جديدة' })
    for (const [path, content] of Object.entries(files)) {
      mkdirSync(dirname(join(copy, path)), { recursive: true })
      writeFileSync(join(copy, path), content)
      written.push(path)
    }
  }
})
afterAll(() => rmSync(copy, { recursive: true, force: true }))

test('a tool written from a template compiles and passes the linter', async () => {
  const config = { extends: './tsconfig.json', include: ['src/tools', ...written] }
  writeFileSync(join(copy, 'tsconfig.new.json'), JSON.stringify(config))
  expect(await run('tsc', '--noEmit', '-p', 'tsconfig.new.json')).toEqual({ exitCode: 0, output: '' })
  const lint = await run('biome', 'check', '--error-on-warnings', '--vcs-enabled=false', ...written)
  expect({ ...lint, output: lint.exitCode === 0 ? '' : lint.output }).toEqual({ exitCode: 0, output: '' })
}, 120_000)

test('the test of each new tool runs it, and fails on the parts to fill in', async () => {
  const tests = written.filter((path) => path.endsWith('.test.ts'))
  const { exitCode, output } = await run('bun', 'test', '--timeout', '60000', ...tests)
  expect(exitCode).not.toBe(0)
  const failed = [...output.matchAll(/^\(fail\) (.*?)(?: \[.*)?$/gm)].map(([, title]) => title as string)
  const independent = ['matches', 'changes what it should']
  expect(failed).toHaveLength(TEMPLATE_GROUPS.length)
  for (const title of failed) expect(independent.some((start) => title.startsWith(start))).toBe(true)
  expect(output.match(/FILL IN: /g)?.length).toBeGreaterThanOrEqual(TEMPLATE_GROUPS.length)
}, 120_000)
