/**
 * Durability: every reading answered as accepted is stored exactly once, at whatever moment the process dies. A real
 * server is killed with SIGKILL at random moments under load, many times in a row, while clients follow the API and
 * send the same batch again until they get an answer. `bun run bench kills` does the same a thousand times.
 */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { join } from 'node:path'
import { ROOT } from '../support/processes.ts'
import { killRandom } from '../support/random.ts'
import { rounds } from '../support/rounds.ts'
import { createInstance, type MadeSensor } from '../support/server/instance.ts'
import { CHANNELS, startKillClients } from '../support/server/kill-clients.ts'

const KILLS = rounds(2, 20)
const randomFor = killRandom('kill.test.ts')
const SENSORS = 24

const sensors: MadeSensor[] = []

const instance = await createInstance({
  SENSOR_CALLS_PER_MINUTE: '1000000',
  // small segments, so that kills also hit sealing, loading and deleting; little memory, so that claims are evicted
  LOG_SEGMENT_MB: '1',
  LOAD_INTERVAL_MS: '50',
  CLAIMS_MEMORY_MB: '1',
})
const organization = await instance.organization('scale')
beforeAll(async () => {
  for (let i = 0; i < SENSORS; i++) sensors.push(await instance.sensor(organization.id, CHANNELS))
}, 120_000)
afterAll(instance.remove)

test(`${KILLS} kills under load lose and duplicate nothing`, async () => {
  const clients = startKillClients({ instance, organization, sensors, randomOf: randomFor, pauseMs: rounds(200, 20) })
  const random = randomFor('kills')
  for (let kill = 0; kill < KILLS; kill++) {
    await Bun.sleep(50 + random() * 900)
    await instance.kill('SIGKILL')
    await instance.restart()
  }
  const counts = await clients.stop()
  for (const { sensor, lost, neverSent, doubled, changed } of counts)
    expect({ sensor, lost, neverSent, doubled, changed }).toEqual({
      sensor,
      lost: [],
      neverSent: [],
      doubled: [],
      changed: [],
    })
  const total = counts.reduce((sum, { stored }) => sum + stored, 0)
  expect(total).toBeGreaterThan(KILLS * 500)

  await instance.kill('SIGTERM')
  const counting = Bun.spawn([process.execPath, join(ROOT, 'bench/support/count.ts'), instance.dir], { cwd: ROOT })
  const { rows } = JSON.parse(await new Response(counting.stdout).text()) as { rows: number }
  expect(rows).toBe(total)
}, 300_000)
