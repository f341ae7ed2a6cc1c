/** Alert rules on real servers: from a reading to the stored alert, and across restarts. */
import { afterAll, expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { above, putRules, storedAlerts, untilJudged } from '../../support/alerts/alert-rules.ts'
import { createInstance, type MadeSensor, outcomeOf } from '../../support/server/instance.ts'
import { until } from '../../support/until.ts'

const CHANNELS = [{ name: 'a', measurement: 'number' as const }]
const instance = await createInstance({ SENSOR_CALLS_PER_MINUTE: '100000' })
afterAll(() => instance.remove())

let lastMs = Date.now() - 3_600_000
async function send(sensor: MadeSensor, ...values: number[]): Promise<void> {
  const readings = values.map((a) => {
    lastMs += 1_000
    return { at: new Date(lastMs).toISOString(), values: { a } }
  })
  expect((await outcomeOf(await instance.send(sensor, { readings }))).accepted.length).toBe(values.length)
}
const retained = (): string[] => readdirSync(join(instance.dir, 'log/alerts')).sort()

test('without rules nothing is kept', async () => {
  const organization = await instance.organization()
  const sensor = await instance.sensor(organization.id, CHANNELS)
  await send(sensor, 1)
  await untilJudged(instance)
  expect(retained()).toEqual([])
})

test('a threshold fires within two seconds, and nothing changes because of restarts', async () => {
  const organization = await instance.organization()
  const sensors = await Promise.all(Array.from({ length: 5 }, () => instance.sensor(organization.id, CHANNELS)))
  const rules = Array.from({ length: 50 }, (_, i) => ({
    id: `rul_${i}`,
    kind: 'threshold' as const,
    definition: above(i, { forSeconds: i % 3, keepFiringSeconds: i % 4 }),
  }))
  await putRules(instance, organization, rules)
  const [first] = sensors as [MadeSensor]
  await send(first, 0)
  await untilJudged(instance)

  const sentMs = Date.now()
  await send(first, 1)
  await until(async () => (await storedAlerts(instance, organization)).length > 0, 'the alert')
  const [alert] = await storedAlerts(instance, organization)
  expect(alert).toMatchObject({ rule_id: 'rul_0', sensor_id: first.id, value: 1, late: false, resolved_at: null })
  expect(Number(alert?.fired_at)).toBe(lastMs)
  expect(Number(alert?.detected_at) - sentMs).toBeLessThan(2_000)

  for (const sensor of sensors) await send(sensor, 10, 20, 30, 40, 30, 20, 10, 9, 8, 7)
  await untilJudged(instance)
  const before = await storedAlerts(instance, organization)
  expect(before.length).toBeGreaterThan(100)
  expect(before.filter(({ resolved_at }) => resolved_at !== null).length).toBeGreaterThan(50)
  for (const signal of ['SIGTERM', 'SIGKILL', 'SIGKILL'] as const) {
    await instance.kill(signal)
    await instance.restart()
    await untilJudged(instance)
    expect(await storedAlerts(instance, organization)).toEqual(before)
  }
  // the state is there: everything that fires ends
  for (const sensor of sensors) await send(sensor, -1, -1, -1, -1, -1, -1)
  await until(async () => (await storedAlerts(instance, organization)).every((one) => one.resolved_at !== null), 'ends')
  const after = await storedAlerts(instance, organization)
  expect(after.map(({ id }) => id)).toEqual(before.map(({ id }) => id))
  expect(new Set(after.map(({ resolved_by }) => resolved_by))).toEqual(new Set(['cleared']))
}, 120_000)

test('a silence fires while it lasts, and the time without a server is none', async () => {
  const organization = await instance.organization()
  const sensor = await instance.sensor(organization.id, CHANNELS)
  const forSeconds = 4
  await putRules(instance, organization, [{ id: 'rul_silent', kind: 'silence', definition: { forSeconds } }])
  const alerts = () => storedAlerts(instance, organization)
  const reading = async (): Promise<number> => {
    const ms = Date.now()
    await outcomeOf(await instance.send(sensor, { readings: [{ at: new Date(ms).toISOString(), values: { a: 1 } }] }))
    return ms
  }
  const firstMs = await reading()
  await until(async () => (await alerts()).length === 1, 'the first silence')
  const [first] = await alerts()
  expect(Number(first?.started_at)).toBe(firstMs)
  expect(Number(first?.fired_at)).toBe(firstMs + forSeconds * 1_000)
  expect(Number(first?.detected_at) - Number(first?.fired_at)).toBeLessThan(2_500)

  const secondMs = await reading()
  await until(async () => (await alerts())[0]?.resolved_at !== null, 'its end')
  await instance.kill('SIGKILL')
  await Bun.sleep(forSeconds * 1_000)
  await instance.restart()
  const readyMs = Date.now()
  await until(async () => (await alerts()).length === 2, 'the second silence')
  const second = (await alerts()).find(({ resolved_at }) => resolved_at === null)
  expect(Number(second?.started_at)).toBe(secondMs)
  // what was left of the time when the server was killed
  expect(Number(second?.detected_at) - readyMs).toBeGreaterThan(1_500)
}, 120_000)

test('a spent day is no silence, and silences count again when its limit is raised', async () => {
  const organization = await instance.organization()
  await instance.manage('PATCH', `/enterprises/${organization.id}`, { readingsPerDay: 2 })
  const sensor = await instance.sensor(organization.id, CHANNELS)
  const forSeconds = 5
  await putRules(instance, organization, [{ id: 'rul_spent', kind: 'silence', definition: { forSeconds } }])
  await send(sensor, 1, 2)
  const refused = await instance.send(sensor, { readings: [{ at: new Date().toISOString(), values: { a: 3 } }] })
  expect(refused.status).toBe(429)
  await Bun.sleep(2 * forSeconds * 1_000)
  expect(await storedAlerts(instance, organization)).toEqual([])

  const raisedMs = Date.now()
  await instance.manage('PATCH', `/enterprises/${organization.id}`, { readingsPerDay: 100 })
  await until(async () => (await storedAlerts(instance, organization)).length === 1, 'the silence')
  const [alert] = await storedAlerts(instance, organization)
  // the raised limit is noticed within a second, and the clock is looked at each second
  expect(Number(alert?.started_at)).toBeGreaterThanOrEqual(raisedMs)
  expect(Number(alert?.started_at)).toBeLessThan(raisedMs + 5_000)
  expect(Number(alert?.fired_at) - Number(alert?.started_at)).toBe(forSeconds * 1_000)
}, 120_000)

test('a rule that is made later finds the silence of sensors that sent before, and none of a new one', async () => {
  const organization = await instance.organization()
  const sensors = await Promise.all(Array.from({ length: 2 }, () => instance.sensor(organization.id, CHANNELS)))
  const [before, never] = sensors as [MadeSensor, MadeSensor]
  await send(before, 1)
  await untilJudged(instance)
  await Bun.sleep(1_000)
  const madeMs = Date.now()
  await putRules(instance, organization, [{ id: 'rul_later', kind: 'silence', definition: { forSeconds: 4 } }])
  await until(async () => (await storedAlerts(instance, organization)).length > 0, 'the silence')
  await Bun.sleep(2_000)
  const silences = await storedAlerts(instance, organization)
  expect(silences.map(({ sensor_id }) => sensor_id)).toEqual([before.id])
  expect(Number(silences[0]?.started_at)).toBeGreaterThanOrEqual(madeMs - 1_000)
  await outcomeOf(await instance.send(never, { readings: [{ at: new Date().toISOString(), values: { a: 1 } }] }))
  await until(async () => (await storedAlerts(instance, organization)).length > 1, 'the silence of the other one')
}, 120_000)
