/** The connection that receives messages in a cluster. ioredis's own does not report that it missed messages. */
import type { Cluster, Redis } from 'ioredis'
import { createBackoff } from '../backoff.ts'

export type Subscriber = {
  /** @param onReconnect messages may have been missed */
  subscribe(
    channels: readonly string[],
    onMessage: (channel: string, message: string) => void,
    onReconnect: () => void,
  ): Promise<void>
  /** Whether messages arrive now. */
  isSubscribed(): boolean
  close(): void
}

const FIRST_PAUSE_MS = 50
const LONGEST_PAUSE_MS = 1_000

/** Subscribes on one master, and on another one when it is lost or has left the cluster. */
export function clusterSubscriber(
  cluster: Cluster,
  connect: (host: string, port: number) => Redis,
  onError: (error: unknown) => void,
): Subscriber {
  const stop = new AbortController()
  let current: Redis | undefined
  let isSubscribed = false

  cluster.on('-node', (_redis: Redis, key: string) => {
    const { host, port } = current?.options ?? {}
    if (key === `${host}:${port}`) current?.disconnect()
  })

  return {
    async subscribe(channels, onMessage, onReconnect) {
      async function attach(): Promise<void> {
        const masters = cluster.nodes('master')
        const { options } = masters[Math.floor(Math.random() * masters.length)] ?? {}
        if (options?.host === undefined || options.port === undefined)
          throw new Error('no master of the cluster is known')
        const redis = connect(options.host, options.port)
        redis.on('error', onError)
        redis.on('message', onMessage)
        try {
          await redis.connect()
          await redis.subscribe(...channels)
        } catch (error) {
          redis.disconnect()
          throw error
        }
        if (stop.signal.aborted) return redis.disconnect()
        current = redis
        isSubscribed = true
        redis.once('end', () => {
          isSubscribed = false
          if (!stop.signal.aborted) reattach().catch(onError)
        })
        // the connection may have ended before the listener was added
        if (redis.status === 'end') redis.emit('end')
      }
      async function reattach(): Promise<void> {
        const backoff = createBackoff(FIRST_PAUSE_MS, LONGEST_PAUSE_MS)
        while (!stop.signal.aborted) {
          try {
            await attach()
            return onReconnect()
          } catch (error) {
            onError(error)
            await backoff.pause(stop.signal)
          }
        }
      }
      await attach()
    },
    isSubscribed: () => isSubscribed,
    close() {
      stop.abort()
      current?.disconnect()
    },
  }
}

/** The subscriber of a single server, whose connection reconnects and resubscribes by itself. */
export function oneSubscriber(redis: Redis): Subscriber {
  return {
    async subscribe(channels, onMessage, onReconnect) {
      redis.on('message', onMessage)
      await redis.subscribe(...channels)
      redis.on('ready', onReconnect)
    },
    isSubscribed: () => redis.status === 'ready',
    close: () => redis.disconnect(),
  }
}
