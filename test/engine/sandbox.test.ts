/** What a program in the sandbox of worker processes can reach. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openSandbox, type Sandbox } from '../../src/engine/sandbox.ts'
import { NODE } from '../support/engine.ts'
import { createInstance } from '../support/instance.ts'
import { childrenOf, familyOf } from '../support/processes.ts'
import { spawnInUserNamespace } from '../support/user-namespace.ts'

/** Tries everything, and prints what succeeded. */
const INTRUDER = `
import { spawn } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { dirname, join } from 'node:path'
const [token, socket, port, own, other, bound, shown, pid] = process.argv.slice(2)
const can = (work) => { try { work(); return true } catch { return false } }
const connects = (to) => new Promise((resolve) => {
  const connection = connect(to, () => resolve(true))
  connection.on('error', () => resolve(false))
})
const forks = async () => {
  let count = 0
  for (; count < 20000; count++) {
    const child = spawn('/bin/sleep', ['100'], { stdio: 'ignore' })
    const started = await new Promise((resolve) => { child.on('spawn', () => resolve(true)); child.on('error', () => resolve(false)) })
    if (!started) break
  }
  return count
}
const found = {
  token: can(() => readFileSync(token)),
  passwd: can(() => readFileSync('/etc/passwd')),
  environment: can(() => readFileSync('/proc/' + pid + '/environ')),
  signal: can(() => process.kill(Number(pid), 0)),
  socket: await connects({ path: socket }),
  port: await connects({ host: '127.0.0.1', port: Number(port) }),
  writes: [dirname(token), '/tmp', '/usr', '/dev/shm', '/', process.env.PACKAGE, bound, dirname(other)].filter((folder) =>
    can(() => writeFileSync(join(folder, 'intruder-' + pid + process.version), ''))),
  runs: readdirSync(dirname(own)),
  overwrites: can(() => writeFileSync(join(own, 'input'), 'changed')),
  bound: can(() => readFileSync(join(bound, 'layer'))),
  shown: can(() => readFileSync(join(shown, 'segment'))),
  own: can(() => writeFileSync(join(own, 'result'), 'done')),
  rights: readFileSync('/proc/self/status', 'utf8').match(/CapEff:\\s*(\\w+)/)[1],
  core: readFileSync('/proc/self/limits', 'utf8').match(/Max core file size\\s+(\\w+)/)[1],
}
found.forks = await forks()
process.stdout.write(JSON.stringify(found))
process.exit(0)
`

let home: string
let sandbox: Sandbox
let server: Server
let socketServer: Server
let port: number
const runFolder = (name: string): string => join(home, 'data/scratch', name)

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'groundwave-sandbox-'))
  for (const name of ['data/scratch', 'data/layers', 'data/log']) mkdirSync(join(home, name), { recursive: true })
  chmodSync(join(home, 'data'), 0o700)
  writeFileSync(join(home, 'data/operator.token'), 'secret', { mode: 0o600 })
  writeFileSync(join(home, 'data/layers/layer'), 'features', { mode: 0o644 })
  writeFileSync(join(home, 'data/log/segment'), 'readings', { mode: 0o644 })
  sandbox = await openSandbox(
    {
      home: join(home, 'data/run/sandbox'),
      scratch: join(home, 'data/scratch'),
      readable: [join(home, 'data/layers')],
    },
    [join(home, 'data/log')],
  )
  for (const name of ['Bun', 'Node', 'log', 'other']) {
    mkdirSync(runFolder(name), { mode: 0o700 })
    writeFileSync(join(runFolder(name), 'input'), 'sent', { mode: 0o600 })
    writeFileSync(join(runFolder(name), 'intruder.mjs'), INTRUDER, { mode: 0o600 })
  }
  server = createServer().listen(0, '127.0.0.1')
  socketServer = createServer().listen(join(home, 'data/postgres.sock'))
  await Promise.all(
    [server, socketServer].map((one) => one.listening || new Promise((done) => one.once('listening', done))),
  )
  port = (server.address() as { port: number }).port
})
afterAll(() => {
  server.close()
  socketServer.close()
  rmSync(home, { recursive: true, force: true })
})

async function intrude(name: string, program: string, seesLog: boolean) {
  const command = [
    ...[program, join(runFolder(name), 'intruder.mjs'), join(home, 'data/operator.token')],
    ...[join(home, 'data/postgres.sock'), String(port), runFolder(name), join(runFolder('other'), name)],
    ...[join(home, 'data/layers'), join(home, 'data/log'), String(process.pid)],
  ]
  const { command: confined, runFolders } = sandbox.wrap(command, seesLog)
  await runFolders?.enter(runFolder(name), false)
  const child = Bun.spawn(confined, { env: { PACKAGE: join(import.meta.dir, '../../src') }, stderr: 'inherit' })
  const found = JSON.parse(await new Response(child.stdout).text())
  await runFolders?.leave(runFolder(name), false, true)
  await runFolders?.remove()
  return found
}

const isRoot = process.geteuid?.() === 0

test('this system allows the whole sandbox', () => {
  expect([sandbox.isolation, sandbox.reason]).toEqual(['namespaces', undefined])
})

describe.each([
  ['Bun', process.execPath],
  ['Node', NODE],
])('%s', (name, program) => {
  test('reaches only the folders of the runs it works on and of bound layers, and nothing else', async () => {
    const { forks, ...found } = await intrude(name, program, false)
    expect(found).toEqual({
      ...{ token: false, passwd: false, environment: false, signal: false, socket: false, port: false },
      writes: [],
      runs: [name],
      overwrites: !isRoot,
      ...{ bound: true, shown: false, own: true, rights: '0000000000000000', core: '0' },
    })
    expect(forks).toBeGreaterThan(10)
    expect(forks).toBeLessThan(2_000)
    // the process ends all others of its namespace
    expect(childrenOf(process.pid).some((pid) => existsSync(`/proc/${pid}/exe`) && isSleep(pid))).toBe(false)
    expect(readFileSync(join(runFolder(name), 'result'), 'utf8')).toBe('done')
  }, 60_000)
})

test('the process for readings sees their log as well', async () => {
  const found = await intrude('log', NODE, true)
  expect(found).toMatchObject({ token: false, socket: false, port: false, shown: true, rights: '0000000000000000' })
}, 60_000)

const isSleep = (pid: number): boolean => readFileSync(`/proc/${pid}/cmdline`, 'utf8').startsWith('/bin/sleep')

test.each([
  ['root has no other account', [], ['namespaces']],
  ['root has no capability', ['setpriv', '--bounding-set=-all', '--inh-caps=-all'], ['limits', 'none']],
])('where %s, processes start with what is left', async (_case, before, expected) => {
  const script = join(import.meta.dir, '../../src/engine/sandbox.ts')
  const dir = mkdtempSync(join(home, 'less-'))
  const code = `const { openSandbox } = await import('${script}')
const { wrap, ...rest } = await openSandbox({ home: '${dir}/home', scratch: '${dir}/scratch', readable: [] })
const child = Bun.spawn(wrap(['/usr/bin/env']).command, { env: {}, stdout: 'ignore' })
console.log(JSON.stringify({ ...rest, exit: await child.exited }))`
  const child = spawnInUserNamespace('0 0 1', [...before, process.execPath, '-e', code], process.env, dir)
  let output = ''
  child.stdout?.on('data', (chunk) => {
    output += chunk
  })
  await new Promise((resolve) => child.on('close', resolve))
  const { isolation, reason, exit } = JSON.parse(output.slice(output.indexOf('{')))
  expect(expected).toContain(isolation)
  expect(exit).toBe(0)
  if (isolation !== 'namespaces') expect(reason).toContain('failed')
})

/** Starts two processes, each with a run, beside a third run, and prints what the first one sees. */
const TWO_PROCESSES = `
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
const [, script, dir] = process.argv
// as the server does at its start
process.umask(0o077)
const { openSandbox } = await import(script)
const scratch = dir + '/scratch'
const sandbox = await openSandbox({ home: dir + '/home', scratch, readable: [] })
const run = (name) => scratch + '/' + name
for (const name of ['first', 'second', 'third']) {
  mkdirSync(run(name))
  writeFileSync(run(name) + '/input', name)
}
const look = 'ls ' + scratch + '; cat ' + scratch + '/*/input; cat ' + run('second') + '/input ' + run('third') + '/input; echo done > ' + run('first') + '/result; chmod 777 ' + scratch + ' ..'
const [one, two] = [sandbox.wrap(['/bin/sh', '-c', look]), sandbox.wrap(['/bin/true'])]
await one.runFolders?.enter(run('first'), false)
await two.runFolders?.enter(run('second'), false)
// outside, the folder of a run stays where it is
const outside = readFileSync(run('first') + '/input', 'utf8')
const child = Bun.spawn(one.command, { env: {}, stderr: 'ignore' })
const seen = await new Response(child.stdout).text()
const helper = sandbox.wrap(['/bin/sh', '-c', 'ls ' + scratch + ' ' + run('first') + '; rm ' + run('first') + '/input'])
await helper.runFolders?.enter(run('first'), true)
const shared = await new Response(Bun.spawn(helper.command, { env: {}, stderr: 'ignore' }).stdout).text()
await helper.runFolders?.leave(run('first'), true)
for (const [{ runFolders }, name] of [[one, 'first'], [two, 'second']]) await runFolders?.leave(run(name), false)
for (const { runFolders } of [one, two, helper]) await runFolders?.remove()
const left = Object.fromEntries(['first', 'second', 'third'].map((name) => [name, readdirSync(run(name)).sort()]))
console.log(JSON.stringify({ uid: process.geteuid(), isolation: sandbox.isolation, outside, seen, shared, left, processes: readdirSync(scratch + '/processes') }))
`

test.each([
  ['another account', ['unshare', '--user', '--map-user=1000', '--map-group=1000', '--'], 1000],
  ...(isRoot ? ([['root', [], 0]] as [string, string[], number][]) : []),
])(
  'with %s a process sees only the runs that it works on',
  async (_, before, uid) => {
    const script = join(import.meta.dir, '../../src/engine/sandbox.ts')
    const dir = mkdtempSync(join(home, 'two-'))
    chmodSync(home, 0o711)
    chmodSync(dir, 0o711)
    const child = Bun.spawn([...before, process.execPath, '-e', TWO_PROCESSES, script, dir], { stderr: 'inherit' })
    const { shared, ...found } = JSON.parse(await new Response(child.stdout).text())
    expect(found).toEqual({
      ...{ uid, isolation: 'namespaces', outside: 'first', seen: 'first\nfirst', processes: [] },
      left: { first: ['input', 'result'], second: ['input'], third: ['input'] },
    })
    expect(shared).toContain('input')
    expect(shared).not.toContain('second')
  },
  60_000,
)

test('outside the sandbox the same program reaches everything', async () => {
  const command = [
    ...[
      NODE,
      '-e',
      "require('fs').readFileSync(process.argv[1]); require('net').connect(process.argv[2]).on('connect', () => process.exit(7))",
    ],
    ...[join(home, 'data/operator.token'), join(home, 'data/postgres.sock')],
  ]
  expect(await Bun.spawn(command, { stderr: 'ignore' }).exited).toBe(7)
})

test('a server shows the isolation of its worker processes, which have another account and no rights', async () => {
  const instance = await createInstance()
  try {
    const ask = (): Promise<Response> => fetch(`${instance.url()}/health/ready`)
    let ready = await ask()
    for (; !ready.ok; ready = await ask()) await Bun.sleep(50)
    const { data } = (await ready.json()) as { data: { parts: { workers: { detail: { isolation: string } } } } }
    expect(data.parts.workers.detail.isolation).toBe('namespaces')
    const workersNow = (): number[] =>
      familyOf(instance.pid()).filter((pid) => {
        const [program = '', ...args] = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')
        return /\/(bun|node|bun\.exe)$/.test(program) && args.some((arg) => arg.endsWith('engine/worker.ts'))
      })
    const own = await instance.organization()
    const bodies = {
      'distance-bearing': {
        points: [
          { lon: 0, lat: 0 },
          { lon: 1, lat: 0 },
        ],
      },
      reproject: { source_crs: 'EPSG:4326', target_crs: 'EPSG:3857', points: [{ x: 1, y: 1 }] },
    }
    // a tool of each lane, because processes start when they are needed
    for (const [path, body] of Object.entries(bodies)) {
      const response = await fetch(`${instance.url()}/enterprise/v1/gis/${path}`, {
        method: 'POST',
        headers: { 'x-api-key': own.publicKey, 'x-api-secret': own.secretKey, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
      expect(response.status).toBe(200)
    }
    const workers = workersNow()
    expect(workers).toHaveLength(2)
    for (const pid of workers) {
      const status = readFileSync(`/proc/${pid}/status`, 'utf8')
      expect(status).toMatch(/CapEff:\s*0{16}\n/)
      expect(status).toMatch(/NoNewPrivs:\s*1\n/)
      if (isRoot) expect(status).not.toMatch(/^Uid:.*\b0\b/m)
      expect(readFileSync(`/proc/${pid}/net/dev`, 'utf8').match(/:/g)).toHaveLength(1)
    }
  } finally {
    await instance.remove()
  }
}, 60_000)
