/** Who has access to the data folder. */
import { afterAll, expect, test } from 'bun:test'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { lockDataDir } from '../../../src/stores/data-dir.ts'
import { runProgram } from '../../support/program.ts'

const home = mkdtempSync(join(tmpdir(), 'groundwave-data-dir-'))
afterAll(() => rmSync(home, { recursive: true, force: true }))
const modeOf = (path: string): number => statSync(path).mode & 0o777

test.each([0o755, 0o777, 0o750, 0o711, 0o700])('a folder with mode %o becomes private to its owner', (mode) => {
  const dir = join(home, `own-${mode}`)
  mkdirSync(dir)
  chmodSync(dir, mode)
  lockDataDir(dir)()
  expect(modeOf(dir)).toBe(0o700)
})

test.if(process.geteuid?.() === 0)('a folder of another account that others may enter is refused', () => {
  const dir = join(home, 'foreign')
  mkdirSync(dir)
  chmodSync(dir, 0o777)
  chmodSync(home, 0o755)
  const code = `const { lockDataDir } = await import('${join(import.meta.dir, '../../../src/stores/data-dir.ts')}')
try { lockDataDir('${dir}') } catch (error) { console.log(error.constructor.name, error.message) }`
  const { stdout } = runProgram('setpriv', [
    '--reuid=65534',
    '--regid=65534',
    '--clear-groups',
    process.execPath,
    '-e',
    code,
  ])
  expect(stdout.toString()).toContain(`DataDirUnsafe ${dir} has mode 0777`)
  expect(modeOf(dir)).toBe(0o777)
})
