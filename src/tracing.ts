/**
 * The interface of the rest of the code to OpenTelemetry's spans. `tracing.on` is undefined unless traces are exported
 * (composition/tracing.ts), so that code without traces reads one field and allocates nothing: the arguments of
 * `tracing.on?.start(…)` are not evaluated then. The libraries of OpenTelemetry are loaded only when they are needed.
 */
import type { Attributes, Link, Span, SpanContext, SpanKind } from '@opentelemetry/api'

export type { Attributes, Span, SpanContext }

/** A place in a trace as text, for another process or a later time: the headers of W3C Trace Context. */
export type TraceCarrier = { traceparent: string; tracestate?: string }

export type SpanOptions = {
  kind?: SpanKind
  attributes?: Attributes
  /** The parent; the current span by default. */
  parent?: SpanContext
  /** Milliseconds since 1970, if it began earlier. */
  startMs?: number
}

export type Tracing = {
  /** Begins a child of the current span. Undefined when there is none, or when its trace is not recorded. */
  start(name: string, options?: SpanOptions): Span | undefined
  /** Begins a trace, or continues one that began elsewhere; not recorded if the sampler drops it. */
  begin(name: string, from: TraceCarrier | undefined, options?: SpanOptions): Span
  /** Begins a trace that is recorded because the linked ones are. Undefined without links. */
  beginLinked(name: string, links: readonly SpanContext[] | undefined, attributes: Attributes): Span | undefined
  /** Does the work under a span: spans begun in it, callbacks included, become children of the span. */
  within<T>(span: Span, work: () => T): T
  /** The place of the current span, if it is recorded. */
  current(): SpanContext | undefined
  /** The place of the current span, recorded or not, for work that continues elsewhere. */
  carrier(): TraceCarrier | undefined
}

export const tracing: { on: Tracing | undefined } = { on: undefined }

/** The values of OpenTelemetry's enumerations, which are fixed, so that no library is loaded for them. */
export const SPAN_KIND = { internal: 0, server: 1, client: 2, producer: 3, consumer: 4 } as const
const STATUS_ERROR = 2
const SAMPLED = 1

/** The default limit of links per span. */
export const MAX_LINKS = 128

export const isSampled = ({ traceFlags }: SpanContext): boolean => (traceFlags & SAMPLED) !== 0
export const linksTo = (contexts: readonly SpanContext[]): Link[] => contexts.map((context) => ({ context }))

/** The id of the trace that is recorded, for log lines. */
export const traceIdOf = (span: Span | undefined): string | undefined => {
  const context = span?.spanContext()
  return context !== undefined && isSampled(context) ? context.traceId : undefined
}

/** Ends a span as failed. Only the kind of the error is recorded: its message may contain callers' data. */
export function endFailed(span: Span | undefined, error: unknown): void {
  if (span === undefined) return
  span.setAttribute('error.type', kindOf(error))
  // a call that is refused because of its sender is not a failure of the service
  const status = error instanceof Error && 'status' in error ? error.status : undefined
  if (typeof status !== 'number' || status >= 500) span.setStatus({ code: STATUS_ERROR })
  span.end()
}

/** The code of an expected error, otherwise the name of its class. */
export function kindOf(error: unknown): string {
  if (!(error instanceof Error)) return '_OTHER'
  const { code } = error as { code?: unknown }
  return typeof code === 'string' ? code : error.name
}

/** Does the work as a child of the current span. */
export async function traced<T>(name: string, options: SpanOptions, work: () => Promise<T>): Promise<T> {
  const { on } = tracing
  const span = on?.start(name, options)
  if (on === undefined || span === undefined) return work()
  try {
    const result = await on.within(span, work)
    span.end()
    return result
  } catch (error) {
    endFailed(span, error)
    throw error
  }
}
