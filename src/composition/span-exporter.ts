/** Exporters of spans to a collector. Only the libraries of the configured protocol are loaded. */
import { getCACertificates } from 'node:tls'
import type { SpanExporter } from '@opentelemetry/sdk-trace'
import type { TracingConfig } from '../config/tracing.ts'

export async function openSpanExporter(config: TracingConfig): Promise<SpanExporter> {
  if (config.protocol === 'grpc') return openGrpc(config)
  const { url, headers, compression, timeoutMs, ca, identity } = config
  const options = {
    url,
    headers,
    timeoutMillis: timeoutMs,
    compression: compression as never,
    ...((ca ?? identity) !== undefined && {
      httpAgentOptions: { keepAlive: true, ...(ca !== undefined && { ca }), ...identity },
    }),
  }
  if (config.protocol === 'http/json') {
    const { OTLPTraceExporter } = await import('@opentelemetry/exporter-trace-otlp-http')
    return new OTLPTraceExporter(options)
  }
  const { OTLPTraceExporter } = await import('@opentelemetry/exporter-trace-otlp-proto')
  return new OTLPTraceExporter(options)
}

async function openGrpc({ url, headers, compression, timeoutMs, ca, identity }: TracingConfig): Promise<SpanExporter> {
  const [{ OTLPTraceExporter }, { credentials, Metadata }] = await Promise.all([
    import('@opentelemetry/exporter-trace-otlp-grpc'),
    import('@grpc/grpc-js'),
  ])
  const metadata = new Metadata()
  for (const [name, value] of Object.entries(headers)) metadata.set(name, value)
  const { protocol, hostname, port } = new URL(url)
  const isEncrypted = protocol === 'https:'
  return new OTLPTraceExporter({
    // the library takes host and port only, and uses 443 if the URL has the default port; the credentials select TLS
    url: isEncrypted ? url : `https://${hostname}:${port || 80}`,
    metadata,
    timeoutMillis: timeoutMs,
    compression: compression as never,
    credentials: isEncrypted
      ? // by default it would not trust NODE_EXTRA_CA_CERTS
        credentials.createSsl(
          Buffer.from(ca ?? getCACertificates('default').join('\n')),
          identity === undefined ? null : Buffer.from(identity.key),
          identity === undefined ? null : Buffer.from(identity.cert),
        )
      : credentials.createInsecure(),
  })
}
