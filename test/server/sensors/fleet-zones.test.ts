/** Events of all zone rules of an enterprise, and sensors inside polygons now. */
import { beforeAll, describe, expect, test } from 'bun:test'
import { seeded } from '../../support/random.ts'
import { type MadeSensor, outcomeOf } from '../../support/server/instance.ts'
import { sharedInstance } from '../../support/server/shared-instance.ts'
import {
  type Box,
  call,
  collectionOf,
  expectedEvents,
  featureOf,
  holding,
  type Position,
  sendPositions,
  untilChecked,
} from '../../support/server/zones.ts'

type Event = {
  id: string
  ruleId: string
  at: string
  ruleName: string
  sensorName: string
  layerName: string
  sensorId: string
  when: string
}
type Page = { items: Event[]; nextCursor: string | null }
type Inside = { total: number; sensorIds: string[] }

const BOXES: Box[] = [
  { id: 'yard', west: 0, south: 0, east: 4, north: 4 },
  { id: 'dock', west: 3, south: 3, east: 9, north: 9 },
]
const START = Math.floor(Date.now() / 1000) * 1000 - 3_600_000
let layerId: string
const sensors: MadeSensor[] = []
const sent: Position[][] = []
const rules: { id: string; name: string; when: 'enter' | 'leave' }[] = []

const instance = await sharedInstance()
const organization = await instance.organization('scale')
beforeAll(async () => {
  const layer = await instance.manage<{ id: string }>('POST', `/owners/${organization.id}/layers`, {
    name: 'Yards',
    geojson: collectionOf(BOXES),
  })
  layerId = layer.id
  for (const [when, name] of [
    ['enter', 'Came in'],
    ['leave', 'Went out'],
  ] as const) {
    const body = { when, name, layerId, all: true }
    const { data } = await call<{ id: string }>(instance, organization, 'POST', '/rules', body)
    rules.push({ id: data.id, name, when })
  }
  const random = seeded(23)
  for (let s = 0; s < 3; s++) {
    sensors.push(await instance.sensor(organization.id, [{ name: 'a', measurement: 'number' }], `Van ${s}`))
    // corners and edges too
    sent.push(
      Array.from({ length: 40 }, (_, i) => ({
        ms: START + i * 1000,
        x: Math.floor(random() * 12),
        y: Math.floor(random() * 12),
      })),
    )
  }
  for (const [s, positions] of sent.entries()) {
    const readings = positions.map(({ ms, x, y }) => ({ at: new Date(ms).toISOString(), location: [x, y] }))
    await outcomeOf(await instance.send(sensors[s] as MadeSensor, { readings }))
  }
  await untilChecked(instance)
}, 120_000)

const page = async (query: string): Promise<Page> => (await instance.query<Page>(organization, `/events?${query}`)).data
const keyOf = ({ ruleName, sensorName, at }: Event): string => `${at} ${sensorName} ${ruleName}`
const expected = rules
const all = (): string[] =>
  expected.flatMap(({ when, name }) =>
    sent.flatMap((positions, s) =>
      expectedEvents(when, BOXES, positions).map(
        (event) => `${new Date(Number(event.split(':')[0])).toISOString()} Van ${s} ${name}`,
      ),
    ),
  )

test('events of all rules are listed newest first, with names, page by page', async () => {
  const found: Event[] = []
  for (let cursor = ''; ; ) {
    const { items, nextCursor } = await page(`limit=17${cursor}`)
    found.push(...items)
    if (nextCursor === null) break
    expect(items).toHaveLength(17)
    cursor = `&cursor=${nextCursor}`
  }
  expect(found.map(keyOf).sort()).toEqual(all().sort())
  const times = found.map(({ at }) => at)
  expect(times).toEqual(times.toSorted().toReversed())
  expect(found[0]).toMatchObject({ layerName: 'Yards' })
})

test('events are filtered by rule, sensor and time', async () => {
  const [enter] = rules
  const from = new Date(START + 10_000).toISOString()
  const to = new Date(START + 30_000).toISOString()
  const { items } = await page(`limit=1000&rule=${enter?.id}&sensor=${sensors[1]?.id}&from=${from}&to=${to}`)
  const wanted = all().filter(
    (key) => key.includes('Van 1 Came in') && key.slice(0, 24) >= from && key.slice(0, 24) < to,
  )
  expect(items.map(keyOf).sort()).toEqual(wanted.sort())
  expect(wanted.length).toBeGreaterThan(0)
})

test('a renamed rule has its new name in events, and a deleted one has none', async () => {
  const rule = await call<{ id: string }>(instance, organization, 'POST', '/rules', {
    when: 'enter',
    name: 'First',
    layerId,
    sensorIds: [sensors[0]?.id],
  })
  const path = `/rules/${rule.data.id}`
  const changed = await call(instance, organization, 'PATCH', path, { name: 'Second', sensorIds: [sensors[2]?.id] })
  expect(changed.data).toMatchObject({ name: 'Second', sensorIds: [sensors[2]?.id] })
  const way: Position[] = [
    { ms: START + 99_000, x: 20, y: 20 },
    { ms: START + 100_000, x: 1, y: 1 },
  ]
  await outcomeOf(await sendPositions(instance, sensors[2] as MadeSensor, way))
  await untilChecked(instance)
  expect((await page(`rule=${rule.data.id}`)).items).toMatchObject([{ ruleName: 'Second', sensorName: 'Van 2' }])
  await call(instance, organization, 'DELETE', path)
  expect((await page('limit=1000')).items.filter(({ ruleId }) => ruleId === rule.data.id)).toEqual([])
  sent[2]?.push(...way)
}, 60_000)

const inside = (body: unknown) => call<Inside>(instance, organization, 'POST', '/inside', body)
/** The sensors whose newest position is in one of the boxes. */
const insideNow = (boxes: Box[]): string[] =>
  sensors.filter((_, s) => holding(boxes, sent[s]?.at(-1) as Position).length > 0).map(({ id }) => id)

test('sensors inside a layer or a polygon now are found by their newest position, edges included', async () => {
  const { data } = await inside({ layerId })
  expect(data.sensorIds.toSorted()).toEqual(insideNow(BOXES).toSorted())
  expect(data.total).toBe(insideNow(BOXES).length)
  const random = seeded(24)
  for (let i = 0; i < 15; i++) {
    const [west, south] = [Math.floor(random() * 8), Math.floor(random() * 8)]
    const box = {
      id: 'any',
      west,
      south,
      east: west + 1 + Math.floor(random() * 4),
      north: south + 1 + Math.floor(random() * 4),
    }
    const answer = await inside({ polygon: i % 2 === 0 ? featureOf(box) : featureOf(box).geometry })
    expect(answer.data.sensorIds.toSorted()).toEqual(insideNow([box]).toSorted())
  }
  const other = await instance.organization()
  const whole = featureOf({ id: 'all', west: -180, south: -90, east: 180, north: 90 })
  expect((await call<Inside>(instance, other, 'POST', '/inside', { polygon: whole })).data.total).toBe(0)
  expect((await call(instance, other, 'POST', '/inside', { layerId })).code).toBe('VALIDATION_FAILED')
}, 60_000)

describe('bad input', () => {
  test.each([
    [{}, 'body'],
    [{ polygon: { type: 'Point', coordinates: [0, 0] } }, 'body.polygon'],
    [
      {
        polygon: {
          type: 'Polygon',
          coordinates: [
            [
              [0, 0],
              [1, 1],
            ],
          ],
        },
      },
      'body.polygon',
    ],
    [{ polygon: 'POLYGON((0 0, 1 1, 1 0, 0 0))' }, 'body.polygon'],
    [{ layerId: 'lay_none' }, 'body.layerId'],
    [{ layerId: 7 }, 'body.layerId'],
    [{ zone: 1 }, 'body.zone'],
  ])('%j is rejected with the field name', async (body, field) => {
    expect(await inside(body)).toMatchObject({ statusCode: 422, code: 'VALIDATION_FAILED', errors: [{ field }] })
  })
  test.each([
    ['cursor=x', 'query.cursor'],
    ['cursor=1.2.3!', 'query.cursor'],
    ['from=yesterday-at-noon-please', 'query.from'],
    ['limit=0', 'query.limit'],
  ])('?%s is rejected with the field name', async (query, field) => {
    const answer = await instance.query(organization, `/events?${query}`)
    expect(answer).toMatchObject({ statusCode: 422, code: 'VALIDATION_FAILED', errors: [{ field }] })
  })
  test.each(['rule=rul_none', 'sensor=sen_none'])('?%s does not exist', async (query) => {
    expect((await instance.query(organization, `/events?${query}`)).code).toBe('NOT_FOUND')
  })
})
