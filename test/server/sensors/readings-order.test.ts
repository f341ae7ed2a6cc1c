/** Readings newest first, page by page, compared with a sorted list. */
import { beforeAll, expect, test } from 'bun:test'
import { seeded } from '../../support/random.ts'
import { outcomeOf } from '../../support/server/instance.ts'
import { sharedInstance } from '../../support/server/shared-instance.ts'
import { until } from '../../support/until.ts'

type Page = { items: { at: string; values: Record<string, number> }[]; nextCursor: string | null }

const DAY_MS = 86_400_000
const CHANNELS = [
  { name: 'a', measurement: 'number' as const },
  { name: 'b', measurement: 'number' as const },
]
let sent: { at: string; values: Record<string, number> }[]

const instance = await sharedInstance()
const organization = await instance.organization('scale')
const sensor = await instance.sensor(organization.id, CHANNELS)
beforeAll(async () => {
  const random = seeded(5)
  const nowMs = Date.now()
  // dense at the end and sparse before, over more than a year, in no order
  const times = new Set(Array.from({ length: 400 }, () => nowMs - Math.floor(random() ** 6 * 400 * DAY_MS) - 1))
  sent = [...times].map((ms, i) => ({
    at: new Date(ms).toISOString(),
    values: { a: i, ...(i % 3 === 0 && { b: -i }) },
  }))
  await outcomeOf(await instance.send(sensor, { readings: sent }))
  await until(async () => (await page('limit=1000')).items.length === sent.length, 'all readings')
}, 120_000)

const page = async (query: string): Promise<Page> =>
  (await instance.query<Page>(organization, `/sensors/${sensor.id}/readings?${query}`)).data

async function pages(query: string): Promise<string[]> {
  const times: string[] = []
  for (let cursor = ''; ; ) {
    const { items, nextCursor } = await page(`${query}${cursor}`)
    times.push(...items.map(({ at }) => at))
    if (nextCursor === null) return times
    cursor = `&cursor=${nextCursor}`
  }
}
const newestFirst = (of = sent): string[] =>
  of
    .map(({ at }) => at)
    .sort()
    .reverse()

test('pages of any size give every reading once, newest first', async () => {
  for (const limit of [7, 100, 400, 1000]) expect(await pages(`order=desc&limit=${limit}`)).toEqual(newestFirst())
  expect(await pages('order=asc&limit=150')).toEqual(newestFirst().reverse())
}, 60_000)

test('ranges and channels apply in this order too', async () => {
  const sorted = newestFirst()
  const [to = '', from = ''] = [sorted[40], sorted[300]]
  const inside = newestFirst().filter((at) => at >= from && at < to)
  expect(await pages(`order=desc&limit=50&from=${from}&to=${to}`)).toEqual(inside)
  expect(await pages('order=desc&limit=20&channel=b')).toEqual(newestFirst(sent.filter(({ values }) => 'b' in values)))
})

test('a sensor without readings has an empty page, and another order is refused', async () => {
  const empty = await instance.sensor(organization.id, CHANNELS)
  const { data } = await instance.query<Page>(organization, `/sensors/${empty.id}/readings?order=desc`)
  expect(data).toEqual({ items: [], nextCursor: null })
  const refused = await instance.query(organization, `/sensors/${sensor.id}/readings?order=newest`)
  expect([refused.code, refused.errors?.[0]?.field]).toEqual(['VALIDATION_FAILED', 'query.order'])
})
