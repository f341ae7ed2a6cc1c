/**
 * Alerts across kills: sensors send until they have an answer, while the server, ClickHouse, PostgreSQL and the judging
 * process are killed at random moments. The stored alerts are compared with a plain loop over what was sent.
 */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { episodesOf, type Sent, startSensor } from '../support/alerts/alert-fleet.ts'
import { above, putRules, storedAlerts, untilJudged } from '../support/alerts/alert-rules.ts'
import { familyOf, processesIn } from '../support/processes.ts'
import { killRandom, whole } from '../support/random.ts'
import { rounds } from '../support/rounds.ts'
import { createInstance, type MadeSensor } from '../support/server/instance.ts'

const KILLS = Number(process.env.ALERT_KILLS ?? rounds(5, 200))
const SENSORS = 8
const randomFor = killRandom('alert-kills.test.ts')
const LIMITS = [20, 50, 80]

const sensors: MadeSensor[] = []
const instance = await createInstance({
  SENSOR_CALLS_PER_MINUTE: '1000000',
  // small segments, so that kills also hit sealing, loading, moving and judging
  LOG_SEGMENT_MB: '1',
  LOAD_INTERVAL_MS: '50',
})
const organization = await instance.organization('scale')
beforeAll(async () => {
  for (let i = 0; i < SENSORS; i++)
    sensors.push(await instance.sensor(organization.id, [{ name: 'a', measurement: 'number' }]))
  const rules = LIMITS.map((limit) => ({ id: `rul_${limit}`, kind: 'threshold' as const, definition: above(limit) }))
  await putRules(instance, organization, rules)
  // the rules count from a second before they were written
  await Bun.sleep(1_000)
}, 120_000)
afterAll(instance.remove)

const postgresPid = (): number =>
  Number(readFileSync(join(instance.dir, 'postgres/postmaster.pid'), 'latin1').split('\n')[0])

const KINDS = {
  async server() {
    await instance.kill('SIGKILL')
    await instance.restart()
  },
  // it leaves a snapshot
  async stop() {
    await instance.kill('SIGTERM')
    await instance.restart()
  },
  async clickhouse() {
    for (const pid of processesIn(join(instance.dir, 'clickhouse'))) process.kill(pid, 'SIGKILL')
  },
  async postgres() {
    process.kill(postgresPid(), 'SIGKILL')
  },
  async judge() {
    for (const pid of familyOf(instance.pid()).filter(isWorker)) process.kill(pid, 'SIGKILL')
  },
}

const isWorker = (pid: number): boolean => {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'latin1').includes('src/engine/worker.ts')
  } catch {
    // it has just ended
    return false
  }
}

test(
  `${KILLS} kills lose, double and change no alert`,
  async () => {
    let isRunning = true
    const sending = sensors.map((sensor, i) => startSensor(instance, sensor, randomFor(i), () => isRunning))
    const random = randomFor('kills')
    const kinds = Object.entries(KINDS)
    for (let kill = 0; kill < KILLS; kill++) {
      await Bun.sleep(300 + random() * 1_500)
      const [name, run] = kinds[(kill + whole(random, 2)) % kinds.length] as (typeof kinds)[number]
      await run().catch((error: unknown) => {
        throw new Error(`kill ${kill} of ${name} failed`, { cause: error })
      })
    }
    await Bun.sleep(500)
    isRunning = false
    const sent = await Promise.all(sending)
    await untilJudged(instance)
    const limits = new Map(LIMITS.map((limit) => [`rul_${limit}`, limit]))
    const expected = sensors.flatMap(({ id }, i) => episodesOf(limits, id, sent[i] as Sent[])).sort()
    const alerts = await storedAlerts(instance, organization)
    const stored = alerts.map(
      (alert) =>
        `${alert.rule_id} ${alert.sensor_id} ${alert.started_at.getTime()} ${alert.resolved_at?.getTime() ?? 'firing'}`,
    )
    expect(stored.sort()).toEqual(expected)
    expect(expected.length).toBeGreaterThan(KILLS * 20)
    expect(alerts.filter(({ late, resolved_by }) => late || (resolved_by ?? 'cleared') !== 'cleared')).toEqual([])
  },
  300_000 + KILLS * 20_000,
)
