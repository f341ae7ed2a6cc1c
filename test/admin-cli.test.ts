/** The command line `bun run admin` against a real server. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { createInstance, type Instance } from './support/instance.ts'
import { ROOT } from './support/processes.ts'

let instance: Instance
beforeAll(async () => {
  instance = await createInstance()
}, 120_000)
afterAll(() => instance.remove())

test('the command line creates, updates and lists, as tables and as JSON', async () => {
  async function admin(...args: string[]): Promise<{ code: number; out: string; err: string }> {
    const child = Bun.spawn(
      [
        process.execPath,
        'src/cli/admin.ts',
        ...args,
        '--url',
        instance.url(),
        '--token-file',
        `${instance.dir}/operator.token`,
      ],
      {
        cwd: ROOT,
        stdout: 'pipe',
        stderr: 'pipe',
      },
    )
    const [out, err] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
    return { code: await child.exited, out, err }
  }
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
