/** The connection to Redis: one server, the master that Sentinels name, or a cluster. */
import { Cluster, Redis, type RedisOptions } from 'ioredis'
import { urlOfEachHost } from '../../multi-host-url.ts'
import { requireVersion, UnsupportedStoreError } from '../requirements.ts'
import { type Host, type RedisAddress, redisAddress } from './address.ts'
import { CLUSTER_SHARDS, fencedMemories, type Memories, oneMemory } from './memories.ts'
import { clusterSubscriber, oneSubscriber, type Subscriber } from './subscription.ts'

export type RedisClient = {
  redis: Redis | Cluster
  /** A connection to each server that has keys of its own. */
  servers(): Redis[]
  subscriber: Subscriber
  memories: Memories
  /** Returns the number of connections that the message was sent to. */
  publish(channel: string, message: string): Promise<number>
  /** Number of connections that a message would reach. */
  subscribers(channel: string): Promise<number>
  /** @throws Error if it, or a master of the cluster, does not answer */
  ping(): Promise<void>
  close(): Promise<void>
}

const OLDEST = '7.0'
const COMMAND_TIMEOUT_MS = 3_000
const RETRY_MS = 200
/** Added because a replica that this process has not found yet could have subscribers. */
const NODES_REFRESH_MS = 2_000
const KEEP_ALIVE_MS = 10_000

type OnError = (error: unknown) => void

function field(info: string, name: string): string {
  return new RegExp(`^${name}:(.*?)\\r?$`, 'm').exec(info)?.[1] ?? ''
}

/**
 * @throws UnsupportedStoreError if a server is older than 7, may evict keys, or cannot be reached
 */
export async function openRedis(url: string, onError: OnError): Promise<RedisClient> {
  const address = redisAddress(urlOfEachHost(url))
  if (address.master !== undefined) return openMaster(sentinelOptions(address), onError, true)
  const { host, isCluster } = await findServer(address)
  if (isCluster) return openCluster(address, onError)
  if (address.hosts.length > 1)
    throw new UnsupportedStoreError(
      `${host.host}:${host.port} is not part of a cluster; name one server, the servers of a cluster, or Sentinels with redis+sentinel://host1,host2/master`,
    )
  return openMaster({ ...connectionOptions(address), ...host, db: address.db }, onError, false)
}

function connectionOptions({ username, password, isTls }: RedisAddress): RedisOptions {
  return {
    lazyConnect: true,
    // without a connection a request fails at once, and the client retries
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    commandTimeout: COMMAND_TIMEOUT_MS,
    connectTimeout: COMMAND_TIMEOUT_MS,
    keepAlive: KEEP_ALIVE_MS,
    ...(username !== undefined && { username }),
    ...(password !== undefined && { password }),
    ...(isTls && { tls: {} }),
  }
}

function sentinelOptions(address: RedisAddress): RedisOptions {
  const { hosts, master, sentinelUsername, sentinelPassword, isTls, db } = address
  return {
    ...connectionOptions(address),
    db,
    sentinels: hosts,
    ...(master !== undefined && { name: master }),
    ...(sentinelUsername !== undefined && { sentinelUsername }),
    ...(sentinelPassword !== undefined && { sentinelPassword }),
    ...(isTls && { enableTLSForSentinelMode: true, sentinelTLS: {} }),
    sentinelCommandTimeout: COMMAND_TIMEOUT_MS,
  }
}

/** The first server that answers, and whether it belongs to a cluster. */
async function findServer(address: RedisAddress): Promise<{ host: Host; isCluster: boolean }> {
  const asking = address.hosts.map(async (host) => {
    const redis = new Redis({ ...connectionOptions(address), ...host, retryStrategy: () => null })
    // the connection's error is also the reason that connect() gives
    const failed = new Promise<never>((_, reject) => redis.once('error', reject))
    failed.catch(() => undefined)
    try {
      await Promise.race([redis.connect(), failed])
      const info = await redis.info()
      return { host, isCluster: field(info, 'redis_mode') === 'cluster' }
    } catch (error) {
      throw new Error(`${host.host}:${host.port}: ${error instanceof Error ? error.message : error}`, { cause: error })
    } finally {
      redis.disconnect()
    }
  })
  try {
    return await Promise.any(asking)
  } catch (error) {
    const reasons: Error[] = error instanceof AggregateError ? error.errors : [error]
    throw new UnsupportedStoreError(reasons.map(({ message }) => message).join('; '), { cause: reasons[0] })
  }
}

async function subscribersOf(node: Redis, channel: string): Promise<number> {
  const [, count] = (await node.pubsub('NUMSUB', channel)) as [string, number]
  return count
}

async function requireSettings(redis: Redis): Promise<void> {
  const info = await redis.info()
  requireVersion('Redis', field(info, 'redis_version'), OLDEST)
  const policy = field(info, 'maxmemory_policy')
  if (policy !== 'noeviction')
    throw new UnsupportedStoreError(
      `maxmemory-policy is ${policy}, which may drop claims at any time; set it to noeviction`,
    )
}

async function openMaster(options: RedisOptions, onError: OnError, failsOver: boolean): Promise<RedisClient> {
  const retryStrategy = (): number => RETRY_MS
  // a master that has become a replica is no longer the master
  const reconnectOnError = (error: Error): boolean => error.message.startsWith('READONLY')
  // at the start, Sentinels that cannot be reached are an error
  let isOpen = false
  const sentinelRetryStrategy = (): number | null => (isOpen ? RETRY_MS : null)
  const redis = new Redis({ ...options, retryStrategy, sentinelRetryStrategy, reconnectOnError })
  const subscriber = new Redis({
    ...options,
    enableOfflineQueue: true,
    maxRetriesPerRequest: null,
    retryStrategy,
    sentinelRetryStrategy,
  })
  let generation = ''
  redis.on('close', () => {
    generation = ''
  })
  redis.on('ready', () => {
    redis.info('server').then((info) => {
      generation = field(info, 'run_id').slice(0, 12)
    }, onError)
  })
  for (const client of [redis, subscriber]) {
    client.on('error', onError)
    // ioredis gives up when a failover interrupts its search for the master
    client.on('end', () => {
      if (isOpen) setTimeout(() => isOpen && client.connect().catch(onError), RETRY_MS)
    })
  }
  const fenced = failsOver ? fencedMemories(redis, 1, onError) : undefined
  const memories =
    fenced?.memories ??
    oneMemory(redis, () => {
      if (generation === '') throw new Error('there is no connection to Redis')
      return generation
    })
  try {
    await Promise.all([redis.connect(), subscriber.connect()])
    await requireSettings(redis)
    while (generation === '') await Bun.sleep(1)
    await fenced?.renewAll()
    isOpen = true
  } catch (error) {
    redis.disconnect()
    subscriber.disconnect()
    throw error
  }
  return {
    redis,
    servers: () => [redis],
    subscriber: oneSubscriber(subscriber),
    memories,
    publish: (channel, message) => redis.publish(channel, message),
    subscribers: (channel) => subscribersOf(redis, channel),
    async ping() {
      await redis.ping()
    },
    async close() {
      isOpen = false
      redis.disconnect()
      subscriber.disconnect()
    },
  }
}

async function openCluster(address: RedisAddress, onError: OnError): Promise<RedisClient> {
  if (address.db !== 0) throw new UnsupportedStoreError('a cluster has no databases; remove the number from the path')
  const { lazyConnect: _, enableOfflineQueue: __, ...redisOptions } = connectionOptions(address)
  const cluster = new Cluster(address.hosts, {
    redisOptions,
    lazyConnect: true,
    enableOfflineQueue: false,
    clusterRetryStrategy: () => RETRY_MS,
    slotsRefreshTimeout: COMMAND_TIMEOUT_MS,
    slotsRefreshInterval: NODES_REFRESH_MS,
    // certificates contain names, so names are not resolved before
    dnsLookup: (host, callback) => callback(null, host),
  })
  cluster.on('error', onError)
  cluster.on('node error', onError)
  const { memories, renewAll } = fencedMemories(cluster, CLUSTER_SHARDS, onError)
  const subscriber = clusterSubscriber(
    cluster,
    (host, port) => new Redis({ ...connectionOptions(address), host, port, retryStrategy: () => null }),
    onError,
  )
  const masters = (): Redis[] => {
    const found = cluster.nodes('master')
    if (found.length === 0) throw new Error('there is no connection to the Redis cluster')
    return found
  }
  try {
    await cluster.connect()
    for (const master of masters()) await requireSettings(master)
    await renewAll()
  } catch (error) {
    cluster.disconnect()
    throw error
  }

  async function subscribers(channel: string): Promise<number> {
    const counts = await Promise.all(
      cluster.nodes('all').map((node) =>
        // a node that does not answer has no connections that a message could reach
        subscribersOf(node, channel).catch((error) => {
          onError(error)
          return 0
        }),
      ),
    )
    return counts.reduce((sum, count) => sum + count, 0)
  }
  return {
    redis: cluster,
    servers: masters,
    subscriber,
    memories,
    subscribers,
    async publish(channel, message) {
      // PUBLISH returns only the number of connections to the node that ran it
      const count = await subscribers(channel)
      await cluster.publish(channel, message)
      return count
    },
    async ping() {
      await Promise.all(masters().map((node) => node.ping()))
    },
    async close() {
      subscriber.close()
      cluster.disconnect()
    },
  }
}
