/**
 * Kills masters of a Redis Cluster (three masters, three replicas) under load, and counts readings that were lost or
 * accepted twice: `[TEST_SEED=…] bun run bench cluster-kills [rounds]`. In each round a random master is killed, or fails over to
 * its replica, or restarts empty, or some of its slots move. Fails if anything was lost, doubled or unexpected.
 */

import { killRandom, type Random, whole } from '../test/support/random.ts'
import type { Instance } from '../test/support/server/instance.ts'
import { startReadingFleet } from '../test/support/server/reading-fleet.ts'
import { removeInstances, startTwoInstances } from '../test/support/server/two-instances.ts'
import { type RedisCluster, type RedisNode, startRedisCluster } from '../test/support/stores/redis-nodes.ts'
import { until } from '../test/support/until.ts'

const [rounds = 50] = process.argv.slice(2).map(Number)
const SENSORS = 10
const PATIENCE_MS = 180_000
const randomFor = killRandom('cluster-kills.ts')
const random = randomFor('rounds')

async function anyMaster(cluster: RedisCluster): Promise<RedisNode> {
  const masters = await cluster.masters()
  return masters[whole(random, masters.length)] as RedisNode
}

const disturbances: Record<string, (cluster: RedisCluster) => Promise<void>> = {
  async kill(cluster) {
    const master = await anyMaster(cluster)
    await master.kill()
    await until(async () => !(await cluster.masters()).includes(master), 'a replica to take over', PATIENCE_MS)
    await master.start()
  },
  async restart(cluster) {
    const master = await anyMaster(cluster)
    await master.kill()
    await master.start()
  },
  async failover(cluster) {
    const replica = await cluster.replicaOf(await anyMaster(cluster))
    async function isMaster(): Promise<boolean> {
      if ((await replica.info('role')) === 'master') return true
      // refused while the replica is behind, and given up by the servers after five seconds
      await replica.command('CLUSTER', 'FAILOVER').catch(() => undefined)
      await Bun.sleep(500)
      return false
    }
    await until(isMaster, 'a failover', PATIENCE_MS)
  },
  async reshard(cluster) {
    // a machine under load may fail over meanwhile; whole() then ends the move
    await cluster.reshard(random, 200).catch((error: unknown) => write(`  interrupted: ${error}`))
  },
}

const write = (text: string): void => void process.stdout.write(`${text}\n`)
const cluster = await startRedisCluster()
const { stores, instances, organization } = await startTwoInstances({ REDIS_URL: cluster.url })
let failed = true
try {
  const first = instances[0] as Instance
  const sensors = await Promise.all(
    Array.from({ length: SENSORS }, () => first.sensor(organization.id, [{ name: 'a', measurement: 'number' }])),
  )
  const any = (choice: Random): Instance => instances[whole(choice, instances.length)] as Instance
  const fleet = startReadingFleet(sensors, organization, any, randomFor)
  const startedMs = performance.now()
  // every second round kills; the seed decides about the others
  const others = Object.keys(disturbances).filter((name) => name !== 'kill')
  const counts = new Map<string, number>()
  for (let round = 0; round < rounds; round++) {
    const name = round % 2 === 0 ? 'kill' : (others[whole(random, others.length)] as string)
    counts.set(name, (counts.get(name) ?? 0) + 1)
    const answered = fleet.answered()
    await until(() => fleet.answered() > answered + 20, 'readings', PATIENCE_MS)
    const beganMs = performance.now()
    await disturbances[name]?.(cluster)
    const before = fleet.answered()
    await until(() => fleet.answered() > before + 20, 'readings after it', PATIENCE_MS)
    write(`round ${round + 1} of ${rounds}: ${name}, ${((performance.now() - beganMs) / 1000).toFixed(1)} s`)
    await cluster.whole()
  }
  const count = await fleet.stop()
  const seconds = ((performance.now() - startedMs) / 1000).toFixed(0)
  write(
    `${JSON.stringify(Object.fromEntries(counts))} in ${seconds} s, ${fleet.answered()} calls: ${JSON.stringify(count)}`,
  )
  failed = count.lost + count.acceptedTwice + count.unexpected > 0
} finally {
  await removeInstances({ stores, instances })
  await cluster.remove()
}
process.exit(failed ? 1 : 0)
