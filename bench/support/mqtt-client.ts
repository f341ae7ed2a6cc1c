/**
 * The load generator of `bench mqtt`, in its own process: raw sockets, and packets whose times alone are rewritten, so
 * that it needs little CPU. Prints `counting` after the warm-up, and one line of JSON at the end.
 *
 * Argument: the path of an MqttPlan as JSON.
 */
import { readFileSync } from 'node:fs'
import { xorshift } from './load-bodies.ts'

export type MqttPlan = {
  port: number
  senders: { id: string; key: string }[]
  /** Messages of a connection that wait for their acknowledgement; 0 for connections that send nothing. */
  inFlight: number
  warmUpSeconds: number
  seconds: number
  /** Over all connections; 0 for as many as possible. */
  messagesPerSecond: number
  firstAtMs: number
  seed: number
}

export type MqttResult = {
  /** Acknowledged since the start, and within the counted time. */
  allMessages: number
  messages: number
  seconds: number
  p50Ms: number
  p99Ms: number
  maxMs: number
  cpuSeconds: number
}

type Connection = {
  socket: import('bun').Socket
  nextAtMs: number
  sentMs: number[]
  /** Of `sentMs`. */
  acknowledged: number
  packetId: number
  left: Buffer
}

/** Connections that are opened at once; the queue of the kernel for new ones is short. */
const OPENED_AT_ONCE = 100
const PUBACK_BYTES = 4
const CONNACK = Buffer.from([0x20, 2, 0, 0])

const plan = JSON.parse(readFileSync(process.argv[2] as string, 'utf8')) as MqttPlan
const random = xorshift(plan.seed)
const text = (value: string): Buffer => {
  const bytes = Buffer.from(value)
  return Buffer.concat([Buffer.from([bytes.length >> 8, bytes.length & 255]), bytes])
}

/** The length of a packet, in one or two bytes. */
const lengthOf = (bytes: number): Buffer => Buffer.from(bytes < 128 ? [bytes] : [(bytes & 127) | 128, bytes >> 7])

function signInPacket(id: string, key: string): Buffer {
  // protocol level 4, user name, password, clean session, 5 minutes
  const body = Buffer.concat([text('MQTT'), Buffer.from([4, 0b1100_0010, 1, 44]), text(id), text(id), text(key)])
  return Buffer.concat([Buffer.from([0x10]), lengthOf(body.length), body])
}

const AT = '0000-00-00T00:00:00.000Z'
const figure = (): string => (Math.floor(random() * 900) / 10 + 10).toFixed(1)
const packets = Array.from({ length: 64 }, () => {
  const message = `{"at":"${AT}","values":{"temperature":${figure()},"humidity":${figure()},"pressure":${figure()}}}`
  const body = Buffer.concat([text('readings'), Buffer.from([0, 0]), Buffer.from(message)])
  const bytes = Buffer.concat([Buffer.from([0x32]), lengthOf(body.length), body])
  return { bytes, idAt: bytes.length - message.length - 2, timeAt: bytes.indexOf(AT) }
})

const latencies: number[] = []
let counting = false
let allMessages = 0
let messages = 0
let isEnding = false
const connections: Connection[] = []

function send(connection: Connection, dueMs: number): void {
  const packet = packets[connection.packetId % packets.length] as (typeof packets)[number]
  connection.packetId = (connection.packetId % 65_535) + 1
  packet.bytes.writeUInt16BE(connection.packetId, packet.idAt)
  packet.bytes.write(new Date(connection.nextAtMs).toISOString(), packet.timeAt, 'latin1')
  connection.nextAtMs += 1_000
  connection.sentMs.push(dueMs)
  const written = connection.socket.write(packet.bytes)
  if (written !== packet.bytes.length) throw new Error('the socket did not take a whole packet')
}

function received(connection: Connection, bytes: Buffer): void {
  const all = connection.left.length === 0 ? bytes : Buffer.concat([connection.left, bytes])
  const nowMs = performance.now()
  let p = 0
  for (; p + PUBACK_BYTES <= all.length; p += PUBACK_BYTES) {
    if (all[p] !== 0x40) throw new Error(`unexpected packet ${all[p]}`)
    const sentMs = connection.sentMs[connection.acknowledged++] as number
    allMessages++
    if (counting) {
      messages++
      latencies.push(nowMs - sentMs)
    }
    if (plan.messagesPerSecond === 0 && !isEnding) send(connection, nowMs)
  }
  if (connection.acknowledged > 1_000) {
    connection.sentMs.splice(0, connection.acknowledged)
    connection.acknowledged = 0
  }
  connection.left = Buffer.from(all.subarray(p))
}

async function open({ id, key }: MqttPlan['senders'][number]): Promise<Connection> {
  const { promise, resolve, reject } = Promise.withResolvers<Connection>()
  let connection: Connection | undefined
  await Bun.connect({
    hostname: '127.0.0.1',
    port: plan.port,
    socket: {
      open(socket) {
        socket.write(signInPacket(id, key))
      },
      data(socket, bytes) {
        if (connection !== undefined) return received(connection, bytes)
        if (!bytes.equals(CONNACK)) return reject(new Error(`the server answered ${bytes.toString('hex')}`))
        connection = {
          socket,
          nextAtMs: plan.firstAtMs,
          sentMs: [],
          acknowledged: 0,
          packetId: 0,
          left: Buffer.alloc(0),
        }
        resolve(connection)
      },
      close() {
        if (!isEnding) throw new Error('the server closed a connection')
      },
      error(_socket, error) {
        reject(error)
      },
    },
  })
  return promise
}

for (let at = 0; at < plan.senders.length; at += OPENED_AT_ONCE)
  connections.push(...(await Promise.all(plan.senders.slice(at, at + OPENED_AT_ONCE).map(open))))

const pace = plan.messagesPerSecond
let timer: Timer | undefined
if (pace === 0)
  for (const connection of connections) for (let i = 0; i < plan.inFlight; i++) send(connection, performance.now())
else {
  const beganMs = performance.now()
  let sent = 0
  timer = setInterval(() => {
    // measured from when a message was due, so that a server that stalls is not asked less
    for (const nowMs = performance.now(); sent < ((nowMs - beganMs) / 1_000) * pace; sent++)
      send(connections[sent % connections.length] as Connection, beganMs + (sent / pace) * 1_000)
  }, 1)
}

await Bun.sleep(plan.warmUpSeconds * 1_000)
process.stdout.write('counting\n')
counting = true
const cpuBefore = process.cpuUsage()
const fromMs = performance.now()
await Bun.sleep(plan.seconds * 1_000)
const seconds = (performance.now() - fromMs) / 1_000
const { user, system } = process.cpuUsage(cpuBefore)
counting = false
isEnding = true
clearInterval(timer)
// all acknowledgements, so that the number of stored readings is known
for (const endMs = performance.now() + 20_000; performance.now() < endMs; await Bun.sleep(10))
  if (connections.every(({ sentMs, acknowledged }) => sentMs.length === acknowledged)) break
latencies.sort((a, b) => a - b)
const quantile = (q: number): number => latencies[Math.floor((latencies.length - 1) * q)] ?? 0
const result: MqttResult = {
  allMessages,
  messages,
  seconds,
  p50Ms: quantile(0.5),
  p99Ms: quantile(0.99),
  maxMs: quantile(1),
  cpuSeconds: (user + system) / 1e6,
}
process.stdout.write(`${JSON.stringify(result)}\n`)
process.exit(0)
