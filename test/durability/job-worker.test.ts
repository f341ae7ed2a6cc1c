/** Health and metrics of a real job worker, beside a server that leaves all jobs to it. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { type ChildProcess, spawn } from 'node:child_process'
import { openSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { networkInterfaces } from 'node:os'
import { join } from 'node:path'
import { ROOT } from '../support/processes.ts'
import { runProgram } from '../support/program.ts'
import { createInstance, type Envelope } from '../support/server/instance.ts'
import { type Family, parseMetrics, sampleOf } from '../support/server/metrics.ts'
import { freePort, startPostgres } from '../support/stores/postgres.ts'
import { until } from '../support/until.ts'
import { callTool, STATIONS } from '../support/workers/tools.ts'

let worker: ChildProcess

async function startWorker(more: Record<string, string>): Promise<void> {
  const out = openSync(log, 'a')
  worker = spawn(process.execPath, ['src/job-worker.ts'], {
    cwd: ROOT,
    env: { ...process.env, POSTGRES_URL: postgres.url, DATA_DIR: instance.dir, TOOL_WORKERS: '1', ...more },
    stdio: ['ignore', out, out],
  })
}
const ended = (): Promise<number | null> =>
  new Promise((resolve) => {
    worker.once('exit', resolve)
    worker.kill('SIGTERM')
  })

const postgres = await startPostgres()
const instance = await createInstance({ POSTGRES_URL: postgres.url, JOB_SLOTS: '0' })
const organization = await instance.organization()
const log = join(instance.dir, 'worker.log')
const port = await freePort()
beforeAll(async () => {
  await startWorker({ WORKER_METRICS_PORT: String(port) })
  await until(() => readFileSync(log, 'utf8').includes('/metrics'), 'the start of the worker')
}, 120_000)
afterAll(async () => {
  worker?.kill('SIGKILL')
  await instance?.remove()
  await postgres?.remove()
})

/** Whether one of a process's sockets is in the kernel's list of listening TCP sockets. */
function listensOnTcp(pid: number): boolean {
  const LISTEN = '0A'
  const listening = ['tcp', 'tcp6']
    .flatMap((name) => readFileSync(`/proc/${pid}/net/${name}`, 'utf8').trim().split('\n').slice(1))
    .map((line) => line.trim().split(/\s+/))
    .filter((fields) => fields[3] === LISTEN)
    .map((fields) => `socket:[${fields[9]}]`)
  const open = readdirSync(`/proc/${pid}/fd`).map((fd) => {
    try {
      return readlinkSync(`/proc/${pid}/fd/${fd}`)
    } catch {
      // closed meanwhile
      return ''
    }
  })
  return open.some((target) => listening.includes(target))
}

const at = (path: string): string => `http://127.0.0.1:${port}${path}`
async function scrape(): Promise<{ text: string; families: Map<string, Family> }> {
  const response = await fetch(at('/metrics'))
  expect([response.status, response.headers.get('content-type')?.split(';')[0]]).toEqual([200, 'text/plain'])
  const text = await response.text()
  return { text, families: parseMetrics(text) }
}

test('the worker has metrics of its jobs that promtool accepts, and none of readings', async () => {
  for (let i = 0; i < 3; i++)
    expect(
      (await callTool(instance, organization, '/buffer', STATIONS, true, { prefer: 'respond-async' })).status,
    ).toBe(202)
  await until(async () => {
    const { families } = await scrape()
    const ofStatus = families.get('job_duration_seconds')?.samples.filter(({ name }) => name.endsWith('_count')) ?? []
    return ofStatus.some(({ labels, value }) => labels.status === 'successful' && value === 3)
  }, 'the jobs')
  const { text, families } = await scrape()
  const { status, stdout, stderr } = runProgram('promtool', ['check', 'metrics'], { input: text })
  expect({ status, said: `${stdout}${stderr}` }).toEqual({ status: 0, said: '' })
  const of = (name: string, labels = {}): number => sampleOf(families, name, labels)
  expect(of('tool_runs_total', { tool: 'vector.buffer', code: 'SUCCESS' })).toBe(3)
  expect([of('job_slots'), of('job_slots_busy'), of('jobs_waiting'), of('jobs_running')]).toEqual([1, 0, 0, 0])
  expect(of('job_wait_seconds_count')).toBe(3)
  for (const store of ['postgres', 'files', 'workers']) expect(of('store_up', { store })).toBe(1)
  expect(of('store_call_duration_seconds_count', { store: 'postgres', operation: 'select' })).toBeGreaterThan(0)
  expect(of('process_resident_memory_bytes')).toBeGreaterThan(10 * 2 ** 20)
  expect(of('uncaught_errors_total', { kind: 'exception' })).toBe(0)
  // zeros for readings from a worker would distort averages and minima over the servers
  expect([...families.keys()].filter((name) => /^(readings|ingest|log|http|claims|zone)_/.test(name))).toEqual([])
  // the server's own metrics are on its own page
  const ofServer = parseMetrics(await (await fetch(`${instance.url()}/metrics`)).text())
  expect(sampleOf(ofServer, 'job_slots')).toBe(0)
  expect(ofServer.get('job_duration_seconds')?.samples).toEqual([])
})

test('the worker answers health checks on this machine only, and nothing else', async () => {
  expect(listensOnTcp(worker.pid ?? 0)).toBe(true)
  expect((await fetch(at('/health/live'))).status).toBe(200)
  const ready = await fetch(at('/health/ready'))
  const { data } = (await ready.json()) as Envelope<{ parts: Record<string, { status: string }> }>
  expect(Object.entries(data.parts).map(([name, { status }]) => [name, status])).toEqual([
    ['postgres', 'ok'],
    ['files', 'ok'],
    ['workers', 'ok'],
  ])
  for (const path of ['/', '/manage/v1/enterprises', '/enterprise/v1/gis/processes', '/openapi.json', '/portal'])
    expect([path, (await fetch(at(path))).status]).toEqual([path, 404])
  const others = Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .filter(({ family, internal }) => family === 'IPv4' && !internal)
  for (const { address } of others) await expect(fetch(`http://${address}:${port}/health/live`)).rejects.toThrow()
})

test('the worker is not ready without PostgreSQL, and is ready again when it is back', async () => {
  await postgres.stop()
  await until(async () => (await fetch(at('/health/ready'))).status === 503, 'the failure of the check')
  expect((await fetch(at('/health/live'))).status).toBe(200)
  const { families } = await scrape()
  expect(sampleOf(families, 'store_up', { store: 'postgres' })).toBe(0)
  // unknown is not the same as zero
  expect(families.get('jobs_waiting')?.samples).toEqual([])
  await postgres.start()
  await until(async () => (await fetch(at('/health/ready'))).status === 200, 'readiness')
})

test('the worker stops on a signal, and listens on no port unless one is set', async () => {
  expect(await ended()).toBe(0)
  await expect(fetch(at('/health/live'))).rejects.toThrow()
  const before = readFileSync(log, 'utf8').length
  await startWorker({})
  const said = (): string => readFileSync(log, 'utf8').slice(before)
  await until(() => said().includes('working on jobs'), 'the start of the worker')
  expect(said()).not.toContain('/metrics')
  expect(listensOnTcp(worker.pid ?? 0)).toBe(false)
  expect(await ended()).toBe(0)
}, 120_000)
