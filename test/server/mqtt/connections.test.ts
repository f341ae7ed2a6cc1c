/** Connections that have not signed in, and rights that end while their client signs in. */
import { expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { AppError } from '../../../src/errors.ts'
import { createChanges } from '../../../src/stores/changes.ts'
import { listenMqtt, type MqttOptions } from '../../../src/surfaces/mqtt/listener.ts'
import type { MqttSender } from '../../../src/surfaces/mqtt/senders.ts'
import { connectMqtt } from '../../support/mqtt/client.ts'
import { makeCertificates } from '../../support/stores/certificates.ts'
import { until } from '../../support/until.ts'

const changes = createChanges()
const optionsFor = (signIn: () => Promise<MqttSender>): MqttOptions => ({
  host: '127.0.0.1',
  port: 0,
  reusePort: false,
  tls: undefined,
  maxMessageBytes: 1_000,
  messagesPerMinute: 1_000,
  connectionsPerAddress: 3,
  signIn,
  ingest: { accept: () => Promise.reject(new Error('no reading is expected')) },
  changes,
  observer: { message: () => undefined, closed: () => undefined, onError: () => undefined },
})

test('a key that is revoked while its client signs in opens no connection', async () => {
  let isRevoked = false
  const listener = await listenMqtt(
    optionsFor(async () => {
      // the key was read before, and the answer comes after the change
      isRevoked = true
      await changes.publish({ kind: 'fleet-key', id: 'fky_1', ownerId: 'ent_1' })
      return {
        id: 'fky_1',
        enterpriseId: 'ent_1',
        async recheck() {
          if (isRevoked) throw new AppError('SENSOR_KEY_INVALID')
        },
        targetOf: () => Promise.resolve(undefined),
      }
    }),
  )
  try {
    const code = await connectMqtt(listener.port, { id: 'any', key: 'svcfl_' }).then(
      (client) => client.endAsync(true).then(() => 0),
      (error: { code: unknown }) => error.code,
    )
    expect(code).toBe(4)
    await until(() => listener.connections() === 0, 'the end of the connection')
  } finally {
    await listener.stop()
  }
})

for (const transport of ['TCP', 'TLS'])
  test(`silent connections by ${transport} count for their address, and are closed`, async () => {
    const dir = mkdtempSync(join(tmpdir(), 'groundwave-mqtt-silent-'))
    const { good } = makeCertificates(dir)
    const [cert, key] = await Promise.all([Bun.file(good.cert).text(), Bun.file(good.key).text()])
    const listener = await listenMqtt({
      ...optionsFor(() => Promise.reject(new AppError('SENSOR_KEY_INVALID'))),
      tls: transport === 'TLS' ? { cert, key } : undefined,
    })
    const sockets: Socket[] = []
    const closed = (): number => sockets.filter((socket) => socket.closed).length
    function openSocket(): void {
      const socket = connect(listener.port, '127.0.0.1')
      socket.on('error', () => undefined).resume()
      sockets.push(socket)
    }
    try {
      for (let i = 0; i < 10; i++) openSocket()
      await until(() => closed() === 7, 'closing the connections above the limit')
      // ten seconds to sign in
      await until(() => closed() === 10, 'closing the silent connections', 20_000)
      openSocket()
      await Bun.sleep(200)
      expect(closed()).toBe(10)
      const begunMs = performance.now()
      await listener.stop()
      expect(performance.now() - begunMs).toBeLessThan(5_000)
    } finally {
      for (const socket of sockets) socket.destroy()
      rmSync(dir, { recursive: true })
    }
  }, 60_000)
