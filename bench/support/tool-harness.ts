/** Shared by the tool benches: a warm server, calls to it, and duels with another program in alternating order. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { familyOf, manage, residentMb, type Server, startServer, stopServer } from '../../test/support/processes.ts'
import { fileBytesOf, sendLargeForm } from './large-form.ts'

const GIS = '/enterprise/v1/gis'

/** Files of more than this are not sent by fetch. */
const LARGE_BYTES = 2 ** 20

export const quantile = (values: readonly number[], share: number): number => {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}
export const ms = (value: number): string => (value < 10 ? value.toFixed(1) : Math.round(value).toLocaleString('en'))
export const say = (line: string): void => void process.stdout.write(`${line}\n`)
export const load = (): string =>
  loadavg()
    .map((value) => value.toFixed(2))
    .join(' ')

/** A call: form fields, and paths of files. */
export type Call = {
  tool: string
  route: string
  fields: Record<string, string>
  files: Record<string, string | string[]>
}

export type Harness = {
  dir: string
  server: Server
  headers: Record<string, string>
  url(route: string): string
  /** @returns milliseconds from the first byte sent to the last byte received, and how many of them the run took */
  call(call: Call): Promise<{ callMs: number; runMs: number; data: Record<string, unknown> }>
  /** The peak memory of any worker process while `work` runs, in MB. */
  peakMb<T>(work: () => Promise<T>): Promise<{ result: T; peak: number }>
  stop(): Promise<void>
}

/** @param more variables of the server */
export async function startHarness(more: Record<string, string> = {}): Promise<Harness> {
  const dir = mkdtempSync(join(tmpdir(), 'groundwave-bench-'))
  const env = {
    DATA_DIR: join(dir, 'data'),
    PORT: '0',
    LOG_LEVEL: 'warn',
    CALLS_PER_MINUTE: '1000000000',
    FILES_PER_HOUR: '1000000000',
    ...more,
  }
  const server = await startServer(['src/main.ts'], env, join(dir, 'log'))
  while (!(await fetch(`${server.url}/health/ready`)).ok) await Bun.sleep(50)
  const token = readFileSync(join(dir, 'data/operator.token'), 'utf8').trim()
  const createResource = <T>(path: string, body: object): Promise<T> => manage<T>(server.url, token, 'POST', path, body)
  const { id } = await createResource<{ id: string }>('/enterprises', { name: 'Bench', tier: 'scale' })
  const application = { name: 'Bench' }
  const keys = await createResource<{ publicKey: string; secretKey: string }>(
    `/enterprises/${id}/applications`,
    application,
  )
  const headers = { 'x-api-key': keys.publicKey, 'x-api-secret': keys.secretKey }
  const url = (route: string): string => `${server.url}${GIS}${route}`
  return {
    dir,
    server,
    headers,
    url,
    async call({ tool, route, fields, files }) {
      const isLarge = fileBytesOf({ fields, files }) > LARGE_BYTES
      const body = new FormData()
      if (!isLarge)
        for (const [field, value] of Object.entries(files))
          for (const path of [value].flat()) body.append(field, Bun.file(path), path.replace(/^.*\//, ''))
      for (const [field, value] of Object.entries(fields)) body.append(field, value)
      const startedMs = performance.now()
      const text = isLarge
        ? await sendLargeForm(url(route), headers, { fields, files })
        : await (await fetch(url(route), { method: 'POST', headers, body })).text()
      const answer = JSON.parse(text) as {
        ok: boolean
        message: string
        data: { usage: { runId: string } } & Record<string, unknown>
      }
      if (!answer.ok) throw new Error(`${tool}: ${answer.message}`)
      const callMs = performance.now() - startedMs
      const run = await fetch(url(`/runs/${answer.data.usage.runId}`), { headers })
      const { data } = (await run.json()) as { data: { durationMs: number } }
      return { callMs, runMs: data.durationMs, data: answer.data }
    },
    async peakMb(work) {
      let peak = 0
      const sample = (): void => {
        for (const pid of familyOf(server.pid))
          try {
            peak = Math.max(peak, residentMb(pid))
          } catch {
            // the process has ended in the meantime
          }
      }
      const timer = setInterval(sample, 50)
      try {
        const result = await work()
        sample()
        return { result, peak }
      } finally {
        clearInterval(timer)
      }
    },
    async stop() {
      await stopServer(server)
      rmSync(dir, { recursive: true, force: true })
    },
  }
}

/** @property data the tool's answer to the first call */
export type Duel = { ours: number[]; runs: number[]; theirs: number[]; peak: number; data: Record<string, unknown> }

/**
 * Runs both sides in alternating order. Memory is measured during a first call and a last one, whose times do not count:
 * looking at all processes 20 times a second takes some of the two cores.
 * @param repeat calls per side and round
 */
export async function duel(
  harness: Harness,
  call: Call,
  theirs: () => Promise<number> | number,
  rounds: number,
  repeat: number,
): Promise<Duel> {
  const first = await harness.peakMb(() => harness.call(call))
  const result: Duel = { ours: [], runs: [], theirs: [], peak: first.peak, data: first.result.data }
  const own = async (): Promise<void> => {
    for (let i = 0; i < repeat; i++) {
      const { callMs, runMs } = await harness.call(call)
      result.ours.push(callMs)
      result.runs.push(runMs)
    }
  }
  const other = async (): Promise<void> => {
    for (let i = 0; i < repeat; i++) result.theirs.push(await theirs())
  }
  for (let round = 0; round < rounds; round++)
    for (const run of round % 2 === 0 ? [own, other] : [other, own]) await run()
  const last = await harness.peakMb(() => harness.call(call))
  return { ...result, peak: Math.max(first.peak, last.peak) }
}
