/**
 * The load generator, in its own process. It uses raw sockets and bodies prepared in advance, and rewrites only the
 * timestamps for each call, so that it needs as little CPU as possible. Prints one line of JSON.
 *
 * Argument: the path of a LoadPlan as JSON.
 */
import { readFileSync } from 'node:fs'
import { prepareVariants, VARIANTS, type Variant, writeRun, xorshift } from './load-bodies.ts'

export type LoadPlan = {
  port: number
  sensors: { id: string; key: string }[]
  connections: number
  readingsPerCall: number
  /** Share of calls that repeat the sensor's previous call, 0 to 1. */
  repeats: number
  /** Seconds before counting starts, for compilers and caches to warm up. */
  warmUpSeconds: number
  seconds: number
  /** Calls per second over all connections; 0 for as many as possible. */
  callsPerSecond: number
  firstAtMs: number
  seed: number
  /** Milliseconds between a sensor's readings; one second by default. */
  intervalMs?: number
  /** Calls of each sensor after which the run ends early. */
  callsPerSensor?: number
  /** Whether answers are readings envelopes whose content is checked; otherwise only the status is checked. */
  envelope: boolean
  /** Send line protocol to this path instead of using the readings API; a call then contains several sensors. */
  linePath?: string
  /** Send readings of many sensors with a fleet key, in runs of this length, to /ingest/readings or the path of lines. */
  many?: { key: string; run: number }
}

export type LoadResult = {
  calls: number
  /** Readings accepted during the warm-up. */
  warmUpAccepted: number
  accepted: number
  duplicates: number
  unexpected: string[]
  seconds: number
  p50Ms: number
  p95Ms: number
  p99Ms: number
  maxMs: number
  cpuSeconds: number
}

const plan = JSON.parse(readFileSync(process.argv[2] as string, 'utf8')) as LoadPlan
const { sensors, readingsPerCall, connections } = plan
/** Consecutive readings of one sensor, the unit that bodies are composed of. */
const RUN = Math.min(readingsPerCall, plan.many?.run ?? 500)
const RUNS_PER_CALL = Math.ceil(readingsPerCall / RUN)
const { linePath, many, intervalMs = 1000, callsPerSensor = Number.POSITIVE_INFINITY } = plan

const random = xorshift(plan.seed)
const variants = prepareVariants(random, RUN, linePath !== undefined ? 'lines' : many !== undefined ? 'many' : 'one')
/** What encloses the runs of a call. The closing replaces the comma of the last run. */
const isList = many !== undefined && linePath === undefined
const OPENING = Buffer.from(isList ? '{"readings":[' : '')
const CLOSING = Buffer.from(isList ? ']}' : '')
const heads = sensors.map(({ id, key }) =>
  linePath !== undefined
    ? `POST ${linePath} HTTP/1.1\r\nHost: 127.0.0.1\r\n${many === undefined ? '' : `Authorization: Token ${many.key}\r\n`}Content-Length: `
    : many !== undefined
      ? `POST /ingest/readings HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${many.key}\r\nContent-Type: application/json\r\nContent-Length: `
      : `POST /sensors/${id}/readings HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\nContent-Length: `,
)
const nextAtMs = new Float64Array(sensors.length).fill(plan.firstAtMs)

const latencies: number[] = []
const result = { warmUpAccepted: 0, calls: 0, accepted: 0, duplicates: 0, unexpected: [] as string[] }
const HEADER_END = Buffer.from('\r\n\r\n')
const ACCEPTED = Buffer.from('"accepted":[')

type Connection = {
  socket: import('bun').Socket
  out: Buffer
  outLength: number
  written: number
  dueMs: number
  repeats: boolean
  chunks: Buffer[]
  received: number
  expectedBytes: number
  idle: boolean
  isDone: boolean
  /** Runs that it has sent. */
  turn: number
}

const startedMs = performance.now()
const countedFromMs = startedMs + plan.warmUpSeconds * 1000
const endMs = countedFromMs + plan.seconds * 1000
let counting = false
let cpuBefore = process.cpuUsage()
let open = 0
const finished = Promise.withResolvers<void>()

function compose(connection: Connection): void {
  // each sensor belongs to one connection, so that its readings are sent in order
  const perConnection = Math.floor(sensors.length / connections)
  const first = connections_.indexOf(connection) * perConnection
  const chosen: { index: number; variant: Variant }[] = []
  let length = 0
  for (let i = 0; i < RUNS_PER_CALL; i++) {
    const index = first + (connection.turn++ % perConnection)
    const callNumber = Math.round(((nextAtMs[index] as number) - plan.firstAtMs) / (RUN * intervalMs))
    connection.repeats = callNumber > 0 && random() < plan.repeats
    if (connection.repeats) nextAtMs[index] = (nextAtMs[index] as number) - RUN * intervalMs
    const sequence = connection.repeats ? callNumber - 1 : callNumber
    const variant = variants[(index * 7919 + sequence * 104_729) % VARIANTS] as Variant
    chosen.push({ index, variant })
    length += variant.body.length
  }
  if (isList) length += OPENING.length + CLOSING.length - 1
  const head = `${heads[chosen[0]?.index ?? first]}${length}\r\n\r\n`
  const needed = head.length + length
  if (connection.out.length < needed) connection.out = Buffer.allocUnsafe(needed + 4096)
  connection.out.write(head, 0, 'latin1')
  connection.out.set(OPENING, head.length)
  let p = head.length + OPENING.length
  for (const { index, variant } of chosen) {
    const firstAtMs = nextAtMs[index] as number
    p += writeRun(connection.out, p, variant, index, { firstAtMs, intervalMs }, linePath !== undefined)
    nextAtMs[index] = firstAtMs + RUN * intervalMs
  }
  if (isList) connection.out.set(CLOSING, p - 1)
  connection.outLength = needed
  connection.written = 0
}

function push(connection: Connection): void {
  while (connection.written < connection.outLength) {
    const n = connection.socket.write(connection.out, connection.written, connection.outLength - connection.written)
    if (n <= 0) return
    connection.written += n
  }
}

function send(connection: Connection, dueMs: number): void {
  connection.idle = false
  connection.dueMs = dueMs
  compose(connection)
  connection.chunks = []
  connection.received = 0
  connection.expectedBytes = -1
  push(connection)
}

function receive(connection: Connection, chunk: Buffer): void {
  connection.chunks.push(Buffer.from(chunk))
  connection.received += chunk.length
  if (connection.expectedBytes < 0) {
    const all = connection.chunks.length === 1 ? (connection.chunks[0] as Buffer) : Buffer.concat(connection.chunks)
    connection.chunks = [all]
    const end = all.indexOf(HEADER_END)
    if (end < 0) return
    const header = all.toString('latin1', 0, end)
    const length = Number(/content-length: (\d+)/i.exec(header)?.[1] ?? 0)
    connection.expectedBytes = end + 4 + length
  }
  if (connection.received < connection.expectedBytes) return
  checkAnswer(connection)
}

function checkAnswer(connection: Connection): void {
  const first = connection.chunks[0] as Buffer
  const nowMs = performance.now()
  if (!counting && nowMs >= countedFromMs) startCounting()
  latencies.push(nowMs - connection.dueMs)
  result.calls++
  const status = first.toString('latin1', 9, 12)
  if (!plan.envelope && (status === '200' || status === '204')) result.accepted += readingsPerCall
  else {
    const p = first.indexOf(ACCEPTED)
    const some = p >= 0 && first[p + ACCEPTED.length] === 34
    // a timestamp takes 27 bytes, so a shorter answer cannot list all of them
    const whole = connection.expectedBytes > readingsPerCall * 27
    if (status === '200' && whole && some === !connection.repeats) {
      if (some) result.accepted += readingsPerCall
      else result.duplicates += readingsPerCall
    } else if (result.unexpected.length < 5)
      result.unexpected.push(Buffer.concat(connection.chunks).toString().slice(0, 600))
  }
  if (plan.callsPerSecond > 0) {
    connection.idle = true
    pace()
  } else next(connection, performance.now())
}

function startCounting(): void {
  counting = true
  // the backlog of the warm-up does not count
  pacedFromMs = performance.now()
  paced = 0
  latencies.length = 0
  result.warmUpAccepted = result.accepted
  result.calls = result.accepted = result.duplicates = 0
  cpuBefore = process.cpuUsage()
  process.stdout.write('counting\n')
}

function next(connection: Connection, dueMs: number): void {
  const isDone = connection.turn >= Math.floor(sensors.length / connections) * callsPerSensor
  if (performance.now() < endMs && !isDone) send(connection, dueMs)
  else {
    connection.isDone = true
    connection.socket.end()
    if (--open === 0) finished.resolve()
  }
}

let paced = 0
let pacedFromMs = startedMs
/** Sends the calls that are due; waiting for a free connection counts as latency. */
function pace(): void {
  const nowMs = performance.now()
  if (nowMs >= endMs) {
    for (const connection of connections_)
      if (connection.idle) {
        connection.idle = false
        next(connection, nowMs)
      }
    return
  }
  for (;;) {
    const dueMs = pacedFromMs + (paced * 1000) / plan.callsPerSecond
    if (dueMs > nowMs) return
    const connection = connections_.find(({ idle }) => idle)
    if (connection === undefined) return
    paced++
    send(connection, dueMs)
  }
}

const connections_: Connection[] = []
for (let i = 0; i < connections; i++) {
  const connection: Connection = {
    socket: undefined as never,
    out: Buffer.allocUnsafe(1024),
    outLength: 0,
    written: 0,
    dueMs: 0,
    repeats: false,
    chunks: [],
    received: 0,
    expectedBytes: -1,
    idle: false,
    isDone: false,
    turn: 0,
  }
  connection.socket = await Bun.connect({
    hostname: '127.0.0.1',
    port: plan.port,
    socket: {
      data: (_, chunk) => receive(connection, chunk as Buffer),
      drain: () => push(connection),
      close() {
        if (connection.isDone) return
        process.stderr.write('the server closed a connection\n')
        process.exit(1)
      },
      error: (_, error) => {
        result.unexpected.push(String(error))
      },
    },
  })
  connections_.push(connection)
}
open = connections
if (plan.callsPerSecond > 0) {
  for (const connection of connections_) connection.idle = true
  const timer = setInterval(pace, 1)
  await finished.promise
  clearInterval(timer)
} else {
  for (const connection of connections_) next(connection, performance.now())
  await finished.promise
}
latencies.sort((a, b) => a - b)
const quantile = (q: number): number => latencies[Math.min(latencies.length - 1, Math.floor(latencies.length * q))] ?? 0
const { user, system } = process.cpuUsage(cpuBefore)
const line: LoadResult = {
  ...result,
  seconds: (performance.now() - countedFromMs) / 1000,
  p50Ms: quantile(0.5),
  p95Ms: quantile(0.95),
  p99Ms: quantile(0.99),
  maxMs: latencies.at(-1) ?? 0,
  cpuSeconds: (user + system) / 1e6,
}
process.stdout.write(`${JSON.stringify(line)}\n`)
process.exit(0)
