/** The simulated queues of bench/scale.ts, compared with closed forms of queueing theory. */
import { expect, test } from 'bun:test'
import { defaults, latencyOf, sizesOf } from '../bench/scale-model.ts'
import { exponential, mean, percentile, poissonArrivals, simulateQueue } from '../bench/scale-queue.ts'
import { seeded } from './support/random.ts'

const CALLS = 1_000_000
const SEED = 11

/** The probability of waiting in M/M/c, by Erlang's formula C. */
function erlangC(servers: number, load: number): number {
  let term = 1
  let sum = 1
  for (let k = 1; k < servers; k++) {
    term *= load / k
    sum += term
  }
  const last = ((term * load) / servers) * (servers / (servers - load))
  return last / (sum + last)
}

test.each([0.3, 0.5, 0.8])('M/M/1 at %d: mean and p99 of the time in the system', (load) => {
  const random = seeded(SEED)
  const arrivals = poissonArrivals(random, load, CALLS)
  const { sojourns, utilization } = simulateQueue({ arrivals, service: () => exponential(random, 1), servers: 1 })
  expect(Math.abs(utilization / load - 1)).toBeLessThan(0.01)
  expect(Math.abs(mean(sojourns) * (1 - load) - 1)).toBeLessThan(0.04)
  // exponential with the rate 1 - load
  expect((percentile(sojourns, 0.99) * (1 - load)) / Math.log(100)).toBeCloseTo(1, 1)
})

test.each([0.3, 0.5, 0.8])('M/D/1 at %d: mean wait by Pollaczek and Khinchine', (load) => {
  const arrivals = poissonArrivals(seeded(SEED), load, CALLS)
  const { waits } = simulateQueue({ arrivals, service: () => 1, servers: 1 })
  expect(Math.abs(mean(waits) / (load / (2 * (1 - load))) - 1)).toBeLessThan(0.04)
})

test.each([
  [2, 0.5],
  [8, 0.8],
  [16, 0.9],
])('M/M/%d at %d: probability of waiting and mean wait by Erlang C', (servers, load) => {
  const random = seeded(SEED)
  const arrivals = poissonArrivals(random, load * servers, CALLS)
  const { waits } = simulateQueue({ arrivals, service: () => exponential(random, 1), servers })
  const waiting = erlangC(servers, load * servers)
  expect(Math.abs(waits.filter((wait) => wait > 0).length / CALLS / waiting - 1)).toBeLessThan(0.05)
  expect(Math.abs(mean(waits) / (waiting / (servers * (1 - load))) - 1)).toBeLessThan(0.08)
})

test('a pause of D seconds in D/D/1 delays calls as plain arithmetic says', () => {
  const arrivals = Float64Array.from({ length: 100 }, (_, i) => i)
  const { waits } = simulateQueue({ arrivals, service: () => 0.5, servers: 1, outage: { fromS: 10, toS: 20 } })
  // the call at 10 begins at 20, and each later one half a second after the one before, until the line is empty at 30
  const expected = [...arrivals].map((at) => (at < 10 ? 0 : Math.max(0, 20 + (at - 10) * 0.5 - at)))
  expect([...waits]).toEqual(expected)
})

test('sizes keep to the planned utilization, and the same seed gives the same latency', () => {
  const p = defaults()
  for (const sensors of [10_000, 1_000_000, 100_000_000]) {
    const { instances, callsPerS, redisNodes, loadIntervalS } = sizesOf(sensors, p)
    const latency = latencyOf(p, callsPerS / instances, callsPerS / redisNodes, SEED)
    expect(latency.utilization).toBeLessThan(p.utilization * 1.02)
    expect(instances / loadIntervalS).toBeLessThanOrEqual(Math.max(p.insertsPerShard, 2 / p.loadIntervalS))
    expect(latencyOf(p, callsPerS / instances, callsPerS / redisNodes, SEED)).toEqual(latency)
  }
})
