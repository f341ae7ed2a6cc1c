/** Sizes, costs and latency of a deployment, from measured service times. Every figure is a parameter. */
import { seeded } from '../test/support/random.ts'
import { exponential, type Outage, percentile, poissonArrivals, simulateQueue } from './scale-queue.ts'

/** Each with its value, and where it comes from: a line of bench/RESULTS.md, or an assumption. */
export const PARAMETERS = {
  readingsPerCall: [60, 'assumption: one reading a second, a call a minute'],
  callUs: [200, '"A fleet compared with the model": 0.222 cores at 1,000 calls/s; 38 in "Groundwave, 10 a call"'],
  readingUs: [0.43, '"Sustained ingestion": server 0.43 a reading at 500 a call, with the call'],
  answerMs: [1, '"A fleet from day to day", full hour: p50, with the sync of the log and the connection'],
  redisCallUs: [40, 'assumption: two scripts of 20 µs'],
  redisReadingUs: [0.35, '"sets of 65 s, two scripts a call": 2,837,776 claims/s'],
  redisBytes: [4.7, 'the same row'],
  redisWindowS: [3600, 'assumption: readings whose claims Redis has at one time'],
  clickhouseReadingUs: [0.71, '"Sustained ingestion": ClickHouse 0.71 CPU s a million'],
  insertMs: [37, '"A fleet from day to day", full hour: 0.059 cores of ClickHouse less the readings, at 1.4 inserts/s'],
  loadIntervalS: [0.7, 'the default of LOAD_INTERVAL_MS'],
  insertsPerShard: [10, 'assumption: the most inserts/s of a shard; a longer interval keeps to it'],
  diskBytes: [16.9, '"Groundwave, 500 a call": bytes a reading on disk'],
  logBytes: [74, '"The shape of a reading": bytes a row, RowBinary'],
  bodyBytes: [110, 'assumption: JSON of a reading with three values and a location'],
  keepDays: [30, 'assumption'],
  replicas: [2, 'assumption: of each shard and of PostgreSQL'],
  utilization: [0.5, 'assumption: planned for the server thread, a Redis node and the cores of a shard'],
  instanceCores: [2, 'assumption'],
  shardCores: [16, 'assumption'],
  redisGb: [32, 'assumption: memory of a node'],
  coreUsd: [25, 'assumption: a core with 4 GB of memory, a month'],
  redisGbUsd: [5, 'assumption: a GB of memory, a month'],
  diskTbUsd: [80, 'assumption: a TB of block storage, a month'],
  networkTbUsd: [10, 'assumption: a TB within one region'],
  redisFailoverS: [15, 'assumption: Sentinel, down-after 10 s and the election'],
  shardFailoverS: [60, 'assumption'],
  instanceFailoverS: [10, 'assumption: two checks of the load balancer, 5 s apart'],
  retryS: [5, 'Retry-After of 503'],
} as const satisfies Record<string, readonly [number, string]>
export type Parameters = Record<keyof typeof PARAMETERS, number>

export const defaults = (): Parameters =>
  Object.fromEntries(Object.entries(PARAMETERS).map(([name, [value]]) => [name, value])) as Parameters

export type Sizes = {
  readingsPerS: number
  callsPerS: number
  instances: number
  redisNodes: number
  shards: number
  /** Of each instance; longer than the default when the shards would receive too many inserts. */
  loadIntervalS: number
  /** In bits a second. */
  networkBits: number
  diskTb: number
  monthlyUsd: number
}

const MONTH_S = 30 * 86_400

/** @param sensors each sends one reading a second */
export function sizesOf(sensors: number, p: Parameters): Sizes {
  const callsPerS = sensors / p.readingsPerCall
  const instances = Math.max(2, Math.ceil((callsPerS * serviceS(p)) / p.utilization))
  const redisNodes = Math.max(
    1,
    Math.ceil((callsPerS * redisS(p)) / p.utilization),
    Math.ceil((sensors * p.redisBytes * p.redisWindowS) / (p.redisGb * 1e9)),
  )
  // every insert of an instance becomes an insert on every shard
  const loadIntervalS = Math.max(p.loadIntervalS, instances / p.insertsPerShard)
  const insertCores = ((instances / loadIntervalS) * p.insertMs) / 1e3
  const perShard = p.shardCores * p.utilization - insertCores
  if (perShard <= 0) throw new RangeError('insertsPerShard × insertMs takes all cores of a shard')
  const shards = Math.ceil((sensors * p.clickhouseReadingUs) / 1e6 / perShard)
  const diskTb = (sensors * p.diskBytes * 86_400 * p.keepDays * p.replicas) / 1e12
  // in from the sensors, and out to each replica
  const networkBits = sensors * (p.bodyBytes + p.logBytes * p.replicas) * 8
  const cores = instances * p.instanceCores + shards * p.replicas * p.shardCores + p.replicas * 4
  const monthlyUsd =
    cores * p.coreUsd +
    redisNodes * 2 * p.redisGb * p.redisGbUsd +
    diskTb * p.diskTbUsd +
    ((networkBits / 8) * MONTH_S * p.networkTbUsd) / 1e12
  return {
    readingsPerS: sensors,
    callsPerS,
    instances,
    redisNodes,
    shards,
    loadIntervalS,
    networkBits,
    diskTb,
    monthlyUsd,
  }
}

/** Of a call, in seconds: the server's thread, and Redis. */
export const serviceS = (p: Parameters): number => (p.callUs + p.readingUs * p.readingsPerCall) / 1e6
export const redisS = (p: Parameters): number => (p.redisCallUs + p.redisReadingUs * p.readingsPerCall) / 1e6

export type Latency = { utilization: number; p50Ms: number; p99Ms: number; longestMs: number }

const CALLS = 200_000

/**
 * Calls of one instance and its share of a Redis node. Arrivals are Poisson; the thread's times are exponential, which
 * stands for calls of different sizes and pauses, and those of Redis are constant.
 * @param outage of the instance's Redis node; calls within it are sent again up to `retryS` after its end
 */
export function latencyOf(
  p: Parameters,
  callsPerS: number,
  redisCallsPerS: number,
  seed: number,
  outage?: Outage,
): Latency {
  const random = seeded(seed)
  const count = outage === undefined ? CALLS : Math.ceil(callsPerS * (outage.toS + 60))
  const arrivals = poissonArrivals(random, callsPerS, count)
  if (outage !== undefined) {
    for (const [i, at] of arrivals.entries())
      if (at >= outage.fromS && at < outage.toS) arrivals[i] = outage.toS + random() * p.retryS
    arrivals.sort()
  }
  const thread = simulateQueue({ arrivals, service: () => exponential(random, serviceS(p)), servers: 1 })
  const ofRedis = poissonArrivals(random, redisCallsPerS, CALLS)
  const redis = simulateQueue({ arrivals: ofRedis, service: () => redisS(p), servers: 1 })
  const whole = thread.sojourns.map((s, i) => s + (redis.sojourns[i % CALLS] as number) + p.answerMs / 1e3)
  return {
    utilization: thread.utilization,
    p50Ms: percentile(whole, 0.5) * 1e3,
    p99Ms: percentile(whole, 0.99) * 1e3,
    longestMs: percentile(whole, 1) * 1e3,
  }
}
