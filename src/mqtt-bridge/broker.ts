/**
 * A connection to the broker that keeps its session: what the bridge has not acknowledged, and what is published while it
 * is away, comes again.
 *
 * The client of the package `mqtt` handles one message after the other, and acknowledges each before the next. Here many
 * are under way, up to IN_FLIGHT, and each is acknowledged when its batch is durable, in the order in which they came.
 */
import { createHash } from 'node:crypto'
import { connect, type IConnackPacket, type MqttClient } from 'mqtt'
import type { BridgeConfig } from '../config/mqtt-bridge.ts'

export type BrokerMessage = {
  topic: string
  payload: Uint8Array
  /** To acknowledge it with; undefined for QoS 0. */
  id: number | undefined
}

export type BrokerOptions = Pick<BridgeConfig, 'broker' | 'topic'> & {
  /** @param goOn to be called when the next message may come */
  onMessage(message: BrokerMessage, goOn: () => void): void
  /** Called once the broker has taken the subscription. @param hadSession whether messages were kept since the last time */
  onSubscribed(hadSession: boolean): void
}

export type BrokerConnection = {
  /** Resolves with why the connection ended. */
  closed: Promise<Error>
  /** @param ids in the order of the messages */
  acknowledge(ids: readonly number[]): void
  end(): Promise<void>
}

/** The part of a client that its types leave out; `test/server/mqtt/bridge.test.ts` fails if it changes. */
type Internals = { _sendPacket(packet: { cmd: 'puback'; messageId: number; reasonCode: number }): void }

/** Two batches, one of which is under way. */
const IN_FLIGHT = 10_000
/** How long the broker keeps messages for a bridge that is away. */
const SESSION_S = 30 * 86_400
const KEEP_ALIVE_S = 60
const CONNECT_MS = 30_000
/** Tells the client not to acknowledge a message by itself. */
const LATER = new Error('acknowledged later')

/** The same for each start, and short enough for every broker: 23 characters. */
export const clientIdOf = (topic: string): string =>
  `groundwave-${createHash('sha256').update(topic).digest('hex').slice(0, 12)}`

/** Shared, so that the broker leaves out retained messages, which are no new readings. */
export const subscriptionOf = (topic: string): string => `$share/groundwave/${topic.replace('{sensor}', '+')}`

export function openBroker({ broker, topic, onMessage, onSubscribed }: BrokerOptions): BrokerConnection {
  const clientId = clientIdOf(topic)
  const client = connect({
    protocol: broker.hasTls ? 'mqtts' : 'mqtt',
    host: broker.host,
    port: broker.port,
    ...(broker.user !== '' && { username: broker.user }),
    ...(broker.password !== '' && { password: broker.password }),
    clientId,
    protocolVersion: 5,
    clean: false,
    keepalive: KEEP_ALIVE_S,
    connectTimeout: CONNECT_MS,
    // a connection is made again by the bridge, without the messages that this one holds
    reconnectPeriod: 0,
    resubscribe: false,
    properties: { sessionExpiryInterval: SESSION_S, receiveMaximum: IN_FLIGHT },
  })
  const closed = Promise.withResolvers<Error>()
  let why: Error | undefined

  client.handleMessage = ({ topic: name, payload, qos, messageId }, callback) => {
    const bytes = typeof payload === 'string' ? Buffer.from(payload) : payload
    onMessage({ topic: name, payload: bytes, id: qos === 0 ? undefined : messageId }, () => callback(LATER))
  }
  client.on('connect', (packet) => {
    subscribe(client, topic).then(
      () => onSubscribed((packet as IConnackPacket).sessionPresent),
      (error: unknown) => {
        why ??= error as Error
        client.end(true)
      },
    )
  })
  client.on('error', (error) => {
    why ??= error
  })
  client.on('disconnect', ({ reasonCode }) => {
    why ??= disconnected(reasonCode)
  })
  client.on('close', () =>
    closed.resolve(why ?? new Error(`the connection ended, as another client with the id ${clientId} would end it`)),
  )

  return {
    closed: closed.promise,
    acknowledge(ids) {
      // the client would keep it for its next connection
      if (!client.connected) return
      for (const messageId of ids)
        (client as unknown as Internals)._sendPacket({ cmd: 'puback', messageId, reasonCode: 0 })
    },
    // only a client that is connected says goodbye
    end: () => client.endAsync(!client.connected),
  }
}

/** Another client signed in with the same client id. */
export class TakenOver extends Error {}

const TAKEN_OVER = 142

const disconnected = (reason: number | undefined): Error =>
  reason === TAKEN_OVER
    ? new TakenOver('another client has the same client id: a broker has one bridge for each MQTT_TOPIC')
    : new Error(`the broker ended the connection with reason ${reason}`)

/** @throws Error when the broker does not send its messages with QoS 1 */
async function subscribe(client: MqttClient, topic: string): Promise<void> {
  const [granted] = await client.subscribeAsync(subscriptionOf(topic), { qos: 1 })
  if (granted?.qos !== 1) throw new Error(`the broker refuses QoS 1 for ${subscriptionOf(topic)}`)
}
