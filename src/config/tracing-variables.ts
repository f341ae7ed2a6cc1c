/** The standard variables of OpenTelemetry that apply to traces. */
import { choice, text, url, type Variables, whole } from './variable.ts'

const PROTOCOLS = ['http/protobuf', 'http/json', 'grpc']
const COMPRESSIONS = ['none', 'gzip']
const HTTP = ['http:', 'https:']
export const SAMPLERS = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
]

const TRACES_ONLY = 'The same for traces only; takes precedence.'

export const tracing = {
  OTEL_EXPORTER_OTLP_ENDPOINT: url(
    HTTP,
    'no traces',
    'Address of an OpenTelemetry collector. Spans are sent to `/v1/traces` below it, except with `grpc`, where the address has no path.',
  ),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: url(
    HTTP,
    '`OTEL_EXPORTER_OTLP_ENDPOINT`',
    'Whole address that spans are sent to, in place of the above.',
  ),
  OTEL_EXPORTER_OTLP_PROTOCOL: choice(
    'http/protobuf',
    PROTOCOLS,
    'How spans are sent. Collectors usually listen on port 4318 for the first two, and on 4317 for `grpc`.',
  ),
  OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: choice('', PROTOCOLS, TRACES_ONLY),
  OTEL_EXPORTER_OTLP_HEADERS: {
    ...text('Headers for the collector: `name=value,name=value`, values percent-encoded.'),
    secret: true,
  },
  OTEL_EXPORTER_OTLP_TRACES_HEADERS: {
    ...text('Further headers for traces only; they take precedence.'),
    secret: true,
  },
  OTEL_EXPORTER_OTLP_COMPRESSION: choice(
    'none',
    COMPRESSIONS,
    'Compression of the spans that are sent to the collector.',
  ),
  OTEL_EXPORTER_OTLP_TRACES_COMPRESSION: choice('', COMPRESSIONS, TRACES_ONLY),
  OTEL_EXPORTER_OTLP_CERTIFICATE: text(
    'Path of a PEM file with the CAs that may have signed the certificate of the collector; without it those that the process trusts.',
  ),
  OTEL_EXPORTER_OTLP_TRACES_CERTIFICATE: text(TRACES_ONLY),
  OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE: text(
    'Path of a PEM file with the certificate that is shown to the collector; needs `…_CLIENT_KEY`.',
  ),
  OTEL_EXPORTER_OTLP_TRACES_CLIENT_CERTIFICATE: text(TRACES_ONLY),
  OTEL_EXPORTER_OTLP_CLIENT_KEY: text('Path of a PEM file with the private key of that certificate, not encrypted.'),
  OTEL_EXPORTER_OTLP_TRACES_CLIENT_KEY: text(TRACES_ONLY),
  OTEL_EXPORTER_OTLP_TIMEOUT: whole(
    { default: 10_000, min: 1, max: 600_000 },
    'Milliseconds that the collector may take for a batch, retries included.',
  ),
  OTEL_EXPORTER_OTLP_TRACES_TIMEOUT: whole(
    { default: 0, min: 0, max: 600_000 },
    'The same for traces only; takes precedence unless it is 0.',
  ),
  OTEL_TRACES_EXPORTER: choice('otlp', ['otlp', 'none'], 'With `none`, no traces are recorded.'),
  OTEL_SDK_DISABLED: choice('false', ['false', 'true'], 'With `true`, no traces are recorded.'),
  OTEL_SERVICE_NAME: text(
    'Name of the service in traces. Without it `service.name` of `OTEL_RESOURCE_ATTRIBUTES`, or `groundwave`.',
  ),
  OTEL_RESOURCE_ATTRIBUTES: text(
    'Attributes of this process in traces: `name=value,name=value`, values percent-encoded.',
  ),
  OTEL_TRACES_SAMPLER: choice(
    'parentbased_always_on',
    SAMPLERS,
    'Which traces are recorded. Those that start with `parentbased_` follow the `traceparent` of a request; the others ignore it.',
  ),
  OTEL_TRACES_SAMPLER_ARG: text('Share of traces from 0 to 1, for samplers that end with `traceidratio`.', '1'),
  OTEL_BSP_SCHEDULE_DELAY: whole(
    { default: 5_000, min: 1, max: 3_600_000 },
    'Milliseconds after which spans are sent if no batch is full.',
  ),
  OTEL_BSP_MAX_QUEUE_SIZE: whole(
    { default: 2_048, min: 1, max: 1_000_000 },
    'Spans that may wait to be sent; further ones are dropped.',
  ),
  OTEL_BSP_MAX_EXPORT_BATCH_SIZE: whole(
    { default: 512, min: 1, max: 100_000 },
    'Spans of a batch; at most `OTEL_BSP_MAX_QUEUE_SIZE`.',
  ),
  OTEL_BSP_EXPORT_TIMEOUT: whole(
    { default: 30_000, min: 1, max: 600_000 },
    'Milliseconds that sending a batch may take.',
  ),
} as const satisfies Variables
