/** A cluster of three Redis masters and three replicas, all real. */
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Redis, type RedisOptions } from 'ioredis'
import { withParentDeathSignal } from '../../../src/stores/supervised-process.ts'
import type { Random } from '../random.ts'
import { whole } from '../random.ts'
import { until } from '../until.ts'
import { freePort } from './postgres.ts'

export type RedisNode = {
  port: number
  start(): Promise<void>
  kill(signal?: NodeJS.Signals): Promise<void>
  signal(signal: NodeJS.Signals): void
  command(...words: (string | number)[]): Promise<unknown>
  /** A field of INFO; empty while the server is down. */
  info(name: string): Promise<string>
}

/** @param connection options of the test's own connection, for servers with TLS or a password */
export async function startNode(
  dir: string,
  args: string[],
  connection: RedisOptions = {},
  port = 0,
): Promise<RedisNode> {
  mkdirSync(dir, { recursive: true })
  const ownPort = port === 0 ? await freePort() : port
  let child: ChildProcess
  let client: Redis | undefined
  const node: RedisNode = {
    port: ownPort,
    async start() {
      // a configuration file comes first, and Sentinel has its port there
      const all = args[0]?.startsWith('/')
        ? args
        : ['--port', String(ownPort), '--dir', dir, '--bind', '127.0.0.1', ...args]
      const [program, ...rest] = withParentDeathSignal(['redis-server', ...all], 'SIGKILL') as [string, ...string[]]
      child = spawn(program, rest, { stdio: 'ignore', cwd: dir })
      await until(
        () =>
          node.command('PING').then(
            () => true,
            () => false,
          ),
        `redis-server on ${ownPort}`,
      )
    },
    async kill(signal = 'SIGKILL') {
      client?.disconnect()
      if (child.exitCode !== null || child.signalCode !== null) return
      const ended = new Promise((resolve) => child.once('exit', resolve))
      child.kill(signal)
      await ended
    },
    signal: (signal) => void child.kill(signal),
    async command(name, ...words) {
      if (client === undefined || client.status === 'end') {
        client = new Redis({
          port: ownPort,
          host: '127.0.0.1',
          lazyConnect: true,
          retryStrategy: () => null,
          commandTimeout: 10_000,
          ...connection,
        })
        client.on('error', () => undefined)
      }
      return client.call(String(name), ...words)
    },
    async info(name) {
      const text = (await node.command('INFO').catch(() => '')) as string
      return new RegExp(`^${name}:(.*?)\\r?$`, 'm').exec(text)?.[1] ?? ''
    },
  }
  await node.start()
  return node
}

export const SERVER = ['--save', '', '--maxmemory-policy', 'noeviction', '--repl-diskless-sync-delay', '0']
const SLOTS = 16_384
const MASTERS = 3

/** A cluster of one server that speaks only TLS and has a password. */
export async function startTlsCluster(certificate: { cert: string; key: string; ca: string }, password: string) {
  const home = mkdtempSync(join(tmpdir(), 'groundwave-tls-cluster-'))
  const port = await freePort()
  const busPort = await freePort()
  const { cert, key, ca } = certificate
  const files = ['--tls-cert-file', cert, '--tls-key-file', key, '--tls-ca-cert-file', ca, '--tls-auth-clients', 'no']
  const ports = ['--port', '0', '--tls-port', String(port), '--cluster-port', String(busPort), '--tls-cluster', 'yes']
  const cluster = ['--cluster-enabled', 'yes', '--requirepass', password]
  // the test is about how Groundwave verifies the server
  const connection = { tls: { rejectUnauthorized: false }, password }
  const node = await startNode(home, [...SERVER, ...files, ...ports, ...cluster], connection, port)
  // without it the server does not know its address
  await node.command('CONFIG', 'SET', 'cluster-announce-ip', '127.0.0.1')
  await node.command('CLUSTER', 'ADDSLOTSRANGE', 0, SLOTS - 1)
  await until(async () => String(await node.command('CLUSTER', 'INFO')).includes('cluster_state:ok'), 'the cluster')
  return {
    url: `rediss://:${password}@127.0.0.1:${port}`,
    async remove() {
      await node.kill()
      rmSync(home, { recursive: true, force: true })
    },
  }
}

export type RedisCluster = {
  url: string
  nodes: RedisNode[]
  /** The current masters with slots, as reported by a running node. */
  masters(): Promise<RedisNode[]>
  replicaOf(master: RedisNode): Promise<RedisNode>
  /** Waits until no slot moves, every slot has a master and every master has a replica that has received everything. */
  whole(): Promise<void>
  /** Moves some slots with their keys from one master to another. Fails if either stops being a master meanwhile. */
  reshard(random: Random, slots: number): Promise<void>
  remove(): Promise<void>
}

type NodeLine = {
  id: string
  port: number
  flags: string[]
  master: string
  slots: [number, number][]
  /** Slots whose move has started and not ended, as the node itself sees it. */
  moving: number[]
}

function nodeLines(text: string): NodeLine[] {
  return text
    .trim()
    .split('\n')
    .map((line) => {
      const [id = '', address = '', flags = '', master = '', , , , , ...slots] = line.split(' ')
      const ranges = slots.filter((slot) => /^\d/.test(slot)).map((slot) => slot.split('-').map(Number))
      return {
        id,
        port: Number(/:(\d+)/.exec(address)?.[1]),
        flags: flags.split(','),
        master,
        moving: slots.flatMap((slot) => /^\[(\d+)/.exec(slot)?.[1] ?? []).map(Number),
        slots: ranges.map(([from, to]) => [from as number, to ?? (from as number)]),
      }
    })
}

export type ClusterOptions = {
  nodeTimeoutMs?: number
  /** Further arguments of each server. */
  args?: string[]
  connection?: RedisOptions
}

export async function startRedisCluster(options: ClusterOptions = {}): Promise<RedisCluster> {
  const { nodeTimeoutMs = 3_000, args = [], connection } = options
  const home = mkdtempSync(join(tmpdir(), 'groundwave-cluster-'))
  const nodes = await Promise.all(
    Array.from({ length: 2 * MASTERS }, async (_, i) => {
      const busPort = await freePort()
      const cluster = ['--cluster-enabled', 'yes', '--cluster-port', String(busPort)]
      const timeout = ['--cluster-node-timeout', String(nodeTimeoutMs), '--cluster-replica-validity-factor', '0']
      return startNode(join(home, String(i)), [...SERVER, ...cluster, ...timeout, ...args], connection)
    }),
  )
  const [first] = nodes as [RedisNode]
  for (const [i, node] of nodes.entries()) await node.command('CLUSTER', 'SET-CONFIG-EPOCH', i + 1)
  for (const [i, node] of nodes.slice(0, MASTERS).entries()) {
    const from = Math.round((SLOTS / MASTERS) * i)
    await node.command('CLUSTER', 'ADDSLOTSRANGE', from, Math.round((SLOTS / MASTERS) * (i + 1)) - 1)
  }
  const busPorts = await Promise.all(nodes.map((node) => node.command('CONFIG', 'GET', 'cluster-port')))
  const portOf = (i: number): string => (busPorts[i] as string[])[1] as string
  for (const [i, node] of nodes.entries())
    if (i > 0) await first.command('CLUSTER', 'MEET', '127.0.0.1', node.port, portOf(i))
  const ids = await Promise.all(nodes.map((node) => node.command('CLUSTER', 'MYID')))
  for (const [i, node] of nodes.slice(MASTERS).entries()) {
    const joined = () =>
      node.command('CLUSTER', 'REPLICATE', ids[i] as string).then(
        () => true,
        () => false,
      )
    await until(joined, 'a replica to know its master')
  }

  async function lines(): Promise<NodeLine[]> {
    for (const node of nodes) {
      const text = await node.command('CLUSTER', 'NODES').catch(() => '')
      if (text !== '') return nodeLines(text as string)
    }
    throw new Error('no node of the cluster is up')
  }
  const nodeAt = (port: number): RedisNode => nodes.find((node) => node.port === port) as RedisNode
  const isMaster = ({ flags, slots }: NodeLine): boolean =>
    flags.includes('master') && slots.length > 0 && !flags.includes('fail')

  async function isWhole(node: RedisNode): Promise<boolean> {
    const info = (await node.command('CLUSTER', 'INFO').catch(() => '')) as string
    if (!info.includes('cluster_state:ok') || !info.includes(`cluster_slots_ok:${SLOTS}`)) return false
    const seen = nodeLines((await node.command('CLUSTER', 'NODES')) as string)
    const masters = seen.filter(isMaster)
    // after a failover, a node may still call the former master a master, although it is the replica of none
    const hasReplica = ({ id }: NodeLine): boolean => seen.some(({ master }) => master === id)
    if (
      masters.length !== MASTERS ||
      !masters.every(hasReplica) ||
      seen.some(({ flags }) => flags.some((flag) => /fail|handshake/.test(flag)))
    )
      return false
    const role = await node.info('role')
    return role === 'master'
      ? (await node.info('connected_slaves')) === '1' && /state=online/.test(await node.info('slave0'))
      : (await node.info('master_link_status')) === 'up'
  }
  async function wordsOfNodes(): Promise<string> {
    const words = nodes.map(async (node) => {
      const asked = ['CLUSTER INFO', 'CLUSTER NODES', 'INFO replication'].map((text) => text.split(' '))
      const said = await Promise.all(asked.map(([name = '', word = '']) => node.command(name, word).catch(String)))
      return [`port ${node.port}`, ...said.map(String)].join('\n')
    })
    return (await Promise.all(words)).join('\n\n')
  }
  const cluster: RedisCluster = {
    url: `redis://127.0.0.1:${nodes[0]?.port},127.0.0.1:${nodes[1]?.port},127.0.0.1:${nodes[4]?.port}`,
    nodes,
    masters: async () => (await lines()).filter(isMaster).map(({ port }) => nodeAt(port)),
    async replicaOf(master) {
      const all = await lines()
      const { id } = all.find(({ port }) => port === master.port) as NodeLine
      return nodeAt((all.find((line) => line.master === id) as NodeLine).port)
    },
    async whole() {
      // as an operator does when a failover interrupts a move: nodes do not inform each other about such slots
      for (const node of nodes)
        for (const slot of nodeLines(String(await node.command('CLUSTER', 'NODES'))).flatMap(({ moving }) => moving))
          await node.command('CLUSTER', 'SETSLOT', slot, 'STABLE')
      const all = async (): Promise<boolean> => (await Promise.all(nodes.map(isWhole))).every(Boolean)
      try {
        await until(all, 'the cluster to be whole', 120_000)
      } catch (error) {
        throw new Error(`what the nodes say:\n${await wordsOfNodes()}`, { cause: error })
      }
    },
    async reshard(random, slots) {
      const masters = (await lines()).filter(isMaster)
      const from = masters[whole(random, masters.length)] as NodeLine
      const others = masters.filter(({ id }) => id !== from.id)
      const to = others[whole(random, others.length)] as NodeLine
      const [source, target] = [nodeAt(from.port), nodeAt(to.port)]
      const all = from.slots.flatMap(([a, b]) => Array.from({ length: b - a + 1 }, (_, i) => a + i))
      const start = whole(random, Math.max(1, all.length - slots))
      for (const slot of all.slice(start, start + slots)) {
        await target.command('CLUSTER', 'SETSLOT', slot, 'IMPORTING', from.id)
        await source.command('CLUSTER', 'SETSLOT', slot, 'MIGRATING', to.id)
        for (;;) {
          const keys = (await source.command('CLUSTER', 'GETKEYSINSLOT', slot, 50)) as string[]
          if (keys.length === 0) break
          await source.command('MIGRATE', '127.0.0.1', target.port, '', 0, 5_000, 'REPLACE', 'KEYS', ...keys)
        }
        for (const node of [target, source]) await node.command('CLUSTER', 'SETSLOT', slot, 'NODE', to.id)
      }
    },
    async remove() {
      await Promise.all(nodes.map((node) => node.kill()))
      rmSync(home, { recursive: true, force: true })
    },
  }
  await cluster.whole()
  return cluster
}
