/** Measures how late the event loop runs due work, sampled by the runtime every 20 ms. */
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { Gauge, type Registry } from 'prom-client'

/** Costs about 0.3 % of a core. Every blockage of the loop longer than this is measured. */
const SAMPLE_MS = 20
const QUANTILES = [0.5, 0.99, 0.999, 1]

/** A gauge in the form of a summary, which alone may have the label `quantile`. */
class DelaySummary extends Gauge<'quantile'> {
  sum = 0
  count = 0

  override async get() {
    const all = await super.get()
    const total = (suffix: string, value: number) => ({ metricName: `${all.name}_${suffix}`, labels: {}, value })
    const values = [...all.values, total('sum', this.sum), total('count', this.count)]
    return { ...all, type: 'summary' as never, values }
  }
}

/** Adds a summary of the delays since the previous scrape. */
export function registerEventLoopDelay(registry: Registry): void {
  const delays = monitorEventLoopDelay({ resolution: SAMPLE_MS })
  delays.enable()
  const summary = new DelaySummary({
    name: 'event_loop_delay_seconds',
    help: 'Delay of the event loop since the last scrape, by quantile',
    labelNames: ['quantile'] as const,
    registers: [registry],
    collect() {
      if (delays.count > 0) {
        for (const quantile of QUANTILES) summary.set({ quantile }, delays.percentile(quantile * 100) / 1e9)
        summary.sum += (delays.mean * delays.count) / 1e9
        summary.count += delays.count
      }
      delays.reset()
    },
  })
}

/** Costs about a twentieth of the sampling above, which resets its delays at every scrape. */
const COARSE_SAMPLE_MS = 100

/** @returns the longest delay since the previous call, in milliseconds */
export function watchLongestDelay(): () => number {
  const delays = monitorEventLoopDelay({ resolution: COARSE_SAMPLE_MS })
  delays.enable()
  return () => {
    const longest = delays.count > 0 ? delays.max / 1e6 : 0
    delays.reset()
    return longest
  }
}
