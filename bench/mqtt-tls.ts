/**
 * Memory of the server for each idle MQTT connection with TLS, beside that of connections without: fresh servers, the
 * first 200 connections do not count. `bun run bench mqtt-tls [connections]`.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect as connectTls } from 'node:tls'
import { signInPacket } from '../test/support/mqtt/client.ts'
import { residentMb } from '../test/support/processes.ts'
import { createInstance, type MadeSensor } from '../test/support/server/instance.ts'
import { makeCertificates } from '../test/support/stores/certificates.ts'
import { freePort } from '../test/support/stores/postgres.ts'
import { load, say } from './support/tool-harness.ts'

const CONNECTIONS = Number(process.argv[2] ?? 2_000)
const FIRST = 200
const AT_ONCE = 20
const SETTLE_MS = 8_000
const KEEP_ALIVE_S = 3_600

const dir = mkdtempSync(join(tmpdir(), 'groundwave-bench-'))
const { cert, key } = makeCertificates(dir).good

type Connection = { destroy(): void }

/** Resolves once the server has answered the sign-in. */
function signedIn(port: number, isTls: boolean, sensor: MadeSensor): Promise<Connection> {
  return new Promise((resolve, reject) => {
    const begin = (): void => void socket.write(signInPacket(sensor, KEEP_ALIVE_S))
    // the certificate is of an authority that nobody knows
    const socket: import('node:net').Socket = isTls
      ? connectTls({ host: '127.0.0.1', port, rejectUnauthorized: false }, begin)
      : connect(port, '127.0.0.1', begin)
    socket.once('data', () => resolve(socket))
    socket.once('error', reject)
  })
}

async function measure(isTls: boolean): Promise<string> {
  const port = await freePort()
  const instance = await createInstance({
    MQTT_PORT: String(port),
    MQTT_CONNECTIONS_PER_ADDRESS: '1000000',
    SENSOR_CALLS_PER_MINUTE: '1000000000',
    ...(isTls && { MQTT_TLS_CERT: cert, MQTT_TLS_KEY: key }),
  })
  const open: Connection[] = []
  async function openMore(count: number): Promise<number> {
    for (let left = count; left > 0; left -= AT_ONCE)
      open.push(
        ...(await Promise.all(Array.from({ length: Math.min(left, AT_ONCE) }, () => signedIn(port, isTls, sensor)))),
      )
    await Bun.sleep(SETTLE_MS)
    return residentMb(instance.pid())
  }
  const sensor = await instance.sensor((await instance.organization('scale')).id, [
    { name: 'a', measurement: 'number' },
  ])
  try {
    const before = await openMore(FIRST)
    const after = await openMore(CONNECTIONS)
    const kib = ((after - before) * 1_024) / CONNECTIONS
    return `| ${isTls ? 'TLS' : 'no TLS'} | ${before.toFixed(0)} MB | ${after.toFixed(0)} MB | ${kib.toFixed(1)} KiB |`
  } finally {
    for (const connection of open) connection.destroy()
    await instance.remove()
  }
}

try {
  say(`${CONNECTIONS} idle connections, load ${load()}\n`)
  say('| | before | after | each |')
  say('| --- | -: | -: | -: |')
  for (const isTls of [false, true]) say(await measure(isTls))
} finally {
  rmSync(dir, { recursive: true, force: true })
}
process.exit(0)
