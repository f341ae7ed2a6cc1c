/** The connection to Redis, and the detection of lost memory. */
import { Redis } from 'ioredis'
import { requireVersion, UnsupportedStoreError } from '../requirements.ts'

export type RedisClient = {
  redis: Redis
  /** A separate connection for messages. */
  subscriber: Redis
  /**
   * Identifies the run of the Redis server. What another run knows about readings cannot be trusted, whether it is
   * empty, restored from a snapshot, or a replica that lagged behind.
   * @throws Error while there is no connection
   */
  generation(): string
  /** When this process first saw the generation, as performance.now(). */
  generationSinceMs(): number
  ping(): Promise<void>
  close(): Promise<void>
}

const OLDEST = '7.0'
const COMMAND_TIMEOUT_MS = 3_000
const RETRY_MS = 200

function field(info: string, name: string): string {
  return new RegExp(`^${name}:(.*?)\\r?$`, 'm').exec(info)?.[1] ?? ''
}

/** @throws UnsupportedStoreError if the server is older than 7, may evict keys, or cannot be reached */
export async function openRedis(url: string, onError: (error: unknown) => void): Promise<RedisClient> {
  const options = {
    lazyConnect: true,
    // without a connection a request fails at once, and the client retries
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    commandTimeout: COMMAND_TIMEOUT_MS,
    connectTimeout: COMMAND_TIMEOUT_MS,
  }
  const redis = new Redis(url, { ...options, retryStrategy: () => RETRY_MS })
  const subscriber = new Redis(url, {
    ...options,
    enableOfflineQueue: true,
    maxRetriesPerRequest: null,
    retryStrategy: () => RETRY_MS,
  })
  let generation = ''
  let known = ''
  let sinceMs = 0

  redis.on('close', () => {
    generation = ''
  })
  redis.on('ready', () => {
    redis.info('server').then((info) => {
      const run = field(info, 'run_id').slice(0, 12)
      if (run !== known) {
        known = run
        sinceMs = performance.now()
      }
      generation = run
    }, onError)
  })
  for (const client of [redis, subscriber]) client.on('error', onError)

  try {
    await Promise.all([redis.connect(), subscriber.connect()])
    const info = await redis.info()
    requireVersion('Redis', field(info, 'redis_version'), OLDEST)
    const policy = field(info, 'maxmemory_policy')
    if (policy !== 'noeviction')
      throw new UnsupportedStoreError(
        `maxmemory-policy is ${policy}, which may drop claims at any time; set it to noeviction`,
      )
    while (generation === '') await Bun.sleep(1)
  } catch (error) {
    redis.disconnect()
    subscriber.disconnect()
    throw error
  }

  return {
    redis,
    subscriber,
    generation() {
      if (generation === '') throw new Error('there is no connection to Redis')
      return generation
    },
    generationSinceMs: () => sinceMs,
    async ping() {
      await redis.ping()
    },
    async close() {
      redis.disconnect()
      subscriber.disconnect()
    },
  }
}
