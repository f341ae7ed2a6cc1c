/** Abilities of code in the place of a worker process, and a server's report about its isolation. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openSandbox } from '../../../src/engine/sandbox.ts'
import { familyOf } from '../../support/processes.ts'
import { createInstance } from '../../support/server/instance.ts'
import { spawnInUserNamespace } from '../../support/workers/user-namespace.ts'

const SUPPORT = join(import.meta.dir, '../../support')
const isRoot = process.geteuid?.() === 0
const ORDINARY = ['unshare', '--user', '--map-user=1000', '--map-group=1000', '--']
/** Stands for Docker, which allows only Landlock and seccomp. */
const WITHOUT_NAMESPACES = [process.execPath, join(SUPPORT, 'workers/without-namespaces.ts')]

let home: string
beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), 'groundwave-sandbox-'))
  chmodSync(home, 0o711)
})
afterAll(() => rmSync(home, { recursive: true, force: true }))

type Intrusion = {
  isolation: string
  exit: number
  succeeded: string[]
  failed: string[]
  kept: { stored: string; input: string; victim: boolean }
}

async function intrude(before: readonly string[], asked: string): Promise<Intrusion> {
  const dir = join(mkdtempSync(join(home, 'data-')), 'data')
  mkdirSync(dir)
  const command = [...before, process.execPath, join(SUPPORT, 'server/intruded-server.ts'), dir, asked]
  // without a sandbox, copies of the process are made, which crash
  const child = Bun.spawn(command, { stderr: asked === 'none' ? 'ignore' : 'inherit' })
  return JSON.parse(await new Response(child.stdout).text()) as Intrusion
}

describe('code in the place of a worker process', () => {
  test.each([
    ...(isRoot
      ? [
          ['root', [], 'best', 'namespaces'],
          ['root, namespaces forbidden', WITHOUT_NAMESPACES, 'best', 'landlock'],
        ]
      : []),
    ['an ordinary account', ORDINARY, 'best', 'namespaces'],
    ['an ordinary account, namespaces forbidden', [...ORDINARY, ...WITHOUT_NAMESPACES], 'best', 'landlock'],
    ['an ordinary account, Landlock asked for', ORDINARY, 'landlock', 'landlock'],
  ] as [string, string[], string, string][])(
    'achieves nothing under %s',
    async (_, before, asked, expected) => {
      const { failed, ...found } = await intrude(before, asked)
      expect(found).toEqual({
        isolation: expected,
        exit: 0,
        succeeded: [],
        kept: { stored: 'a stored file', input: 'input-1 of own', victim: true },
      })
      expect(failed.length).toBeGreaterThan(100)
    },
    60_000,
  )

  test('nearly all attempts succeed without a sandbox, so they are real attacks', async () => {
    const before = ['--mount', '--uts', '--ipc', '--pid', '--fork', '--mount-proc', '--']
    const { succeeded } = await intrude(
      ['unshare', ...(isRoot ? [] : ['--user', '--map-root-user']), ...before],
      'none',
    )
    expect(succeeded.length).toBeGreaterThan(isRoot ? 90 : 60)
  }, 60_000)
})

test('where the system allows no isolation, the engine starts only with limits, and explains how to fix that', async () => {
  const open = (asked?: 'namespaces' | 'landlock' | 'limits') => {
    const dir = mkdtempSync(join(home, 'less-'))
    const script = join(import.meta.dir, '../../../src/engine/sandbox.ts')
    const code = `const { openSandbox } = await import('${script}')
const given = ${asked === undefined ? 'undefined' : `'${asked}'`}
const opened = await openSandbox({ home: '${dir}/home', scratch: '${dir}/scratch' }, given).catch((error) => error.message)
console.log(typeof opened === 'string' ? opened : opened.isolation)
process.exit(0)`
    const refuse = ['landlock_create_ruleset']
    return outputOf([...WITHOUT_NAMESPACES, `--refuse=${refuse}`, process.execPath, '-e', code])
  }
  const refusal = await open()
  expect(refusal).toContain('namespaces: ')
  expect(refusal).toContain('landlock: ')
  expect(refusal).toContain('WORKER_ISOLATION=limits starts without isolation')
  expect(await open('namespaces')).toContain('cannot be isolated')
  expect(await open('landlock')).toContain('this kernel has no Landlock')
  expect((await open('limits')).trim()).toBe('limits')
}, 60_000)

async function outputOf(command: readonly string[]): Promise<string> {
  return new Response(Bun.spawn([...command], { stderr: 'inherit' }).stdout).text()
}

test('a process inherits no descriptor except its channel', async () => {
  const dir = mkdtempSync(join(home, 'descriptors-'))
  for (const asked of ['namespaces', 'landlock'] as const) {
    const sandbox = await openSandbox({ home: join(dir, 'home'), scratch: join(dir, 'scratch') }, asked)
    const { command, folders } = sandbox.wrap(['/bin/sh', '-c', 'for f in /proc/self/fd/*; do echo $f; done'], 2 ** 30)
    const child = Bun.spawn(command, { env: {}, stdio: ['ignore', 'pipe', 'inherit', 'pipe'] })
    const lines = (await new Response(child.stdout).text()).trim().split('\n')
    // besides the standard ones the channel, the folder of the process in /proc, and one that lists them
    expect([asked, lines.length]).toEqual([asked, 6])
    await folders.remove()
  }
})

test('root without another account is isolated too', async () => {
  const script = join(import.meta.dir, '../../../src/engine/sandbox.ts')
  const dir = mkdtempSync(join(home, 'alone-'))
  const code = `const { openSandbox } = await import('${script}')
const { wrap, isolation } = await openSandbox({ home: '${dir}/home', scratch: '${dir}/scratch' })
const child = Bun.spawn(wrap(['/usr/bin/env'], 2 ** 30).command, { env: {}, stdout: 'ignore' })
console.log(JSON.stringify({ isolation, exit: await child.exited }))`
  const child = spawnInUserNamespace('0 0 1', [process.execPath, '-e', code], process.env, dir)
  let output = ''
  child.stdout?.on('data', (chunk) => {
    output += chunk
  })
  await new Promise((resolve) => child.on('close', resolve))
  expect(JSON.parse(output.slice(output.indexOf('{')))).toEqual({ isolation: 'namespaces', exit: 0 })
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
