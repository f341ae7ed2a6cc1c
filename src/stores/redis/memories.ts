/**
 * Detects data loss in Redis. Names of keys contain a generation, so data of an earlier memory is never read, whether
 * Redis is empty, restored from a snapshot, or a replica that had not received the last writes.
 *
 * A single server gets a new memory with a restart, which its connections notice: the generation is its run id.
 *
 * With replicas, the run id is not enough: a master can become a replica and a master again while its connections stay
 * open, and lose writes on the way. Redis has an id for exactly this, the replication id, which changes whenever a
 * server becomes a master. Every script compares it, and a key with the generation, on the server that runs the script.
 * In a cluster, sensors are divided into shards, which have a hash tag and a generation each. A shard that resharding
 * moved to another master begins a generation there too.
 */
import type { Cluster, Redis } from 'ioredis'

export type Memory = {
  id: string
  /** Time since the memory began. */
  ageMs: number
}

export type Memories = {
  /** The beginning of the names of all keys of a sensor. */
  prefix(sensor: number): string
  shardOf(sensor: number): number
  /** Part of the names of keys. @throws Error while there is no connection */
  generation(shard: number): string
  /** The key and value that every script compares first; undefined if the connection is enough. */
  fence(shard: number): readonly [key: string, value: string] | undefined
  current(shard: number): Promise<Memory>
  /** To be called after a script found another memory than `fence` names. */
  renew(shard: number): Promise<void>
  /** Every shard whose memory is known without a request. */
  known(): { shard: number; memory: Memory }[]
}

/** Precedes a script whose first key and first argument are a fence. */
export const FENCE = `
local fence = table.remove(KEYS, 1)
local known = table.remove(ARGV, 1)
local replication = string.match(redis.call('INFO', 'replication'), 'master_replid:(%x+)')
if string.sub(known, 1, 40) ~= replication or redis.call('GET', fence) ~= known then return 'stale' end
`

// Returns when the current memory of Redis began, as recorded in a separate key, and its age in milliseconds.
const AGE = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('SET', KEYS[1], string.format('%.0f', now), 'NX')
local born = redis.call('GET', KEYS[1])
return {born, string.format('%.0f', now - tonumber(born))}
`

/** The memory of a server without replicas. @param generation of the current connection; throws without one */
export function oneMemory(redis: Redis, generation: () => string): Memories {
  redis.defineCommand('gwAge', { lua: AGE, numberOfKeys: 1 })
  const script = redis as unknown as { gwAge(key: string): Promise<[born: string, ageMs: string]> }
  return {
    prefix: (sensor) => `gw:{s${sensor}}:`,
    shardOf: () => 0,
    generation,
    fence: () => undefined,
    async current() {
      const [id, ageMs] = await script.gwAge(`gw:${generation()}:born`)
      return { id, ageMs: Number(ageMs) }
    },
    renew: async () => undefined,
    known: () => [],
  }
}

// KEYS: the fence. ARGV: a random text for a new memory. Returns the fence's value and the memory's age in milliseconds.
const LOOK = `
local replication = string.match(redis.call('INFO', 'replication'), 'master_replid:(%x+)')
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local value = redis.call('GET', KEYS[1])
if not value or string.sub(value, 1, 40) ~= replication then
  value = replication .. ':' .. ARGV[1] .. ':' .. string.format('%.0f', now)
  redis.call('SET', KEYS[1], value)
end
return {value, string.format('%.0f', now - tonumber(string.match(value, '%d+$')))}
`

/** Enough for tens of masters: with 50, the largest has a third more shards than the average. */
export const CLUSTER_SHARDS = 1024
/** Shards per round of requests, which takes 2 ms of the thread. */
const LOOKS_AT_ONCE = 64

/** The memories of servers that fail over. @param shards 1, or for a cluster the number of hash tags */
export function fencedMemories(redis: Redis | Cluster, shards: number, onError: (error: unknown) => void) {
  redis.defineCommand('gwLook', { lua: LOOK, numberOfKeys: 1 })
  const script = redis as unknown as {
    gwLook(key: string, random: string): Promise<[value: string, ageMs: string]>
  }
  const keyOf = (shard: number): string => (shards === 1 ? 'gw:born' : `gw:{b${shard}}:born`)
  const found = new Map<number, { value: string; generation: string; bornMs: number }>()

  async function renew(shard: number): Promise<void> {
    const [value, ageMs] = await script.gwLook(keyOf(shard), crypto.randomUUID().slice(0, 8))
    const [replication = '', random = ''] = value.split(':')
    found.set(shard, {
      value,
      generation: replication.slice(0, 8) + random,
      bornMs: performance.now() - Number(ageMs),
    })
  }
  async function renewAll(): Promise<void> {
    for (let from = 0; from < shards; from += LOOKS_AT_ONCE) {
      const some = Array.from({ length: Math.min(LOOKS_AT_ONCE, shards - from) }, (_, i) => renew(from + i))
      await Promise.all(some)
    }
  }
  function memoryOf(shard: number) {
    const memory = found.get(shard)
    if (memory === undefined) throw new Error('the memory of Redis is not known yet')
    return memory
  }
  const memory = (shard: number): Memory => {
    const { value, bornMs } = memoryOf(shard)
    return { id: value, ageMs: performance.now() - bornMs }
  }
  let renewing = false

  const memories: Memories = {
    prefix: (sensor) => (shards === 1 ? `gw:{s${sensor}}:` : `gw:{b${sensor % shards}}:s${sensor}:`),
    shardOf: (sensor) => sensor % shards,
    generation: (shard) => memoryOf(shard).generation,
    fence: (shard) => [keyOf(shard), memoryOf(shard).value],
    current: async (shard) => memory(shard),
    async renew(shard) {
      await renew(shard)
      if (renewing) return
      // the other shards of the same master have new memories too; renewing all together waits for other instances
      // only once
      renewing = true
      renewAll()
        .catch(onError)
        .finally(() => {
          renewing = false
        })
    },
    known: () => [...found.keys()].map((shard) => ({ shard, memory: memory(shard) })),
  }
  return { memories, renewAll }
}
