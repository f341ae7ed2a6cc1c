/** The machine: limits of processes, memory, installed parts, and the sandbox of worker processes. */
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir, totalmem } from 'node:os'
import { join } from 'node:path'
import type { Config } from '../config.ts'
import { ADVICE, IsolationError, openSandbox } from '../engine/sandbox.ts'
import { causeOf, type Finding, ok, problem, skipped, warning } from './finding.ts'

const ROOT = join(import.meta.dir, '../..')
const MIB = 2 ** 20
const MIN_FILES = 4_096
const GOOD_FILES = 16_384
const MIN_PROCESSES = 512
const MIN_THREADS = 8
/** Memory of a server that has just begun to accept readings, without its caches. */
const SERVER_MB = 512
const CGROUP = ['/sys/fs/cgroup/memory.max', '/sys/fs/cgroup/memory/memory.limit_in_bytes']

/** A resource limit of this process, as a started server would have it; undefined where the system has no /proc. */
function limitOf(limits: string, name: string): number | undefined {
  const text = new RegExp(`^${name} +(\\S+)`, 'm').exec(limits)?.[1]
  if (text === undefined) return undefined
  return text === 'unlimited' ? Number.POSITIVE_INFINITY : Number(text)
}

export async function limitFindings(): Promise<Finding[]> {
  const path = '/proc/self/limits'
  if (!existsSync(path)) return [skipped('limits', 'this system has no /proc/self/limits')]
  const limits = await readFile(path, 'utf8')
  const files = limitOf(limits, 'Max open files') ?? 0
  const processes = limitOf(limits, 'Max processes') ?? 0
  const findings: Finding[] = []
  const advice = 'Raise it: LimitNOFILE in systemd, ulimits in Compose, or "ulimit -n" in a shell.'
  if (files < MIN_FILES)
    findings.push(problem('limits', `${files} open files are allowed; ${MIN_FILES} are needed`, advice))
  else if (files < GOOD_FILES)
    findings.push(
      warning('limits', `${files} open files are allowed, and each connection of a sensor needs one`, advice),
    )
  if (processes < MIN_PROCESSES)
    findings.push(
      problem(
        'limits',
        `${processes} processes and threads are allowed; ${MIN_PROCESSES} are needed`,
        'Raise it: TasksMax in systemd, pids_limit in Compose, or "ulimit -u" in a shell.',
      ),
    )
  return findings.length > 0 ? findings : [ok('limits', `open files: ${files}, processes: ${processes}`)]
}

/** Memory of the machine or the container. */
async function memoryMb(): Promise<number> {
  const total = totalmem() / MIB
  for (const path of CGROUP) {
    if (!existsSync(path)) continue
    const limit = Number((await readFile(path, 'utf8')).trim())
    // "max" is not a number
    if (limit > 0) return Math.floor(Math.min(total, limit / MIB))
  }
  return Math.floor(total)
}

export async function memoryFindings(config: Config): Promise<Finding[]> {
  const available = await memoryMb()
  // a process of each kind is reserved for short calls
  const workers = 2 * (config.toolWorkers + 1)
  const [worker, claims] = [
    config.workerMemoryBytes / MIB,
    config.redisUrl === undefined ? config.claimsBytes / MIB : 0,
  ]
  const clickhouse = config.clickhouseUrl === undefined ? config.clickhouseMemoryBytes / MIB : 0
  const always = config.instances * SERVER_MB + claims + clickhouse
  const most = always + config.instances * workers * worker
  const sums = `server and caches ${config.instances * SERVER_MB + claims} MB${clickhouse > 0 ? `, ClickHouse ${clickhouse} MB` : ''}, ${config.instances * workers} worker processes of ${worker} MB`
  if (available < always + worker)
    return [
      problem(
        'memory',
        `${available} MB; needed are at least ${always + worker} MB (${sums})`,
        'Add memory, or lower CLICKHOUSE_MEMORY_MB, CLAIMS_MEMORY_MB and WORKER_MEMORY_MB.',
      ),
    ]
  if (available < most)
    return [
      warning(
        'memory',
        `${available} MB; at most ${most} MB can be used (${sums})`,
        'Lower TOOL_WORKERS or WORKER_MEMORY_MB if large runs of tools come at the same time.',
      ),
    ]
  return [ok('memory', `${available} MB; at most ${most} MB can be used (${sums})`)]
}

export async function sandboxFindings(asked: Config['workerIsolation']): Promise<Finding[]> {
  const home = await mkdtemp(join(tmpdir(), 'groundwave-doctor-'))
  try {
    const folders = { home: join(home, 'sandbox'), scratch: join(home, 'scratch') }
    const { isolation, reason } = await openSandbox(folders, asked)
    if (isolation === 'limits')
      return [
        warning('sandbox', 'WORKER_ISOLATION=limits: worker processes can read what this account can read', ADVICE),
      ]
    const found =
      isolation === 'namespaces'
        ? 'worker processes run in their own namespaces'
        : `worker processes are isolated by Landlock${reason === undefined ? '' : ` alone (${reason})`}`
    return [ok('sandbox', found)]
  } catch (error) {
    if (error instanceof IsolationError)
      return [problem('sandbox', error.message, 'Follow the message; the server does not start without a sandbox.')]
    return [
      problem('sandbox', `it cannot be tried in ${home}: ${causeOf(error)}`, 'Make the temporary folder writable.'),
    ]
  } finally {
    await rm(home, { recursive: true, force: true })
  }
}

/** @param threads the value of UV_THREADPOOL_SIZE */
export async function installationFindings(threads: string | undefined): Promise<Finding[]> {
  const findings: Finding[] = []
  const { dependencies } = (await Bun.file(join(ROOT, 'package.json')).json()) as {
    dependencies: Record<string, string>
  }
  if (dependencies.bun !== Bun.version)
    findings.push(
      warning(
        'installation',
        `this is Bun ${Bun.version}; the project is tested with ${dependencies.bun}`,
        'Run "npm run setup", and start with node_modules/.bin/bun.',
      ),
    )
  const node = join(ROOT, `node_modules/node-${process.platform}-${process.arch}/bin/node`)
  if (!existsSync(node))
    findings.push(problem('installation', `there is no Node for GDAL in ${node}`, 'Run "npm run setup".'))
  else {
    const child = Bun.spawn([node, '-p', 'require("gdal-async").version'], {
      cwd: ROOT,
      stdout: 'pipe',
      stderr: 'pipe',
    })
    const [version, errors] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
    if ((await child.exited) === 0) findings.push(ok('GDAL', `version ${version.trim()}`))
    else {
      const line = errors.split('\n').find((text) => text.startsWith('Error:')) ?? errors.trim().split('\n')[0]
      findings.push(
        problem('GDAL', `its binding does not load: ${line}`, 'Run "npm run setup"; tools with GDAL answer 503.'),
      )
    }
  }
  if (!existsSync(join(ROOT, 'dist/portal/portal.json')))
    findings.push(warning('portal', 'it is not built', 'Run "bun run portal:build".'))
  if (Number(threads ?? 0) < MIN_THREADS)
    findings.push(
      warning(
        'threads',
        `UV_THREADPOOL_SIZE is ${threads ?? 'not set'}, so slow files delay the log of readings`,
        'Set UV_THREADPOOL_SIZE=16 where the server starts; "npm start" does.',
      ),
    )
  return findings
}
