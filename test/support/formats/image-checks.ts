/** Runs the last stage of the Dockerfile as a container engine would, and checks its functions. */

import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { $ } from 'bun'
import type { Mounts } from '../workers/mounts.ts'

export type BuiltImage = {
  root: string
  env: Record<string, string>
  /** `uid:gid` */
  user: string
  workdir: string
  command: string[]
  healthCheck: string[]
  mounts: Mounts
  say(text: string): void
}

const START_MS = 180_000
const POLL_MS = 250

function check(isTrue: boolean, what: string): void {
  if (!isTrue) throw new Error(`not as it should be: ${what}`)
}

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  await new Promise((resolve) => server.close(resolve))
  return port
}

type Ports = { main: number; admin: number }
const freePorts = async (): Promise<Ports> => ({ main: await freePort(), admin: await freePort() })

/**
 * A program in the image: with its own mounts and processes, a read-only root, /tmp in memory, /data as a volume, the
 * account of the image and no capabilities.
 */
function inImage({ root, env, user, workdir }: BuiltImage, ports: Ports, command: readonly string[]): string[] {
  const [uid, gid] = user.split(':')
  const enter = [
    // the overlay itself stays writable for the host
    `mount --bind ${root} ${root}`,
    `mount -o remount,bind,ro ${root}`,
    `mount --bind ${root}-data ${root}/data`,
    `mount -t tmpfs -o size=64m,mode=1777 tmpfs ${root}/tmp`,
    `mount -t proc proc ${root}/proc`,
    `mount -t tmpfs -o size=1m,mode=755 tmpfs ${root}/dev`,
    ...['null', 'zero', 'random', 'urandom', 'tty'].map(
      (name) => `touch ${root}/dev/${name} && mount --bind /dev/${name} ${root}/dev/${name}`,
    ),
    `exec /usr/sbin/chroot ${root} /usr/bin/setpriv --reuid=${uid} --regid=${gid} --clear-groups --bounding-set=-all --inh-caps=-all --no-new-privs -- /bin/sh -c 'cd "$0" && exec "$@"' "$0" "$@"`,
  ].join(' && ')
  const variables = Object.entries({
    ...env,
    HOST: '127.0.0.1',
    PORT: String(ports.main),
    HOME: '/data',
    ADMIN_HOST: '127.0.0.1',
    ADMIN_PORT: String(ports.admin),
  })
  return [
    'unshare',
    '--mount',
    '--pid',
    '--fork',
    '--kill-child',
    '--',
    'env',
    '-i',
    ...variables.map(([name, value]) => `${name}=${value}`),
    '/bin/sh',
    '-c',
    enter,
    workdir,
    ...command,
  ]
}

async function untilReady(url: string, child: Bun.Subprocess, log: string): Promise<void> {
  for (const startMs = performance.now(); ; await Bun.sleep(POLL_MS)) {
    const answer = await fetch(`${url}/health/ready`).catch(() => undefined)
    if (answer?.status === 200) return
    if (child.exitCode !== null || performance.now() - startMs > START_MS)
      throw new Error(`the server is not ready:\n${readFileSync(log, 'utf8').slice(-4_000)}`)
  }
}

type Envelope = { ok: boolean; code: string; message: string; data: Record<string, unknown> }

export async function checkImage(image: BuiltImage): Promise<void> {
  const { root, say } = image
  const [uid, gid] = image.user.split(':').map(Number) as [number, number]
  check(uid > 0 && gid > 0, 'the image has an account other than root')
  const data = `${root}-data`
  rmSync(data, { recursive: true, force: true })
  mkdirSync(data, { recursive: true })
  await $`chown ${uid}:${gid} ${data} && chmod 0700 ${data}`
  await reportSize(image)
  const ports = await freePorts()
  const [url, adminUrl] = [ports.main, ports.admin].map((port) => `http://127.0.0.1:${port}`) as [string, string]
  const log = `${root}-log`
  writeFileSync(log, '')
  const started = performance.now()
  const child = Bun.spawn(inImage(image, ports, image.command), {
    stdio: ['ignore', Bun.file(log), Bun.file(log)],
    detached: true,
  })
  try {
    await untilReady(url, child, log)
    say(`ready after ${Math.round(performance.now() - started)} ms`)
    await checkService(url, adminUrl, join(data, 'operator.token'), say)
    await checkProcesses(child.pid, uid)
    await checkHealth(image, ports)
    check(!existsSync(join(root, 'data/operator.token')), 'data is in the volume, not in the image')
    say('stopping')
    // tini is the first process in the container, which `docker stop` signals
    process.kill(innermost(child.pid), 'SIGTERM')
    await child.exited
    check(
      /"stopped"/.test(readFileSync(log, 'utf8')),
      `the server stops on SIGTERM:\n${readFileSync(log, 'utf8').slice(-2_000)}`,
    )
  } finally {
    if (child.exitCode === null) process.kill(-child.pid, 'SIGKILL')
  }
}

async function reportSize({ root, say }: BuiltImage): Promise<void> {
  const size = async (path: string): Promise<number> =>
    Number((await $`du -sxm ${join(root, path)}`.text()).split('\t')[0])
  const parts = ['groundwave/node_modules', 'groundwave/src', 'groundwave/dist', 'usr']
  const sizes = await Promise.all(parts.map(async (part) => `${part} ${await size(part)} MB`))
  say(`size ${await size('')} MB: ${sizes.join(', ')}`)
  say(`largest packages:\n${await $`du -sm ${root}/groundwave/node_modules/* | sort -rn | head -12`.text()}`)
  const { devDependencies } = JSON.parse(readFileSync(join(root, 'groundwave/package.json'), 'utf8')) as {
    devDependencies: Record<string, string>
  }
  // packages that a dependency needs as well stay
  const dev = ['@biomejs/biome', 'typescript', 'playwright-core', 'axe-core', 's3rver', 'vega-datasets']
  const found = dev.filter((name) => name in devDependencies && existsSync(join(root, 'groundwave/node_modules', name)))
  check(found.length === 0, `no dev dependencies: ${found.join(', ')}`)
}

async function checkService(
  url: string,
  adminUrl: string,
  tokenFile: string,
  say: (text: string) => void,
): Promise<void> {
  const token = readFileSync(tokenFile, 'utf8').trim()
  const post = async <T>(path: string, headers: Record<string, string>, body: object): Promise<T> => {
    const response = await fetch((path.startsWith('/manage/') ? adminUrl : url) + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    })
    const envelope = (await response.json()) as Envelope
    check(response.ok, `POST ${path} answers ${response.status} ${envelope.code} ${envelope.message}`)
    return envelope.data as T
  }
  const operator = { authorization: `Bearer ${token}` }
  const { id } = await post<{ id: string }>('/manage/v1/enterprises', operator, { name: 'Image', tier: 'business' })
  const pair = await post<{ publicKey: string; secretKey: string }>(
    `/manage/v1/enterprises/${id}/applications`,
    operator,
    { name: 'Image', tools: 'all' },
  )
  const sensor = await post<{ id: string; key: string }>(`/manage/v1/enterprises/${id}/sensors`, operator, {
    assetName: 'Asset',
    channels: [{ name: 'level', measurement: 'number' }],
  })
  const timestamp = new Date().toISOString()
  const outcome = await post<{ accepted: unknown[] }>(
    `/sensors/${sensor.id}/readings`,
    { authorization: `Bearer ${sensor.key}` },
    { readings: [{ at: timestamp, values: { level: 2.5 } }] },
  )
  check(outcome.accepted.length === 1, `one reading is accepted: ${JSON.stringify(outcome)}`)
  say('a reading was accepted')
  const keys = { 'x-api-key': pair.publicKey, 'x-api-secret': pair.secretKey }
  await checkGdal(url, keys)
  say('GDAL converted a layer')
  const metrics = await Promise.all([url, adminUrl].map(async (at) => (await fetch(`${at}/metrics`)).status))
  check(metrics.join() === '404,200', `/metrics is on the operator's port only: ${metrics}`)
  const portal = await fetch(`${url}/portal`)
  check(portal.ok && (await portal.text()).includes('<script'), 'the portal is built')
  const ready = (await (await fetch(`${url}/health/ready`)).json()) as Envelope
  const { workers } = ready.data.parts as { workers: { detail: { isolation: string } } }
  say(`worker processes are isolated by ${workers.detail.isolation}`)
}

/** A GeoPackage can only be written by GDAL. */
async function checkGdal(url: string, keys: Record<string, string>): Promise<void> {
  const feature = { type: 'Feature', properties: { a: 1 }, geometry: { type: 'Point', coordinates: [13.4, 52.5] } }
  const form = new FormData()
  const layer = JSON.stringify({ type: 'FeatureCollection', features: [feature] })
  form.set('file', new File([layer], 'points.geojson', { type: 'application/geo+json' }))
  form.set('target_format', 'gpkg')
  const response = await fetch(`${url}/enterprise/v1/gis/validate-convert`, {
    method: 'POST',
    headers: keys,
    body: form,
  })
  const text = await response.text()
  check(response.ok, `the conversion answers ${response.status} ${text.slice(0, 500)}`)
}

/** Every process of the container has the account of the image. */
async function checkProcesses(pid: number, uid: number): Promise<void> {
  const inner = innermost(pid)
  const status = readFileSync(`/proc/${inner}/status`, 'utf8')
  check(new RegExp(`^Uid:\\s+${uid}\\s+${uid}`, 'm').test(status), `the entry point runs as ${uid}:\n${status}`)
  check(/^CapEff:\s+0+$/m.test(status), 'the entry point has no capabilities')
  const wrote = await $`nsenter --target ${inner} --mount --root -- /bin/sh -c ${'touch /groundwave/x || echo refused'}`
    .quiet()
    .nothrow()
  check(wrote.stdout.toString().includes('refused'), 'even root cannot write to the root file system')
}

/** The first process in the container. */
function innermost(pid: number): number {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean)
  if (children.length !== 1) throw new Error(`${pid} has the children ${children.join(', ')}`)
  return Number(children[0])
}

async function checkHealth(image: BuiltImage, ports: Ports): Promise<void> {
  const { say, healthCheck } = image
  const run = async (at: Ports): Promise<number> => {
    const child = Bun.spawn(inImage(image, at, healthCheck), { stdio: ['ignore', 'inherit', 'pipe'] })
    return child.exited
  }
  check((await run(ports)) === 0, 'the health check succeeds while the server runs')
  check((await run(await freePorts())) === 1, 'the health check fails where nothing listens')
  say('the health check works')
}
