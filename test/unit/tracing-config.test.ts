/** The variables of OpenTelemetry, and the cost of tracing while it is off. */
import { expect, test } from 'bun:test'
import { costOf } from '../../bench/tracing.ts'
import { ConfigError } from '../../src/config/config-error.ts'
import { readConfig } from '../../src/config.ts'

const ENDPOINT = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' }
const read = (more: Record<string, string>) => readConfig({ ...ENDPOINT, ...more }).tracing

test('traces are off unless a collector is named, and can be disabled', () => {
  expect(readConfig({}).tracing).toBeUndefined()
  expect(readConfig({ OTEL_SERVICE_NAME: 'a', OTEL_TRACES_SAMPLER: 'always_on' }).tracing).toBeUndefined()
  expect(read({ OTEL_SDK_DISABLED: 'true' })).toBeUndefined()
  expect(read({ OTEL_TRACES_EXPORTER: 'none' })).toBeUndefined()
})

test('the defaults equal the specification of OpenTelemetry', () => {
  expect(read({})).toEqual({
    url: 'http://collector:4318/v1/traces',
    protocol: 'http/protobuf',
    headers: {},
    compression: 'none',
    timeoutMs: 10_000,
    ca: undefined,
    identity: undefined,
    resource: { 'service.name': 'groundwave' },
    sampler: { name: 'parentbased_always_on', ratio: 1 },
    batch: { delayMs: 5_000, queueSize: 2_048, size: 512, timeoutMs: 30_000 },
  })
})

test('variables for traces take precedence, and the address of traces is used unchanged', () => {
  const config = read({
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'https://other/spans',
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/protobuf',
    OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: 'http/json',
    OTEL_EXPORTER_OTLP_HEADERS: 'a=1, b=two%20words,',
    OTEL_EXPORTER_OTLP_TRACES_HEADERS: 'a=3',
    OTEL_RESOURCE_ATTRIBUTES: 'service.name=x,team=y',
    OTEL_SERVICE_NAME: 'z',
    OTEL_TRACES_SAMPLER: 'traceidratio',
    OTEL_TRACES_SAMPLER_ARG: '0.25',
    OTEL_BSP_MAX_QUEUE_SIZE: '100',
  })
  expect(config).toMatchObject({
    url: 'https://other/spans',
    protocol: 'http/json',
    headers: { a: '3', b: 'two words' },
    resource: { 'service.name': 'z', team: 'y' },
    sampler: { name: 'traceidratio', ratio: 0.25 },
    batch: { queueSize: 100, size: 100 },
  })
})

test('errors name the variable and the valid values, and repeat no secret', () => {
  for (const [name, value, text] of [
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'collector:4318', 'must be a URL that starts with http:// or https://'],
    ['OTEL_EXPORTER_OTLP_PROTOCOL', 'http', 'must be one of http/protobuf, http/json, grpc'],
    ['OTEL_EXPORTER_OTLP_TRACES_PROTOCOL', 'GRPC', 'must be one of http/protobuf, http/json, grpc'],
    ['OTEL_EXPORTER_OTLP_COMPRESSION', 'zstd', 'must be one of none, gzip'],
    ['OTEL_EXPORTER_OTLP_TRACES_COMPRESSION', 'zstd', 'must be one of none, gzip'],
    ['OTEL_EXPORTER_OTLP_TIMEOUT', '10s', 'must be a whole number from 1 to 600000'],
    ['OTEL_EXPORTER_OTLP_TRACES_TIMEOUT', '-1', 'must be a whole number from 0 to 600000'],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'a=secret%0a', 'has a value of "a" that is not printable ASCII'],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'a b=secret', 'has a name that is not one of a header'],
    ['OTEL_TRACES_EXPORTER', 'zipkin', 'must be one of otlp, none'],
    ['OTEL_BSP_SCHEDULE_DELAY', 'soon', 'must be a whole number from 1'],
    ['OTEL_BSP_MAX_EXPORT_BATCH_SIZE', '0', 'must be a whole number from 1'],
    ['OTEL_BSP_EXPORT_TIMEOUT', '0', 'must be a whole number from 1'],
    ['OTEL_RESOURCE_ATTRIBUTES', 'production', 'must be a list such as name=value,name=value'],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'secret', 'must be a list such as name=value,name=value'],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'a=secret%zz', 'is not percent-encoded correctly'],
    ['OTEL_TRACES_SAMPLER', 'sometimes', 'must be one of always_on'],
    ['OTEL_TRACES_SAMPLER_ARG', '1.5', 'must be a number from 0 to 1'],
    ['OTEL_BSP_MAX_QUEUE_SIZE', '0', 'must be a whole number from 1'],
    ['OTEL_SDK_DISABLED', 'yes', 'must be one of false, true'],
  ] as const) {
    const reading = (): unknown => read({ [name]: value })
    expect(reading).toThrow(ConfigError)
    expect(reading).toThrow(text)
    expect(reading).toThrow(name)
    if (value.includes('secret')) expect(reading).not.toThrow('secret')
  }
})

test('without a collector, a call allocates nothing for traces', async () => {
  const calls = 3_000_000
  // one object in each call is noticed
  expect((await costOf('object', calls)).collections).toBeGreaterThan(0)
  expect((await costOf('off', calls)).collections).toBe(0)
}, 120_000)
