/**
 * Durability of calls with readings of many sensors: a real server is killed with SIGKILL at random moments, while a
 * gateway sends the readings of its sensors together, and each call again until it has an answer.
 */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { createBatcher } from '../../../src/stores/batcher.ts'
import { killRandom } from '../../support/random.ts'
import { rounds } from '../../support/rounds.ts'
import { createInstance, type MadeSensor, type Outcome } from '../../support/server/instance.ts'
import { CHANNELS, type Reading, startKillClients, untilAnswered } from '../../support/server/kill-clients.ts'
import { makeFleetKey, manyOutcomeOf, sendMany } from '../../support/server/many-readings.ts'

const KILLS = rounds(2, 20)
const randomFor = killRandom('many-kill.test.ts')
/** Each sends up to 500 readings in a call of up to 5,000. */
const SENSORS = 9
/** How long the gateway collects readings. */
const COLLECT_MS = 20

const sensors: MadeSensor[] = []
const instance = await createInstance({
  FLEET_CALLS_PER_MINUTE: '1000000',
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

type Asked = { sensor: MadeSensor; readings: Reading[] }

/** The readings of all sensors in turn, as a gateway collects them. */
function interleaved(asked: readonly Asked[]): object[] {
  const longest = Math.max(...asked.map(({ readings }) => readings.length))
  return Array.from({ length: longest }, (_, i) =>
    asked.flatMap(({ sensor, readings }) =>
      readings[i] === undefined ? [] : [{ sensor: sensor.id, ...(readings[i] as Reading) }],
    ),
  ).flat()
}

test(`${KILLS} kills under the load of a gateway lose and duplicate nothing`, async () => {
  const key = await makeFleetKey(instance, organization.id)
  let together = 0
  const send = createBatcher<Asked, Map<Asked, Outcome>>(COLLECT_MS, async (asked) => {
    together = Math.max(together, asked.length)
    const readings = interleaved(asked)
    const { accepted, duplicates, refused } = await manyOutcomeOf(
      await untilAnswered(() => sendMany(instance, key, readings)),
    )
    expect(refused).toEqual([])
    const timesOf = (list: { sensor: string; at: string }[], id: string): string[] =>
      list.filter(({ sensor }) => sensor === id).map(({ at }) => at)
    return new Map(
      asked.map((one) => [
        one,
        { accepted: timesOf(accepted, one.sensor.id), duplicates: timesOf(duplicates, one.sensor.id), refused: [] },
      ]),
    )
  })
  const clients = startKillClients({
    instance,
    organization,
    sensors,
    randomOf: randomFor,
    pauseMs: rounds(200, 20),
    ask: async (sensor, readings) => {
      const asked = { sensor, readings }
      return (await send(asked)).get(asked) as Outcome
    },
  })
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
  expect(counts.reduce((sum, { stored }) => sum + stored, 0)).toBeGreaterThan(KILLS * 500)
  expect(together).toBeGreaterThan(1)
}, 300_000)
