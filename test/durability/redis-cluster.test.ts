/**
 * Two instances on a Redis Cluster of three masters and three replicas (real servers), whose slots move and whose masters
 * fail under load: no reading is lost, and none is accepted twice.
 */
import { afterAll, expect, test } from 'bun:test'
import { killRandom, type Random, whole } from '../support/random.ts'
import { rounds } from '../support/rounds.ts'
import { batch, type Instance, type MadeSensor, outcomeOf } from '../support/server/instance.ts'
import { expectUndisturbed } from '../support/server/reading-fleet.ts'
import { removeInstances, startTwoInstances } from '../support/server/two-instances.ts'
import { type RedisNode, startRedisCluster } from '../support/stores/redis-nodes.ts'
import { until } from '../support/until.ts'

const CHANNELS = [{ name: 'a', measurement: 'number' as const }]
const randomFor = killRandom('redis-cluster.test.ts')

const cluster = await startRedisCluster()
const { stores, instances, organization } = await startTwoInstances({ REDIS_URL: cluster.url })
afterAll(async () => {
  await removeInstances({ stores, instances })
  await cluster.remove()
})

const newSensor = (): Promise<MadeSensor> => (instances[0] as Instance).sensor(organization.id, CHANNELS)

async function anyMaster(random: Random): Promise<RedisNode> {
  const masters = await cluster.masters()
  return masters[whole(random, masters.length)] as RedisNode
}

const undisturbedBy = (name: string, disturb: (random: Random) => Promise<void>): Promise<void> =>
  expectUndisturbed({ instances, organization }, [randomFor, name], rounds(1, 2), disturb, () => cluster.whole())

test('keys of sensors are divided among all masters', async () => {
  const sensors = await Promise.all(Array.from({ length: 12 }, newSensor))
  for (const sensor of sensors) await outcomeOf(await (instances[0] as Instance).send(sensor, batch(5)))
  const keys = await Promise.all((await cluster.masters()).map((master) => master.command('KEYS', 'gw:{b*}:s*:top')))
  expect(keys.every((found) => (found as string[]).length > 0)).toBe(true)
  expect(keys.flat()).toHaveLength(12)
}, 120_000)

test('slots move to other masters under load', async () => {
  await undisturbedBy('reshard', (random) => cluster.reshard(random, 300))
}, 300_000)

test('a replica takes over from its master and hands back, under load', async () => {
  async function failover(random: Random): Promise<void> {
    const master = await anyMaster(random)
    const replica = await cluster.replicaOf(master)
    for (const node of [replica, master])
      await until(
        async () => {
          if ((await node.info('role')) === 'master') return true
          // refused while the replica is behind, and abandoned by the servers after five seconds
          await node.command('CLUSTER', 'FAILOVER').catch(() => undefined)
          await Bun.sleep(500)
          return false
        },
        'a failover',
        120_000,
      )
  }
  await undisturbedBy('failover', failover)
}, 300_000)

test('masters are killed under load', async () => {
  async function kill(random: Random): Promise<void> {
    const master = await anyMaster(random)
    await master.kill()
    await until(async () => !(await cluster.masters()).includes(master), 'a replica to take over', 120_000)
    await master.start()
  }
  await undisturbedBy('kill', kill)
}, 300_000)

test('a master that restarts empty before its replica takes over', async () => {
  async function restart(random: Random): Promise<void> {
    const master = await anyMaster(random)
    await master.kill()
    await master.start()
  }
  await undisturbedBy('restart', restart)
}, 300_000)
