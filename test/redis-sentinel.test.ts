/** Two instances on a Redis master with two replicas and three Sentinels (real servers), whose master fails under load. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Instance, Organization } from './support/instance.ts'
import { killRandom, type Random, whole } from './support/random.ts'
import { startReadingFleet } from './support/reading-fleet.ts'
import { type RedisWithSentinels, startRedisWithSentinels } from './support/redis-sentinels.ts'
import { rounds } from './support/rounds.ts'
import type { SharedStores } from './support/shared-stores.ts'
import { removeInstances, startTwoInstances } from './support/two-instances.ts'
import { until } from './support/until.ts'

const CHANNELS = [{ name: 'a', measurement: 'number' as const }]
const ROUNDS = rounds(1, 2)
const randomFor = killRandom('redis-sentinel.test.ts')
let group: RedisWithSentinels | undefined
let stores: SharedStores | undefined
let instances: Instance[] = []
let organization: Organization

beforeAll(async () => {
  group = await startRedisWithSentinels()
  ;({ stores, instances, organization } = await startTwoInstances({ REDIS_URL: group.url }))
}, 240_000)
afterAll(async () => {
  await removeInstances({ stores, instances })
  await group?.remove()
})

const any = (random: Random): Instance => instances[whole(random, instances.length)] as Instance

test(`${ROUNDS} masters that are killed under load: nothing is lost or accepted twice`, async () => {
  const { master, whole: untilWhole } = group as RedisWithSentinels
  const make = () => (instances[0] as Instance).sensor(organization.id, CHANNELS)
  const sensors = await Promise.all(Array.from({ length: 10 }, make))
  const fleet = startReadingFleet(sensors, organization, any, randomFor)
  const moreAnswers = async (more: number): Promise<void> => {
    const enough = fleet.answered() + more
    await until(() => fleet.answered() >= enough, `${more} more answers`, 120_000)
  }
  for (let round = 0; round < ROUNDS; round++) {
    await moreAnswers(20)
    const killed = await master()
    await killed.kill()
    await until(async () => (await master()) !== killed, 'a replica to take over', 120_000)
    await moreAnswers(20)
    await killed.start()
    await untilWhole()
  }
  const { sent, stored, repeats: _, ...wrong } = await fleet.stop()
  expect(wrong).toEqual({ lost: 0, unexpected: 0, acceptedTwice: 0 })
  expect(stored).toBe(sent)
}, 300_000)
