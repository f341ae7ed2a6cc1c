/** Metrics: their format and names, their values after known work, and the dashboard and alert rules that use them. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ROOT } from '../../support/processes.ts'
import { runProgram } from '../../support/program.ts'
import { createInstance, type Envelope, fromNow, untilStored } from '../../support/server/instance.ts'
import { type Family, parseMetrics, sampleOf } from '../../support/server/metrics.ts'
import { until } from '../../support/until.ts'
import { callTool, GIS, keysOf } from '../../support/workers/tools.ts'

const PROMETHEUS = join(ROOT, 'deploy/prometheus')
const ALERTS = readFileSync(join(PROMETHEUS, 'alerts.yml'), 'utf8')
const DOCS = readFileSync(join(ROOT, 'docs/observability.md'), 'utf8')
/** The section on metrics. */
const SECTION = /^## Metrics$[\s\S]*?(?=^## )/m.exec(DOCS)?.[0] ?? ''
const STATIONS = { file: 'stations.geojson', target_format: 'geojson', distance_m: 250 }

let text: string
let families: Map<string, Family>
let sensorId: string

/** Sends a method that no client of the test knows. */
const sendMethod = (port: number, method: string): Promise<void> =>
  new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () =>
      socket.write(`${method} /nothing HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n`),
    )
    socket.on('error', reject)
    socket.resume().on('close', () => resolve())
  })

const instance = await createInstance()
const organization = await instance.organization()
beforeAll(async () => {
  const sensor = await instance.sensor(organization.id, [{ name: 'a', measurement: 'number' }])
  sensorId = sensor.id
  const good = { at: fromNow(-2_000), values: { a: 1 } }
  const readings = [good, { at: fromNow(-1_000), values: { b: 1 } }, { at: 'never', values: { a: 1 } }]
  await instance.send(sensor, { readings })
  await instance.send(sensor, { readings: [good] })
  await instance.send({ ...sensor, key: `${sensor.key.slice(0, -4)}xxxx` }, { readings: [good] })
  await sendMethod(instance.port(), 'PROPFIND')
  for (const path of ['/nothing/1', '/nothing/2']) await fetch(instance.url() + path)
  expect((await callTool(instance, organization, '/buffer', STATIONS, true)).status).toBe(200)
  const accepted = await callTool(instance, organization, '/buffer', STATIONS, true, { prefer: 'respond-async' })
  const { jobID } = ((await accepted.json()) as Envelope<{ jobID: string }>).data
  await until(async () => {
    const response = await fetch(`${instance.url()}${GIS}/jobs/${jobID}`, { headers: keysOf(organization) })
    return ((await response.json()) as Envelope<{ status: string }>).data.status === 'successful'
  }, 'the job')
  await untilStored(() => instance, organization, sensor, 1)
  // requests are counted after their answers, and rows after they can be read
  await until(async () => {
    text = await (await fetch(`${instance.url()}/metrics`)).text()
    families = parseMetrics(text)
    const counted = [
      /^tool_runs_total\{tool="vector.buffer",code="SUCCESS"\} 2$/m,
      /method="other"/,
      /^rows_loaded_total 1$/m,
    ]
    return counted.every((line) => line.test(text))
  }, 'the figures')
}, 120_000)
afterAll(instance.remove)

test('promtool reports no fault in the names, types and units', () => {
  const { status, stdout, stderr } = runProgram('promtool', ['check', 'metrics'], { input: text })
  expect({ status, said: `${stdout}${stderr}` }).toEqual({ status: 0, said: '' })
})

test('every family has a description, a type and a name by the conventions', () => {
  for (const { name, type, help, samples } of families.values()) {
    expect({ name, isNamed: /^[a-z][a-z0-9_]*$/.test(name) }).toEqual({ name, isNamed: true })
    expect({ name, isCounter: type === 'counter' }).toEqual({ name, isCounter: name.endsWith('_total') })
    expect({ name, hasUnit: type !== 'histogram' || name.endsWith('_seconds') }).toEqual({ name, hasUnit: true })
    expect(help.length).toBeGreaterThan(10)
    for (const { value } of samples)
      expect({ name, value, isValid: value >= 0 }).toEqual({ name, value, isValid: true })
  }
})

test('buckets of histograms grow, and the last one holds all', () => {
  const histograms = [...families.values()].filter(({ type }) => type === 'histogram')
  expect(histograms.length).toBeGreaterThan(5)
  for (const { name, samples } of histograms) {
    const series = Map.groupBy(
      samples.filter((sample) => sample.name === `${name}_bucket`),
      ({ labels: { le: _, ...labels } }) => JSON.stringify(labels),
    )
    for (const [labels, buckets] of series) {
      const counts = buckets.map(({ value }) => value)
      expect(counts).toEqual(counts.toSorted((a, b) => a - b))
      expect(buckets.at(-1)?.labels.le).toBe('+Inf')
      expect(counts.at(-1)).toBe(sampleOf(families, `${name}_count`, JSON.parse(labels)))
    }
  }
})

test('labels contain no ids, paths or other text of callers', () => {
  const ids = [sensorId, organization.id, organization.applicationId, 'PROPFIND', '/nothing', '127.0.0.1']
  expect(ids.filter((id) => text.includes(id))).toEqual([])
  for (const { name, samples } of families.values())
    expect({ name, few: samples.length < 1_000 }).toEqual({ name, few: true })
})

test('work is counted under its labels', () => {
  const of = (name: string, labels = {}): number => sampleOf(families, name, labels)
  expect([
    of('readings_total', { outcome: 'accepted' }),
    of('readings_total', { outcome: 'duplicate' }),
    of('readings_total', { outcome: 'refused' }),
  ]).toEqual([1, 1, 2])
  const refused = families.get('readings_refused_total')?.samples ?? []
  expect(refused.reduce((sum, { value }) => sum + value, 0)).toBe(2)
  expect(new Set(refused.map(({ labels }) => labels.code)).size).toBe(2)
  expect(of('rows_loaded_total')).toBe(1)
  // two by name, one with an unknown method
  expect(of('http_failures_total', { code: 'NOT_FOUND' })).toBe(3)
  expect(of('http_failures_total', { code: 'SENSOR_KEY_INVALID' })).toBe(1)
  expect(of('http_request_duration_seconds_count', { method: 'other' })).toBe(1)
  expect(of('tool_runs_total', { tool: 'vector.buffer', code: 'SUCCESS' })).toBe(2)
  expect(of('job_duration_seconds_count', { status: 'successful' })).toBe(1)
  expect([of('jobs_waiting'), of('jobs_running'), of('jobs_oldest_wait_seconds')]).toEqual([0, 0, 0])
  expect(of('tool_queue_wait_seconds_count', { lane: 'node' })).toBeGreaterThanOrEqual(2)
  for (const lane of ['bun', 'node']) expect(of('tool_workers_limit', { lane })).toBeGreaterThan(0)
  expect(of('tool_workers_resident_memory_bytes', { lane: 'node' })).toBeGreaterThan(10 * 2 ** 20)
  expect([of('job_slots'), of('job_slots_busy')]).toEqual([1, 0])
  expect(of('disk_free_bytes')).toBeLessThan(of('disk_size_bytes'))
  expect(of('disk_reserve_bytes')).toBe(1_024 * 2 ** 20)
  expect(of('log_ceiling_bytes')).toBe(4_096 * 2 ** 20)
  for (const [store, operation] of [
    ['postgres', 'select'],
    ['postgres', 'insert'],
    ['clickhouse', 'insert'],
    ['clickhouse', 'query'],
    ['files', 'put'],
  ] as const)
    expect(of('store_call_duration_seconds_count', { store, operation })).toBeGreaterThan(0)
  for (const store of ['postgres', 'clickhouse', 'files', 'workers', 'ingest'])
    expect(of('store_up', { store })).toBe(1)
  expect(Date.now() / 1000 - of('process_start_time_seconds')).toBeWithin(0, 3_600)
})

/** Names of metrics in an expression, each with the labels that its selector uses. */
function usesOf(expression: string): { metric: string; labels: string[] }[] {
  const withoutWords = expression
    .replace(/"[^"]*"/g, '""')
    .replace(/\b(by|without|on|ignoring|group_left|group_right)\s*\([^)]*\)/g, ' ')
    .replace(/\[[^\]]*\]/g, ' ')
  const uses = withoutWords.matchAll(/\b([a-z_:][\w:]*)\b(?!\s*\()\s*(?:\{([^}]*)\})?/g)
  const words = new Set(['and', 'or', 'unless', 'bool', 'offset', 'inf', 'nan', 'e'])
  return [...uses]
    .filter(([, name = '']) => !words.has(name))
    .map(([, metric = '', selector = '']) => ({
      metric,
      labels: [...selector.matchAll(/([a-z_]\w*)\s*(?:=~|!~|!=|=)/g)].map(([, label = '']) => label),
    }))
}

/** Labels that Prometheus itself adds to samples. */
const ADDED = new Set(['instance', 'job'])

/** Labels by which an expression groups. */
const groupsOf = (expression: string): string[] =>
  [...expression.matchAll(/\b(?:by|without|on|ignoring)\s*\(([^)]*)\)/g)].flatMap(([, list = '']) =>
    list.split(',').map((label) => label.trim()),
  )

/** The labels that no result of the expression has. `up` is Prometheus's own metric. */
function labelsMissing(expression: string, labels: readonly string[]): string[] {
  const groups = groupsOf(expression)
  const used = usesOf(expression).map(
    ({ metric }) => families.get(metric) ?? families.get(metric.replace(/_(bucket|sum|count)$/, '')),
  )
  // a family may have no sample yet
  if (used.some((family) => family?.samples.length === 0)) return []
  const known = used.flatMap((family) => (family?.samples ?? []).flatMap((sample) => Object.keys(sample.labels)))
  return labels.filter((label) =>
    groups.length > 0 ? !groups.includes(label) : !known.includes(label) && !ADDED.has(label),
  )
}

function unknownIn(expressions: string[]): string[] {
  const unknown: string[] = []
  for (const expression of expressions) {
    const uses = usesOf(expression)
    for (const label of groupsOf(expression)) {
      const having = uses.filter(({ metric }) => labelsMissing(metric, [label]).length === 0)
      if (having.length === 0) unknown.push(`by (${label})`)
    }
    expect(uses.length).toBeGreaterThan(0)
    for (const { metric, labels } of uses) {
      const family = families.get(metric) ?? families.get(metric.replace(/_(bucket|sum|count)$/, ''))
      // a metric of Prometheus itself
      if (metric === 'up') continue
      if (family === undefined) unknown.push(metric)
      const known = new Set(family?.samples.flatMap((sample) => Object.keys(sample.labels)))
      if (family !== undefined && family.samples.length > 0)
        for (const label of labels) if (!known.has(label) && !ADDED.has(label)) unknown.push(`${metric}{${label}}`)
    }
  }
  return unknown
}

type Target = { expr: string; legendFormat: string }
type Panel = { type: string; title: string; description?: string; targets?: Target[] }
type Dashboard = { panels: Panel[]; templating: { list: { type: string; query: string }[] } }
const dashboard = JSON.parse(readFileSync(join(ROOT, 'deploy/grafana/groundwave.json'), 'utf8')) as Dashboard
const panels = dashboard.panels.filter(({ type }) => type !== 'row')
const queries = panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr))

test('every query of the dashboard is valid and asks for metrics and labels that exist', () => {
  expect(panels.filter(({ targets = [] }) => targets.length === 0)).toEqual([])
  expect(unknownIn(queries)).toEqual([])
  const dir = mkdtempSync(join(tmpdir(), 'groundwave-rules-'))
  try {
    const rules = queries.map((expr, i) => ({
      record: `query:${i}`,
      expr: expr.replaceAll('$__rate_interval', '5m').replaceAll('$instance', '.*'),
    }))
    // JSON is valid YAML
    writeFileSync(join(dir, 'rules.yml'), JSON.stringify({ groups: [{ name: 'dashboard', rules }] }))
    const { status, stderr } = runProgram('promtool', ['check', 'rules', join(dir, 'rules.yml')])
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  } finally {
    rmSync(dir, { recursive: true })
  }
})

test('a query with an unknown metric or label would be found', () => {
  expect(unknownIn(['sum by (a) (rate(nothing_total[5m])) / readings_total{colour="red"}'])).toEqual([
    'by (a)',
    'nothing_total',
    'readings_total{colour}',
  ])
  // a metric without labels has an empty set
  expect(unknownIn(['log_lag_seconds{colour="red"}', 'max by (colour) (log_lag_seconds)'])).toEqual([
    'log_lag_seconds{colour}',
    'by (colour)',
  ])
  expect(labelsMissing('sum by (code) (http_failures_total)', ['code', 'route', 'instance'])).toEqual([
    'route',
    'instance',
  ])
  expect(labelsMissing('log_lag_seconds', ['instance', 'lane'])).toEqual(['lane'])
})

test('names of curves, choices and texts of alerts use labels that their queries return', () => {
  const labelsIn = (text: string, pattern: RegExp): string[] =>
    [...text.matchAll(pattern)].map(([, label = '']) => label)
  for (const { title, targets = [] } of panels)
    for (const { expr, legendFormat } of targets)
      expect([title, labelsMissing(expr, labelsIn(legendFormat, /\{\{\s*(\w+)\s*\}\}/g))]).toEqual([title, []])
  const choices = dashboard.templating.list.filter(({ type }) => type === 'query')
  for (const { query } of choices) {
    const [, metric = '', label = ''] = /^label_values\((\w+), (\w+)\)$/.exec(query) ?? []
    expect([query, labelsMissing(metric, [label])]).toEqual([query, []])
    expect(families.has(metric)).toBe(true)
  }
  const variables = new Set(queries.flatMap((query) => labelsIn(query, /\$(\w+)/g)))
  expect([...variables].sort()).toEqual(['__rate_interval', 'instance'])
  for (const rule of ALERTS.split(/^ {6}- alert: /m).slice(1)) {
    const expression = /expr: \|?([\s\S]*?)\n {8}(?:for|labels):/.exec(rule)?.[1] ?? ''
    const labels = labelsIn(rule, /\$labels\.(\w+)/g)
    expect([expression, labelsMissing(expression, labels)]).toEqual([expression, []])
  }
})

test('alert rules are valid, use metrics that exist, and fire when they should', () => {
  const { status, stderr } = runProgram('promtool', ['check', 'rules', join(PROMETHEUS, 'alerts.yml')])
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  const lines = ALERTS.split(/^ {6}- alert: /m).slice(1)
  const expressions = lines.map((rule) => /expr: \|?([\s\S]*?)\n {8}(?:for|labels):/.exec(rule)?.[1] ?? '')
  expect(unknownIn(expressions)).toEqual([])
  const tested = runProgram('promtool', ['test', 'rules', 'alerts.test.yml'], { cwd: PROMETHEUS })
  expect({ status: tested.status, said: `${tested.stdout}${tested.stderr}` }).toMatchObject({ status: 0 })
})

test('the example scrape configuration is valid and has the job names of the alerts', () => {
  const example = join(PROMETHEUS, 'prometheus.yml')
  const { status, stderr } = runProgram('promtool', ['check', 'config', example])
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  const jobs = [...readFileSync(example, 'utf8').matchAll(/job_name: (\S+)/g)].map(([, name]) => name)
  expect(new Set([...ALERTS.matchAll(/up\{job="([^"]+)"\}/g)].map(([, name]) => name))).toEqual(new Set(jobs))
})

test('each alert has a test in which it fires and one in which it does not', () => {
  const names = [...ALERTS.matchAll(/- alert: (\w+)/g)].map(([, name]) => name as string)
  const tests = readFileSync(join(PROMETHEUS, 'alerts.test.yml'), 'utf8')
  for (const name of names) {
    const outcomes = [...tests.matchAll(new RegExp(`alertname: ${name}\\n\\s+exp_alerts:(.*)`, 'g'))].map(
      ([, rest]) => rest,
    )
    expect({ name, fires: outcomes.includes(''), isSilent: outcomes.includes(' []') }).toEqual({
      name,
      fires: true,
      isSilent: true,
    })
  }
})

test('the documentation explains every metric and every alert, and no others', () => {
  const documented = new Set(
    [...SECTION.matchAll(/^\| `([a-z][a-z0-9_]*)(?:\{[^}]*\})?` \|/gm)].map(([, name]) => name as string),
  )
  expect([...documented].sort()).toEqual([...families.keys()].sort())
  const alerts = new Set([...ALERTS.matchAll(/- alert: (\w+)/g)].map(([, name]) => name as string))
  expect(new Set([...DOCS.matchAll(/^\| `(Groundwave\w+)` \|/gm)].map(([, name]) => name as string))).toEqual(alerts)
})
