/**
 * Two instances on a Redis Cluster of three masters and three replicas (real servers), whose slots move and whose masters
 * fail under load: no reading is lost, and none is accepted twice.
 */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { batch, type Instance, type MadeSensor, type Organization, outcomeOf } from './support/instance.ts'
import { killRandom, type Random, whole } from './support/random.ts'
import { startReadingFleet } from './support/reading-fleet.ts'
import { type RedisCluster, type RedisNode, startRedisCluster } from './support/redis-nodes.ts'
import { rounds } from './support/rounds.ts'
import type { SharedStores } from './support/shared-stores.ts'
import { removeInstances, startTwoInstances } from './support/two-instances.ts'
import { until } from './support/until.ts'

const CHANNELS = [{ name: 'a', measurement: 'number' as const }]
const randomFor = killRandom('redis-cluster.test.ts')
let cluster: RedisCluster | undefined
let stores: SharedStores | undefined
let instances: Instance[] = []
let organization: Organization

beforeAll(async () => {
  cluster = await startRedisCluster()
  ;({ stores, instances, organization } = await startTwoInstances({ REDIS_URL: cluster.url }))
}, 240_000)
afterAll(async () => {
  await removeInstances({ stores, instances })
  await cluster?.remove()
})

const nodes = (): RedisCluster => cluster as RedisCluster
const any = (random: Random): Instance => instances[whole(random, instances.length)] as Instance
const newSensor = (): Promise<MadeSensor> => (instances[0] as Instance).sensor(organization.id, CHANNELS)

/** Waits until the fleet works: a number of further calls has been answered. */
async function moreAnswers(fleet: { answered(): number }, more: number): Promise<void> {
  const enough = fleet.answered() + more
  await until(async () => fleet.answered() >= enough, `${more} more answers`, 120_000)
}

async function anyMaster(random: Random): Promise<RedisNode> {
  const masters = await nodes().masters()
  return masters[whole(random, masters.length)] as RedisNode
}

/** Runs `disturb` while ten sensors send, and expects that nothing is lost or accepted twice. */
async function undisturbedBy(name: string, disturb: (random: Random) => Promise<void>, times: number): Promise<void> {
  const sensors = await Promise.all(Array.from({ length: 10 }, newSensor))
  const fleet = startReadingFleet(sensors, organization, any, (sensor) => randomFor(`${name} ${sensor}`))
  const random = randomFor(name)
  for (let round = 0; round < times; round++) {
    await moreAnswers(fleet, 20)
    await disturb(random)
    await moreAnswers(fleet, 20)
    await nodes().whole()
  }
  const { sent, stored, repeats: _, ...wrong } = await fleet.stop()
  expect(wrong).toEqual({ lost: 0, unexpected: 0, acceptedTwice: 0 })
  expect(stored).toBe(sent)
}

test('keys of sensors are divided among all masters', async () => {
  const sensors = await Promise.all(Array.from({ length: 12 }, newSensor))
  for (const sensor of sensors) await outcomeOf(await (instances[0] as Instance).send(sensor, batch(5)))
  const keys = await Promise.all((await nodes().masters()).map((master) => master.command('KEYS', 'gw:{b*}:s*:top')))
  expect(keys.every((found) => (found as string[]).length > 0)).toBe(true)
  expect(keys.flat()).toHaveLength(12)
}, 120_000)

test('slots that move to other masters under load', async () => {
  await undisturbedBy('reshard', (random) => nodes().reshard(random, 300), rounds(1, 2))
}, 300_000)

test('a replica that takes over from its master and gives back, under load', async () => {
  async function failover(random: Random): Promise<void> {
    const master = await anyMaster(random)
    const replica = await nodes().replicaOf(master)
    for (const node of [replica, master])
      await until(
        async () => {
          if ((await node.info('role')) === 'master') return true
          // refused while the replica is behind, and given up by the servers after five seconds
          await node.command('CLUSTER', 'FAILOVER').catch(() => undefined)
          await Bun.sleep(500)
          return false
        },
        'a failover',
        120_000,
      )
  }
  await undisturbedBy('failover', failover, rounds(1, 2))
}, 300_000)

test('masters that are killed under load', async () => {
  async function kill(random: Random): Promise<void> {
    const master = await anyMaster(random)
    await master.kill()
    await until(async () => !(await nodes().masters()).includes(master), 'a replica to take over', 120_000)
    await master.start()
  }
  await undisturbedBy('kill', kill, rounds(1, 2))
}, 300_000)

test('a master that restarts empty before its replica takes over', async () => {
  async function restart(random: Random): Promise<void> {
    const master = await anyMaster(random)
    await master.kill()
    await master.start()
  }
  await undisturbedBy('restart', restart, rounds(1, 2))
}, 300_000)
