/**
 * The senders in clients/, while the server and they themselves are killed with SIGKILL at random moments: what is on disk
 * according to a sender is stored exactly once.
 */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { join } from 'node:path'
import { ROOT } from '../../support/processes.ts'
import { killRandom } from '../../support/random.ts'
import { rounds } from '../../support/rounds.ts'
import { createInstance, type Organization } from '../../support/server/instance.ts'
import { CHANNELS } from '../../support/server/kill-clients.ts'
import { freePort } from '../../support/stores/postgres.ts'
import { until } from '../../support/until.ts'
import { NODE } from '../../support/workers/engine.ts'

const KILLS = rounds(3, 20)
const randomFor = killRandom('senders.test.ts')
const SCRIPT = join(ROOT, 'test/support/clients/keep-adding')
const COMMANDS: Record<string, string[]> = {
  Bun: [process.execPath, `${SCRIPT}.ts`],
  Node: [NODE, `${SCRIPT}.ts`],
  Python: ['python3', `${SCRIPT}.py`, join(ROOT, 'clients/python')],
}

// the port stays the same, since a sender has the address of its server
const instance = await createInstance({
  PORT: String(await freePort()),
  SENSOR_CALLS_PER_MINUTE: '1000000',
  LOAD_INTERVAL_MS: '50',
})
let organization: Organization
beforeAll(async () => {
  organization = await instance.organization('scale')
}, 120_000)
afterAll(instance.remove)

type Stored = { at: string; values: { a: number; b: number } }
async function storedOf(sensor: string): Promise<Stored[]> {
  const found: Stored[] = []
  for (let cursor = ''; ; ) {
    const { data } = await instance.query<{ items: Stored[]; nextCursor: string | null }>(
      organization,
      `/sensors/${sensor}/readings?limit=1000${cursor}`,
    )
    found.push(...data.items)
    if (data.nextCursor === null) return found
    cursor = `&cursor=${data.nextCursor}`
  }
}

test.each(Object.entries(COMMANDS))(
  '%s: what a sender has on disk is stored exactly once',
  async (name, command) => {
    const random = randomFor(name)
    const sensor = await instance.sensor(organization.id, CHANNELS)
    const startMs = Math.floor(Date.now() / 1000) * 1000 - 86_400_000
    const place = [instance.url(), sensor.id, sensor.key, join(instance.dir, `spool-${name}`), String(startMs)]
    const errors: string[] = []
    const start = (first: string) => {
      const child = Bun.spawn([...command, ...place, first], { cwd: ROOT, stdout: 'pipe', stderr: 'pipe' })
      void new Response(child.stderr).text().then((text) => errors.push(text))
      return { child, output: new Response(child.stdout).text() }
    }
    let onDisk = -1
    for (let kill = 0; kill < KILLS; kill++) {
      const { child, output } = start(String(onDisk + 1))
      await Bun.sleep(400 + random() * 900)
      if (random() < 0.5) {
        await instance.kill('SIGKILL')
        await instance.restart()
        await Bun.sleep(random() * 500)
      }
      child.kill('SIGKILL')
      onDisk = Number((await output).trim().split('\n').at(-1) || onDisk)
    }
    // readings of the last moment may be on disk without a word of it
    const { child } = start('flush')
    expect(await child.exited).toBe(0)
    expect(errors.join('')).toBe('')

    await until(async () => (await storedOf(sensor.id)).length > onDisk, 'loading the readings')
    const stored = (await storedOf(sensor.id)).toSorted((one, other) => one.values.b - other.values.b)
    expect(onDisk).toBeGreaterThan(KILLS * 50)
    expect(stored.length).toBeLessThanOrEqual(onDisk + 1 + 5 * KILLS)
    expect(stored.map(({ at, values }) => [Date.parse(at), values.a, values.b])).toEqual(
      stored.map((_, n) => [startMs + n * 10, n / 8, n]),
    )
  },
  300_000,
)
