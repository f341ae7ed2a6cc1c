/** Files that are moved and replaced durably, traced with strace: which files are synced, and in which order. */
import { afterAll, expect, test } from 'bun:test'
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ROOT } from '../../support/processes.ts'
import { outputOf } from '../../support/program.ts'

const dir = mkdtempSync(join(tmpdir(), 'groundwave-durable-'))
const otherSystem = ['/dev/shm', '/tmp'].find((path) => statSync(path).dev !== statSync(dir).dev)
const elsewhere = mkdtempSync(`${otherSystem}/groundwave-durable-`)
afterAll(() => {
  for (const folder of [dir, elsewhere]) rmSync(folder, { recursive: true, force: true })
})

/** System calls of a move, one a line, as `name path`. */
function callsOf(work: string): string[] {
  const program = join(dir, 'program.ts')
  writeFileSync(program, `import * as files from '${ROOT}/src/stores/durable-files.ts'\nawait files.${work}`)
  const calls = 'fsync,fdatasync,rename,renameat,renameat2'
  const log = join(dir, 'calls')
  outputOf('strace', ['-f', '-y', '-qq', '-e', `trace=${calls}`, '-o', log, process.execPath, program])
  return readFileSync(log, 'utf8')
    .split('\n')
    .filter((line) => line.includes(dir) || line.includes(elsewhere))
    .map((line) => /(\w+)\(.*?((?:\/[\w.-]+)+)/.exec(line)?.slice(1, 3).join(' ') ?? line)
}

test('a file is synced before it is renamed, and its folder afterwards', () => {
  const [from, to] = [join(dir, 'draft'), join(dir, 'stored')]
  writeFileSync(from, 'content')
  const calls = callsOf(`moveDurably('${from}', '${to}')`)
  expect(calls.map((call) => call.replace(/renameat2?/, 'rename'))).toEqual([
    `fdatasync ${from}`,
    `rename ${from}`,
    `fsync ${dir}`,
  ])
  expect([readFileSync(to, 'utf8'), existsSync(from)]).toEqual(['content', false])
})

test('across file systems, the copy is synced before it is renamed, and its folder afterwards', () => {
  const [from, to] = [join(elsewhere, 'draft'), join(dir, 'copied')]
  writeFileSync(from, 'x'.repeat(1_000_000))
  expect(statSync(from).dev).not.toBe(statSync(dir).dev)
  const calls = callsOf(`moveDurably('${from}', '${to}')`)
  expect(calls.map((call) => call.replace(/renameat2?/, 'rename')).slice(-3)).toEqual([
    `fdatasync ${to}.new`,
    `rename ${to}.new`,
    `fsync ${dir}`,
  ])
  expect([readFileSync(to, 'utf8').length, existsSync(from), existsSync(`${to}.new`)]).toEqual([
    1_000_000,
    false,
    false,
  ])
})

test('a file is replaced as a whole, and a link is never moved', async () => {
  const { moveDurably, writeDurably } = await import('../../../src/stores/durable-files.ts')
  const path = join(dir, 'replaced')
  await writeDurably(path, 'one')
  await writeDurably(path, 'two')
  expect([readFileSync(path, 'utf8'), statSync(path).mode & 0o777]).toEqual(['two', 0o600])
  symlinkSync(path, join(dir, 'link'))
  await expect(moveDurably(join(dir, 'link'), join(dir, 'stored'))).rejects.toThrow('ELOOP')
  expect(readFileSync(join(dir, 'stored'), 'utf8')).toBe('content')
})
