/** An OpenTelemetry collector that takes spans over gRPC, with the server of @grpc/grpc-js. */
import { readFileSync } from 'node:fs'
import { type Metadata, Server, ServerCredentials, status, type UntypedServiceImplementation } from '@grpc/grpc-js'
import { type Span, spansOfProtobuf, untilSpans } from './collector.ts'
import type { Certificate } from './stores/certificates.ts'

type Options = {
  port?: number
  /** With a certificate, the collector speaks TLS. */
  certificate?: Certificate
  /** The collector requires a client certificate of the CA. */
  asksForCertificate?: boolean
}
type Call = { request: Buffer; metadata: Metadata }
type Answer = (error: { code: number; details: string } | null, message?: Buffer) => void

const asIs = (bytes: Buffer): Buffer => bytes
/** opentelemetry/proto/collector/trace/v1/trace_service.proto */
const SERVICE = {
  export: {
    path: '/opentelemetry.proto.collector.trace.v1.TraceService/Export',
    requestStream: false,
    responseStream: false,
    requestSerialize: asIs,
    requestDeserialize: asIs,
    responseSerialize: asIs,
    responseDeserialize: asIs,
  },
}

export async function startGrpcCollector({ port = 0, certificate, asksForCertificate = false }: Options = {}) {
  const spans: Span[] = []
  const headers: Record<string, unknown>[] = []
  const state = { refuses: false }
  const server = new Server()
  const take = ({ request, metadata }: Call, answer: Answer): void => {
    headers.push(metadata.getMap())
    if (state.refuses) {
      answer({ code: status.INVALID_ARGUMENT, details: 'no' })
      return
    }
    spans.push(...spansOfProtobuf(request))
    // an ExportTraceServiceResponse without fields
    answer(null, Buffer.alloc(0))
  }
  server.addService(SERVICE, { export: take } as unknown as UntypedServiceImplementation)
  const credentials =
    certificate === undefined
      ? ServerCredentials.createInsecure()
      : ServerCredentials.createSsl(
          readFileSync(certificate.ca),
          [{ private_key: readFileSync(certificate.key), cert_chain: readFileSync(certificate.cert) }],
          asksForCertificate,
        )
  const bound = await new Promise<number>((resolve, reject) =>
    server.bindAsync(`127.0.0.1:${port}`, credentials, (error, used) =>
      error === null ? resolve(used) : reject(error),
    ),
  )
  return {
    port: bound,
    url: `${certificate === undefined ? 'http' : 'https'}://localhost:${bound}`,
    spans,
    headers,
    state,
    untilSpans: (traceId: string, name: string, count = 1) => untilSpans(spans, traceId, name, count),
    stop: () => server.forceShutdown(),
  }
}
export type GrpcCollector = Awaited<ReturnType<typeof startGrpcCollector>>
