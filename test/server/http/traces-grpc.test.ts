/** Traces over OTLP/gRPC, as the server of @grpc/grpc-js receives them: parents, resource, TLS, headers, failures. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pino from 'pino'
import { openTracing } from '../../../src/composition/tracing.ts'
import { ConfigError } from '../../../src/config/config-error.ts'
import { readConfig } from '../../../src/config.ts'
import { tracing } from '../../../src/tracing.ts'
import { newTrace, type Span, startCollector } from '../../support/collector.ts'
import { startGrpcCollector } from '../../support/grpc-collector.ts'
import { ROOT } from '../../support/processes.ts'
import { createInstance, fromNow, type MadeSensor } from '../../support/server/instance.ts'
import { makeCertificates } from '../../support/stores/certificates.ts'
import { until } from '../../support/until.ts'

const GRPC = { OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }
const home = mkdtempSync(join(tmpdir(), 'groundwave-grpc-'))
let sensor: MadeSensor
const certificates = makeCertificates(home)
const collector = await startGrpcCollector({ certificate: certificates.good, asksForCertificate: true })
const instance = await createInstance({
  ...GRPC,
  OTEL_EXPORTER_OTLP_ENDPOINT: `${collector.url}/`,
  OTEL_EXPORTER_OTLP_CERTIFICATE: certificates.ca,
  OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE: certificates.good.cert,
  OTEL_EXPORTER_OTLP_CLIENT_KEY: certificates.good.key,
  OTEL_EXPORTER_OTLP_COMPRESSION: 'gzip',
  OTEL_EXPORTER_OTLP_HEADERS: 'X-Tenant=a%20b',
  OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
  OTEL_SERVICE_NAME: 'groundwave-test',
  OTEL_BSP_SCHEDULE_DELAY: '50',
})
beforeAll(async () => {
  const organization = await instance.organization()
  sensor = await instance.sensor(organization.id, [{ name: 'a', measurement: 'number' }])
}, 120_000)
afterAll(async () => {
  await instance?.remove()
  collector?.stop()
  rmSync(home, { recursive: true, force: true })
})

let sent = 0
const readings = () => ({ readings: [{ at: fromNow(-3_600_000 + sent++), values: { a: 1 } }] })
const only = (spans: Span[]): Span => {
  expect(spans).toHaveLength(1)
  return spans[0] as Span
}

test('a call of readings arrives with its parents, links, resource and headers, over TLS with certificates of both', async () => {
  const { traceId, parentId, traceparent } = newTrace()
  expect((await instance.send(sensor, readings(), { traceparent })).status).toBe(200)
  const request = only(await collector.untilSpans(traceId, 'POST /sensors/:id/readings'))
  expect(request).toMatchObject({
    parentSpanId: parentId,
    kind: 2,
    attributes: { 'http.route': '/sensors/:id/readings', 'http.response.status_code': 200 },
    resource: {
      'service.name': 'groundwave-test',
      'deployment.environment.name': 'test',
      'process.pid': instance.pid(),
    },
  })
  for (const name of ['validate', 'claim', 'commit'])
    expect(only(await collector.untilSpans(traceId, name)).parentSpanId).toBe(request.spanId)
  const loads = (): Span[] =>
    collector.spans.filter(({ name, links }) => name === 'load' && links.some((link) => link.traceId === traceId))
  await until(() => loads().length > 0, 'the span of the load')
  expect(only(loads()).links).toEqual([{ traceId, spanId: request.spanId }])
  expect(collector.headers[0]).toMatchObject({
    'x-tenant': 'a b',
    'user-agent': expect.stringMatching(/^OTel-OTLP-Exporter-JavaScript\//),
  })
})

test('an unavailable collector affects nothing, is logged once, and gets spans again when it is back', async () => {
  expect(await instance.kill('SIGTERM')).toBe(0)
  const probe = await startGrpcCollector()
  probe.stop()
  await instance.restart({
    ...GRPC,
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${probe.port}`,
    OTEL_BSP_SCHEDULE_DELAY: '20',
  })
  const figure = async (outcome: string): Promise<number> => {
    const text = await (await fetch(`${instance.url()}/metrics`)).text()
    return Number(new RegExp(`^trace_spans_total\\{outcome="${outcome}"\\} (\\d+)`, 'm').exec(text)?.[1] ?? 0)
  }
  // several batches fail
  for (let lost = 0; lost < 3; lost++) {
    const before = await figure('failed')
    expect((await instance.send(sensor, readings())).status).toBe(200)
    await until(async () => (await figure('failed')) > before, 'the loss of spans')
  }
  await until(() => instance.log().includes('spans could not be exported'), 'the line of the failure')
  expect(instance.log().match(/spans could not be exported/g)).toHaveLength(1)
  expect(instance.log()).toMatch(/"reason":"14 UNAVAILABLE: [^"]*ECONNREFUSED/)
  expect(await figure('exported')).toBe(0)
  const back = await startGrpcCollector({ port: probe.port })
  try {
    await until(async () => {
      await instance.send(sensor, readings())
      return back.spans.some(({ name }) => name === 'POST /sensors/:id/readings')
    }, 'spans after the return')
    expect(await figure('exported')).toBeGreaterThan(0)
  } finally {
    back.stop()
  }
})

/** Sends one span with the given variables, and returns the outcome. */
async function sendOne(environment: Record<string, string>): Promise<{ outcome: string; reason: string }> {
  const lines: string[] = []
  const logger = pino({ base: null }, { write: (line: string) => void lines.push(line) })
  const outcomes: string[] = []
  const opened = await openTracing(
    readConfig({ OTEL_BSP_SCHEDULE_DELAY: '10', ...environment }).tracing,
    { version: '0', instanceId: 'test' },
    (outcome) => outcomes.push(outcome),
    logger,
  )
  tracing.on?.begin('one', undefined).end()
  await until(() => outcomes.length > 0, 'the end of the span')
  await opened.stop()
  return { outcome: outcomes[0] as string, reason: lines.join('') }
}

test('refused spans are counted as failed with the reason of the collector', async () => {
  const refusing = await startGrpcCollector()
  refusing.state.refuses = true
  const { outcome, reason } = await sendOne({ ...GRPC, OTEL_EXPORTER_OTLP_ENDPOINT: refusing.url })
  expect([outcome, reason.includes('3 INVALID_ARGUMENT: no')]).toEqual(['failed', true])
  refusing.stop()
})

test.each(['grpc', 'http/protobuf', 'http/json'])('certificates with %s', async (protocol) => {
  const plain = startCollector()
  const overTls = Bun.serve({
    hostname: 'localhost',
    port: 0,
    fetch: (request) => fetch(plain.url + new URL(request.url).pathname, request),
    tls: {
      cert: Bun.file(certificates.good.cert),
      key: Bun.file(certificates.good.key),
      ca: Bun.file(certificates.ca),
      requestCert: true,
      rejectUnauthorized: true,
    },
  })
  const grpc = await startGrpcCollector({ certificate: certificates.good, asksForCertificate: true })
  const base = {
    OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: protocol,
    OTEL_EXPORTER_OTLP_ENDPOINT: protocol === 'grpc' ? grpc.url : `https://localhost:${overTls.port}`,
    OTEL_EXPORTER_OTLP_TIMEOUT: '3000',
  }
  const identity = {
    OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE: certificates.good.cert,
    OTEL_EXPORTER_OTLP_CLIENT_KEY: certificates.good.key,
  }
  const ca = { OTEL_EXPORTER_OTLP_CERTIFICATE: certificates.ca }
  const outcomeOf = async (more: Record<string, string>) => (await sendOne({ ...base, ...more })).outcome
  try {
    expect(await outcomeOf({ ...ca, ...identity })).toBe('exported')
    expect(await outcomeOf(ca)).toBe('failed')
    expect(await outcomeOf(identity)).toBe('failed')
    expect(await outcomeOf({ ...identity, OTEL_EXPORTER_OTLP_CERTIFICATE: certificates.foreign.ca })).toBe('failed')
    // the certificate for traces takes precedence
    const other = { OTEL_EXPORTER_OTLP_CERTIFICATE: certificates.foreign.ca }
    const ofTraces = { OTEL_EXPORTER_OTLP_TRACES_CERTIFICATE: certificates.ca }
    expect(await outcomeOf({ ...identity, ...other, ...ofTraces })).toBe('exported')
    expect(protocol === 'grpc' ? grpc.spans.length : plain.spans.length).toBe(2)
  } finally {
    grpc.stop()
    await Promise.all([overTls.stop(true), plain.stop()])
  }
})

test('NODE_EXTRA_CA_CERTS applies to gRPC too, and its libraries are loaded only for it', async () => {
  const encrypted = await startGrpcCollector({ certificate: certificates.good })
  const script = join(home, 'one.ts')
  writeFileSync(
    script,
    `import pino from '${ROOT}/node_modules/pino'
import { openTracing } from '${ROOT}/src/composition/tracing.ts'
import { readConfig } from '${ROOT}/src/config.ts'
import { tracing } from '${ROOT}/src/tracing.ts'
const done = Promise.withResolvers()
await openTracing(readConfig(process.env).tracing, { version: '0', instanceId: 'a' }, done.resolve, pino())
tracing.on?.begin('one', undefined).end()
const outcome = tracing.on === undefined ? 'off' : await done.promise
const isLoaded = (name) => Object.keys(require.cache).some((path) => path.includes(name))
process.stdout.write(JSON.stringify([outcome, isLoaded('grpc'), isLoaded('@opentelemetry')]), () => process.exit())
`,
  )
  const run = async (environment: Record<string, string>): Promise<unknown> => {
    const env = { PATH: process.env.PATH ?? '', LOG_LEVEL: 'silent', OTEL_BSP_SCHEDULE_DELAY: '10', ...environment }
    const child = Bun.spawn([process.execPath, script], { env, stdout: 'pipe', stderr: 'inherit' })
    const lines = (await new Response(child.stdout).text()).trim().split('\n')
    return JSON.parse(lines.at(-1) as string)
  }
  const http = startCollector()
  try {
    const trusted = { NODE_EXTRA_CA_CERTS: certificates.ca }
    const address = { ...GRPC, OTEL_EXPORTER_OTLP_ENDPOINT: encrypted.url }
    expect(await run({ ...address, ...trusted })).toEqual(['exported', true, true])
    expect(await run(address)).toEqual(['failed', true, true])
    expect(await run({ OTEL_EXPORTER_OTLP_ENDPOINT: http.url })).toEqual(['exported', false, true])
    expect(await run(GRPC)).toEqual(['off', false, false])
  } finally {
    encrypted.stop()
    await http.stop()
  }
})

test('addresses, headers and certificates that cannot work are refused with the variable and the rule', () => {
  const text = join(home, 'text')
  writeFileSync(text, 'no certificate\n')
  const { good, otherName } = certificates
  const both = (cert: string, key: string) => ({
    OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE: cert,
    OTEL_EXPORTER_OTLP_CLIENT_KEY: key,
  })
  const url = 'OTEL_EXPORTER_OTLP_ENDPOINT'
  for (const [variables, message] of [
    [{ [url]: 'http://c:4317/v1/traces' }, `${url} must be an address without a path`],
    [
      { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://c:4317/a' },
      'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT must be an address',
    ],
    [{ [url]: 'https://10.0.0.1:4317' }, `${url} must have the name of the host, which is not 10.0.0.1`],
    [{ [url]: 'https://[::1]:4317' }, `${url} must have the name of the host`],
    [{ OTEL_EXPORTER_OTLP_HEADERS: 'token-bin=secret' }, 'OTEL_EXPORTER_OTLP_HEADERS: the name "token-bin" must'],
    [{ OTEL_EXPORTER_OTLP_CERTIFICATE: '/none.pem' }, 'OTEL_EXPORTER_OTLP_CERTIFICATE="/none.pem" cannot be read'],
    [{ OTEL_EXPORTER_OTLP_CERTIFICATE: text }, `"${text}" must be a PEM file with certificates of CAs`],
    [both(good.cert, text), `"${text}" must be a PEM file with a private key`],
    [both(good.cert, otherName.key), 'must be the key of the certificate in OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE'],
    [{ OTEL_EXPORTER_OTLP_CLIENT_KEY: good.key }, 'must both be set, or neither'],
  ] as const) {
    const reading = (): unknown => readConfig({ ...GRPC, [url]: 'http://c:4317', ...variables })
    expect(reading).toThrow(ConfigError)
    expect(reading).toThrow(message)
    expect(reading).not.toThrow('secret')
  }
  // the variables are ignored while traces are off
  expect(readConfig({ ...GRPC, OTEL_EXPORTER_OTLP_CERTIFICATE: '/none.pem' }).tracing).toBeUndefined()
  expect(readConfig({ ...GRPC, [url]: 'http://[::1]:4317/' }).tracing?.url).toBe('http://[::1]:4317/')
})
