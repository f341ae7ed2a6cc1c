/**
 * Every tool over HTTP on a warm server, compared with the programs people would use instead, on the same files and in
 * alternating order in one run: vector tools at three sizes with GDAL's programs or PostGIS, raster tools with GDAL's,
 * image tools with libvips and ImageMagick, document tools with qpdf, Poppler, Ghostscript and Tesseract.
 * `bun run bench tools [rounds] [part of a tool's id] [numbers of features, with commas]`.
 *
 * The time of a call is from its first byte to its last, including upload and storage. The run is the part of it from
 * the end of the upload until all files are synced to disk. The time of a command is from start to exit. For PostGIS
 * two times are printed: the whole job (load both layers, build indexes, run the statement, export), which the ratio
 * uses, and the statement alone.
 */
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { loadRegistry } from '../src/tools/registry.ts'
import { residentMb, startServer, stopServer } from '../test/support/processes.ts'
import { startPostgres } from '../test/support/stores/postgres.ts'
import { exportTable, loadTables, runStatement } from './support/postgis-tables.ts'
import { FORMAT_CONTESTS } from './support/rivals/format-rivals.ts'
import { mediaContests } from './support/rivals/media-rivals.ts'
import { SIZES, writeToolData } from './support/tool-data.ts'
import {
  type Call,
  type Duel,
  duel,
  type Harness,
  load,
  ms,
  quantile,
  say,
  startHarness,
} from './support/tool-harness.ts'
import { CONTESTS, type Contest, outFolder, type Rival, runCommand } from './support/tool-rivals.ts'

const rounds = Number(process.argv[2] ?? 3)
const only = process.argv[3] ?? ''
const sizes = process.argv[4]?.split(',').map(Number) ?? SIZES

const callOf = ({ tool, route, fields, files }: Contest, data: ReturnType<typeof writeToolData>): Call => ({
  tool,
  route,
  fields: fields(data),
  files: files(data),
})

type Postgis = { sql: Bun.SQL; url: string; stop(): Promise<void> }

async function startPostgis(): Promise<Postgis> {
  const postgres = await startPostgres()
  const sql = new Bun.SQL(postgres.url, { max: 1 })
  await sql`CREATE EXTENSION postgis`
  await sql`SET max_parallel_workers_per_gather = 2`
  const stop = async (): Promise<void> => {
    await sql.close()
    await postgres.remove()
  }
  return { sql, url: postgres.url, stop }
}

async function vectorTools(harness: Harness, contests: readonly Contest[]): Promise<void> {
  const { dir } = harness
  const rivalAt = ({ rival, large }: Contest, size: number): Rival => (size === SIZES.at(-1) && large) || rival
  const usesPostgis = (size: number): boolean => contests.some((contest) => rivalAt(contest, size).kind === 'postgis')
  const postgis = sizes.some(usesPostgis) ? await startPostgis() : undefined
  say('| tool | features | Groundwave p50 / p95 ms | compared with | ms | ratio | peak worker MB |')
  say('| --- | --- | --- | --- | --- | --- | --- |')
  for (const size of sizes) {
    const data = writeToolData(dir, size)
    const loadMs = postgis && usesPostgis(size) ? await loadTables(postgis.sql, postgis.url, data) : Number.NaN
    for (const contest of contests) {
      const { tool, on } = contest
      const rival = rivalAt(contest, size)
      const statements: number[] = []
      const theirs = async (): Promise<number> => {
        const out = outFolder(dir, tool)
        if (rival.kind === 'gdal') return runCommand(rival.command(data, out), out)
        const { sql, url } = postgis as Postgis
        const statementMs = await runStatement(sql, rival.select)
        statements.push(statementMs)
        return loadMs + statementMs + exportTable(url, out)
      }
      const result = await duel(harness, callOf(contest, data), theirs, rounds, size === 10 ? 5 : 1)
      const [mine, beside] = [quantile(result.ours, 0.5), quantile(result.theirs, 0.5)]
      const ratio = (mine / beside).toFixed(2)
      const name = rival.kind === 'gdal' ? 'ogr2ogr' : `PostGIS (statement alone ${ms(quantile(statements, 0.5))})`
      say(
        `| ${on === undefined ? tool : `${tool}, ${on}`} | ${size.toLocaleString('en')} | ${ms(mine)} / ${ms(quantile(result.ours, 0.95))} | ${name} | ${ms(beside)} | ${ratio} | ${Math.round(result.peak)} |`,
      )
    }
  }
  await postgis?.stop()
}

async function clients(harness: Harness): Promise<void> {
  say('\n| clients | tool, features | calls/s | p50 / p95 ms |')
  say('| --- | --- | --- | --- |')
  for (const size of [10, 1_000]) {
    const contest = CONTESTS.find(({ tool }) => tool === 'vector.buffer') as Contest
    const call = callOf(contest, writeToolData(harness.dir, size))
    for (const count of [1, 4, 16]) {
      const times: number[] = []
      const untilMs = performance.now() + 5_000
      await Promise.all(
        Array.from({ length: count }, async () => {
          while (performance.now() < untilMs) times.push((await harness.call(call)).callMs)
        }),
      )
      say(
        `| ${count} | vector.buffer, ${size.toLocaleString('en')} | ${(times.length / 5).toFixed(0)} | ${ms(quantile(times, 0.5))} / ${ms(quantile(times, 0.95))} |`,
      )
    }
  }
}

async function jsonTools({ dir, url, headers }: Harness): Promise<void> {
  const { tools } = await loadRegistry()
  const selected = tools.filter(({ input, id }) => !Object.hasOwn(input.properties, 'file') && id.includes(only))
  const jsonOnly = selected.filter(({ inputKind }) => inputKind === 'json')
  if (jsonOnly.length === 0) return
  const bare = await startServer(['bench/support/bare-route.ts'], {}, join(dir, 'bare-log'))
  const timeOf = async (to: string, body: string): Promise<number> => {
    const startedMs = performance.now()
    const json = { ...headers, 'content-type': 'application/json' }
    const response = await fetch(to, { method: 'POST', headers: json, body })
    await response.text()
    if (!response.ok) throw new Error(to)
    return performance.now() - startedMs
  }
  say('\n| JSON tool, first example | p50 / p95 ms | a bare route, p50 ms | ratio |')
  say('| --- | --- | --- | --- |')
  for (const tool of jsonOnly) {
    const body = JSON.stringify(tool.examples[0]?.input)
    const [ours, bares]: [number[], number[]] = [[], []]
    for (let i = 0; i < 600; i++) {
      const pair = [await timeOf(url(tool.route), body), await timeOf(bare.url, body)] as const
      if (i < 100) continue
      ours.push(pair[0])
      bares.push(pair[1])
    }
    const [p50, p95, bareP50] = [quantile(ours, 0.5), quantile(ours, 0.95), quantile(bares, 0.5)]
    say(
      `| ${tool.id} | ${p50.toFixed(2)} / ${p95.toFixed(2)} | ${bareP50.toFixed(2)} | ${(p50 / bareP50).toFixed(1)} |`,
    )
  }
  await stopServer(bare)
}

async function mediaTools(harness: Harness): Promise<void> {
  const contests = (await mediaContests(harness.dir, only)).filter(({ tool }) => tool.includes(only))
  if (contests.length === 0) return
  say(
    '\n| tool | input | Groundwave p50 / p95 ms | of which run | compared with | ms | ratio, ratio of run | peak worker MB |',
  )
  say('| --- | --- | --- | --- | --- | --- | --- | --- |')
  for (const { on, beside, commands, output, reads, ...call } of contests) {
    const result = await duel(
      harness,
      call,
      () => (commands ? runCommand(commands, outFolder(harness.dir, call.tool)) : Number.NaN),
      rounds,
      1,
    )
    if (reads !== undefined) checkText(call, result.data, reads)
    const [mine, run, other] = [result.ours, result.runs, result.theirs].map((times) => quantile(times, 0.5)) as [
      number,
      number,
      number,
    ]
    const sizes = output === undefined ? '' : sizesOf(result.data, output)
    const theirs = commands ? `${ms(other)} | ${(mine / other).toFixed(2)}, ${(run / other).toFixed(2)}` : '– | –'
    say(
      `| ${call.tool} | ${on} | ${ms(mine)} / ${ms(quantile(result.ours, 0.95))} | ${ms(run)} | ${beside}${sizes} | ${theirs} | ${Math.round(result.peak)} |`,
    )
  }
}

/** Fails on wrong text: an unreadable page, such as one with a fault, takes a different time. */
function checkText({ tool }: Call, { text }: Duel['data'], reads: string): void {
  const words = (page: string): string => page.trim().replace(/\s+/g, ' ')
  for (const page of String(text).split('\f')) if (words(page) !== words(reads)) throw new Error(`${tool}: wrong text`)
}

/** The size of the output, compared with the other program's, in kB. */
function sizesOf(data: Duel['data'], output: string): string {
  const [mine, other] = [Number(data.compressedBytes), statSync(output).size]
  return `: ${ms(mine / 1000)} against ${ms(other / 1000)} kB, ${(mine / other).toFixed(2)}`
}

const harness = await startHarness()
say(`load before: ${load()}; ${rounds} rounds, alternating; server ${Math.round(residentMb(harness.server.pid))} MB\n`)
const vector = [...CONTESTS, ...FORMAT_CONTESTS].filter(({ tool }) => tool.includes(only))
if (vector.length > 0) await vectorTools(harness, vector)
if (only === '') await clients(harness)
await jsonTools(harness)
await mediaTools(harness)
say(`\nserver after: ${Math.round(residentMb(harness.server.pid))} MB; load after: ${load()}`)
await harness.stop()
