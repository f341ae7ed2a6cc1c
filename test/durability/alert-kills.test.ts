/**
 * Alerts across kills: sensors send until they have an answer, while the server, ClickHouse, PostgreSQL and the judging
 * process are killed at random moments. The stored alerts are compared with a plain loop over what was sent.
 */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { familyOf, processesIn } from '../support/processes.ts'
import { killRandom, type Random, whole } from '../support/random.ts'
import { rounds } from '../support/rounds.ts'
import { above, putRules, storedAlerts, untilJudged } from '../support/server/alert-rules.ts'
import { createInstance, type MadeSensor, outcomeOf } from '../support/server/instance.ts'
import { until } from '../support/until.ts'

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

type Sent = { ms: number; a: number }

/** Sends until it is stopped; a call is repeated until it is answered, as a sensor does. */
async function startSensor(sensor: MadeSensor, random: Random, running: () => boolean): Promise<Sent[]> {
  const sent: Sent[] = []
  for (let ms = Date.now() - 86_400_000; running(); await Bun.sleep(random() * 100)) {
    const batch = Array.from({ length: 1 + whole(random, 20) }, () => {
      ms += 1_000
      return { ms, a: whole(random, 100) }
    })
    const readings = batch.map(({ ms, a }) => ({ at: new Date(ms).toISOString(), values: { a } }))
    await until(async () => {
      const response = await instance.send(sensor, { readings }).catch(() => undefined)
      if (response?.status !== 200) return false
      const { accepted, duplicates } = await outcomeOf(response)
      return accepted.length + duplicates.length === readings.length
    }, 'an answer')
    sent.push(...batch)
  }
  return sent
}

/** `rule sensor start end` of each episode. */
function episodesOf(sensor: string, sent: readonly Sent[]): string[] {
  return LIMITS.flatMap((limit) => {
    const episodes: string[] = []
    let start: number | undefined
    for (const { ms, a } of sent) {
      if (a > limit) start ??= ms
      else if (start !== undefined) {
        episodes.push(`rul_${limit} ${sensor} ${start} ${ms}`)
        start = undefined
      }
    }
    return start === undefined ? episodes : [...episodes, `rul_${limit} ${sensor} ${start} firing`]
  })
}

test(
  `${KILLS} kills lose, double and change no alert`,
  async () => {
    let isRunning = true
    const sending = sensors.map((sensor, i) => startSensor(sensor, randomFor(i), () => isRunning))
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
    const expected = sensors.flatMap(({ id }, i) => episodesOf(id, sent[i] as Sent[])).sort()
    const alerts = await storedAlerts(instance, organization)
    const stored = alerts.map(
      (alert) =>
        `${alert.rule_id} ${alert.sensor_id} ${alert.started_at.getTime()} ${alert.resolved_at?.getTime() ?? 'firing'}`,
    )
    expect(stored.sort()).toEqual(expected)
    expect(expected.length).toBeGreaterThan(KILLS * 20)
    expect(alerts.filter(({ late, resolved_by }) => late || (resolved_by ?? 'cleared') !== 'cleared')).toEqual([])
  },
  rounds(300_000, 3_600_000),
)
