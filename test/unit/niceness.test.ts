/** Processes that lower their priority also start when it is low already, as under `nice` or systemd's `Nice=`. */
import { expect, test } from 'bun:test'
import { getPriority } from 'node:os'
import { ROOT } from '../support/processes.ts'
import { outputOf } from '../support/program.ts'

/** Root may raise a priority, unless the capability is taken away; others may not. */
const withoutCapability =
  process.geteuid?.() === 0 ? ['setpriv', '--bounding-set=-sys_nice', '--inh-caps=-sys_nice'] : []
const runAt = (niceness: number, ...command: string[]): string => {
  const [program = '', ...rest] = [...withoutCapability, 'nice', '-n', String(niceness), process.execPath, ...command]
  return outputOf(program, rest, { cwd: ROOT }).toString()
}
const SHOW = "import { getPriority } from 'node:os'; import { beNice } from './src/niceness.ts'; beNice(10)"

test.each([0, 5, 10, 15, 19])('a process with niceness %i gets at least 10', (more) => {
  const own = Number(runAt(more, '-e', "console.log(require('node:os').getPriority())"))
  expect(Number(runAt(more, '-e', `${SHOW}; console.log(getPriority())`))).toBe(Math.max(own, 10))
})

test('threads that the runtime started earlier are lowered as well', () => {
  const program = `
    import { readdirSync } from 'node:fs'
    import { readFile } from 'node:fs/promises'
    import { getPriority } from 'node:os'
    import { beNice } from './src/niceness.ts'
    await Promise.all(Array.from({ length: 8 }, () => readFile('package.json')))
    beNice(10)
    console.log(JSON.stringify(readdirSync('/proc/self/task').map((thread) => getPriority(Number(thread)))))`
  const found = JSON.parse(runAt(0, '-e', program)) as number[]
  expect(found.length).toBeGreaterThan(3)
  expect(found.filter((niceness) => niceness < 10)).toEqual([])
})

test('a backup command starts with the lowest priority', () => {
  expect(runAt(19, 'src/backup/main.ts', '--help')).toContain('bun run restore TARGET')
})

test.each([0, 15, 19])('a worker process keeps a niceness above 10: %i', (given) => {
  const rules = { landlock: 'none', programs: [], listed: [], readable: [], writable: [], devices: [] }
  const command = [process.execPath, '-e', "console.log(require('node:os').getPriority())"]
  const shown = runAt(given, 'src/engine/confine/launch.ts', JSON.stringify(rules), ...command)
  // the tests may run with a niceness themselves
  expect(Number(shown)).toBe(Math.max(10, Math.min(19, getPriority() + given)))
})
