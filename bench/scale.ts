/**
 * What a fleet takes, calculated and simulated from measured service times: instances, stores, cost, latency, and what
 * happens when a part fails. `bun run bench:scale [name=value ...]`; the names are those of PARAMETERS in scale-model.ts,
 * and `seed`. docs/capacity.md explains the result and its limits.
 */
import { defaults, latencyOf, PARAMETERS, type Parameters, serviceS, sizesOf } from './scale-model.ts'
import { say } from './tool-harness.ts'

const p: Parameters = defaults()
let seed = 1
for (const argument of process.argv.slice(2)) {
  const [name = '', text = ''] = argument.split('=')
  const value = Number(text)
  if (!(value > 0)) throw new RangeError(`${argument}: the value must be a number above 0`)
  if (name === 'seed') seed = value
  else if (name in p) p[name as keyof Parameters] = value
  else throw new RangeError(`${name}: must be seed or one of ${Object.keys(PARAMETERS).join(', ')}`)
}

say('| parameter | value | source |\n| --- | --- | --- |')
for (const [name, [, source]] of Object.entries(PARAMETERS))
  say(`| ${name} | ${p[name as keyof Parameters]} | ${source} |`)

const rounded = (value: number, digits = 0): string => value.toLocaleString('en', { maximumFractionDigits: digits })
say(
  '\n| sensors | calls/s | instances | Redis nodes | shards × replicas | load interval s | network Gbit/s | disk TB | USD a month | p50 / p99 ms | utilization |',
)
say('| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |')
for (const sensors of [10_000, 1_000_000, 100_000_000]) {
  const sizes = sizesOf(sensors, p)
  const { callsPerS, instances, redisNodes, shards, loadIntervalS, networkBits, diskTb, monthlyUsd } = sizes
  const { p50Ms, p99Ms, utilization } = latencyOf(p, callsPerS / instances, callsPerS / redisNodes, seed)
  say(
    `| ${rounded(sensors)} | ${rounded(callsPerS)} | ${instances} | ${redisNodes} | ${shards} × ${p.replicas} | ${rounded(loadIntervalS, 1)} | ${rounded(networkBits / 1e9, 2)} | ${rounded(diskTb)} | ${rounded(monthlyUsd)} | ${rounded(p50Ms, 1)} / ${rounded(p99Ms, 1)} | ${rounded(utilization, 2)} |`,
  )
}

say('\n| sensors | part that fails | seconds | what happens |\n| --- | --- | --- | --- |')
for (const sensors of [1_000_000, 100_000_000]) {
  const { callsPerS, instances, redisNodes, shards } = sizesOf(sensors, p)
  const [each, ofRedis] = [callsPerS / instances, callsPerS / redisNodes]
  const fewer = latencyOf(p, callsPerS / (instances - 1), ofRedis, seed)
  say(
    `| ${rounded(sensors)} | an instance | ${p.instanceFailoverS} | ${rounded(each * p.instanceFailoverS)} calls fail and are sent again; the others run at ${rounded(fewer.utilization, 2)}, p99 ${rounded(fewer.p99Ms, 1)} ms |`,
  )
  const after = latencyOf(p, each, ofRedis, seed, { fromS: 10, toS: 10 + p.redisFailoverS })
  say(
    `| ${rounded(sensors)} | a Redis master | ${p.redisFailoverS} | ${rounded(ofRedis * p.redisFailoverS)} calls get 503; sent again within ${p.retryS} s, an instance with only such calls answers after ${rounded(after.p99Ms / 1e3, 2)} s at p99 and ${rounded(after.longestMs / 1e3, 2)} s at most |`,
  )
  // every insert has rows of every shard
  const backlog = (sensors * p.logBytes * p.shardFailoverS) / instances / 1e9
  say(
    `| ${rounded(sensors)} | all replicas of one of ${shards} shards | ${p.shardFailoverS} | nothing is loaded: ${rounded(backlog, 2)} GB wait in the log of each instance, loaded ${rounded((p.shardFailoverS * p.utilization) / (1 - p.utilization))} s later; readings are accepted, queries get 503 |`,
  )
  say(
    `| ${rounded(sensors)} | PostgreSQL | any | sensors in an instance's cache send on; sensors that it does not know, and the portal, get 503 |`,
  )
}
say(`\nA call takes ${rounded(serviceS(p) * 1e6, 1)} µs of an instance's thread; seed ${seed}.`)
