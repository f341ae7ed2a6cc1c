/** Zone rules over HTTP: the events of paths through boxes, compared with a plain loop. */
import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { sql } from 'drizzle-orm'
import { attachEmbeddedPostgres } from '../../../src/stores/postgres/client.ts'
import { seeded } from '../../support/random.ts'
import { rounds } from '../../support/rounds.ts'
import { type MadeSensor, outcomeOf } from '../../support/server/instance.ts'
import { sharedInstance } from '../../support/server/shared-instance.ts'
import {
  type Box,
  call,
  collectionOf,
  eventKey,
  eventsOf,
  expectedEvents,
  featureOf,
  type Position,
  type Rule,
  sendPositions,
  untilChecked,
  WHENS,
  type When,
} from '../../support/server/zones.ts'

// two boxes that share an edge, one that covers both, and one far away
const BOXES: Box[] = [
  { id: 'A', west: 0, south: 0, east: 10, north: 10 },
  { id: 'B', west: 10, south: 0, east: 20, north: 10 },
  { id: 'over both', west: 5, south: 5, east: 15, north: 15 },
  { id: 'ب', west: -30, south: -30, east: -20, north: -20 },
]
const CHANNELS = [{ name: 'a', measurement: 'number' as const }]
const START = Date.now() - 86_400_000

const rules = {} as Record<When, Rule>

const newSensor = (): Promise<MadeSensor> => instance.sensor(organization.id, CHANNELS)
const newLayer = async (boxes: Box[]): Promise<string> => {
  const geojson = collectionOf(boxes)
  return (
    await instance.manage<{ id: string }>('POST', `/owners/${organization.id}/layers`, { name: 'Zones', geojson })
  ).id
}
async function newRule(
  when: When | 'inside',
  layer: string,
  sensorIds: string[] | 'all' = 'all',
  more: object = {},
): Promise<Rule> {
  const { data, code, message } = await call<Rule>(instance, organization, 'POST', '/rules', {
    when,
    layerId: layer,
    sensorIds,
    ...more,
  })
  if (code !== 'SUCCESS') throw new Error(message)
  return data
}
/** A path on a grid whose lines include the edges of the boxes. */
function randomWay(random: () => number, count: number, startMs = START): Position[] {
  const times = new Set<number>()
  while (times.size < count) times.add(startMs + Math.floor(random() * 80_000_000))
  const around = (): number => Math.floor(random() * 11) * 2.5 - 2.5
  return [...times].sort((a, b) => a - b).map((ms) => ({ ms, x: around(), y: around() }))
}
const send = async (sensor: MadeSensor, positions: Position[]) =>
  outcomeOf(await sendPositions(instance, sensor, positions))
const seenOf = async (rule: Rule, sensor: MadeSensor): Promise<string[]> =>
  (await eventsOf(instance, organization, rule.id, 1000, `&sensorId=${sensor.id}`)).map(eventKey)

const instance = await sharedInstance()
const organization = await instance.organization('scale')
const layerId = await newLayer(BOXES)
for (const when of WHENS) rules[when] = await newRule(when, layerId)

test('paths in time order, in batches of any size, produce the expected events', async () => {
  const random = seeded(11)
  const ways: [MadeSensor, Position[]][] = []
  for (let s = 0; s < 6; s++) ways.push([await newSensor(), randomWay(random, 900)])
  for (let left = ways.map(([sensor, way]) => ({ sensor, way: [...way] })); left.length > 0; ) {
    await Promise.all(left.map(({ sensor, way }) => send(sensor, way.splice(0, 1 + Math.floor(random() * 200)))))
    left = left.filter(({ way }) => way.length > 0)
  }
  await untilChecked(instance)
  for (const [sensor, way] of ways)
    for (const when of WHENS) expect(await seenOf(rules[when], sensor)).toEqual(expectedEvents(when, BOXES, way))
}, 120_000)

test('late readings: every crossing of the complete path is reported once', async () => {
  const random = seeded(12)
  const sensor = await newSensor()
  const way = randomWay(random, 1_200)
  const shuffled = way.map((position) => ({ position, order: random() })).sort((a, b) => a.order - b.order)
  for (let at = 0; at < shuffled.length; at += 150) {
    await send(
      sensor,
      shuffled.slice(at, at + 150).map(({ position }) => position),
    )
    if (random() < 0.5) await untilChecked(instance)
  }
  await untilChecked(instance)
  for (const when of WHENS) {
    const seen = (await eventsOf(instance, organization, rules[when].id, 1000, `&sensorId=${sensor.id}`)).map(eventKey)
    const times = seen.map((event) => event.split(':')[0])
    expect(new Set(times).size).toBe(times.length)
    const zonesAt = new Map(seen.map((event) => event.split(':') as [string, string]))
    for (const event of expectedEvents(when, BOXES, way)) {
      const [time, zones] = event.split(':') as [string, string]
      const had = zonesAt.get(time)?.split(',') ?? []
      expect(zones.split(',').filter((zone) => !had.includes(zone))).toEqual([])
    }
  }
}, 120_000)

test('batches sent again produce no further events', async () => {
  const sensor = await newSensor()
  const way = randomWay(seeded(13), 300)
  for (let again = 0; again < 3; again++) {
    const { accepted, duplicates } = await send(sensor, way)
    expect([accepted.length, duplicates.length]).toEqual(again === 0 ? [300, 0] : [0, 300])
    await untilChecked(instance)
    for (const when of WHENS) expect(await seenOf(rules[when], sensor)).toEqual(expectedEvents(when, BOXES, way))
  }
})

test('a rule applies only to its sensors, and not to readings received before its creation or while it was off', async () => {
  const [mine, foreign] = [await newSensor(), await newSensor()]
  const at = (i: number, x: number): Position => ({ ms: START + i * 1000, x, y: 2 })
  const out = (i: number): Position => at(i, 52)
  await send(mine, [out(-1), at(0, 2), out(0.5)])
  const rule = await newRule('enter', layerId, [mine.id])
  await send(foreign, [at(0, 2), out(0.5)])
  await send(mine, [at(1, 2), out(1.5)])
  await untilChecked(instance)
  await call(instance, organization, 'PATCH', `/rules/${rule.id}`, { enabled: false })
  // another change does not switch it on
  await call(instance, organization, 'PATCH', `/rules/${rule.id}`, { name: 'Off' })
  await send(mine, [at(2, 2), out(2.5)])
  await untilChecked(instance)
  await call(instance, organization, 'PATCH', `/rules/${rule.id}`, { enabled: true })
  await send(mine, [at(3, 2), out(3.5)])
  await untilChecked(instance)
  await call(instance, organization, 'PATCH', `/rules/${rule.id}`, { sensorIds: [foreign.id] })
  await send(mine, [at(4, 2)])
  await send(foreign, [at(5, 2)])
  await untilChecked(instance)
  const events = await eventsOf(instance, organization, rule.id)
  expect(events.map((event) => [event.sensorId, (Date.parse(event.at) - START) / 1000])).toEqual([
    [mine.id, 1],
    [mine.id, 3],
    [foreign.id, 5],
  ])
})

test('an edited layer applies to the next reading, a deleted layer to none', async () => {
  const sensor = await newSensor()
  const layer = await newLayer([BOXES[0] as Box])
  const rule = await newRule('enter', layer)
  const path = `/owners/${organization.id}/layers/${layer}`
  const at = (i: number, x: number): Position => ({ ms: START + i * 1000, x, y: 2 })
  await send(sensor, [at(0, 2), at(1, 52)])
  await untilChecked(instance)
  const moved = { id: 'A', west: 50, south: 0, east: 60, north: 10 }
  await instance.manage('PATCH', `${path}/features`, { upsert: [featureOf(moved)] })
  await send(sensor, [at(2, 2), at(3, 52)])
  await untilChecked(instance)
  await instance.manage('PUT', `${path}/features`, collectionOf([{ ...(BOXES[0] as Box), id: 'new' }]))
  await send(sensor, [at(4, 2), at(5, 52)])
  await untilChecked(instance)
  const seen = (await eventsOf(instance, organization, rule.id)).map(({ at: time, featureIds, layerVersion }) => [
    (Date.parse(time) - START) / 1000,
    featureIds.join(),
    layerVersion,
  ])
  expect(seen).toEqual([
    [0, 'A', 1],
    [3, 'A', 2],
    [4, 'new', 3],
  ])
  await instance.manage('DELETE', path)
  await send(sensor, [at(6, 2)])
  await untilChecked(instance)
  expect(await eventsOf(instance, organization, rule.id)).toHaveLength(3)
  expect((await instance.query<Rule>(organization, `/rules/${rule.id}`)).data.layerUsable).toBe(false)
})

test('a rule that makes alerts makes no events, and events of before stay', async () => {
  const sensor = await newSensor()
  const [inside, debounced] = [
    await newRule('inside', layerId, [sensor.id]),
    await newRule('enter', layerId, [sensor.id], { minReadings: 2 }),
  ]
  const changed = await newRule('enter', layerId, [sensor.id])
  const at = (i: number, x: number): Position => ({ ms: START + i * 1000, x, y: 2 })
  await send(sensor, [at(0, 52), at(1, 2)])
  await untilChecked(instance)
  const { data } = await call<Rule>(instance, organization, 'PATCH', `/rules/${changed.id}`, { when: 'outside' })
  expect(data.when as string).toBe('outside')
  await send(sensor, [at(2, 52), at(3, 2)])
  await untilChecked(instance)
  for (const rule of [inside, debounced]) expect(await eventsOf(instance, organization, rule.id)).toEqual([])
  const events = await eventsOf(instance, organization, changed.id)
  expect(events.map((event) => [event.when, (Date.parse(event.at) - START) / 1000])).toEqual([['enter', 1]])
})

test('a rule for a tag makes events of the sensors that have the tag at the time', async () => {
  const [old, young] = [await newSensor(), await newSensor()]
  const tag = (sensor: MadeSensor, tags: string[]) => instance.manage('PATCH', `/sensors/${sensor.id}`, { tags })
  await tag(old, ['boat'])
  const rule = await newRule('enter', layerId, [], { tags: ['boat'] })
  const at = (i: number, x: number): Position => ({ ms: START + i * 1000, x, y: 2 })
  for (const sensor of [old, young]) await send(sensor, [at(0, 52), at(1, 2), at(2, 52)])
  await untilChecked(instance)
  await tag(old, [])
  await tag(young, ['van', 'boat'])
  for (const sensor of [old, young]) await send(sensor, [at(3, 2)])
  await untilChecked(instance)
  const events = await eventsOf(instance, organization, rule.id)
  expect(events.map((event) => [event.sensorId, (Date.parse(event.at) - START) / 1000])).toEqual([
    [old.id, 1],
    [young.id, 3],
  ])
})

test('pages and time ranges of events match the complete list', async () => {
  const all = await eventsOf(instance, organization, rules.enter.id)
  expect(all.length).toBeGreaterThan(1_000)
  expect(all.map(({ id }) => id)).toEqual([...new Set(all.map(({ id }) => id))])
  const some = await eventsOf(instance, organization, rules.enter.id, 7, `&to=${all[30]?.at}`)
  expect(some).toEqual(all.filter(({ at }) => at < (all[30]?.at as string)))
  const late = await eventsOf(instance, organization, rules.enter.id, 1000, `&from=${all[30]?.at}`)
  expect(late).toEqual(all.filter(({ at }) => at >= (all[30]?.at as string)))
})

test('rules are listed, updated and deleted, and every change is audited', async () => {
  const rule = await newRule('enter', layerId)
  const list = await instance.query<{ items: Rule[] }>(organization, '/rules?limit=1000')
  expect(list.data.items.at(-1)).toEqual(rule)
  const { data } = await call<Rule>(instance, organization, 'PATCH', `/rules/${rule.id}`, {
    name: 'Depots',
    when: 'leave',
  })
  expect([data.name, data.when]).toEqual(['Depots', 'leave'])
  expect((await call(instance, organization, 'DELETE', `/rules/${rule.id}`)).code).toBe('SUCCESS')
  expect((await instance.query(organization, `/rules/${rule.id}`)).code).toBe('NOT_FOUND')
  expect((await instance.query(organization, `/rules/${rule.id}/events`)).code).toBe('NOT_FOUND')
  const audit = await instance.manage<{ items: { action: string; actor: string }[] }>(
    'GET',
    `/audit?subject=${rule.id}`,
  )
  expect(audit.items.map(({ action }) => action)).toEqual(['delete', 'update', 'create'])
  expect(audit.items[0]?.actor).toBe(organization.applicationId)
})

describe('rejected input', () => {
  const id = (prefix: string): string => `${prefix}_${'0'.repeat(32)}`
  const refused: [string, () => unknown, string, string][] = [
    ['no layer', () => ({ when: 'enter', all: true }), 'body.layerId', 'required'],
    ['no sensors', () => ({ when: 'enter', layerId }), 'body.sensorIds', 'required'],
    ['an empty list of sensors', () => ({ when: 'enter', layerId, sensorIds: [] }), 'body.sensorIds', 'anyOf'],
    [
      'all together with sensorIds',
      () => ({ when: 'enter', layerId, all: true, sensorIds: [id('sen')] }),
      'body.all',
      'forbidden',
    ],
    ['an unknown event', () => ({ when: 'near', layerId, all: true }), 'body.when', 'enum'],
    ['an unknown sensor', () => ({ when: 'enter', layerId, sensorIds: [id('sen')] }), 'body.sensorIds.0', 'exists'],
    ['an unknown layer', () => ({ when: 'enter', layerId: id('lay'), all: true }), 'body.layerId', 'exists'],
    [
      'an unknown field',
      () => ({ when: 'enter', layerId, all: true, radius: 5 }),
      'body.radius',
      'additionalProperties',
    ],
    ['SQL', () => ({ when: 'enter', layerId: "' OR 1=1 --", all: true }), 'body.layerId', 'exists'],
  ]
  test.each(refused)('%s', async (_name, body, field, rule) => {
    const { code, errors } = await call(instance, organization, 'POST', '/rules', body())
    expect([code, errors?.[0]?.field, errors?.[0]?.rule]).toEqual(['VALIDATION_FAILED', field, rule])
  })

  test('layers of points, and items of another enterprise', async () => {
    const point = { type: 'Feature', properties: {}, geometry: { type: 'Point', coordinates: [1, 2] } }
    const geojson = { type: 'FeatureCollection', features: [point] }
    const points = await instance.manage<{ id: string }>('POST', `/owners/${organization.id}/layers`, {
      name: 'P',
      geojson,
    })
    const ofPoints = await call(instance, organization, 'POST', '/rules', {
      when: 'enter',
      layerId: points.id,
      all: true,
    })
    expect(ofPoints.errors?.[0]?.rule).toBe('polygons')
    const stranger = await instance.organization('scale')
    const foreign = await call(instance, stranger, 'POST', '/rules', { when: 'enter', layerId, all: true })
    expect(foreign.errors?.[0]?.rule).toBe('exists')
    for (const path of [`/rules/${rules.enter.id}`, `/rules/${rules.enter.id}/events`])
      expect((await instance.query(stranger, path)).code).toBe('NOT_FOUND')
    expect((await call(instance, stranger, 'DELETE', `/rules/${rules.enter.id}`)).code).toBe('NOT_FOUND')
    expect((await call(instance, stranger, 'PATCH', `/rules/${rules.enter.id}`, { enabled: false })).code).toBe(
      'NOT_FOUND',
    )
    const nobody = { ...organization, secretKey: 'wrong' }
    expect((await call(instance, nobody, 'POST', '/rules', {})).code).toBe('API_KEY_INVALID')
    expect((await call(instance, organization, 'POST', '/rules', '{')).code).toBe('BAD_REQUEST')
  })

  test.each(['x', '1', '1.', '.1', '1.2.3', '1.99999999999', '-1e9.1'])('cursor %p', async (cursor) => {
    const { code, errors } = await instance.query(organization, `/rules/${rules.enter.id}/events?cursor=${cursor}`)
    expect([code, errors?.[0]?.field]).toEqual(['VALIDATION_FAILED', 'query.cursor'])
  })

  test('more rules than allowed', async () => {
    const busy = await instance.organization('scale')
    const geojson = collectionOf(BOXES)
    const { id: own } = await instance.manage<{ id: string }>('POST', `/owners/${busy.id}/layers`, {
      name: 'Z',
      geojson,
    })
    const body = { when: 'enter', layerId: own, all: true }
    const first = await call<{ id: string }>(instance, busy, 'POST', '/rules', body)
    const postgres = attachEmbeddedPostgres(join(instance.dir, 'run/postgres'))
    try {
      await postgres.db.execute(sql`
        INSERT INTO zone_rules (id, enterprise_id, name, layer_id, event, all_sensors, since)
        SELECT 'rul_' || lpad(to_hex(n), 32, '0'), enterprise_id, name, layer_id, event, all_sensors, since
        FROM zone_rules, generate_series(1, 998) AS n WHERE id = ${first.data.id}`)
    } finally {
      await postgres.close()
    }
    expect((await call(instance, busy, 'POST', '/rules', body)).code).toBe('SUCCESS')
    const { code, errors } = await call(instance, busy, 'POST', '/rules', body)
    expect([code, errors?.[0]?.field, errors?.[0]?.rule]).toEqual(['VALIDATION_FAILED', 'body', 'maxItems'])
    expect(errors?.[0]?.message).toContain('1000')
  })
})

test('a kill at any moment loses and duplicates no event', async () => {
  const random = seeded(14)
  const ways: [MadeSensor, Position[]][] = []
  for (let s = 0; s < 4; s++) ways.push([await newSensor(), randomWay(random, 1_500)])
  const sendAll = ways.map(async ([sensor, way]) => {
    for (let at = 0; at < way.length; ) {
      try {
        const response = await sendPositions(instance, sensor, way.slice(at, at + 25))
        if (response.status !== 200) throw new Error('again')
        at += 25
      } catch {
        await Bun.sleep(20)
      }
    }
  })
  for (let kill = 0; kill < rounds(2, 6); kill++) {
    await Bun.sleep(100 + random() * 400)
    await instance.kill('SIGKILL')
    await instance.restart({ LOAD_INTERVAL_MS: '60' })
  }
  await Promise.all(sendAll)
  await untilChecked(instance)
  for (const [sensor, way] of ways)
    for (const when of WHENS) expect(await seenOf(rules[when], sensor)).toEqual(expectedEvents(when, BOXES, way))
}, 120_000)

test('of two concurrent changes of a rule the second is refused, and a rule that is sent twice exists once', async () => {
  const send = async (method: string, path: string, body: object | undefined, headers: Record<string, string>) => {
    const { publicKey, secretKey } = organization
    const response = await fetch(`${instance.url()}/enterprise/v1/assets/rules${path}`, {
      method,
      headers: { 'x-api-key': publicKey, 'x-api-secret': secretKey, 'content-type': 'application/json', ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    return { ...((await response.json()) as { statusCode: number; data: Rule & { name: string } }), response }
  }
  const input = { name: 'Once', when: 'enter', layerId, sensorIds: 'all' }
  const key = { 'idempotency-key': 'one rule' }
  const [made, again] = [await send('POST', '', input, key), await send('POST', '', input, key)]
  expect(again.data).toEqual(made.data)
  expect(again.response.headers.get('idempotency-replayed')).toBe('true')
  expect((await send('POST', '', { ...input, name: 'Other' }, key)).statusCode).toBe(422)

  const path = `/${made.data.id}`
  const seen = { 'if-match': made.response.headers.get('etag') as string }
  expect((await send('GET', path, undefined, {})).response.headers.get('etag')).toBe(seen['if-match'])
  const answers = await Promise.all(
    Array.from({ length: 8 }, (_, i) => send('PATCH', path, { name: `Name ${i}` }, seen)),
  )
  const changed = answers.filter(({ statusCode }) => statusCode === 200)
  expect([changed.length, answers.filter(({ statusCode }) => statusCode === 412).length]).toEqual([1, 7])
  const refused = answers.find(({ statusCode }) => statusCode === 412)
  expect(refused?.data.name).toBe(changed[0]?.data.name as string)
  expect((await send('DELETE', path, undefined, seen)).statusCode).toBe(412)
  const now = { 'if-match': changed[0]?.response.headers.get('etag') as string }
  expect((await send('DELETE', path, undefined, now)).statusCode).toBe(200)
})
