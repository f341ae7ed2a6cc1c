/** Two instances on a Redis master with two replicas and three Sentinels (real servers), whose master fails under load. */
import { afterAll, test } from 'bun:test'
import { killRandom } from '../support/random.ts'
import { rounds } from '../support/rounds.ts'
import { expectUndisturbed } from '../support/server/reading-fleet.ts'
import { removeInstances, startTwoInstances } from '../support/server/two-instances.ts'
import { startRedisWithSentinels } from '../support/stores/redis-sentinels.ts'
import { until } from '../support/until.ts'

const ROUNDS = rounds(1, 2)
const group = await startRedisWithSentinels()
const { stores, instances, organization } = await startTwoInstances({ REDIS_URL: group.url })
afterAll(async () => {
  await removeInstances({ stores, instances })
  await group.remove()
})

test(`${ROUNDS} masters that are killed under load: nothing is lost or accepted twice`, async () => {
  let killed: Awaited<ReturnType<typeof group.master>>
  async function kill(): Promise<void> {
    killed = await group.master()
    await killed.kill()
    await until(async () => (await group.master()) !== killed, 'a replica to take over', 120_000)
  }
  async function recover(): Promise<void> {
    await killed.start()
    await group.whole()
  }
  const random = killRandom('redis-sentinel.test.ts')
  await expectUndisturbed({ instances, organization }, [random, 'kill'], ROUNDS, kill, recover)
}, 300_000)
