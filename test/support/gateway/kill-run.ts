/**
 * Readings by every way at the same time, while servers and Redis are killed with SIGKILL, and the comparison of what is
 * stored with what was sent.
 */
import { join } from 'node:path'
import { ROOT } from '../processes.ts'
import { type Random, whole } from '../random.ts'
import { createInstance, type Instance, type Organization } from '../server/instance.ts'
import { type KillClients, type KillCount, startKillClients } from '../server/kill-clients.ts'
import { freePort } from '../stores/postgres.ts'
import { type SharedStores, startSharedStores } from '../stores/shared-stores.ts'
import { until } from '../until.ts'
import { everyWay, type Target, type Way } from './ways.ts'

const FAULTS = ['lost', 'neverSent', 'doubled', 'changed'] as const
/** Redis loses what it wrote in the last second, as in operation. */
const REDIS = ['--appendonly', 'yes', '--appendfsync', 'everysec']
const PATIENCE_MS = 200_000
const ENV = {
  SENSOR_CALLS_PER_MINUTE: '1000000',
  FLEET_CALLS_PER_MINUTE: '1000000',
  MQTT_MESSAGES_PER_MINUTE: '1000000',
  // a busy machine loads slowly, and calls that must wait for it would be refused again and again
  LOOKUP_TIMEOUT_MS: '10000',
  // small segments, so that kills also hit sealing, loading and deleting; little memory, so that claims are evicted
  LOG_SEGMENT_MB: '1',
  LOAD_INTERVAL_MS: '50',
  CLAIMS_MEMORY_MB: '1',
}

export type WayCount = { way: string; calls: number; stored: number } & Record<(typeof FAULTS)[number], number>
export type KillResult = {
  ways: WayCount[]
  /** Readings that are stored, rows of the table, and readings that the day's count has. */
  stored: number
  rows: number
  counted: number
  /** The first faults of each sensor. */
  details: string[]
}

export type GatewayKills = {
  /** Waits until every way has had an answer since the last kill, and kills a server at a random moment. */
  killServer(): Promise<void>
  /** The same with Redis; @throws Error without Redis */
  killRedis(): Promise<void>
  /** Stops the senders and compares. */
  stop(): Promise<KillResult>
  remove(): Promise<void>
}

/**
 * @param withRedis two servers that share PostgreSQL, Redis and ClickHouse; otherwise one with embedded stores
 * @param randomOf a generator for each concurrent loop
 */
export async function startGatewayKills(
  withRedis: boolean,
  randomOf: (loop: string) => Random,
  pauseMs: number,
): Promise<GatewayKills> {
  const stores = withRedis ? await startSharedStores() : undefined
  await stores?.redis.kill()
  await stores?.redis.start(REDIS)
  const targets: Target[] = []
  for (let i = 0; i < (withRedis ? 2 : 1); i++) {
    const mqttPort = await freePort()
    const ports = { PORT: String(await freePort()), MQTT_PORT: String(mqttPort) }
    targets.push({ instance: await createInstance({ ...ENV, ...stores?.env, ...ports }), mqttPort })
  }
  const [{ instance }] = targets as [Target]
  const organization = await instance.organization('scale')
  const anyRandom = randomOf('servers')
  const any = (): Target => targets[whole(anyRandom, targets.length)] as Target
  const ways = await everyWay(any, organization)
  const startDay = new Date().toISOString().slice(0, 10)
  const clients = ways.map((way) => ({ way, clients: start(way) }))

  function start({ name, sensors, most, ask }: Way): KillClients {
    const randomOfSensor = (sensor: number): Random => randomOf(`${name} ${sensor}`)
    return startKillClients({ instance, organization, sensors, most, ask, pauseMs, randomOf: randomOfSensor })
  }
  const random = randomOf('kills')
  let answersBefore = clients.map(() => 0)

  async function moment(): Promise<void> {
    const idle = (): string[] =>
      clients.filter((one, i) => one.clients.answers() <= (answersBefore[i] ?? 0)).map(({ way }) => way.name)
    await until(() => idle().length === 0, 'an answer by every way', PATIENCE_MS).catch((error) => {
      throw new Error(`no answer: ${idle().join(', ')}`, { cause: error })
    })
    await Bun.sleep(random() * 900)
    answersBefore = clients.map((one) => one.clients.answers())
  }

  return {
    async killServer() {
      await moment()
      const victim = targets[whole(random, targets.length)] as Target
      await victim.instance.kill('SIGKILL')
      await Bun.sleep(random() * 300)
      await victim.instance.restart()
    },
    async killRedis() {
      if (stores === undefined) throw new Error('there is no Redis')
      await moment()
      await stores.redis.kill()
      await Bun.sleep(random() * 300)
      await stores.redis.start(REDIS)
    },
    async stop() {
      const counts: { way: string; calls: number; ofSensors: KillCount[] }[] = []
      const ofAll = await Promise.all(clients.map((one) => one.clients.stop()))
      for (const [i, ofSensors] of ofAll.entries()) {
        const { way, clients: own } = clients[i] as (typeof clients)[number]
        counts.push({ way: way.name, calls: own.answers(), ofSensors })
      }
      const sum = (numbers: number[]): number => numbers.reduce((total, one) => total + one, 0)
      const stored = sum(counts.flatMap(({ ofSensors }) => ofSensors.map((count) => count.stored)))
      const counted = await countedReadings(instance, organization, startDay, stored)
      return {
        ways: counts.map(({ way, calls, ofSensors }) => ({
          way,
          calls,
          stored: sum(ofSensors.map((count) => count.stored)),
          ...(Object.fromEntries(
            FAULTS.map((fault) => [fault, sum(ofSensors.map((count) => count[fault].length))]),
          ) as Record<(typeof FAULTS)[number], number>),
        })),
        stored,
        counted,
        rows: await rowsOf(instance, stores),
        details: counts.flatMap(({ way, ofSensors }) =>
          ofSensors
            .filter((count) => FAULTS.some((fault) => count[fault].length > 0))
            .map(
              (count) =>
                `${way}, sensor ${count.sensor}: ${FAULTS.map((fault) => `${fault} ${JSON.stringify(count[fault].slice(0, 20))}`).join(', ')}`,
            ),
        ),
      }
    },
    async remove() {
      for (const one of targets) await one.instance.remove()
      await stores?.remove()
    },
  }
}

/** The readings of the enterprise since a day, once every server has written its count, or after some seconds. */
async function countedReadings(
  instance: Instance,
  { id }: Organization,
  from: string,
  expected: number,
): Promise<number> {
  let counted = 0
  const isCounted = async (): Promise<boolean> => {
    const to = new Date().toISOString().slice(0, 10)
    const { days } = await instance.manage<{ days: { readings: number }[] }>(
      'GET',
      `/owners/${id}/usage/daily?from=${from}&to=${to}`,
    )
    counted = days.reduce((sum, { readings }) => sum + readings, 0)
    return counted === expected
  }
  // the count is compared by the caller
  await until(isCounted, 'the count of the day', 15_000).catch(() => undefined)
  return counted
}

/** Rows of the table, which has at most one for a sensor and time; ends a server with embedded stores. */
async function rowsOf(instance: Instance, stores: SharedStores | undefined): Promise<number> {
  if (stores === undefined) {
    await instance.kill('SIGTERM')
    const counting = Bun.spawn([process.execPath, join(ROOT, 'bench/support/count.ts'), instance.dir], { cwd: ROOT })
    return (JSON.parse(await new Response(counting.stdout).text()) as { rows: number }).rows
  }
  const { origin, pathname, username, password } = new URL(stores.env.CLICKHOUSE_URL as string)
  const response = await fetch(`${origin}/?database=${pathname.slice(1)}&query=SELECT+count()+FROM+readings+FINAL`, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa(`${username}:${password}`)}` },
  })
  return Number(await response.text())
}
