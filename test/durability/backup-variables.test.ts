/** The files of variables that `bun run move` reads: a mistake in one must not send a system to other stores. */
import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { configOf } from '../../src/backup/variables.ts'

const dir = mkdtempSync(join(tmpdir(), 'groundwave-variables-'))
afterAll(() => rmSync(dir, { recursive: true, force: true }))

const POSTGRES_URL = 'postgres://gw:word@db.example:5432/gw'

function file(content: string): string {
  const path = join(dir, 'new.env')
  writeFileSync(path, content)
  return path
}

test('a file replaces all stores of the environment, including URLs that are read from files', async () => {
  const secret = join(dir, 'postgres-url')
  writeFileSync(secret, `${POSTGRES_URL}\n`)
  const environment = { POSTGRES_URL_FILE: secret, DATA_DIR: '/old', TOOL_WORKERS: '3' }
  const embedded = await configOf(file(`# embedded\n\nDATA_DIR=${dir}\n`), environment)
  expect([embedded.postgresUrl, embedded.home, embedded.toolWorkers]).toEqual([undefined, dir, 3])
  const other = 'postgres://gw:word@other.example:5432/gw'
  const direct = await configOf(file(`export POSTGRES_URL="${other}"\nDATA_DIR=${dir}\n`), environment)
  expect(direct.postgresUrl).toBe(other)
  const fromFile = await configOf(file(`DATA_DIR=${dir}\nPOSTGRES_URL_FILE=${secret}\n`), { POSTGRES_URL: other })
  expect(fromFile.postgresUrl).toBe(POSTGRES_URL)
})

test.each([
  ['a line without a value', 'DATA_DIR=/new\nPOSTGRES_URL\n', /new\.env, line 2: must be NAME=value/],
  ['a colon in place of the equals sign', 'POSTGRES_URL: postgres://db\n', /new\.env, line 1: must be NAME=value/],
  [
    'a misspelt name',
    `DATA_DIR=/new\nPOSTGRES_ULR=${POSTGRES_URL}\n`,
    /POSTGRES_ULR is not a variable; rename it to POSTGRES_URL/,
  ],
  ['no stores', 'TOOL_WORKERS=3\n', /new\.env names no stores.*DATA_DIR, POSTGRES_URL/],
  ['nothing', '\n', /names no stores/],
])('a file with %s is refused, and its values are not shown', async (_, content, message) => {
  const error = await configOf(file(content), {}).then(
    () => undefined,
    (failure: Error) => failure,
  )
  expect(error?.message).toMatch(message)
  expect(error?.message).not.toContain('word@')
})

test('the file may contain other variables of the server and of the system', async () => {
  const { home } = await configOf(file(`DATA_DIR=${dir}\nNODE_EXTRA_CA_CERTS=/ca.pem\nUV_THREADPOOL_SIZE=16\n`), {})
  expect(home).toBe(dir)
})
