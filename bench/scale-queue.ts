/**
 * A queue with one waiting line and `servers` servers (G/G/c, first come first served), simulated call by call: each call
 * takes the server that is free first (Kiefer and Wolfowitz, "On the theory of queues with many servers", 1955).
 */

export type Outage = { fromS: number; toS: number }
export type Queue = {
  /** Times of arrival in seconds, ascending. */
  arrivals: Float64Array
  /** The service time of the next call in seconds. */
  service: () => number
  servers: number
  /** No call begins in it. Calls that began earlier are completed. */
  outage?: Outage
}
export type QueueResult = {
  /** Of each call in seconds: waiting, and waiting with service. */
  waits: Float64Array
  sojourns: Float64Array
  /** Busy share of the servers until the last arrival. */
  utilization: number
}

export function simulateQueue({ arrivals, service, servers, outage }: Queue): QueueResult {
  const free = new Float64Array(servers)
  const waits = new Float64Array(arrivals.length)
  const sojourns = new Float64Array(arrivals.length)
  let busyS = 0
  for (const [i, arrival] of arrivals.entries()) {
    let first = 0
    for (let k = 1; k < servers; k++) if ((free[k] as number) < (free[first] as number)) first = k
    let start = Math.max(arrival, free[first] as number)
    if (outage !== undefined && start >= outage.fromS && start < outage.toS) start = outage.toS
    const serviceS = service()
    busyS += serviceS
    free[first] = start + serviceS
    waits[i] = start - arrival
    sojourns[i] = start - arrival + serviceS
  }
  const lastS = arrivals.at(-1) ?? 0
  return { waits, sojourns, utilization: lastS === 0 ? 0 : busyS / (lastS * servers) }
}

/** Independent calls of very many sensors: a Poisson process. */
export function poissonArrivals(random: () => number, ratePerS: number, count: number): Float64Array {
  const arrivals = new Float64Array(count)
  let now = 0
  for (let i = 0; i < count; i++) {
    now += exponential(random, 1 / ratePerS)
    arrivals[i] = now
  }
  return arrivals
}

export const exponential = (random: () => number, mean: number): number => -Math.log(1 - random()) * mean

/** The value below which the share `p` of the values lies, from 0 to 1. */
export function percentile(values: Float64Array, p: number): number {
  const sorted = values.toSorted()
  return sorted[Math.min(sorted.length - 1, Math.floor(p * sorted.length))] ?? 0
}

export const mean = (values: Float64Array): number => values.reduce((sum, value) => sum + value, 0) / values.length
