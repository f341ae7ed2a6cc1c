/** What the command lines do for accounts: the link of the first operator, and the demo's account. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { browserSession, firstOperatorToken } from './support/browser-session.ts'
import { createInstance, type Instance } from './support/instance.ts'
import { ROOT } from './support/processes.ts'

let instance: Instance
beforeAll(async () => {
  instance = await createInstance()
}, 120_000)
afterAll(() => instance?.remove())

async function run(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  const env = { ...process.env, DATA_DIR: instance.dir, PORT: String(instance.port()) }
  const child = Bun.spawn([process.execPath, ...args], { cwd: ROOT, env, stdout: 'pipe', stderr: 'pipe' })
  const [out, err] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
  return { code: await child.exited, out, err }
}

test('the link of the first operator can be read again until it is used', async () => {
  const { out } = await run('src/cli/admin.ts', 'first-operator')
  expect(out.trim()).toBe(`${instance.url()}/portal/welcome/${firstOperatorToken(instance)}`)
  const use = { token: firstOperatorToken(instance), name: 'First', email: 'a@example.org', password: 'ten letters' }
  expect((await browserSession(() => instance.url()).call('POST', '/auth/links/use', use)).code).toBe('SUCCESS')
  const after = await run('src/cli/admin.ts', 'first-operator')
  expect(after).toMatchObject({ code: 1, out: '' })
  expect(after.err).toContain('the first operator has an account already')
}, 60_000)

test('the demo prints an account that sees its enterprise', async () => {
  const { out, code } = await run('src/cli/demo.ts')
  expect(code).toBe(0)
  const [, email = '', password = ''] = /portal as (\S+) with the password (\S+)/.exec(out) ?? []
  const browser = browserSession(() => instance.url())
  await browser.call('POST', '/auth/sign-in', { email, password })
  expect((await browser.session()).memberships).toMatchObject([{ enterpriseName: 'Demo', role: 'owner' }])
}, 120_000)
