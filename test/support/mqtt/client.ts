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
  const { promise, resolve } = Promise.withResolvers<boolean>()
  client.once('close', () => resolve(false))
  client.publish(topic, typeof message === 'string' ? message : JSON.stringify(message), { qos: 1 }, (error) =>
    resolve(error === undefined || error === null),
  )
  return promise
}

/** Sends bytes, and returns what came back until the server closed the connection, or for `waitMs`. */
export function sendRaw(
  port: number,
  bytes: Uint8Array,
  waitMs = 1_000,
): Promise<{ answer: Buffer; isClosed: boolean }> {
  return new Promise((resolve) => {
    const parts: Buffer[] = []
    const socket = connectSocket(port, '127.0.0.1', () => socket.write(bytes))
    const end = (isClosed: boolean): void => {
      clearTimeout(timer)
      resolve({ answer: Buffer.concat(parts), isClosed })
      socket.destroy()
    }
    const timer = setTimeout(() => end(false), waitMs)
    socket.on('data', (part: Buffer) => parts.push(part))
    socket.on('error', () => end(true))
    socket.on('close', () => end(true))
  })
}
