/**
 * The cost of claims in Redis: memory per claimed reading at 1 Hz, and claims per second, with Groundwave's scripts and
 * with one `SET NX` per reading (pipelined per call), in alternating order in one run. `bun run bench:claims`.
 */
import { Redis } from 'ioredis'
import { type Bucket, bucketOf, createClaimKeys } from '../src/stores/redis/claims.ts'
import { openRedis } from '../src/stores/redis/client.ts'
import { startRedis } from '../test/support/redis.ts'

const SENSORS = 200
const CALLS = 10
const PER_CALL = 500
const CONCURRENT_CALLS = 16
const ROUNDS = 3

const server = await startRedis()
const client = await openRedis(server.url, () => undefined)
const keys = createClaimKeys(client)
const plain = new Redis(server.url)
const startMs = Math.floor(Date.now() / 1000) * 1000 - 10 * 86_400_000

/** The timestamps of one call of a sensor at 1 Hz; each sensor has its own phase. */
function times(sensor: number, call: number): number[] {
  return Array.from({ length: PER_CALL }, (_, i) => startMs + sensor * 7 + (call * PER_CALL + i) * 1000)
}

async function withScripts(sensor: number, call: number): Promise<void> {
  const timesOfCall = times(sensor, call)
  const buckets: Bucket[] = [...Map.groupBy(timesOfCall, bucketOf)].map(([number, timesMs]) => ({
    number,
    timesMs,
    whole: false,
  }))
  const token = Bun.randomUUIDv7()
  const owner = { sensor, extensions: 0, deletedBeforeMs: Number.NEGATIVE_INFINITY }
  const open = {
    minute: 1,
    limit: 1e9,
    token,
    lockMs: 10_000,
    held: false,
    firstMs: timesOfCall[0] as number,
  }
  const { state } = await keys.open(owner, open, [])
  if (state !== 'new' && state !== 'unknown') throw new Error(state)
  const close = {
    token,
    ttlMs: 86_400_000,
    newestMs: timesOfCall.at(-1) as number,
    storedTopMs: Number.MIN_SAFE_INTEGER,
  }
  if (!(await keys.close(owner, close, buckets))) throw new Error('the lock was lost')
}

async function withSetNx(sensor: number, call: number): Promise<void> {
  const pipeline = plain.pipeline()
  for (const ms of times(sensor, call)) pipeline.set(`${sensor}:${ms}`, '1', 'PX', 86_400_000, 'NX')
  const answers = (await pipeline.exec()) ?? []
  if (answers.some(([error, answer]) => error !== null || answer !== 'OK')) throw new Error('not set')
}

async function usedBytes(): Promise<number> {
  return Number(/used_memory:(\d+)/.exec(await plain.info('memory'))?.[1])
}

async function measure(claim: (sensor: number, call: number) => Promise<void>) {
  await plain.flushall()
  const before = await usedBytes()
  const startedMs = performance.now()
  for (let call = 0; call < CALLS; call++)
    for (let first = 0; first < SENSORS; first += CONCURRENT_CALLS)
      await Promise.all(
        Array.from({ length: Math.min(CONCURRENT_CALLS, SENSORS - first) }, (_, i) => claim(first + i + 1, call)),
      )
  const seconds = (performance.now() - startedMs) / 1000
  const readings = SENSORS * CALLS * PER_CALL
  return { rate: readings / seconds, bytes: ((await usedBytes()) - before) / readings }
}

const variants = [
  ['sets of 65 s, two scripts per call', withScripts],
  ['SET NX for each reading', withSetNx],
] as const
const results = variants.map((): { rate: number; bytes: number }[] => [])
for (let round = 0; round < ROUNDS; round++)
  for (const i of round % 2 === 0 ? [0, 1] : [1, 0])
    results[i]?.push(await measure((variants[i] as (typeof variants)[number])[1]))
const median = (numbers: number[]): number => numbers.toSorted((a, b) => a - b)[Math.floor(ROUNDS / 2)] as number
console.log(
  `${SENSORS} sensors at 1 Hz, ${CALLS} calls of ${PER_CALL}, ${CONCURRENT_CALLS} in parallel, medians of ${ROUNDS} rounds\n`,
)
console.log('| | claims/s | bytes of Redis memory per reading |')
console.log('| --- | --- | --- |')
for (const [i, [name]] of variants.entries()) {
  const of = results[i] as { rate: number; bytes: number }[]
  console.log(
    `| ${name} | ${Math.round(median(of.map((r) => r.rate))).toLocaleString('en')} | ${median(of.map((r) => r.bytes)).toFixed(1)} |`,
  )
}
plain.disconnect()
await client.close()
await server.remove()
