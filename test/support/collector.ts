/** An OpenTelemetry collector: takes spans over OTLP/HTTP, as JSON or Protocol Buffers, and shows them. */
import { until } from './until.ts'

export type Span = {
  traceId: string
  spanId: string
  /** Empty for the first span of a trace. */
  parentSpanId: string
  name: string
  /** 1 internal, 2 server, 3 client, 4 producer, 5 consumer. */
  kind: number
  startNs: bigint
  endNs: bigint
  attributes: Record<string, unknown>
  links: { traceId: string; spanId: string }[]
  /** 2 for an error. */
  status: number
  resource: Record<string, unknown>
}

export type Collector = {
  url: string
  spans: Span[]
  /** Everything that was received, as text. */
  bodies: string[]
  headers: Headers[]
  /** The spans of a trace with a name, once this number has arrived. */
  untilSpans(traceId: string, name: string, count?: number): Promise<Span[]>
  stop(): Promise<void>
}

export function startCollector(): Collector {
  const spans: Span[] = []
  const bodies: string[] = []
  const headers: Headers[] = []
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    async fetch(request) {
      if (new URL(request.url).pathname !== '/v1/traces') return new Response(null, { status: 404 })
      const bytes = new Uint8Array(await request.arrayBuffer())
      headers.push(request.headers)
      bodies.push(Buffer.from(bytes).toString('latin1'))
      const isJson = request.headers.get('content-type') === 'application/json'
      spans.push(...(isJson ? spansOfJson(JSON.parse(new TextDecoder().decode(bytes))) : spansOfProtobuf(bytes)))
      return new Response(isJson ? '{}' : null, { headers: { 'content-type': 'application/json' } })
    },
  })
  return {
    url: `http://127.0.0.1:${server.port}`,
    spans,
    bodies,
    headers,
    untilSpans: (traceId, name, count = 1) => untilSpans(spans, traceId, name, count),
    stop: () => server.stop(true),
  }
}

export async function untilSpans(spans: Span[], traceId: string, name: string, count = 1): Promise<Span[]> {
  const found = (): Span[] => spans.filter((span) => span.traceId === traceId && span.name === name)
  const names = (): string => spans.map((span) => span.name).join(', ')
  await until(() => found().length >= count, `the span "${name}" (there are: ${names()})`)
  return found()
}

type JsonValue = { stringValue?: string; intValue?: number | string; boolValue?: boolean; doubleValue?: number }
type JsonAttribute = { key: string; value: JsonValue }
type JsonSpan = {
  traceId: string
  spanId: string
  parentSpanId?: string
  name: string
  kind: number
  startTimeUnixNano: string
  endTimeUnixNano: string
  attributes: JsonAttribute[]
  links?: { traceId: string; spanId: string }[]
  status?: { code?: number }
}
type JsonTraces = {
  resourceSpans: { resource: { attributes: JsonAttribute[] }; scopeSpans: { spans: JsonSpan[] }[] }[]
}

const attributesOf = (list: JsonAttribute[]): Record<string, unknown> =>
  Object.fromEntries(list.map(({ key, value }) => [key, Object.values(value)[0]]))

const spansOfJson = ({ resourceSpans }: JsonTraces): Span[] =>
  resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap((scope) =>
      scope.spans.map((span) => ({
        traceId: span.traceId,
        spanId: span.spanId,
        parentSpanId: span.parentSpanId ?? '',
        name: span.name,
        kind: span.kind,
        startNs: BigInt(span.startTimeUnixNano),
        endNs: BigInt(span.endTimeUnixNano),
        attributes: attributesOf(span.attributes),
        links: (span.links ?? []).map(({ traceId, spanId }) => ({ traceId, spanId })),
        status: span.status?.code ?? 0,
        resource: attributesOf(resource.attributes),
      })),
    ),
  )

/** The fields of a message, by number: integers, and bytes for everything that has a length. */
function fieldsOf(bytes: Uint8Array): Map<number, (bigint | Uint8Array)[]> {
  const fields = new Map<number, (bigint | Uint8Array)[]>()
  let at = 0
  const varint = (): bigint => {
    let value = 0n
    for (let shift = 0n; ; shift += 7n) {
      const byte = bytes[at++]
      if (byte === undefined) throw new Error('the message ends within a number')
      value |= BigInt(byte & 0x7f) << shift
      if (byte < 0x80) return value
    }
  }
  const take = (length: number): Uint8Array => {
    at += length
    return bytes.subarray(at - length, at)
  }
  while (at < bytes.length) {
    const tag = Number(varint())
    const wire = tag & 7
    let value: bigint | Uint8Array
    if (wire === 0) value = varint()
    else if (wire === 1) value = Buffer.from(take(8)).readBigUInt64LE()
    else if (wire === 2) value = take(Number(varint()))
    else if (wire === 5) value = BigInt(Buffer.from(take(4)).readUInt32LE())
    else throw new Error(`wire type ${wire}`)
    fields.set(tag >> 3, [...(fields.get(tag >> 3) ?? []), value])
  }
  return fields
}

/** By opentelemetry/proto/trace/v1/trace.proto. */
export function spansOfProtobuf(bytes: Uint8Array): Span[] {
  const messages = (of: Uint8Array, field: number) => (fieldsOf(of).get(field) ?? []) as Uint8Array[]
  const text = (of: Uint8Array | undefined): string => new TextDecoder().decode(of)
  const hex = (of: Uint8Array | undefined): string => Buffer.from(of ?? []).toString('hex')
  const attributes = (list: Uint8Array[]): Record<string, unknown> =>
    Object.fromEntries(
      list.map((attribute) => {
        const [key] = messages(attribute, 1)
        const value = fieldsOf(messages(attribute, 2)[0] ?? new Uint8Array())
        const string = value.get(1)?.[0] as Uint8Array | undefined
        return [text(key), string === undefined ? Number(value.get(3)?.[0] ?? value.get(2)?.[0]) : text(string)]
      }),
    )
  return messages(bytes, 1).flatMap((resourceSpans) => {
    const resource = attributes(messages(resourceSpans, 1).flatMap((message) => messages(message, 1)))
    return messages(resourceSpans, 2).flatMap((scope) =>
      messages(scope, 2).map((span) => {
        const fields = fieldsOf(span)
        const first = (field: number) => fields.get(field)?.[0]
        return {
          traceId: hex(first(1) as Uint8Array),
          spanId: hex(first(2) as Uint8Array),
          parentSpanId: hex(first(4) as Uint8Array | undefined),
          name: text(first(5) as Uint8Array),
          kind: Number(first(6)),
          startNs: first(7) as bigint,
          endNs: first(8) as bigint,
          attributes: attributes((fields.get(9) ?? []) as Uint8Array[]),
          links: ((fields.get(13) ?? []) as Uint8Array[]).map((link) => ({
            traceId: hex(messages(link, 1)[0]),
            spanId: hex(messages(link, 2)[0]),
          })),
          status: Number(fieldsOf((first(15) as Uint8Array | undefined) ?? new Uint8Array()).get(3)?.[0] ?? 0),
          resource,
        }
      }),
    )
  })
}

/** A new `traceparent`, and its fields. */
export function newTrace(isSampled = true): { traceId: string; parentId: string; traceparent: string } {
  const hex = (bytes: number): string => Buffer.from(crypto.getRandomValues(new Uint8Array(bytes))).toString('hex')
  const [traceId, parentId] = [hex(16), hex(8)]
  return { traceId, parentId, traceparent: `00-${traceId}-${parentId}-${isSampled ? '01' : '00'}` }
}
