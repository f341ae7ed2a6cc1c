/** Rights that end while their client signs in. */
import { expect, test } from 'bun:test'
import { AppError } from '../../../src/errors.ts'
import { createChanges } from '../../../src/stores/changes.ts'
import { listenMqtt } from '../../../src/surfaces/mqtt/listener.ts'
import { connectMqtt } from '../../support/mqtt/client.ts'
import { until } from '../../support/until.ts'

test('a key that is revoked while its client signs in opens no connection', async () => {
  const changes = createChanges()
  let isRevoked = false
  const listener = await listenMqtt({
    host: '127.0.0.1',
    port: 0,
    reusePort: false,
    tls: undefined,
    maxMessageBytes: 1_000,
    messagesPerMinute: 1_000,
    connectionsPerAddress: 10,
    async signIn() {
      const sender = {
        id: 'fky_1',
        enterpriseId: 'ent_1',
        async recheck() {
          if (isRevoked) throw new AppError('SENSOR_KEY_INVALID')
        },
        targetOf: () => Promise.resolve(undefined),
      }
      // its key was read before, and the answer comes after the change
      isRevoked = true
      await changes.publish({ kind: 'fleet-key', id: 'fky_1', ownerId: 'ent_1' })
      return sender
    },
    ingest: { accept: () => Promise.reject(new Error('no reading is expected')) },
    changes,
    observer: { message: () => undefined, closed: () => undefined, onError: () => undefined },
  })
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
