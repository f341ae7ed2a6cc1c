/** Series for charts: the server chooses the step for a number of pixels. */
import { beforeAll, expect, test } from 'bun:test'
import { outcomeOf, untilStored } from '../../support/server/instance.ts'
import { sharedInstance } from '../../support/server/shared-instance.ts'

type Point = [at: string, value: number | null]
type Series = { step: string; resolution: string; series: { agg: string; points: Point[] }[] }

const START = Math.floor(Date.now() / 3_600_000) * 3_600_000 - 6 * 3_600_000
const COUNT = 2000
const valueAt = (i: number): number => ((i * 7919) % 1000) / 10

const instance = await sharedInstance()
const organization = await instance.organization('scale')
const sensor = await instance.sensor(organization.id, [{ name: 'a', measurement: 'number' }])
beforeAll(async () => {
  for (let from = 0; from < COUNT; from += 500) {
    const readings = Array.from({ length: 500 }, (_, i) => ({
      // an hour without readings in the middle
      at: new Date(START + (from + i) * 5000 + (from + i < 1000 ? 0 : 3_600_000)).toISOString(),
      values: { a: valueAt(from + i) },
    }))
    await outcomeOf(await instance.send(sensor, { readings }))
  }
  await untilStored(() => instance, organization, sensor, COUNT)
}, 120_000)

const ask = (query: string) =>
  instance.query<Series>(
    organization,
    `/sensors/${sensor.id}/series?channel=a&from=${new Date(START + 1234).toISOString()}&${query}`,
  )

test('step=auto gives at most as many buckets as there are points, and returns the chosen step', async () => {
  const to = new Date(START + 4 * 3_600_000).toISOString()
  for (const [points, step] of [
    [1000, '15s'],
    [100, '5m'],
    [17, '15m'],
    [16, '30m'],
    [5, '1h'],
    [2, '6h'],
  ] as const) {
    const { data } = await ask(`step=auto&points=${points}&gaps=null&agg=min,max,avg&to=${to}`)
    expect(data.step).toBe(step)
    expect(data.series.map(({ agg }) => agg)).toEqual(['min', 'max', 'avg'])
    for (const one of data.series) expect(one.points.length).toBeLessThanOrEqual(points)
  }
  expect((await ask(`step=90m&to=${to}`)).data.step).toBe('90m')
  expect((await ask(`to=${to}`)).data.step).toBe('30s')
})

test('minimum, maximum and average belong to each bucket, and a bucket without readings is null', async () => {
  const { data } = await ask(
    `step=auto&points=40&gaps=null&agg=min,max,avg&to=${new Date(START + 4 * 3_600_000).toISOString()}`,
  )
  const stepMs = 600_000
  expect(data.step).toBe('10m')
  const buckets = new Map<number, number[]>()
  for (let i = 0; i < COUNT; i++) {
    const ms = START + i * 5000 + (i < 1000 ? 0 : 3_600_000)
    if (ms < START + 1234 || ms >= START + 4 * 3_600_000) continue
    const start = Math.floor(ms / stepMs) * stepMs
    buckets.set(start, [...(buckets.get(start) ?? []), valueAt(i)])
  }
  const [low, high, average] = data.series.map(({ points }) => points) as [Point[], Point[], Point[]]
  expect(low).toHaveLength(24)
  let empty = 0
  for (const [i, [at, min]] of low.entries()) {
    const values = buckets.get(Date.parse(at))
    if (values === undefined) {
      empty++
      expect([min, high[i]?.[1], average[i]?.[1]]).toEqual([null, null, null])
      continue
    }
    expect([min, high[i]?.[1]]).toEqual([Math.min(...values), Math.max(...values)])
    expect(average[i]?.[1]).toBeCloseTo(values.reduce((sum, value) => sum + value, 0) / values.length, 9)
  }
  expect(empty).toBeGreaterThanOrEqual(5)
})

test.each([
  ['points=1', 'query.points'],
  ['points=11001', 'query.points'],
  ['points=2.5', 'query.points'],
  ['step=5m&points=100', 'query.points'],
  ['step=automatic', 'query.step'],
])('%s is rejected with the field name', async (query, field) => {
  expect(await ask(query)).toMatchObject({ statusCode: 422, code: 'VALIDATION_FAILED', errors: [{ field }] })
})
