/**
 * The histogram of request durations. It counts here and builds the library's values at each scrape: the library checks
 * and sorts the labels of every observation, which took a twentieth of the server's thread at 20,000 calls a second.
 */
import type { Metric, MetricObjectWithValues, MetricValueWithName, Registry } from 'prom-client'

/** Upper bounds in seconds. */
const BOUNDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10]
const NAME = 'http_request_duration_seconds'

type Labels = { method: string; route: string; status: string }
/** `counts`: one for each bucket, not cumulative; the last one is the overflow bucket. */
type Series = { labels: Labels; counts: Float64Array; seconds: number }
type Value = MetricValueWithName<string>

function bucketOf(seconds: number): number {
  let i = 0
  while (i < BOUNDS.length && seconds > (BOUNDS[i] as number)) i++
  return i
}

/** Buckets of Prometheus are cumulative. */
function valuesOf({ labels, counts, seconds }: Series): Value[] {
  let total = 0
  const buckets = Array.from(counts, (count, i): Value => {
    total += count
    return { metricName: `${NAME}_bucket`, labels: { ...labels, le: String(BOUNDS[i] ?? '+Inf') }, value: total }
  })
  return [
    ...buckets,
    { metricName: `${NAME}_sum`, labels, value: seconds },
    { metricName: `${NAME}_count`, labels, value: total },
  ]
}

/** @returns a function that observes one request's duration */
export function createRequestDurations(
  registry: Registry,
): (method: string, route: string, status: number, seconds: number) => void {
  const known = new Map<string, Series>()
  const object = (): MetricObjectWithValues<Value> => ({
    name: NAME,
    help: 'Time from the first byte of a request to the end of its response',
    type: 'histogram' as unknown as MetricObjectWithValues<Value>['type'],
    aggregator: 'sum',
    collect: () => undefined,
    values: [...known.values()].flatMap(valuesOf),
  })
  // the methods of a metric that a registry calls
  const metric = { name: NAME, get: async () => object(), reset: () => known.clear() }
  registry.registerMetric(metric as unknown as Metric)
  return (method, route, status, seconds) => {
    const key = `${method} ${status} ${route}`
    let series = known.get(key)
    if (series === undefined) {
      const labels = { method, route, status: String(status) }
      series = { labels, counts: new Float64Array(BOUNDS.length + 1), seconds: 0 }
      known.set(key, series)
    }
    const i = bucketOf(seconds)
    series.counts[i] = (series.counts[i] as number) + 1
    series.seconds += seconds
  }
}
