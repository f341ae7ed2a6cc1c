/**
 * The MQTT listener: sensors and gateways publish readings, which go through the same ingestion as calls by HTTP. aedes
 * speaks the protocol; nothing is forwarded, so its own publishing is left out.
 */
import { createServer, type Server, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { createServer as createTlsServer } from 'node:tls'
import { Aedes, type AedesOptions, type AuthenticateError, type Client, type PublishPacket } from 'aedes'
import { AppError } from '../../errors.ts'
import { networkOf } from '../../http/address.ts'
import type { Ingest } from '../../ingest/ingest.ts'
import { messageSource } from '../../ingest/mqtt/message.ts'
import type { Changes } from '../../stores/changes.ts'
import { feedInTurns } from './feed.ts'
import { type SignIn, TopicRefused } from './senders.ts'
import { createSessions, type Session, type Sessions } from './sessions.ts'
import { later, spend } from './turns.ts'

export type MqttOptions = {
  host: string
  port: number
  /** Whether other instances listen on the same port. */
  reusePort: boolean
  tls: { cert: string; key: string } | undefined
  maxMessageBytes: number
  messagesPerMinute: number
  connectionsPerAddress: number
  signIn: SignIn
  ingest: Pick<Ingest, 'accept'>
  changes: Pick<Changes, 'subscribe'>
  observer: MqttObserver
}

/** Why the server closed a connection. */
export type CloseReason = 'address_limit' | 'sign_in' | 'protocol' | 'keep_alive' | 'topic' | 'rights' | 'unavailable'

export type MqttObserver = {
  /** @param outcome `refused`: the message as a whole, so that it is acknowledged and none of it is stored */
  message(outcome: 'taken' | 'refused' | 'failed'): void
  closed(reason: CloseReason): void
  /** Called for errors that are no fault of the sender. */
  onError(error: unknown): void
}

export type MqttListener = {
  port: number
  connections(): number
  stop(): Promise<void>
}

/** Before a client has signed in. A packet to sign in is short, unless it has a long will. */
const SIGN_IN_BYTES = 16_384
const SIGN_IN_MS = 10_000
/** For what a packet has beside its message: at most 5 bytes of header, a topic and an id. */
const PACKET_BYTES = 65_544
/** Packets before the answer to the first one. */
const EARLY_PACKETS = 1_000
const MINUTE_MS = 60_000
/** Connections that are looked at together after a change. */
const RECHECKS_AT_ONCE = 500
/** After which the kernel asks a silent peer whether it is there. */
const SILENT_MS = 60_000

/** A fault of the client, which closes the connection. */
class Closing extends Error {
  readonly reason: CloseReason
  constructor(reason: CloseReason, message: string) {
    super(message)
    this.reason = reason
  }
}

/** Nobody subscribes, so a message ends with its acknowledgement. */
class Broker extends Aedes {
  override publish(...args: unknown[]): void {
    const done = args.at(-1)
    if (typeof done === 'function') done()
  }
}

/** @throws Error with the code of the system when the port cannot be opened */
export async function listenMqtt(options: MqttOptions): Promise<MqttListener> {
  const { observer } = options
  const sessions = createSessions()
  const byAddress = new Map<string, number>()
  /** Of open connections, also before they have signed in. */
  const addresses = new Map<Duplex, string>()

  const broker = new Broker({
    ...hooks(options, sessions, (client) => addresses.get(client.conn) as string),
    connectTimeout: SIGN_IN_MS,
    queueLimit: EARLY_PACKETS,
  })
  broker.on('clientError', (_client, error) => observer.closed(reasonOf(error)))
  broker.on('connectionError', (_client, error) => observer.closed(reasonOf(error)))
  await broker.listen()

  /** Counts a connection for its address, or closes it, before anything is computed for it. */
  function count(socket: Socket): void {
    const address = networkOf(socket.remoteAddress ?? '')
    const connections = byAddress.get(address) ?? 0
    if (connections >= options.connectionsPerAddress) {
      observer.closed('address_limit')
      socket.destroy()
      return
    }
    byAddress.set(address, connections + 1)
    addresses.set(socket, address)
    socket.once('close', () => {
      addresses.delete(socket)
      const left = (byAddress.get(address) as number) - 1
      if (left > 0) byAddress.set(address, left)
      else byAddress.delete(address)
    })
  }

  /** To be called with the same socket, for TLS after the handshake. */
  function connected(socket: Socket): void {
    if (socket.destroyed) return
    socket.setKeepAlive(true, SILENT_MS)
    const client = broker.handle(socket)
    feedInTurns(client, (isSignedIn) => (isSignedIn ? options.maxMessageBytes + PACKET_BYTES : SIGN_IN_BYTES))
    socket.once('close', () => sessions.remove(client))
  }

  options.changes.subscribe((change) => {
    void recheck(sessions.concernedBy(change), observer)
  })
  const server =
    options.tls === undefined
      ? createServer({ noDelay: true })
      : createTlsServer({ ...options.tls, noDelay: true, handshakeTimeout: SIGN_IN_MS })
  server.on('connection', count)
  server.on(options.tls === undefined ? 'connection' : 'secureConnection', connected)
  server.on('tlsClientError', (_error: Error, socket: Socket) => {
    observer.closed('protocol')
    // Bun leaves a connection open whose handshake takes too long
    socket.destroy()
  })
  await opened(server, options)
  return {
    port: (server.address() as { port: number }).port,
    connections: sessions.count,
    async stop() {
      const isClosed = new Promise<void>((resolve) => {
        server.close(() => resolve())
      })
      await new Promise<void>((resolve) => {
        broker.close(resolve)
      })
      // those that have not signed in
      for (const socket of addresses.keys()) socket.destroy()
      await isClosed
    },
  }
}

const opened = (server: Server, { host, port, reusePort }: MqttOptions): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen({ host, port, reusePort }, () => {
      server.off('error', reject)
      resolve()
    })
  })

function reasonOf(error: Error): CloseReason {
  if (error instanceof Closing) return error.reason
  if ('returnCode' in error) return 'sign_in'
  return error.message === 'keep alive timeout' ? 'keep_alive' : 'protocol'
}

function hooks(options: MqttOptions, sessions: Sessions, addressOf: (client: Client) => string): AedesOptions {
  const { signIn, observer } = options

  /** @throws AppError as the gates do */
  async function open(client: Client, user: string, password: string): Promise<void> {
    const sender = await signIn(user, password, addressOf(client), Date.now())
    // a client ends another one with its id, which must be its own
    Object.assign(client, { id: `${sender.id}/${client.id}` })
    if (!client.closed) sessions.add({ sender, client, acks: [], isAnswering: false, evenMs: Number.NEGATIVE_INFINITY })
    // a change before that looked at its other connections only
    await sender.recheck(Date.now())
  }

  return {
    preConnect(_client, packet, callback) {
      // it would be published when the connection ends
      delete packet.will
      callback(null, true)
    },
    authenticate(client, user = '', password, done) {
      open(client, user, password?.toString() ?? '').then(
        () => done(null, true),
        (error: unknown) => {
          if (!(error instanceof AppError)) observer.onError(error)
          done(
            Object.assign(new Error('sign-in refused'), { returnCode: returnCodeOf(error) }) as AuthenticateError,
            null,
          )
        },
      )
    },
    authorizeSubscribe: (_client, _subscription, callback) => callback(null, null),
    authorizePublish(client, packet, done) {
      const session = client === null ? undefined : sessions.of(client)
      if (session === undefined) return done(new Closing('protocol', 'not signed in'))
      if (packet.qos === 2) return done(new Closing('protocol', 'QoS 2 is not supported'))
      if (packet.payload.length > options.maxMessageBytes)
        return done(new Closing('protocol', 'the message is too long'))
      const ack = { isSettled: false, error: undefined as Error | undefined, done }
      session.acks.push(ack)
      const settle = (error?: Error): void => {
        ack.isSettled = true
        ack.error = error
        if (session.isAnswering) return
        session.isAnswering = true
        later(() => spend(() => answer(session)))
      }
      const take = (): void => {
        // nobody waits for the acknowledgement of a message that was held
        if (session.client.closed) settle()
        else
          receive(options, session, packet).then(
            () => settle(),
            (error: unknown) => settle(closingOf(error, observer)),
          )
      }
      const waitMs = holdMs(session, options.messagesPerMinute)
      if (waitMs > 0) setTimeout(take, waitMs)
      else take()
    },
  }
}

/** Acknowledges the messages before the first one that is under way, with one write. */
function answer(session: Session): void {
  session.isAnswering = false
  const { acks, client } = session
  const left = acks.findIndex(({ isSettled }) => !isSettled)
  client.conn.cork()
  for (const { done, error } of acks.splice(0, left < 0 ? acks.length : left)) if (!client.closed) done(error)
  client.conn.uncork()
}

/** How long a message must be held. Meanwhile its connection is not read, so the sender has to wait. */
function holdMs(session: Session, perMinute: number): number {
  const nowMs = performance.now()
  session.evenMs = Math.max(session.evenMs, nowMs - MINUTE_MS) + MINUTE_MS / perMinute
  return session.evenMs - nowMs
}

/** Resolves when the readings are durable, or refused. @throws AppError, TopicRefused */
async function receive(
  { ingest, observer }: MqttOptions,
  { sender }: Session,
  { topic, payload }: PublishPacket,
): Promise<void> {
  const nowMs = Date.now()
  const message = typeof payload === 'string' ? Buffer.from(payload) : payload
  const found = sender.targetOf(topic, message, nowMs)
  const target = found instanceof Promise ? await found : found
  if (target === undefined) return observer.message('refused')
  const { profile, readingsPerDay, ignoresUnknown = false } = target
  try {
    const source = messageSource(message, ignoresUnknown)
    const isDaySpent = await ingest.accept(
      { profile, readingsPerDay, body: message, source, nowMs, isUncounted: true },
      (batch) => batch.refused.some(({ reason }) => reason === 'SENSOR_READINGS_DAILY_LIMIT'),
    )
    // the next day, the same message brings the others
    if (isDaySpent) throw new AppError('SENSOR_READINGS_DAILY_LIMIT')
    observer.message('taken')
  } catch (error) {
    if (!(error instanceof AppError) || error.status >= 500 || error.status === 429) throw error
    // sent again, the message would be refused again
    observer.message('refused')
  }
}

function closingOf(error: unknown, observer: MqttObserver): Closing {
  observer.message('failed')
  if (error instanceof TopicRefused) return new Closing('topic', error.message)
  if (!(error instanceof AppError)) observer.onError(error)
  const isOfSender = error instanceof AppError && (error.status === 401 || error.status === 403)
  return new Closing(isOfSender ? 'rights' : 'unavailable', 'the message was not taken')
}

const RETURN_CODES = { unavailable: 3, wrongPassword: 4, notAllowed: 5 }

function returnCodeOf(error: unknown): number {
  if (!(error instanceof AppError) || error.status >= 500 || error.status === 429) return RETURN_CODES.unavailable
  return error.status === 401 ? RETURN_CODES.wrongPassword : RETURN_CODES.notAllowed
}

/** Closes the connections whose senders may not send any more. */
async function recheck(concerned: readonly Session[], observer: MqttObserver): Promise<void> {
  for (let at = 0; at < concerned.length; at += RECHECKS_AT_ONCE)
    await Promise.all(
      concerned.slice(at, at + RECHECKS_AT_ONCE).map(async ({ sender, client }) => {
        try {
          await sender.recheck(Date.now())
        } catch (error) {
          // while a store is away, the next message looks again
          if (!(error instanceof AppError) || error.status >= 500 || error.status === 429) return
          observer.closed('rights')
          client.close()
        }
      }),
    )
}
