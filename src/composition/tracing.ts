/**
 * Exports spans to an OpenTelemetry collector, if one is configured. Spans wait in a queue of limited length and are
 * sent in the background: a collector that is slow, unavailable or refuses them loses spans, without other effects.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import type { Span as ApiSpan, Context, TextMapGetter, TextMapSetter } from '@opentelemetry/api'
import type { ReadableSpan, Sampler, SpanExporter, SpanProcessor } from '@opentelemetry/sdk-trace'
import type { Logger } from 'pino'
import type { TracingConfig } from '../config/tracing.ts'
import { isSampled, linksTo, MAX_LINKS, type TraceCarrier, type Tracing, tracing } from '../tracing.ts'
import type { Host } from './host.ts'
import type { Stops } from './shutdown.ts'
import { openSpanExporter } from './span-exporter.ts'

export type SpanOutcome = 'exported' | 'failed' | 'dropped'
export type TracingEnd = { stop(): Promise<void> }

type Process = { version: string; instanceId: string }

const NOTHING: TracingEnd = { stop: async () => undefined }
/** A collector that is down for a day must not fill the log. */
const LOG_INTERVAL_MS = 60_000
/** The last spans are sent within the time that a process has to stop. */
const STOP_MS = 2_000

export async function exportSpans({ config, version, instanceId, metrics, logger }: Host, stops: Stops): Promise<void> {
  const { stop } = await openTracing(config.tracing, { version, instanceId }, metrics.spans, logger)
  stops.onStop('export of spans', stop)
}

/** @param count is called with each outcome of spans */
export async function openTracing(
  config: TracingConfig | undefined,
  { version, instanceId }: Process,
  count: (outcome: SpanOutcome, spans: number) => void,
  logger: Logger,
): Promise<TracingEnd> {
  if (config === undefined) return NOTHING
  const [{ ROOT_CONTEXT, trace }, { W3CTraceContextPropagator }, sdk, { resourceFromAttributes }] = await Promise.all([
    import('@opentelemetry/api'),
    import('@opentelemetry/core'),
    import('@opentelemetry/sdk-trace'),
    import('@opentelemetry/resources'),
  ])
  const onFailure = failureLog(logger)
  const exporter = await openSpanExporter(config)
  const queue = countedQueue(exporter, config.batch.queueSize, (outcome, spans, error) => {
    count(outcome, spans)
    if (outcome !== 'exported') onFailure(outcome, spans, error)
  })
  const processor = new sdk.BatchSpanProcessor({
    exporter: queue.exporter,
    maxQueueSize: config.batch.queueSize,
    maxExportBatchSize: config.batch.size,
    scheduledDelayMillis: config.batch.delayMs,
    exportTimeoutMillis: config.batch.timeoutMs,
  })
  const provider = new sdk.TracerProvider({
    resource: resourceFromAttributes({
      'service.version': version,
      'service.instance.id': instanceId,
      'process.pid': process.pid,
      ...config.resource,
    }),
    sampler: withLinked(samplerOf(config.sampler, sdk), trace, sdk),
    spanLimits: { linkCountLimit: MAX_LINKS, attributeValueLengthLimit: 1_024 },
    spanProcessors: [queue.watch(processor)],
  })
  const tracer = provider.getTracer('groundwave', version)
  const current = new AsyncLocalStorage<ApiSpan>()
  const propagator = new W3CTraceContextPropagator()
  const under = (span: ApiSpan): Context => trace.setSpan(ROOT_CONTEXT, span)

  const on: Tracing = {
    start(name, { parent, startMs, ...options } = {}) {
      const above = parent ?? current.getStore()?.spanContext()
      if (above === undefined || !isSampled(above)) return undefined
      const context = trace.setSpanContext(ROOT_CONTEXT, above)
      return tracer.startSpan(name, { ...options, ...(startMs !== undefined && { startTime: startMs }) }, context)
    },
    begin(name, from, { startMs, ...options } = {}) {
      const context = from === undefined ? ROOT_CONTEXT : propagator.extract(ROOT_CONTEXT, from, FROM_CARRIER)
      return tracer.startSpan(name, { ...options, ...(startMs !== undefined && { startTime: startMs }) }, context)
    },
    beginLinked(name, links, attributes) {
      if (links === undefined || links.length === 0) return undefined
      return tracer.startSpan(name, { attributes, links: linksTo(links), root: true }, ROOT_CONTEXT)
    },
    within: (span, work) => current.run(span, work),
    current() {
      const context = current.getStore()?.spanContext()
      return context !== undefined && isSampled(context) ? context : undefined
    },
    carrier() {
      const span = current.getStore()
      if (span === undefined) return undefined
      const carrier: Partial<TraceCarrier> = {}
      propagator.inject(under(span), carrier, TO_CARRIER)
      return carrier.traceparent === undefined ? undefined : (carrier as TraceCarrier)
    },
  }
  tracing.on = on
  return {
    async stop() {
      tracing.on = undefined
      // the queue counts and logs spans that were not sent
      const sent = provider.shutdown().catch(() => undefined)
      await Promise.race([sent, Bun.sleep(STOP_MS)])
    },
  }
}

const HEADERS = ['traceparent', 'tracestate'] as const
const FROM_CARRIER: TextMapGetter<TraceCarrier> = {
  keys: () => [...HEADERS],
  get: (carrier, name) => carrier[name as keyof TraceCarrier],
}
const TO_CARRIER: TextMapSetter<Partial<TraceCarrier>> = {
  set(carrier, name, value) {
    carrier[name as keyof TraceCarrier] = value
  },
}

type Sdk = typeof import('@opentelemetry/sdk-trace')

function samplerOf({ name, ratio }: TracingConfig['sampler'], sdk: Sdk): Sampler {
  const root = name.endsWith('always_off')
    ? new sdk.AlwaysOffSampler()
    : name.endsWith('always_on')
      ? new sdk.AlwaysOnSampler()
      : new sdk.TraceIdRatioBasedSampler(ratio)
  return name.startsWith('parentbased_') ? new sdk.ParentBasedSampler({ root }) : root
}

/**
 * A trace that begins with links is recorded if one of the linked traces is: otherwise its links would lead to traces
 * that were not recorded.
 */
function withLinked(sampler: Sampler, trace: typeof import('@opentelemetry/api').trace, sdk: Sdk): Sampler {
  return {
    shouldSample(context, traceId, name, kind, attributes, links) {
      const isRoot = trace.getSpanContext(context) === undefined
      if (isRoot && links.some((link) => isSampled(link.context)))
        return { decision: sdk.SamplingDecision.RECORD_AND_SAMPLED }
      return sampler.shouldSample(context, traceId, name, kind, attributes, links)
    },
    toString: () => sampler.toString(),
  }
}

/** Counts the outcomes of spans; the processor itself silently drops spans beyond its queue. */
function countedQueue(
  exporter: SpanExporter,
  size: number,
  count: (outcome: SpanOutcome, spans: number, error?: unknown) => void,
) {
  let waiting = 0
  const counted: SpanExporter = {
    export(spans: ReadableSpan[], done) {
      waiting -= spans.length
      exporter.export(spans, (result) => {
        count(result.error === undefined && result.code === 0 ? 'exported' : 'failed', spans.length, result.error)
        done(result)
      })
    },
    shutdown: () => exporter.shutdown(),
    forceFlush: () => exporter.forceFlush?.() ?? Promise.resolve(),
  }
  const watch = (processor: SpanProcessor): SpanProcessor => ({
    onStart: (span, context) => processor.onStart(span, context),
    onEnd(span) {
      if (waiting >= size) return count('dropped', 1)
      waiting++
      processor.onEnd(span)
    },
    forceFlush: () => processor.forceFlush(),
    shutdown: () => processor.shutdown(),
  })
  return { exporter: counted, watch }
}

/** At most one line in a minute. */
function failureLog(logger: Logger): (outcome: SpanOutcome, spans: number, error: unknown) => void {
  let lostSpans = 0
  let loggedMs = Number.NEGATIVE_INFINITY
  return (outcome, spans, error) => {
    lostSpans += spans
    const nowMs = performance.now()
    if (nowMs - loggedMs < LOG_INTERVAL_MS) return
    const why = outcome === 'dropped' ? 'the queue of OTEL_BSP_MAX_QUEUE_SIZE spans was full' : undefined
    // a collector's answer may repeat the spans
    const reason = why ?? (error instanceof Error ? error.message.slice(0, 200) : 'the collector did not take them')
    logger.warn({ spans: lostSpans, reason }, 'spans could not be exported')
    lostSpans = 0
    loggedMs = nowMs
  }
}
