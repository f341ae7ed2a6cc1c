/** Traces of OpenTelemetry, as a collector receives them: parents, links, sampling, other processes, failures. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { type ChildProcess, spawn } from 'node:child_process'
import { openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { newTrace, type Span, startCollector } from '../../support/collector.ts'
import { ROOT } from '../../support/processes.ts'
import {
  createInstance,
  type Envelope,
  fromNow,
  type Instance,
  type MadeSensor,
  type Organization,
} from '../../support/server/instance.ts'
import { freshDatabase } from '../../support/stores/postgres.ts'
import { until } from '../../support/until.ts'
import { callTool, GIS, keysOf } from '../../support/workers/tools.ts'

const STATIONS = { file: 'stations.geojson', target_format: 'geojson', distance_m: 250 }
/** A value and a name that appear nowhere else. */
const VALUE = 918_273.645
const FILE_TEXT = 'stations'

const postgresUrl = await freshDatabase()
let instance: Instance
let organization: Organization
let sensor: MadeSensor
let worker: ChildProcess
let workerLog: string

const collector = startCollector()

beforeAll(async () => {
  const env = {
    POSTGRES_URL: postgresUrl,
    JOB_SLOTS: '0',
    LOG_LEVEL: 'debug',
    OTEL_EXPORTER_OTLP_ENDPOINT: `${collector.url}/`,
    OTEL_EXPORTER_OTLP_HEADERS: 'x-tenant=a%20b',
    OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test,service.name=other',
    OTEL_SERVICE_NAME: 'groundwave-test',
    OTEL_BSP_SCHEDULE_DELAY: '50',
  }
  instance = await createInstance({ ...env, OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json' })
  workerLog = join(instance.dir, 'worker.log')
  const out = openSync(workerLog, 'a')
  // of the same folder of files, and with the other protocol
  worker = spawn(process.execPath, ['src/job-worker.ts'], {
    cwd: ROOT,
    env: { ...process.env, ...env, DATA_DIR: instance.dir, TOOL_WORKERS: '1', OTEL_EXPORTER_OTLP_COMPRESSION: 'none' },
    stdio: ['ignore', out, out],
  })
  organization = await instance.organization()
  sensor = await instance.sensor(organization.id, [{ name: 'a', measurement: 'number' }])
}, 120_000)
afterAll(async () => {
  worker.kill('SIGKILL')
  await instance.remove()
  await collector.stop()
})

let sent = 0
const readings = () => ({ readings: [{ at: fromNow(-3_600_000 + sent++), values: { a: VALUE } }] })
const logLines = (text: string): Record<string, unknown>[] =>
  text
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as Record<string, unknown>)
const only = (spans: Span[]): Span => {
  expect(spans).toHaveLength(1)
  return spans[0] as Span
}
/** OpenTelemetry's spans start at a whole millisecond and end a measured duration later, so their ends may be off by one. */
const CLOCK_NS = 1_000_000n
const isWithin = (inner: Span, outer: Span): boolean =>
  inner.startNs >= outer.startNs && inner.endNs <= outer.endNs + CLOCK_NS

test('a call of readings is one trace, and the load of its segment links to it', async () => {
  const { traceId, parentId, traceparent } = newTrace()
  const headers = { traceparent, tracestate: 'vendor=x', 'x-request-id': 'call-of-readings' }
  const response = await instance.send(sensor, readings(), headers)
  expect([response.status, response.headers.get('x-request-id')]).toEqual([200, 'call-of-readings'])

  const request = only(await collector.untilSpans(traceId, 'POST /sensors/:id/readings'))
  expect(request).toMatchObject({
    parentSpanId: parentId,
    kind: 2,
    status: 0,
    attributes: {
      'http.request.method': 'POST',
      'http.route': '/sensors/:id/readings',
      'http.response.status_code': 200,
      'url.path': `/sensors/${sensor.id}/readings`,
      'groundwave.request_id': 'call-of-readings',
    },
    resource: {
      'service.name': 'groundwave-test',
      'deployment.environment.name': 'test',
      'process.pid': instance.pid(),
    },
  })
  for (const name of ['validate', 'claim', 'commit']) {
    const step = only(await collector.untilSpans(traceId, name))
    expect(step.parentSpanId).toBe(request.spanId)
    expect({ name, isWithin: isWithin(step, request) }).toEqual({ name, isWithin: true })
  }

  const linked = (): Span[] =>
    collector.spans.filter(({ name, links }) => name === 'load' && links.some((link) => link.traceId === traceId))
  await until(() => linked().length > 0, 'the span of the load')
  const load = only(linked())
  expect(load.links).toEqual([{ traceId, spanId: request.spanId }])
  expect([load.parentSpanId, load.traceId === traceId]).toEqual(['', false])
  expect(load.attributes['groundwave.rows']).toBe(1)
  const insert = only(await collector.untilSpans(load.traceId, 'INSERT readings'))
  expect(insert).toMatchObject({
    parentSpanId: load.spanId,
    kind: 3,
    attributes: { 'db.system.name': 'clickhouse', 'db.operation.name': 'INSERT', 'db.collection.name': 'readings' },
  })
  expect(collector.headers[0]?.get('x-tenant')).toBe('a b')
})

test('a request without traceparent, or with an invalid one, begins a trace', async () => {
  for (const [id, headers] of [
    ['none', {}],
    ['invalid', { traceparent: `00-${'0'.repeat(32)}-${'1'.repeat(16)}-01` }],
  ] as const) {
    await instance.send(sensor, readings(), { ...headers, 'x-request-id': `begins-${id}` })
    const found = (): Span[] =>
      collector.spans.filter(({ attributes }) => attributes['groundwave.request_id'] === `begins-${id}`)
    await until(() => found().length > 0, 'the span of the request')
    expect(only(found()).parentSpanId).toBe('')
    expect(only(found()).traceId).toMatch(/^(?!0{32})[0-9a-f]{32}$/)
  }
})

test('a caller’s unsampled trace is not recorded: the flag 00', async () => {
  const unwanted = newTrace(false)
  const wanted = newTrace()
  await instance.send(sensor, readings(), { traceparent: unwanted.traceparent, 'x-request-id': 'unwanted' })
  const job = await startJob({ traceparent: unwanted.traceparent, 'x-request-id': 'unwanted-job' })
  await untilJob(job)
  await instance.send(sensor, readings(), { traceparent: wanted.traceparent })
  await collector.untilSpans(wanted.traceId, 'POST /sensors/:id/readings')
  await until(() => collector.spans.some(({ links }) => links.some((link) => link.traceId === wanted.traceId)))
  expect(collector.spans.filter(({ traceId }) => traceId === unwanted.traceId)).toEqual([])
  expect(collector.spans.filter(({ links }) => links.some((link) => link.traceId === unwanted.traceId))).toEqual([])
  // nor do the job's own spans, in the other process
  expect(collector.spans.filter(({ attributes }) => attributes['groundwave.job.id'] === job)).toEqual([])
  expect(lineOf(instance.log(), 'unwanted')).not.toHaveProperty('traceId')
})

test('a run of a tool shows its wait, its time in the worker process, and its queries', async () => {
  const { traceId, traceparent } = newTrace()
  const response = await callTool(instance, organization, '/buffer', STATIONS, true, { traceparent })
  expect(response.status).toBe(200)
  const request = only(await collector.untilSpans(traceId, `POST ${GIS}/buffer`))
  const queue = only(await collector.untilSpans(traceId, 'queue'))
  const run = only(await collector.untilSpans(traceId, 'run'))
  const work = only(await collector.untilSpans(traceId, 'work'))
  expect([queue.parentSpanId, run.parentSpanId, work.parentSpanId]).toEqual([
    request.spanId,
    request.spanId,
    run.spanId,
  ])
  expect(queue.endNs <= run.endNs + CLOCK_NS && isWithin(run, request)).toBe(true)
  expect(work.attributes).toMatchObject({ 'groundwave.tool': 'vector.buffer', 'groundwave.lane': 'node' })
  expect(work.attributes['process.pid']).not.toBe(instance.pid())
  const queries = collector.spans.filter(
    (span) => span.traceId === traceId && span.attributes['db.system.name'] === 'postgresql',
  )
  expect(queries.length).toBeGreaterThan(0)
  for (const { kind, name, attributes } of queries) {
    expect(kind).toBe(3)
    expect(name).toBe(attributes['db.query.summary'] as string)
  }
})

test('a failed call and a query are recorded with their codes and tables', async () => {
  const failed = newTrace()
  await fetch(`${instance.url()}${GIS}/runs/nothing`, {
    headers: { ...keysOf(organization), traceparent: failed.traceparent },
  })
  const request = only(await collector.untilSpans(failed.traceId, `GET ${GIS}/runs/:id`))
  // a mistake of the caller does not count as an error of the server
  expect([request.status, request.attributes['groundwave.code']]).toEqual([0, 'NOT_FOUND'])

  const query = newTrace()
  const path = `/enterprise/v1/assets/sensors/${sensor.id}/readings?limit=10`
  const headers = { ...keysOf(organization), traceparent: query.traceparent }
  const response = await fetch(`${instance.url()}${path}`, { headers })
  expect(response.status).toBe(200)
  const asked = only(await collector.untilSpans(query.traceId, 'GET /enterprise/v1/assets/sensors/:id/readings'))
  expect(asked.attributes).not.toHaveProperty('url.query')
  const ofClickHouse = (): Span[] =>
    collector.spans.filter(
      (span) => span.traceId === query.traceId && span.attributes['db.system.name'] === 'clickhouse',
    )
  await until(() => ofClickHouse().length > 0, 'the query of ClickHouse')
  for (const span of ofClickHouse()) expect([span.name, span.kind]).toEqual(['SELECT readings', 3])
})

async function startJob(headers: Record<string, string>): Promise<string> {
  const response = await callTool(instance, organization, '/buffer', STATIONS, true, {
    prefer: 'respond-async',
    ...headers,
  })
  expect(response.status).toBe(202)
  return ((await response.json()) as Envelope<{ jobID: string }>).data.jobID
}

const untilJob = (id: string): Promise<void> =>
  until(async () => {
    const response = await fetch(`${instance.url()}${GIS}/jobs/${id}`, { headers: keysOf(organization) })
    return ((await response.json()) as Envelope<{ status: string }>).data.status === 'successful'
  }, 'the job')

const lineOf = (log: string, requestId: string): Record<string, unknown> | undefined =>
  logLines(log).find((line) => line.requestId === requestId)

test('a job that another process runs continues the trace and the request id of its call', async () => {
  const { traceId, traceparent } = newTrace()
  const id = await startJob({ traceparent, 'x-request-id': 'call-of-job' })
  await untilJob(id)
  const request = only(await collector.untilSpans(traceId, `POST ${GIS}/buffer`))
  const job = only(await collector.untilSpans(traceId, 'job'))
  const [run, work] = [
    only(await collector.untilSpans(traceId, 'run')),
    only(await collector.untilSpans(traceId, 'work')),
  ]
  // one wait in the table of jobs, one for a worker process
  const waits = await collector.untilSpans(traceId, 'queue', 2)
  expect(job).toMatchObject({
    parentSpanId: request.spanId,
    kind: 5,
    attributes: { 'groundwave.job.id': id, 'groundwave.tool': 'vector.buffer', 'groundwave.request_id': 'call-of-job' },
  })
  expect(waits.map(({ parentSpanId }) => parentSpanId).sort()).toEqual([request.spanId, job.spanId].sort())
  expect([run.parentSpanId, work.parentSpanId]).toEqual([job.spanId, run.spanId])
  // the call ended before the job began, in another process
  expect(job.resource['service.instance.id']).not.toBe(request.resource['service.instance.id'])
  expect([request.resource['process.pid'], job.resource['process.pid']]).toEqual([instance.pid(), worker.pid])

  const log = (): string => readFileSync(workerLog, 'utf8')
  await until(() => lineOf(log(), 'call-of-job') !== undefined, 'the line of the job')
  const lines = logLines(log()).filter((line) => line.requestId === 'call-of-job')
  expect(lines.map(({ msg }) => msg)).toEqual(['a run ended', 'a job ended'])
  for (const line of lines) expect(line).toMatchObject({ traceId, tool: 'vector.buffer', code: 'SUCCESS' })
  await until(() => lineOf(instance.log(), 'call-of-job') !== undefined, 'the line of the request')
  expect(lineOf(instance.log(), 'call-of-job')).toMatchObject({ traceId, status: 202 })
})

test('no key, secret, value or content is in a span', () => {
  const all = collector.bodies.join('\n')
  expect(all).toContain(sensor.id)
  for (const secret of [sensor.key, organization.secretKey, instance.operatorToken(), String(VALUE), '"features"'])
    expect(all.includes(secret)).toBe(false)
  expect(all).not.toContain(FILE_TEXT)
})

test('a collector that is unavailable or refuses spans affects nothing and is logged once', async () => {
  const released = Promise.withResolvers<void>()
  const refuse = async (): Promise<Response> => {
    await released.promise
    return new Response('no', { status: 400 })
  }
  const refusing = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: refuse })
  expect(await instance.kill('SIGTERM')).toBe(0)
  await instance.restart({
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${refusing.port}`,
    OTEL_BSP_MAX_QUEUE_SIZE: '4',
    OTEL_BSP_SCHEDULE_DELAY: '20',
  })
  for (let i = 0; i < 20; i++) expect((await instance.send(sensor, readings())).status).toBe(200)
  const figure = async (outcome: string): Promise<number> => {
    const text = await (await fetch(`${instance.url()}/metrics`)).text()
    return Number(new RegExp(`^trace_spans_total\\{outcome="${outcome}"\\} (\\d+)`, 'm').exec(text)?.[1] ?? 0)
  }
  // a batch is being sent, another one waits, and the rest finds no room
  await until(async () => (await figure('dropped')) > 0, 'the loss of spans')
  released.resolve()
  await until(async () => (await figure('failed')) > 0, 'the refusal of spans')
  await until(() => instance.log().includes('spans could not be exported'), 'the line of the failure')
  expect(instance.log().match(/spans could not be exported/g)).toHaveLength(1)
  expect(await figure('exported')).toBe(0)
  await refusing.stop(true)
})
