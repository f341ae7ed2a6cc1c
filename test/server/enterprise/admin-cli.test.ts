/** The command lines `bun run admin` and `bun run demo` against a real server. */
import { expect, test } from 'bun:test'
import { browserSession } from '../../support/browser/browser-session.ts'
import { runCommand } from '../../support/command.ts'
import { sharedInstance } from '../../support/server/shared-instance.ts'

const instance = await sharedInstance()

test('the command line creates, updates and lists, as tables and as JSON', async () => {
  const server = ['--url', instance.url(), '--token-file', `${instance.dir}/operator.token`]
  const admin = (...args: string[]) => runCommand(instance, 'src/cli/admin.ts', ...args, ...server)
  const created = JSON.parse((await admin('enterprises', 'create', 'name=Shell', 'tier=scale', '--json')).out) as {
    id: string
  }
  const updated = await admin('enterprises', 'update', created.id, 'readingsPerDay=5', 'status=suspended', '--json')
  expect(JSON.parse(updated.out)).toMatchObject({ readingsPerDay: 5, status: 'suspended' })
  expect((await admin('enterprises', 'list')).out).toContain(created.id)
  const sensor = await admin('sensors', 'create', created.id, 'channels=[{"name":"a","measurement":"whole"}]')
  expect(sensor.out).toMatch(/key +svcsn_/)
  const wrong = await admin('enterprises', 'update', created.id, 'status=asleep')
  expect(wrong.code).toBe(1)
  expect(wrong.err).toContain('must be one of active, suspended')
  expect((await admin('--help')).out).toContain('bun run admin')
  expect((await admin('nothing')).code).toBe(1)
}, 120_000)

test('the demo prints an account that sees its enterprise', async () => {
  const { out, code } = await runCommand(instance, 'src/cli/demo.ts')
  expect(code).toBe(0)
  const [, email = '', password = ''] = /portal as (\S+) with the password (\S+)/.exec(out) ?? []
  const browser = browserSession(() => instance.url())
  await browser.call('POST', '/auth/sign-in', { email, password })
  expect((await browser.session()).memberships).toMatchObject([{ enterpriseName: 'Demo', role: 'owner' }])
}, 120_000)
