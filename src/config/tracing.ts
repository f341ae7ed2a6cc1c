/** Configuration of the export of traces, from the standard variables of OpenTelemetry. */
import { createPrivateKey, X509Certificate } from 'node:crypto'
import { isIP } from 'node:net'
import { ConfigError } from './config-error.ts'
import { readVariableFile } from './variable-file.ts'
import type { VariableName } from './variables.ts'

export type TracingConfig = {
  url: string
  protocol: 'http/protobuf' | 'http/json' | 'grpc'
  headers: Record<string, string>
  compression: 'none' | 'gzip'
  timeoutMs: number
  /** In PEM format. If undefined: the default trusted certificates, and no client certificate. */
  ca: string | undefined
  identity: { cert: string; key: string } | undefined
  resource: Record<string, string>
  sampler: { name: string; ratio: number }
  batch: { delayMs: number; queueSize: number; size: number; timeoutMs: number }
}

type Reader = {
  text(name: VariableName<'text'>): string
  whole(name: VariableName<'whole'>): number
  choice(name: VariableName<'choice'>): string
  url(name: VariableName<'url'>): string | undefined
}

/** Undefined unless a collector is named and traces are not disabled. @throws ConfigError */
export function readTracing({ text, whole, choice, url }: Reader): TracingConfig | undefined {
  const protocol = (choice('OTEL_EXPORTER_OTLP_TRACES_PROTOCOL') ||
    choice('OTEL_EXPORTER_OTLP_PROTOCOL')) as TracingConfig['protocol']
  const base = url('OTEL_EXPORTER_OTLP_ENDPOINT')
  const ofTraces = url('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT')
  const address = ofTraces ?? (protocol === 'grpc' ? base : base && `${base.replace(/\/+$/, '')}/v1/traces`)
  const ratioText = text('OTEL_TRACES_SAMPLER_ARG')
  const ratio = Number(ratioText)
  if (!/^[\d.]+(e-?\d+)?$/i.test(ratioText) || !(ratio >= 0 && ratio <= 1))
    throw new ConfigError(`OTEL_TRACES_SAMPLER_ARG="${ratioText}" must be a number from 0 to 1`)
  const queueSize = whole('OTEL_BSP_MAX_QUEUE_SIZE')
  const resource = { 'service.name': 'groundwave', ...pairs('OTEL_RESOURCE_ATTRIBUTES', text) }
  const serviceName = text('OTEL_SERVICE_NAME')
  const config: Omit<TracingConfig, 'url' | 'ca' | 'identity'> = {
    protocol,
    headers: {
      ...headers('OTEL_EXPORTER_OTLP_HEADERS', protocol, text),
      ...headers('OTEL_EXPORTER_OTLP_TRACES_HEADERS', protocol, text),
    },
    compression: (choice('OTEL_EXPORTER_OTLP_TRACES_COMPRESSION') ||
      choice('OTEL_EXPORTER_OTLP_COMPRESSION')) as TracingConfig['compression'],
    timeoutMs: whole('OTEL_EXPORTER_OTLP_TRACES_TIMEOUT') || whole('OTEL_EXPORTER_OTLP_TIMEOUT'),
    resource: serviceName === '' ? resource : { ...resource, 'service.name': serviceName },
    sampler: { name: choice('OTEL_TRACES_SAMPLER'), ratio },
    batch: {
      delayMs: whole('OTEL_BSP_SCHEDULE_DELAY'),
      queueSize,
      size: Math.min(whole('OTEL_BSP_MAX_EXPORT_BATCH_SIZE'), queueSize),
      timeoutMs: whole('OTEL_BSP_EXPORT_TIMEOUT'),
    },
  }
  const isOff = choice('OTEL_SDK_DISABLED') === 'true' || choice('OTEL_TRACES_EXPORTER') === 'none'
  if (address === undefined || isOff) return undefined
  if (protocol === 'grpc')
    checkGrpcAddress(
      ofTraces === undefined ? 'OTEL_EXPORTER_OTLP_ENDPOINT' : 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT',
      address,
    )
  return { ...config, url: address, ...certificates(text) }
}

/** @throws ConfigError */
function checkGrpcAddress(name: string, address: string): void {
  const { protocol, hostname, pathname, search } = new URL(address)
  if (pathname !== '/' || search !== '')
    throw new ConfigError(
      `${name} must be an address without a path, such as http://host:4317, when the protocol is grpc`,
    )
  // the library for gRPC sends the host in SNI, which TLS allows for names only
  if (protocol === 'https:' && isIP(hostname.replace(/^\[|\]$/g, '')) !== 0)
    throw new ConfigError(
      `${name} must have the name of the host, which is not ${hostname}, when it starts with https:// and the protocol is grpc`,
    )
}

/** @throws ConfigError */
function certificates(text: Reader['text']): Pick<TracingConfig, 'ca' | 'identity'> {
  /** The file of the first variable that is set. */
  function read<T>(names: readonly VariableName<'text'>[], what: string, parse: (pem: string) => T) {
    const name = names.find((one) => text(one) !== '')
    if (name === undefined) return undefined
    const pem = readVariableFile(name, text(name))
    try {
      return { name, pem, parsed: parse(pem) }
    } catch (cause) {
      throw new ConfigError(`${name}="${text(name)}" must be a PEM file with ${what}`, { cause })
    }
  }
  const certificateOf = (pem: string) => new X509Certificate(pem)
  const ca = read(
    ['OTEL_EXPORTER_OTLP_TRACES_CERTIFICATE', 'OTEL_EXPORTER_OTLP_CERTIFICATE'],
    'certificates of CAs',
    certificateOf,
  )
  const own = read(
    ['OTEL_EXPORTER_OTLP_TRACES_CLIENT_CERTIFICATE', 'OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE'],
    'a certificate',
    certificateOf,
  )
  const key = read(
    ['OTEL_EXPORTER_OTLP_TRACES_CLIENT_KEY', 'OTEL_EXPORTER_OTLP_CLIENT_KEY'],
    'a private key that is not encrypted',
    createPrivateKey,
  )
  if (own === undefined && key === undefined) return { ca: ca?.pem, identity: undefined }
  if (own === undefined || key === undefined)
    throw new ConfigError(
      'OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE and OTEL_EXPORTER_OTLP_CLIENT_KEY must both be set, or neither',
    )
  if (!own.parsed.checkPrivateKey(key.parsed))
    throw new ConfigError(`${key.name}="${text(key.name)}" must be the key of the certificate in ${own.name}`)
  return { ca: ca?.pem, identity: { cert: own.pem, key: key.pem } }
}

/** @throws ConfigError */
function headers(
  name: 'OTEL_EXPORTER_OTLP_HEADERS' | 'OTEL_EXPORTER_OTLP_TRACES_HEADERS',
  protocol: TracingConfig['protocol'],
  text: Reader['text'],
): Record<string, string> {
  const found = pairs(name, text)
  for (const [header, value] of Object.entries(found)) {
    if (!/^[\w!#$%&'*+.^`|~-]+$/.test(header)) throw new ConfigError(`${name} has a name that is not one of a header`)
    if (!/^[\x20-\x7e]*$/.test(value))
      throw new ConfigError(`${name} has a value of "${header}" that is not printable ASCII`)
    // in gRPC, headers with this suffix have binary values
    if (protocol === 'grpc' && (!/^[\w.-]+$/.test(header) || /-bin$/i.test(header)))
      throw new ConfigError(
        `${name}: the name "${header}" must consist of letters, digits and _ . - and not end with -bin when the protocol is grpc`,
      )
  }
  return found
}

/** `name=value,name=value`. Values may be secrets, so messages do not repeat them. */
function pairs(name: VariableName<'text'>, text: Reader['text']): Record<string, string> {
  const found: Record<string, string> = {}
  for (const part of text(name).split(',')) {
    if (part.trim() === '') continue
    const at = part.indexOf('=')
    const key = part.slice(0, Math.max(0, at)).trim()
    if (key === '') throw new ConfigError(`${name} must be a list such as name=value,name=value`)
    try {
      found[key] = decodeURIComponent(part.slice(at + 1).trim())
    } catch {
      throw new ConfigError(`${name} has a value of "${key}" that is not percent-encoded correctly`)
    }
  }
  return found
}
