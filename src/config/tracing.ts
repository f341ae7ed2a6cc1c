/** Where and how traces are exported, from the standard variables of OpenTelemetry. */
import { ConfigError } from './config-error.ts'
import type { VariableName } from './variables.ts'

export type TracingConfig = {
  url: string
  protocol: 'http/protobuf' | 'http/json'
  headers: Record<string, string>
  compression: 'none' | 'gzip'
  timeoutMs: number
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
  const base = url('OTEL_EXPORTER_OTLP_ENDPOINT')
  const address = url('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT') ?? (base && `${base.replace(/\/+$/, '')}/v1/traces`)
  const protocol = choice('OTEL_EXPORTER_OTLP_PROTOCOL')
  const ofTraces = choice('OTEL_EXPORTER_OTLP_TRACES_PROTOCOL')
  const ratioText = text('OTEL_TRACES_SAMPLER_ARG')
  const ratio = Number(ratioText)
  if (!/^[\d.]+(e-?\d+)?$/i.test(ratioText) || !(ratio >= 0 && ratio <= 1))
    throw new ConfigError(`OTEL_TRACES_SAMPLER_ARG="${ratioText}" must be a number from 0 to 1`)
  const queueSize = whole('OTEL_BSP_MAX_QUEUE_SIZE')
  const resource = { 'service.name': 'groundwave', ...pairs('OTEL_RESOURCE_ATTRIBUTES', text) }
  const serviceName = text('OTEL_SERVICE_NAME')
  const config: Omit<TracingConfig, 'url'> = {
    protocol: (ofTraces || protocol) as TracingConfig['protocol'],
    headers: {
      ...pairs('OTEL_EXPORTER_OTLP_HEADERS', text),
      ...pairs('OTEL_EXPORTER_OTLP_TRACES_HEADERS', text),
    },
    compression: choice('OTEL_EXPORTER_OTLP_COMPRESSION') as TracingConfig['compression'],
    timeoutMs: whole('OTEL_EXPORTER_OTLP_TIMEOUT'),
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
  return address === undefined || isOff ? undefined : { ...config, url: address }
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
