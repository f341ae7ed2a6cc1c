/**
 * The cost of clients that ask for long answers and read nothing: 3,000 connections from 3,000 addresses of 127.0.0.0/8
 * for each of several documents, and a tenth of them for files, which need a key, beside a tenant that posts readings
 * and runs buffers. Then 16 connections with 1,500 requests each in one go that do read. Fails when the server's memory
 * grows by more than 150 MB, or a reading takes longer than 250 ms at the 99th percentile. `bun run bench unread
 * [connections]`
 */
import { connect, type Socket } from 'node:net'
import { sendUntilClosed } from './attack/send.ts'
import { startVictim } from './attack/victim.ts'
import { startWorld } from './attack/world.ts'
import { load, ms, quantile, say } from './support/tool-harness.ts'

const CONNECTIONS = Number(process.argv[2] ?? 3_000)
const HOLD_MS = 15_000
const LIMITS = { growthMb: 150, readingsP99Ms: 250 }

const world = await startWorld()
const { server, attacker } = world
const victim = startVictim(world)
const failures: string[] = []
const memoryMb = async (): Promise<number> => (await world.metric('process_resident_memory_bytes')) / 2 ** 20
/** Kernel memory of all sockets of this machine. */
const kernelMb = async (): Promise<number> =>
  (Number(/^TCP:.* mem (\d+)/m.exec(await Bun.file('/proc/net/sockstat').text())?.[1]) * 4) / 1024

/** A file of the attacker, ready to be downloaded. */
async function storedFile(bytes: number): Promise<string> {
  const owned = `/manage/v1/owners/${attacker.id}/files`
  const body = new FormData()
  body.append('file', new File(['a,b\n', '1,2\n'.repeat(bytes / 4)], 'a.csv'))
  const made = await fetch(server.url + owned, { method: 'POST', headers: world.operator, body })
  const { id } = ((await made.json()) as { data: { id: string } }).data
  const headers = { ...world.operator, 'content-type': 'application/json' }
  const clean = JSON.stringify({ scanStatus: 'clean' })
  await fetch(`${server.url}${owned}/${id}`, { method: 'PATCH', headers, body: clean })
  return `${owned}/${id}/versions/1/content`
}

/** The largest script of the portal. */
async function portalScript(): Promise<string> {
  const glob = new Bun.Glob('*.js')
  const names = [...glob.scanSync({ cwd: 'dist/portal/assets' })]
  const largest = names.toSorted(
    (a, b) => Bun.file(`dist/portal/assets/${b}`).size - Bun.file(`dist/portal/assets/${a}`).size,
  )[0]
  return `/portal/assets/${largest}`
}

async function hold(path: string, connections: number): Promise<Socket[]> {
  const headers = path.startsWith('/manage/') ? `Authorization: ${world.operator.authorization}\r\n` : ''
  const sockets: Socket[] = []
  for (let i = 0; i < connections; i++) {
    const localAddress = `127.${1 + (i >> 14)}.${(i >> 7) & 127}.${1 + (i & 127)}`
    const socket = connect({ port: server.port, host: '127.0.0.1', localAddress }, () =>
      socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n${headers}\r\n`),
    )
    // the server closes connections that take nothing
    socket.on('error', () => undefined)
    sockets.push(socket.pause())
    if (i % 50 === 0) await Bun.sleep(5)
  }
  return sockets
}

async function phase(name: string, attack: () => Promise<readonly Socket[]>): Promise<void> {
  await victim.take()
  const [before, kernelBefore] = [await memoryMb(), await kernelMb()]
  let most = before
  let kernelMost = kernelBefore
  const watching = setInterval(() => {
    void memoryMb().then((mb) => (most = Math.max(most, mb)))
    void kernelMb().then((mb) => (kernelMost = Math.max(kernelMost, mb)))
  }, 500)
  const sockets = await attack()
  if (sockets.length > 0) await Bun.sleep(HOLD_MS)
  clearInterval(watching)
  const { readings } = await victim.take()
  for (const socket of sockets) socket.destroy()
  const p99 = quantile(readings, 0.99)
  say(
    `| ${name} | ${Math.round(before)} | ${Math.round(most - before)} | ${Math.round(kernelMost - kernelBefore)} | ${ms(quantile(readings, 0.5))} / ${ms(p99)} | ${readings.length} |`,
  )
  if (most - before > LIMITS.growthMb) failures.push(`${name}: memory grew by ${Math.round(most - before)} MB`)
  if (readings.length === 0 || p99 > LIMITS.readingsP99Ms) failures.push(`${name}: readings p99 ${ms(p99)} ms`)
  await Bun.sleep(2_000)
}

say(`${CONNECTIONS} connections, load before ${load()}\n`)
say('| answer | MB before | + MB | kernel + MB | readings p50 / p99 ms | readings |')
say('| ------ | -: | -: | -: | -: | -: |')
// memory that is allocated at first use
for (const path of ['/openapi.json', '/portal']) await (await fetch(server.url + path)).arrayBuffer()
await phase('nothing', async () => {
  await Bun.sleep(10_000)
  return []
})
const paths = ['/openapi.json', await portalScript(), '/docs/assets/swagger-ui-bundle.js']
for (const path of paths) await phase(path, () => hold(path, CONNECTIONS))
for (const mb of [3, 12]) {
  const path = await storedFile(mb * 1_000_000)
  await phase(`a file of ${mb} MB`, () => hold(path, CONNECTIONS / 10))
}
await phase('16 × 1,500 requests that are read', async () => {
  const requests = 'GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(1_500)
  for (const endMs = performance.now() + HOLD_MS; performance.now() < endMs; )
    await Promise.all(Array.from({ length: 16 }, () => sendUntilClosed(server.port, requests)))
  return []
})
victim.stop()
await world.stop()
say(failures.length === 0 ? '\nAll limits were met.' : `\nMISSED:\n- ${failures.join('\n- ')}`)
process.exit(failures.length === 0 ? 0 : 1)
