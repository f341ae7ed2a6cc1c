/** State that several instances share through Redis: messages about changed configuration, and rate windows. */
import type { Logger } from 'pino'
import { createMemoryRateWindows, type RateWindows } from '../../access/rate-windows.ts'
import { createSharedRateWindows } from '../../access/shared-rate-windows.ts'
import { type Change, type Changes, createChanges } from '../../stores/changes.ts'
import type { Database } from '../../stores/postgres/client.ts'
import { filesSentSince } from '../../stores/postgres/runs/runs.ts'
import { openRedis, type RedisClient } from '../../stores/redis/client.ts'
import { joinInstances, type Messages } from '../../stores/redis/messages.ts'
import { createRateWindowKeys } from '../../stores/redis/rate-windows.ts'
import { watchRedis } from '../../stores/redis/watch.ts'
import type { ServerHost } from '../host.ts'
import type { Stops } from '../shutdown.ts'
import { withVariableName } from './with-variable-name.ts'

/** This instance among others. */
export type Membership = { redis: RedisClient; instanceId: string; messages: Messages }

/** Undefined without Redis, where this is the only instance. */
export async function joinOthers(
  { config, logger, metrics, instanceId }: ServerHost,
  stops: Stops,
): Promise<Membership | undefined> {
  if (config.redisUrl === undefined) return undefined
  const onError = redisErrorLog(logger)
  const redis = await withVariableName('REDIS_URL', openRedis(config.redisUrl, onError))
  stops.onStop('Redis', redis.close)
  watchRedis(redis.redis, metrics.storeCall)
  return { redis, instanceId, messages: await joinInstances(redis, instanceId, config.lookupTimeoutMs, onError) }
}

export const redisErrorLog =
  (logger: Logger) =>
  (error: unknown): void =>
    logger.warn({ err: error }, 'Redis error')

/** Changes of configuration, including changes by other instances. */
export function openChanges(membership: Membership | undefined, logger: Logger): Changes {
  if (membership === undefined) return createChanges()
  const { messages } = membership
  // an instance that misses a message receives 'reconnected' later and clears its caches
  const changes = createChanges((change) => messages.publishChange(change).catch(redisErrorLog(logger)))
  messages.subscribe({
    changed: (change) => changes.receive(change as Change),
    reconnected: () => changes.receive({ kind: 'missed' }),
  })
  return changes
}

/** Counts of calls and files. Without Redis they are counted in memory, starting from the files that runs recorded. */
export function openRateWindows(db: Database, membership: Membership | undefined): RateWindows {
  if (membership !== undefined) return createSharedRateWindows(createRateWindowKeys(membership.redis))
  return createMemoryRateWindows(async (key, windowMs) => {
    const [kind, enterpriseId] = key.split(':')
    if (kind !== 'files' || enterpriseId === undefined) return []
    const sent = await filesSentSince(db, enterpriseId, new Date(Date.now() - windowMs))
    return sent.map(({ ms, files }) => ({ ms, amount: files }))
  })
}
