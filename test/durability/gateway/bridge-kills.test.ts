/**
 * Durability through the bridge: what it has acknowledged at the broker is stored, and nothing is stored twice, at whatever
 * moment bridge, server or broker is killed. `TEST_LONG=1` kills each of them 20 times.
 */
import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { connectAsync, type MqttClient } from 'mqtt'
import { startBridge } from '../../support/mqtt/bridge.ts'
import { type Broker, startBroker } from '../../support/mqtt/broker.ts'
import { isAcknowledged } from '../../support/mqtt/client.ts'
import { watchAcks } from '../../support/mqtt/watch-acks.ts'
import { ROOT } from '../../support/processes.ts'
import { killRandom, type Random, whole } from '../../support/random.ts'
import { rounds } from '../../support/rounds.ts'
import { createInstance, type Instance, type MadeSensor, type Organization } from '../../support/server/instance.ts'
import { makeFleetKey } from '../../support/server/many-readings.ts'
import { freePort } from '../../support/stores/postgres.ts'

const KILLS = rounds(2, 20)
const TIMEOUT_MS = rounds(900_000, 3_600_000)
const SENSORS = 8
/** Messages of a sensor that are sent before the first of them is acknowledged. */
const IN_FLIGHT = 20
/** Of a sender, between the acknowledgement of its messages and the next ones. */
const PAUSE_MS = 100
const randomOf = killRandom('bridge-kills.test.ts')

const PARTS = ['bridge', 'server', 'broker'] as const
type Part = (typeof PARTS)[number]

/** Each part as often as given, in an order by chance. */
function killsOf(random: Random): Part[] {
  const left = PARTS.flatMap((part) => Array.from({ length: KILLS }, () => part))
  return Array.from({ length: left.length }, () => left.splice(whole(random, left.length), 1)[0] as Part)
}

const startMs = Math.floor(Date.now() / 1_000) * 1_000 - 5 * 86_400_000
const topicOf = ({ id }: MadeSensor): string => `sensors/${id}/readings`
const messageOf = (n: number): string =>
  JSON.stringify({ at: new Date(startMs + n * 100).toISOString(), values: { a: n } })

async function untilConnected({ port }: Broker): Promise<MqttClient> {
  for (;;)
    try {
      return await connectAsync({ host: '127.0.0.1', port, reconnectPeriod: 0 })
    } catch {
      // the broker was killed
      await Bun.sleep(50)
    }
}

/** Publishes the messages until the broker has acknowledged each. */
async function publish(broker: Broker, sensor: MadeSensor, numbers: readonly number[], client: MqttClient) {
  let connected = client
  let left = [...numbers]
  while (left.length > 0) {
    // its connection may have ended since the last message
    if (!connected.connected) connected = await untilConnected(broker)
    const taken = await Promise.all(left.map((n) => isAcknowledged(connected, topicOf(sensor), messageOf(n))))
    left = left.filter((_, i) => taken[i] === false)
    if (left.length === 0) break
    connected.end(true)
    connected = await untilConnected(broker)
  }
  return connected
}

async function storedOf(instance: Instance, organization: Organization, { id }: MadeSensor): Promise<Set<number>> {
  const numbers = new Set<number>()
  for (let cursor = ''; ; ) {
    const { data } = await instance.query<{
      items: { at: string; values: { a: number } }[]
      nextCursor: string | null
    }>(organization, `/sensors/${id}/readings?limit=1000${cursor}`)
    for (const { at, values } of data.items) {
      expect(at).toBe(new Date(startMs + values.a * 100).toISOString())
      numbers.add(values.a)
    }
    if (data.nextCursor === null) return numbers
    cursor = `&cursor=${data.nextCursor}`
  }
}

/**
 * @param brokerSignal SIGTERM: the broker keeps all that it has acknowledged. SIGKILL: it loses what it has not written yet
 * @returns the messages that the broker has lost
 */
async function killAll(brokerSignal: 'SIGTERM' | 'SIGKILL'): Promise<number> {
  const instance = await createInstance({
    PORT: String(await freePort()),
    FLEET_CALLS_PER_MINUTE: '1000000',
    LOG_SEGMENT_MB: '1',
    LOAD_INTERVAL_MS: '50',
  })
  const broker = await startBroker({ savesChanges: brokerSignal === 'SIGKILL' })
  const watch = await watchAcks(broker.port)
  const organization = await instance.organization('scale')
  const sensors: MadeSensor[] = []
  for (let i = 0; i < SENSORS; i++)
    sensors.push(await instance.sensor(organization.id, [{ name: 'a', measurement: 'number' }]))
  const { key } = await makeFleetKey(instance, organization.id)
  const bridge = await startBridge({
    MQTT_URL: `mqtt://127.0.0.1:${watch.port}`,
    MQTT_FLEET_KEY: key,
    GROUNDWAVE_URL: instance.url(),
  })
  let isRunning = true

  /** @returns the number of messages, all of them acknowledged by the broker */
  async function send(sensor: MadeSensor): Promise<number> {
    let client = await untilConnected(broker)
    let next = 0
    while (isRunning) {
      const numbers = Array.from({ length: IN_FLIGHT }, () => next++)
      client = await publish(broker, sensor, numbers, client)
      await Bun.sleep(PAUSE_MS)
    }
    await client.endAsync(true)
    return next
  }

  const kill = {
    async bridge() {
      await bridge.stop('SIGKILL')
      await bridge.start()
    },
    async server() {
      await instance.kill('SIGKILL')
      await instance.restart()
    },
    async broker() {
      await broker.stop(brokerSignal)
      await broker.start()
    },
  }

  /** Waits until nothing more is stored. @returns what is missing */
  async function untilStored(counts: readonly number[]): Promise<{ sensor: MadeSensor; numbers: number[] }[]> {
    for (let quiet = 0, last = -1; ; ) {
      const missing = []
      for (const [i, sensor] of sensors.entries()) {
        const stored = await storedOf(instance, organization, sensor)
        const all = Array.from({ length: counts[i] as number }, (_, n) => n)
        missing.push({ sensor, numbers: all.filter((n) => !stored.has(n)) })
      }
      const count = missing.reduce((sum, { numbers }) => sum + numbers.length, 0)
      quiet = count === last ? quiet + 1 : 0
      last = count
      if (count === 0 || quiet === QUIET) return missing
      await Bun.sleep(500)
    }
  }

  try {
    const sending = sensors.map(send)
    const random = randomOf(brokerSignal)
    for (const part of killsOf(random)) {
      await Bun.sleep(200 + random() * 900)
      await kill[part]()
    }
    await Bun.sleep(500)
    isRunning = false
    const counts = await Promise.all(sending)
    const missing = await untilStored(counts)
    // what the bridge has acknowledged at the broker, and is not stored
    const lostByBridge = missing.flatMap(({ sensor, numbers }) =>
      numbers.filter((n) => watch.acknowledged.has(`${topicOf(sensor)} ${messageOf(n)}`)),
    )
    expect(lostByBridge).toEqual([])
    const lostByBroker = missing.reduce((sum, { numbers }) => sum + numbers.length, 0)
    for (const { sensor, numbers } of missing)
      await (await publish(broker, sensor, numbers, await untilConnected(broker))).endAsync(true)
    const stillMissing = (await untilStored(counts)).flatMap(({ numbers }) => numbers)
    expect(stillMissing).toEqual([])
    // rows of the table, so that a reading that is stored twice is found
    await instance.kill('SIGTERM')
    const counting = Bun.spawn([process.execPath, join(ROOT, 'bench/support/count.ts'), instance.dir], { cwd: ROOT })
    const { rows } = JSON.parse(await new Response(counting.stdout).text()) as { rows: number }
    const total = counts.reduce((sum, count) => sum + count, 0)
    expect(rows).toBe(total)
    expect(total).toBeGreaterThan(KILLS * SENSORS * IN_FLIGHT)
    expect(watch.acknowledged.size).toBeGreaterThan(0)
    process.stderr.write(
      `${total} messages, ${KILLS} kills each of ${PARTS.join(', ')} (broker: ${brokerSignal}): lost by the bridge ${lostByBridge.length}, by the broker ${lostByBroker}, stored twice ${rows - total}\n`,
    )
    return lostByBroker
  } finally {
    isRunning = false
    await bridge.remove()
    watch.close()
    await broker.remove()
    await instance.remove()
  }
}

/** Half seconds without another reading after which no more are expected: a bridge waits up to 4 s for its broker. */
const QUIET = 20

test(
  `${KILLS} kills each of bridge and server, and restarts of the broker, lose and duplicate nothing`,
  async () => {
    expect(await killAll('SIGTERM')).toBe(0)
  },
  TIMEOUT_MS,
)

test(
  `${KILLS} kills each of bridge, server and broker lose only what the broker had not written`,
  async () => {
    await killAll('SIGKILL')
  },
  TIMEOUT_MS,
)
