/** MQTT clients of the package `mqtt`, and raw connections for packets that it refuses to send. */
import { connect as connectSocket } from 'node:net'
import { connectAsync, type IClientOptions, type MqttClient } from 'mqtt'

export type Account = { id: string; key: string }

/** Rejects when the server refuses the account. */
export const connectMqtt = (port: number, { id, key }: Account, options: IClientOptions = {}): Promise<MqttClient> =>
  connectAsync({
    host: '127.0.0.1',
    port,
    username: id,
    password: key,
    reconnectPeriod: 0,
    connectTimeout: 10_000,
    ...options,
  })

/** Whether the message was acknowledged; false if the connection ended first. */
export async function isAcknowledged(client: MqttClient, topic: string, message: unknown): Promise<boolean> {
  // it would wait for a connection that nobody opens
  if (!client.connected) return false
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const closed = (): void => resolve(false)
  client.setMaxListeners(0).once('close', closed)
  client.publish(topic, typeof message === 'string' ? message : JSON.stringify(message), { qos: 1 }, (error) =>
    resolve(error === undefined || error === null),
  )
  return promise.finally(() => client.off('close', closed))
}

const text = (value: string): Buffer => {
  const bytes = Buffer.from(value)
  return Buffer.concat([Buffer.from([bytes.length >> 8, bytes.length & 255]), bytes])
}

function packet(first: number, body: Buffer): Buffer {
  const length: number[] = []
  let left = body.length
  do {
    length.push((left & 127) | (left > 127 ? 128 : 0))
    left >>= 7
  } while (left > 0)
  return Buffer.concat([Buffer.from([first, ...length]), body])
}

/** A CONNECT of MQTT 3.1.1 with a clean session. */
export const signInPacket = ({ id, key }: Account, keepAliveS = 60): Buffer =>
  packet(
    0x10,
    Buffer.concat([
      text('MQTT'),
      Buffer.from([4, 0xc2, keepAliveS >> 8, keepAliveS & 255]),
      text(''),
      text(id),
      text(key),
    ]),
  )

export const publishPacket = (topic: string, message: string, qos: 0 | 1 | 2, id = 1): Buffer =>
  packet(
    0x30 | (qos << 1),
    Buffer.concat([text(topic), Buffer.from(qos === 0 ? [] : [id >> 8, id & 255]), Buffer.from(message)]),
  )

/**
 * Sends packets, each after the first one when something came back, and returns what came back until the server closed
 * the connection, or for `waitMs`.
 */
export function sendRaw(
  port: number,
  packets: readonly Uint8Array[],
  waitMs = 5_000,
): Promise<{ answer: Buffer; isClosed: boolean }> {
  return new Promise((resolve) => {
    const parts: Buffer[] = []
    const [first = Buffer.alloc(0), ...others] = packets
    const socket = connectSocket(port, '127.0.0.1', () => socket.write(first))
    const end = (isClosed: boolean): void => {
      clearTimeout(timer)
      resolve({ answer: Buffer.concat(parts), isClosed })
      socket.destroy()
    }
    const timer = setTimeout(() => end(false), waitMs)
    socket.on('data', (part: Buffer) => {
      parts.push(part)
      for (const next of others.splice(0)) socket.write(next)
    })
    socket.on('error', () => end(true))
    socket.on('close', () => end(true))
  })
}
