/**
 * Damaged lines, SenML packs, MQTT packets and other bodies with readings, over real connections, beside a fleet that sends
 * good readings. Fails when the server ends, when an answer is a 5xx, when something that nothing handled is counted,
 * when the fleet's p99 is over its limit or when one of its readings is not stored once.
 * `bun run bench gateway-fuzz [damaged of each] [seed]`; the same seed sends the same.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { publishPacket, signInPacket } from '../test/support/mqtt/client.ts'
import { damagedPackets, sendInParts } from '../test/support/mqtt/damaged.ts'
import { ROOT, residentMb } from '../test/support/processes.ts'
import { type Random, seeded, whole } from '../test/support/random.ts'
import { createInstance, type Instance, type Organization } from '../test/support/server/instance.ts'
import { makeFleetKey } from '../test/support/server/many-readings.ts'
import { freePort } from '../test/support/stores/postgres.ts'
import { BODIES, type BodyKind, CHANNELS, casesOf, DEVICE, DEVICES } from './support/damaged-bodies.ts'
import { longestDelayMs } from './support/fleet.ts'
import type { VictimPlan, VictimResult } from './support/gateway-victim.ts'
import { load, ms, quantile, say } from './support/tool-harness.ts'

const COUNT = Number(process.argv[2] ?? 100_000)
const SEED = Number(process.argv[3] ?? 1)
/** Bodies of kinds that have no number of their own. */
const FEWER = Math.ceil(COUNT / 10)
const VICTIMS = 20
const VICTIM_PER_SECOND = 100
const QUIET_MS = 10_000
const LIMITS = { p99Ms: 250, memoryGrowth: 1.5 }

const dir = mkdtempSync(join(tmpdir(), 'groundwave-fuzz-'))
const mqttPort = await freePort()
const instance = await createInstance({
  MQTT_PORT: String(mqttPort),
  LOG_LEVEL: 'warn',
  SENSOR_CALLS_PER_MINUTE: '1000000000',
  FLEET_CALLS_PER_MINUTE: '1000000000',
  MQTT_CONNECTIONS_PER_ADDRESS: '1000000',
  KEY_FAILURES_PER_MINUTE: '1000000000',
})

const counts = new Map<string, number>()
const faults: string[] = []

function note(kind: string, outcome: string | number, sent: Uint8Array): void {
  const key = `${kind} ${outcome}`
  counts.set(key, (counts.get(key) ?? 0) + 1)
  // 505 is right where the version of HTTP is damaged
  const isFault = typeof outcome === 'number' && outcome >= 500 && !(kind === 'raw' && outcome === 505)
  if (isFault && faults.length < 20) faults.push(`${key}: ${Buffer.from(sent).toString('base64').slice(0, 4_000)}`)
}

type Attacker = { sensor: { id: string; key: string }; fleetKeys: string[] }

async function makeAttacker(): Promise<Attacker> {
  const { id } = await instance.organization('scale')
  for (const externalId of DEVICES)
    await instance.manage('POST', `/enterprises/${id}/sensors`, { channels: CHANNELS, assetName: 'Asset', externalId })
  const settings = [
    {},
    { unknownChannels: 'ignore', channelNames: 'measurement.field', channelTags: ['cpu', 'a=b'] },
    { autoCreate: 'on', template: { channels: CHANNELS } },
    { autoCreate: 'on', sensor: '{host}.{measurement}' },
    { autoCreate: 'pending' },
  ]
  const keys = await Promise.all(settings.map((one) => makeFleetKey(instance, id, one)))
  const sensor = await instance.sensor(id, CHANNELS as never)
  return { sensor, fleetKeys: keys.map(({ key }) => key) }
}

const TYPES: Record<BodyKind, string> = {
  lines: 'text/plain',
  senml: 'application/senml+json',
  ndjson: 'application/x-ndjson',
  csv: 'text/csv',
  json: 'application/json',
  many: 'application/json',
  thingsStack: 'application/json',
  chirpstack: 'application/json',
}
const EVENTS = ['up', 'up', 'up', 'join', 'ack', 'txack', 'status', 'log', 'location', 'integration', 'none']
const PRECISIONS = ['ns', 'ns', 'us', 'ms', 's', 'm', 'h', 'x']
/** 20 MB of zeros. */
const BOMB = gzipSync(Buffer.alloc(20_000_000))

const oneOf = <T>(random: Random, items: readonly T[]): T => items[whole(random, items.length)] as T

function pathOf(kind: BodyKind, sensorId: string, random: Random): string {
  if (kind === 'lines') return `${oneOf(random, ['/api/v2/write', '/write'])}?precision=${oneOf(random, PRECISIONS)}`
  if (kind === 'many') return '/ingest/readings'
  if (kind === 'thingsStack') return '/ingest/ttn'
  if (kind === 'chirpstack') return `/ingest/chirpstack?event=${oneOf(random, EVENTS)}`
  return `/sensors/${sensorId}/readings`
}

/** A twentieth is compressed, of which a part is damaged afterwards, or a bomb. */
function encoded(body: Buffer<ArrayBuffer>, random: Random): { body: Uint8Array<ArrayBuffer>; encoding?: string } {
  if (random() > 0.05) return { body }
  const packed = random() < 0.05 ? Buffer.from(BOMB) : Buffer.from(gzipSync(body))
  if (random() < 0.5) packed[whole(random, packed.length)] = whole(random, 256)
  const end = random() < 0.2 ? whole(random, packed.length) : packed.length
  return { body: packed.subarray(0, end), encoding: oneOf(random, ['gzip', 'gzip', 'gzip', 'zstd', 'x']) }
}

/** A request whose head is damaged as well: wrong lengths, chunks that are none, bytes that no header has. */
function rawRequest(path: string, key: string, type: string, body: Buffer, random: Random): Buffer {
  const length = oneOf(random, [
    `Content-Length: ${whole(random, body.length * 2)}`,
    `Content-Length: ${body.length}`,
    `Content-Length: -1`,
    `Content-Length: ${'9'.repeat(30)}`,
    `Content-Length: 1\r\nContent-Length: 2`,
    'Transfer-Encoding: chunked',
    `Transfer-Encoding: chunked\r\nContent-Length: ${body.length}`,
    'Expect: 100-continue',
  ])
  const head = Buffer.from(
    `POST ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nContent-Type: ${type}\r\n${length}\r\n\r\n`,
  )
  if (random() < 0.3) head[whole(random, head.length)] = whole(random, 256)
  return Buffer.concat([head, body])
}

/** The status of the first answer, or `closed` when the connection ended or stayed silent. */
function exchanged(bytes: Buffer): Promise<number | 'closed'> {
  return new Promise((resolve) => {
    const socket = connect(instance.port(), '127.0.0.1', () => socket.end(bytes))
    let text = ''
    const timer = setTimeout(() => socket.destroy(), 500)
    socket.on('data', (part) => {
      text += part.toString('latin1')
      if (/^HTTP\/1\.1 [2-5]/.test(text)) socket.destroy()
    })
    socket.on('error', () => undefined)
    socket.on('close', () => {
      clearTimeout(timer)
      const status = /^HTTP\/1\.1 ([2-5]\d\d)/.exec(text)?.[1]
      resolve(status === undefined ? 'closed' : Number(status))
    })
  })
}

/** Sends damaged bodies of a kind until `count` are sent; lines are joined to bodies of up to nine. */
async function sendBodies(kind: BodyKind, count: number, atOnce: number, { sensor, fleetKeys }: Attacker) {
  const seed = Bun.hash.crc32(`${SEED} ${kind}`)
  const random = seeded(seed)
  const cases = casesOf(BODIES[kind], seed)
  let left = count
  async function send(): Promise<void> {
    const together = kind === 'lines' ? Math.min(left, 1 + whole(random, 9)) : 1
    left -= together
    const parts = Array.from({ length: together }, () => cases.next().value)
    const plain = Buffer.concat(parts.flatMap((part, i) => (i === 0 ? [part] : [Buffer.from('\n'), part])))
    const isOfSensor = kind === 'senml' || kind === 'ndjson' || kind === 'csv' || kind === 'json'
    const key = isOfSensor ? sensor.key : oneOf(random, fleetKeys)
    const path = pathOf(kind, sensor.id, random)
    if (random() < 0.02) {
      const bytes = rawRequest(path, key, TYPES[kind], plain, random)
      return note('raw', await exchanged(bytes), bytes)
    }
    const { body, encoding } = encoded(plain, random)
    const headers = { authorization: `Bearer ${key}`, 'content-type': TYPES[kind] }
    const response = await fetch(instance.url() + path, {
      method: 'POST',
      headers: encoding === undefined ? headers : { ...headers, 'content-encoding': encoding },
      body,
    })
    await response.arrayBuffer()
    note(kind, response.status, body)
  }
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      while (left > 0) await send()
    }),
  )
}

async function sendPackets(count: number, atOnce: number, { sensor, fleetKeys }: Attacker): Promise<void> {
  const random = seeded(Bun.hash.crc32(`${SEED} mqtt`))
  const message = JSON.stringify({ at: new Date(Date.now() - 3_600_000).toISOString(), values: { temperature: 1 } })
  const long = JSON.stringify({ readings: Array.from({ length: 100 }, () => JSON.parse(message) as object) })
  const ofSensor = [message, long].flatMap((text) => [0, 1, 2].map((qos) => publishPacket('readings', text, qos as 0)))
  const topics = [encodeURIComponent(DEVICE), 'a%20new%20one', sensor.id, '%ff'].map(
    (name) => `sensors/${name}/readings`,
  )
  const ofFleet = topics.flatMap((topic) => [publishPacket(topic, message, 1), publishPacket(topic, long, 0)])
  let left = count
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      while (left-- > 0) {
        const isFleet = random() < 0.5
        const signIn = signInPacket(isFleet ? { id: 'gateway', key: oneOf(random, fleetKeys) } : sensor)
        const bytes = damagedPackets(random, signIn, isFleet ? ofFleet : ofSensor)
        await sendInParts(mqttPort, bytes, whole(random, bytes.length + 1))
        note('mqtt', 'closed', bytes)
      }
    }),
  )
}

const metrics = async (): Promise<string> => (await fetch(`${instance.url()}/metrics`)).text()

function startVictim(plan: VictimPlan) {
  const path = join(dir, 'victim.json')
  writeFileSync(path, JSON.stringify(plan))
  const child = Bun.spawn([process.execPath, 'bench/support/gateway-victim.ts', path], {
    cwd: ROOT,
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const lines = child.stdout.pipeThrough(new TextDecoderStream() as never).getReader()
  let text = ''
  /** The next line of output, or the last one once the process has ended. */
  async function line(isLast: boolean): Promise<VictimResult> {
    while (isLast || !text.includes('\n')) {
      const { done, value } = await lines.read()
      if (done && !isLast) throw new Error('the victim ended')
      if (done) break
      text += value as unknown as string
    }
    const all = text.trimEnd().split('\n')
    const found = (isLast ? all.at(-1) : all.shift()) as string
    text = text.slice(found.length + 1)
    return JSON.parse(found) as VictimResult
  }
  return {
    take(): Promise<VictimResult> {
      child.stdin.write('\n')
      child.stdin.flush()
      return line(false)
    },
    stop(): Promise<VictimResult> {
      child.stdin.end()
      return line(true)
    },
  }
}

/** What differs between the readings that were acknowledged and the ones that are stored. */
async function differences(of: Organization, { sensors, firstAtMs }: VictimPlan, sent: number[]): Promise<string[]> {
  const wrong: string[] = []
  for (const [i, { id }] of sensors.entries()) {
    const stored = new Map<number, number>()
    for (let cursor = ''; ; ) {
      const { data } = await instance.query<{
        items: { at: string; values: { value: number } }[]
        nextCursor: string | null
      }>(of, `/sensors/${id}/readings?limit=1000${cursor}`)
      for (const { at, values } of data.items) stored.set(Date.parse(at), values.value)
      if (data.nextCursor === null) break
      cursor = `&cursor=${data.nextCursor}`
    }
    const count = sent[i] as number
    if (stored.size !== count) wrong.push(`${id}: ${count} sent, ${stored.size} stored`)
    for (let n = 0; n < count; n++) if (stored.get(firstAtMs + n * 1_000) !== n) wrong.push(`${id}: reading ${n}`)
  }
  return wrong
}

async function run(testInstance: Instance): Promise<string[]> {
  const organization = await testInstance.organization('scale')
  const channels = [{ name: 'value', measurement: 'whole' as const }]
  const sensors = await Promise.all(
    Array.from({ length: VICTIMS }, () => testInstance.sensor(organization.id, channels)),
  )
  const plan: VictimPlan = {
    url: testInstance.url(),
    mqttPort,
    sensors: sensors.map(({ id, key }) => ({ id, key })),
    readingsPerSecond: VICTIM_PER_SECOND,
    firstAtMs: Math.floor(Date.now() / 1_000) * 1_000 - 60 * 86_400_000,
  }
  const attacker = await makeAttacker()
  say(
    `Seed ${SEED}, ${COUNT} lines, SenML packs and MQTT packets, ${FEWER} of each other kind; load before ${load()}\n`,
  )
  say('| phase | s | victim p50 / p99 / max ms | longest delay of the loop, ms | server MB |')
  say('| ----- | -: | -: | -: | -: |')
  const victim = startVictim(plan)
  async function phase(name: string, work: () => Promise<unknown>): Promise<VictimResult> {
    const startedMs = performance.now()
    await work()
    const result = await victim.take()
    const [p50, p99, max] = [0.5, 0.99, 1].map((share) => ms(quantile(result.latencies, share)))
    const seconds = ((performance.now() - startedMs) / 1_000).toFixed(0)
    const delay = ms(await longestDelayMs({ url: testInstance.url() }))
    const mb = residentMb(testInstance.pid()).toFixed(0)
    say(`| ${name} | ${seconds} | ${p50} / ${p99} / ${max} | ${delay} | ${mb} |`)
    return result
  }
  const few = Math.ceil(COUNT / 20)
  await phase('start', () => Bun.sleep(2_000))
  await phase('nothing', () => Bun.sleep(QUIET_MS))
  const kinds = Object.keys(BODIES) as BodyKind[]
  const all = (share: number): Promise<unknown> =>
    Promise.all([
      ...kinds.map((kind) => {
        const isMain = kind === 'lines' || kind === 'senml'
        return sendBodies(kind, Math.ceil((isMain ? COUNT : FEWER) * share), isMain ? 6 : 2, attacker)
      }),
      sendPackets(Math.ceil(COUNT * share), 12, attacker),
    ])
  await phase('warm-up', () => all(few / COUNT))
  const startMb = residentMb(testInstance.pid())
  counts.clear()
  const fuzzed = await phase('damaged', () => all(1))
  await phase('afterwards', () => Bun.sleep(QUIET_MS))
  const endMb = residentMb(testInstance.pid())
  const last = await victim.stop()
  // until the last readings can be read
  await Bun.sleep(3_000)
  const wrong = await differences(organization, plan, last.sent)
  const text = await metrics()
  const uncaught = text.match(/^uncaught_errors_total\{.*(?<! 0)$/gm) ?? []
  const failed = text.match(/^mqtt_closed_total\{reason="unavailable"\} .*(?<! 0)$/gm) ?? []
  const logged = testInstance.log().match(/^.*"level":(50|60).*$/gm) ?? []
  const byKind = [...counts].toSorted().map(([key, count]) => `${count} × ${key}`)
  say(`\nAnswers: ${byKind.join(', ')}`)
  say(`Victim: ${last.sent.reduce((sum, count) => sum + count, 0)} readings; load after ${load()}`)
  say(`Memory: ${startMb.toFixed(0)} MB after the warm-up, ${endMb.toFixed(0)} MB at the end`)
  const p99 = quantile(fuzzed.latencies, 0.99)
  const checks: [boolean, string][] = [
    [faults.length > 0, `unexpected answers:\n  ${faults.join('\n  ')}`],
    [uncaught.length > 0, uncaught.join(', ')],
    [failed.length > 0, `messages by MQTT that were not taken: ${failed.join(', ')}`],
    [logged.length > 0, `errors in the log:\n  ${logged.slice(0, 5).join('\n  ')}`],
    [p99 > LIMITS.p99Ms, `the victim's p99 was ${ms(p99)} ms`],
    [fuzzed.faults.length + last.faults.length > 0, `the victim: ${[...fuzzed.faults, ...last.faults].slice(0, 5)}`],
    [wrong.length > 0, `stored readings of the victim differ: ${wrong.slice(0, 5).join(', ')}`],
    [endMb > startMb * LIMITS.memoryGrowth, `memory grew from ${startMb.toFixed(0)} to ${endMb.toFixed(0)} MB`],
  ]
  return checks.flatMap(([isMissed, what]) => (isMissed ? [what] : []))
}

let missed: string[]
try {
  missed = await run(instance)
} finally {
  await instance.remove()
  rmSync(dir, { recursive: true, force: true })
}
say(missed.length === 0 ? 'All limits were met.' : `MISSED:\n- ${missed.join('\n- ')}`)
process.exit(missed.length === 0 ? 0 : 1)
