/** A Redis master with replicas and Sentinels, all real. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { until } from '../until.ts'
import { freePort } from './postgres.ts'
import { type RedisNode, SERVER, startNode } from './redis-nodes.ts'

export type RedisWithSentinels = {
  url: string
  servers: RedisNode[]
  sentinels: RedisNode[]
  /** The server that the Sentinels name. */
  master(): Promise<RedisNode>
  /** Waits until every other server replicates from the master and has received everything. */
  whole(): Promise<void>
  remove(): Promise<void>
}

/** A master, two replicas and three Sentinels, which treat a server that is silent for two seconds as failed. */
export async function startRedisWithSentinels(): Promise<RedisWithSentinels> {
  const home = mkdtempSync(join(tmpdir(), 'groundwave-sentinel-'))
  const first = await startNode(join(home, 'server-0'), SERVER)
  const replicas = await Promise.all(
    [1, 2].map((i) => startNode(join(home, `server-${i}`), [...SERVER, '--replicaof', `127.0.0.1 ${first.port}`])),
  )
  const servers = [first, ...replicas]
  const sentinels = await Promise.all(
    [0, 1, 2].map(async (i) => {
      const dir = join(home, `sentinel-${i}`)
      mkdirSync(dir)
      const port = await freePort()
      const lines = [
        `port ${port}`,
        'bind 127.0.0.1',
        `dir ${dir}`,
        `sentinel monitor gw-master 127.0.0.1 ${first.port} 2`,
        'sentinel down-after-milliseconds gw-master 2000',
        'sentinel failover-timeout gw-master 6000',
      ]
      writeFileSync(join(dir, 'sentinel.conf'), `${lines.join('\n')}\n`)
      return startNode(dir, [join(dir, 'sentinel.conf'), '--sentinel'], {}, port)
    }),
  )
  async function master(): Promise<RedisNode> {
    const [, port] = (await (sentinels[0] as RedisNode).command(
      'SENTINEL',
      'GET-MASTER-ADDR-BY-NAME',
      'gw-master',
    )) as [string, string]
    return servers.find((server) => server.port === Number(port)) as RedisNode
  }
  async function isWhole(): Promise<boolean> {
    const current = await master()
    const known = async (sentinel: RedisNode): Promise<boolean> => {
      const [, sees] = (await sentinel.command('SENTINEL', 'GET-MASTER-ADDR-BY-NAME', 'gw-master')) as [string, string]
      const quorum = await sentinel.command('SENTINEL', 'CKQUORUM', 'gw-master').catch(() => '')
      return Number(sees) === current.port && /^OK 3/.test(String(quorum))
    }
    if (!(await Promise.all(sentinels.map(known))).every(Boolean)) return false
    const isReady = async (server: RedisNode): Promise<boolean> =>
      server === current
        ? (await server.info('role')) === 'master' && (await server.info('connected_slaves')) === '2'
        : (await server.info('master_port')) === String(current.port) &&
          (await server.info('master_link_status')) === 'up'
    return (await Promise.all(servers.map(isReady))).every(Boolean)
  }
  const group: RedisWithSentinels = {
    url: `redis+sentinel://${sentinels.map(({ port }) => `127.0.0.1:${port}`).join(',')}/gw-master`,
    servers,
    sentinels,
    master,
    whole: () => until(isWhole, 'the Sentinels to have a master with two replicas', 120_000),
    async remove() {
      await Promise.all([...sentinels, ...servers].map((node) => node.kill()))
      rmSync(home, { recursive: true, force: true })
    },
  }
  await group.whole()
  return group
}
