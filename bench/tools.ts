/**
 * Every tool over HTTP against a warm server, at three sizes, beside GDAL's programs on the same file, or PostGIS on
 * the same tables with an index, in alternating order in one run. `bun run bench:tools [rounds] [part of a tool's id]`.
 *
 * A call's time is from its first byte to its last, upload and storing included; a command's from start to end. For
 * PostGIS both are told: the whole of the same job (load both layers with an index, the statement, export), which the
 * ratio is of, and the statement alone.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { loadRegistry } from '../src/tools/registry.ts'
import { startPostgres } from '../test/support/postgres.ts'
import { childrenOf, manage, residentMb, type Server, startServer, stopServer } from '../test/support/processes.ts'
import { SIZES, type ToolData, writeToolData } from './tool-data.ts'
import { CONTESTS, type Contest, exportTable, loadTables, outFile, runCommand, runStatement } from './tool-rivals.ts'

const rounds = Number(process.argv[2] ?? 3)
const only = process.argv[3] ?? ''
const GIS = '/enterprise/v1/gis'

const quantile = (values: readonly number[], share: number): number => {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}
const ms = (value: number): string => (value < 10 ? value.toFixed(1) : Math.round(value).toLocaleString('en'))
const say = (line: string): void => void process.stdout.write(`${line}\n`)

const dir = mkdtempSync(join(tmpdir(), 'groundwave-bench-'))
const env = {
  DATA_DIR: join(dir, 'data'),
  PORT: '0',
  LOG_LEVEL: 'warn',
  CALLS_PER_MINUTE: '1000000000',
  FILES_PER_HOUR: '1000000000',
}
const server: Server = await startServer(['src/main.ts'], env, join(dir, 'log'))
while (!(await fetch(`${server.url}/health/ready`)).ok) await Bun.sleep(50)
const token = readFileSync(join(dir, 'data/operator.token'), 'utf8').trim()
const make = <T>(path: string, body: object): Promise<T> => manage<T>(server.url, token, 'POST', path, body)
const { id } = await make<{ id: string }>('/enterprises', { name: 'Bench', tier: 'scale' })
const keys = await make<{ publicKey: string; secretKey: string }>(`/enterprises/${id}/applications`, { name: 'Bench' })
const headers = { 'x-api-key': keys.publicKey, 'x-api-secret': keys.secretKey }

function formOf({ fields, files }: Contest, data: ToolData): FormData {
  const form = new FormData()
  for (const [field, value] of Object.entries(files(data)))
    for (const path of [value].flat()) form.append(field, new File([readFileSync(path)], path.replace(/^.*\//, '')))
  for (const [field, value] of Object.entries(fields(data))) form.append(field, value)
  return form
}

async function call(contest: Contest, data: ToolData): Promise<number> {
  const body = formOf(contest, data)
  const startedMs = performance.now()
  const response = await fetch(`${server.url}${GIS}${contest.route}`, { method: 'POST', headers, body })
  const answer = (await response.json()) as { ok: boolean; message: string }
  if (!answer.ok) throw new Error(`${contest.tool}: ${answer.message}`)
  return performance.now() - startedMs
}

/** The most that any worker process holds while something runs. */
async function peakMb<T>(work: () => Promise<T>): Promise<{ result: T; peak: number }> {
  let peak = 0
  const look = (): void => {
    for (const pid of childrenOf(server.pid))
      try {
        peak = Math.max(peak, residentMb(pid))
      } catch {
        // it has ended since
      }
  }
  const timer = setInterval(look, 50)
  try {
    const result = await work()
    look()
    return { result, peak }
  } finally {
    clearInterval(timer)
  }
}

const postgres = await startPostgres()
const sql = new Bun.SQL(postgres.url, { max: 1 })
await sql`CREATE EXTENSION postgis`
await sql`SET max_parallel_workers_per_gather = 2`

say(
  `load before: ${loadavg()
    .map((value) => value.toFixed(2))
    .join(' ')}; ${rounds} rounds, alternating; server ${Math.round(residentMb(server.pid))} MB\n`,
)
say('| tool | features | Groundwave p50 / p95 ms | beside | ms | ratio | peak of a worker MB |')
say('| --- | --- | --- | --- | --- | --- | --- |')
for (const size of SIZES) {
  const data = writeToolData(dir, size)
  const loadMs = await loadTables(sql, postgres.url, data)
  for (const contest of CONTESTS.filter(({ tool }) => tool.includes(only))) {
    const { tool } = contest
    const rival = size === SIZES.at(-1) ? (contest.large ?? contest.rival) : contest.rival
    const statements: number[] = []
    const theirs = async (): Promise<number> => {
      const out = outFile(dir, tool)
      if (rival.kind === 'gdal') return runCommand(rival.command(data, out), out)
      const statementMs = await runStatement(sql, rival.select)
      statements.push(statementMs)
      return loadMs + statementMs + exportTable(postgres.url, out)
    }
    const repeat = size === 10 ? 5 : 1
    await call(contest, data)
    const ours: number[] = []
    const others: number[] = []
    let peak = 0
    for (let round = 0; round < rounds; round++) {
      const own = async (): Promise<void> => {
        const measured = await peakMb(async () => {
          for (let i = 0; i < repeat; i++) ours.push(await call(contest, data))
        })
        peak = Math.max(peak, measured.peak)
      }
      const other = async (): Promise<void> => {
        for (let i = 0; i < repeat; i++) others.push(await theirs())
      }
      for (const run of round % 2 === 0 ? [own, other] : [other, own]) await run()
    }
    const [mine, beside] = [quantile(ours, 0.5), quantile(others, 0.5)]
    const ratio = (mine / beside).toFixed(2)
    const name = rival.kind === 'gdal' ? 'ogr2ogr' : `PostGIS (statement alone ${ms(quantile(statements, 0.5))})`
    say(
      `| ${tool} | ${size.toLocaleString('en')} | ${ms(mine)} / ${ms(quantile(ours, 0.95))} | ${name} | ${ms(beside)} | ${ratio} | ${Math.round(peak)} |`,
    )
  }
}
await sql.close()
await postgres.remove()

say('\n| clients | tool, features | calls/s | p50 / p95 ms |')
say('| --- | --- | --- | --- |')
for (const size of [10, 1_000]) {
  const data = writeToolData(dir, size)
  const contest = CONTESTS.find(({ tool }) => tool === 'vector.buffer') as Contest
  for (const clients of [1, 4, 16]) {
    const times: number[] = []
    const untilMs = performance.now() + 5_000
    await Promise.all(
      Array.from({ length: clients }, async () => {
        while (performance.now() < untilMs) times.push(await call(contest, data))
      }),
    )
    say(
      `| ${clients} | vector.buffer, ${size.toLocaleString('en')} | ${(times.length / 5).toFixed(0)} | ${ms(quantile(times, 0.5))} / ${ms(quantile(times, 0.95))} |`,
    )
  }
}

say('\n| JSON tool, its first example | p50 / p95 ms |')
say('| --- | --- |')
for (const tool of (await loadRegistry()).tools.filter(
  ({ takes, id: name }) => takes === 'json' && name.includes(only),
)) {
  const body = JSON.stringify(tool.examples[0]?.input)
  const times: number[] = []
  for (let i = 0; i < 600; i++) {
    const startedMs = performance.now()
    const response = await fetch(`${server.url}${GIS}${tool.route}`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body,
    })
    await response.text()
    if (!response.ok) throw new Error(tool.id)
    if (i >= 100) times.push(performance.now() - startedMs)
  }
  say(`| ${tool.id} | ${quantile(times, 0.5).toFixed(2)} / ${quantile(times, 0.95).toFixed(2)} |`)
}
say(
  `\nserver after: ${Math.round(residentMb(server.pid))} MB; load after: ${loadavg()
    .map((value) => value.toFixed(2))
    .join(' ')}`,
)
await stopServer(server)
rmSync(dir, { recursive: true, force: true })
