/**
 * Alert rules with two instances on one PostgreSQL, one Redis (both real) and one ClickHouse (a bridge over chDB): one of
 * them judges what both receive, and another one continues when it is killed.
 */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { episodesOf, type Sent, startSensor } from '../support/alerts/alert-fleet.ts'
import type { AlertRow } from '../support/alerts/alert-rules.ts'
import { killRandom, whole } from '../support/random.ts'
import { rounds } from '../support/rounds.ts'
import {
  type Envelope,
  type Instance,
  type MadeSensor,
  type Organization,
  outcomeOf,
} from '../support/server/instance.ts'
import { removeInstances, startTwoInstances } from '../support/server/two-instances.ts'
import { call } from '../support/server/zones.ts'
import { until } from '../support/until.ts'

const KILLS = Number(process.env.ALERT_KILLS ?? rounds(4, 60))
const CHANNELS = [{ name: 'a', measurement: 'number' as const }]
const randomFor = killRandom('alert-instances.test.ts')

// small segments, so that kills also hit sealing, loading, handing over and judging
const { stores, instances, organization } = await startTwoInstances({ LOG_SEGMENT_MB: '1', LOAD_INTERVAL_MS: '50' })
const database = new Bun.SQL(stores.postgres.url, { max: 1 })
beforeAll(async () => {
  await until(async () => (await judgeId()) !== null, 'a judge')
})
afterAll(async () => {
  await database.close()
  await removeInstances({ stores, instances })
})

const [one, other] = instances as [Instance, Instance]
const idOf = ({ dir }: Instance): string => readFileSync(join(dir, 'instance.id'), 'utf8').trim()
async function judgeId(): Promise<string | null> {
  const [row] = await database`SELECT instance_id AS id FROM alert_judge WHERE leased_until > now()`
  return (row?.id as string | undefined) ?? null
}
/** The instance that judges, and the other one. */
async function byRole(): Promise<[judge: Instance, idle: Instance]> {
  await until(async () => (await judgeId()) !== null, 'a judge')
  return (await judgeId()) === idOf(one) ? [one, other] : [other, one]
}
const alertsOf = async ({ id }: Organization): Promise<AlertRow[]> =>
  ((await database`SELECT * FROM alerts WHERE enterprise_id = ${id} ORDER BY id`) as AlertRow[]).map((row) => ({
    ...row,
  }))
const makeRule = async (at: Instance, who: Organization, rule: object): Promise<string> =>
  (await call<{ id: string }>(at, who, 'POST', '/rules', { sensorIds: 'all', ...rule })).data.id
const isAbove = (value: number, more: object = {}) => ({
  kind: 'threshold',
  conditions: [{ channel: 'a', op: '>', value }],
  ...more,
})

let lastMs = Date.now() - 3_600_000
const nextMs = (): number => {
  lastMs += 1_000
  return lastMs
}
async function send(at: Instance, sensor: MadeSensor, a: number, ms = nextMs()): Promise<void> {
  const readings = [{ at: new Date(ms).toISOString(), values: { a } }]
  expect((await outcomeOf(await at.send(sensor, { readings }))).accepted).toHaveLength(1)
}

test('an alert begins with a reading at one instance, and ends with one at the other', async () => {
  const own = await one.organization('scale')
  const sensor = await one.sensor(own.id, CHANNELS)
  const rule = await makeRule(other, own, isAbove(5))
  const states = async (at: Instance) =>
    (await at.query<{ items: { state: string; since: string | null }[] }>(own, `/rules/${rule}/states`)).data.items
  const firstMs = lastMs + 1_000
  await send(one, sensor, 1)
  // the state is in the process of the judge alone
  for (const at of instances)
    await until(async () => (await states(at))[0]?.state === 'ok', 'the state at each instance')
  for (let i = 0; i < 4; i++) {
    const [begins, ends] = i % 2 === 0 ? [one, other] : [other, one]
    await send(begins, sensor, 10)
    await until(
      async () => (await alertsOf(own)).filter((alert) => alert.resolved_at === null).length === 1,
      'the alert',
    )
    await send(ends, sensor, 1)
    await until(async () => (await alertsOf(own)).every((alert) => alert.resolved_at !== null), 'its end')
  }
  const alerts = (await alertsOf(own)).toSorted((a, b) => Number(a.started_at) - Number(b.started_at))
  expect(alerts.map(({ started_at }) => Number(started_at) - firstMs)).toEqual([1_000, 3_000, 5_000, 7_000])
  expect(alerts.map(({ resolved_at }) => Number(resolved_at) - firstMs)).toEqual([2_000, 4_000, 6_000, 8_000])
  expect(alerts.filter(({ late, resolved_by }) => late || resolved_by !== 'cleared')).toEqual([])
}, 120_000)

test('no silence fires while its readings are in the log of another instance', async () => {
  const own = await one.organization('scale')
  const sensor = await one.sensor(own.id, CHANNELS)
  await makeRule(one, own, { kind: 'silence', forSeconds: 3 })
  const [judge, idle] = await byRole()
  const beganMs = Date.now()
  await send(judge, sensor, 1, beganMs)
  await until(async () => (await alertsOf(own)).length === 1, 'the first silence')
  const [first] = await alertsOf(own)
  expect([Number(first?.started_at), Number(first?.fired_at)]).toEqual([beganMs, beganMs + 3_000])
  expect(Number(first?.detected_at) - beganMs).toBeLessThan(9_000)

  const secondMs = Date.now()
  await send(judge, sensor, 1, secondMs)
  await until(async () => (await alertsOf(own))[0]?.resolved_at !== null, 'its end')
  const lastReadingMs = Date.now()
  await send(idle, sensor, 1, lastReadingMs)
  process.kill(idle.pid(), 'SIGSTOP')
  // the silence after the second reading would have fired by then
  await Bun.sleep(Math.max(0, secondMs + 7_000 - Date.now()))
  process.kill(idle.pid(), 'SIGCONT')
  await until(async () => (await alertsOf(own)).length === 2, 'the second silence')
  const alerts = await alertsOf(own)
  expect(alerts.map(({ started_at }) => Number(started_at)).sort()).toEqual([beganMs, lastReadingMs])
}, 120_000)

test(
  `${KILLS} kills of either instance lose, double and change no alert`,
  async () => {
    const sensors = await Promise.all(Array.from({ length: 8 }, () => one.sensor(organization.id, CHANNELS)))
    const limits = new Map<string, number>()
    for (const limit of [20, 50, 80]) limits.set(await makeRule(one, organization, isAbove(limit)), limit)
    let isRunning = true
    const sending = sensors.map((sensor, i) =>
      startSensor(instances[i % 2] as Instance, sensor, randomFor(i), () => isRunning),
    )
    const random = randomFor('kills')
    const judges = new Set<string | null>()
    for (let kill = 0; kill < KILLS; kill++) {
      await Bun.sleep(500 + random() * 2_000)
      const [judge, idle] = await byRole()
      judges.add(await judgeId())
      const killed = kill % 2 === 0 ? judge : idle
      await killed.kill(whole(random, 3) === 0 ? 'SIGTERM' : 'SIGKILL')
      // another instance takes the lease, unless this one is back before
      if (killed === judge && kill % 4 === 0)
        await until(async () => (await judgeId()) === idOf(idle), 'the next judge')
      await killed.restart()
    }
    isRunning = false
    const sent = await Promise.all(sending)
    const expected = sensors.flatMap(({ id }, i) => episodesOf(limits, id, sent[i] as Sent[])).sort()
    const stored = async (): Promise<string[]> =>
      (await alertsOf(organization))
        .map(
          (alert) =>
            `${alert.rule_id} ${alert.sensor_id} ${alert.started_at.getTime()} ${alert.resolved_at?.getTime() ?? 'firing'}`,
        )
        .sort()
    const isJudged = async (): Promise<boolean> => {
      const [{ left }] = (await database`SELECT count(*)::integer AS left FROM alert_feed
        WHERE content IS NOT NULL AND serial > (SELECT judged FROM alert_judge)`) as [{ left: number }]
      const waiting = await Promise.all(
        instances.map(async (at) => {
          const ready = (await (await fetch(`${at.url()}/health/ready`)).json()) as Envelope<{
            parts: { ingest: { detail: { segmentsWaiting: number } } }
          }>
          return ready.data.parts.ingest.detail.segmentsWaiting
        }),
      )
      return left === 0 && waiting.every((segments) => segments === 0)
    }
    await until(isJudged, 'judging')
    await until(async () => (await stored()).length >= expected.length, 'the alerts')
    expect(await stored()).toEqual(expected)
    expect(expected.length).toBeGreaterThan(KILLS * 20)
    expect(judges.size).toBe(2)
    const odd = (await alertsOf(organization)).filter(
      ({ late, resolved_by }) => late || (resolved_by ?? 'cleared') !== 'cleared',
    )
    expect(odd).toEqual([])
  },
  300_000 + KILLS * 20_000,
)
