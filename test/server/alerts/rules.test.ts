/** Alert rules over HTTP: all kinds, what is refused, and which changes end alerts. */
import { afterAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { sql } from 'drizzle-orm'
import { attachEmbeddedPostgres } from '../../../src/stores/postgres/client.ts'
import { rowsOf } from '../../../src/stores/postgres/rows.ts'
import type { Envelope, MadeSensor } from '../../support/server/instance.ts'
import { sharedInstance } from '../../support/server/shared-instance.ts'
import { call, collectionOf } from '../../support/server/zones.ts'

type Rule = {
  id: string
  name: string
  createdAt: string
  updatedAt: string
  warnings?: string[]
  warningsAr?: string[]
}

const instance = await sharedInstance()
const organization = await instance.organization('scale')
const { db, close } = attachEmbeddedPostgres(join(instance.dir, 'run/postgres'))
afterAll(close)

const send = <T = Rule>(method: string, path: string, body?: unknown): Promise<Envelope<T>> =>
  call<T>(instance, organization, method, `/rules${path}`, body)
async function made(body: object): Promise<Rule> {
  const { data, code, message } = await send('POST', '', body)
  if (code !== 'SUCCESS') throw new Error(message)
  return data
}
const newLayer = async (boxes: Parameters<typeof collectionOf>[0], owner = organization.id): Promise<string> => {
  const layer = { name: 'Yard', geojson: collectionOf(boxes) }
  return (await instance.manage<{ id: string }>('POST', `/owners/${owner}/layers`, layer)).id
}
const tagged = (sensor: MadeSensor, tags: string[]) => instance.manage('PATCH', `/sensors/${sensor.id}`, { tags })

const BOX = { id: 'A', west: 0, south: 0, east: 10, north: 10 }
const layerId = await newLayer([BOX])
const boiler = await instance.sensor(organization.id, [
  { name: 'temperature', measurement: 'number' },
  { name: 'count', measurement: 'whole' },
  { name: 'open', measurement: 'boolean' },
])
const pump = await instance.sensor(organization.id, [{ name: 'pressure', measurement: 'number' }])
await tagged(boiler, ['hot'])

const HOT = { channel: 'temperature', op: '>', value: 70 }
const threshold = (more: object = {}) => ({ kind: 'threshold', all: true, conditions: [HOT], ...more })
const zone = (more: object = {}) => ({ all: true, layerId, when: 'inside', ...more })

const COMMON = { note: '', severity: 'warning', enabled: true, schedule: null, sensorIds: 'all', tags: [] }
const SCHEDULE = { tz: 'Asia/Riyadh', weekly: [{ days: ['sun', 'mon'], from: '22:00', to: '06:00' }] }
const FULL = {
  kind: 'threshold',
  name: 'Too hot',
  note: 'Open the valve',
  severity: 'info',
  enabled: false,
  schedule: SCHEDULE,
  tags: ['hot'],
  conditions: [{ ...HOT, clearValue: 65 }],
  match: 'any',
  steps: [{ severity: 'critical', value: 90, clearValue: 85 }],
  forSeconds: 300,
  keepFiringSeconds: 60,
  maxGapSeconds: 900,
  gap: 'hold',
  within: { layerId, when: 'outside' },
}

test.each<[string, object, object]>([
  [
    'a threshold with its defaults',
    threshold(),
    {
      ...COMMON,
      kind: 'threshold',
      name: 'temperature > 70',
      conditions: [HOT],
      match: 'all',
      steps: [],
      forSeconds: 0,
      keepFiringSeconds: 0,
      maxGapSeconds: null,
      gap: 'reset',
      within: null,
      layerUsable: null,
    },
  ],
  ['a threshold with every field', FULL, { ...FULL, sensorIds: [], layerUsable: true }],
  [
    'a silence',
    { kind: 'silence', sensorIds: [boiler.id] },
    { ...COMMON, kind: 'silence', name: 'Silence', sensorIds: [boiler.id], channel: null, forSeconds: null },
  ],
  [
    'a change',
    { kind: 'change', all: true, channel: 'count', withinSeconds: 60, by: 0.5, direction: 'both' },
    {
      ...COMMON,
      kind: 'change',
      name: 'Change of count',
      channel: 'count',
      withinSeconds: 60,
      by: 0.5,
      direction: 'both',
    },
  ],
  [
    'a dwell, with null for defaults',
    { ...zone({ when: 'dwell', dwellSeconds: 600, minReadings: 3, bufferM: 12.5 }), schedule: null },
    {
      ...COMMON,
      kind: 'zone',
      name: 'Staying in Yard',
      layerId,
      layerUsable: true,
      when: 'dwell',
      dwellSeconds: 600,
      minReadings: 3,
      minSeconds: 0,
      bufferM: 12.5,
    },
  ],
])('%s is made, and sent again as it is answered', async (_, body, expected) => {
  const rule = await made(body)
  const { id, createdAt, updatedAt, ...fields } = rule
  expect(fields as object).toEqual(expected)
  expect((await send('GET', `/${id}`)).data).toEqual(rule)
  // every field of an answer may be sent again, and changes nothing
  const { layerUsable: _usable, ...sent } = fields as Record<string, unknown>
  const again = await send('PATCH', `/${id}`, sent)
  expect([again.code, { ...again.data, updatedAt }]).toEqual(['SUCCESS', { ...rule, updatedAt }])
})

describe('refused', () => {
  const noPolygons = newLayer([])
  const many = (count: number, one: unknown): unknown[] => Array.from({ length: count }, () => one)
  test.each<[string, () => unknown, field: string, rule: string]>([
    ['a field of another kind', () => threshold({ dwellSeconds: 5 }), 'dwellSeconds', 'forbidden'],
    ['an unknown kind', () => ({ kind: 'storm', all: true }), 'kind', 'enum'],
    ['no target', () => ({ kind: 'silence' }), 'sensorIds', 'required'],
    ['no target in lists', () => ({ kind: 'silence', sensorIds: [], tags: [] }), 'sensorIds', 'anyOf'],
    ['tags beside all', () => threshold({ tags: ['hot'] }), 'tags', 'forbidden'],
    ['no condition', () => threshold({ conditions: [] }), 'conditions', 'minItems'],
    ['nine conditions', () => threshold({ conditions: many(9, HOT) }), 'conditions', 'maxItems'],
    ['three steps', () => threshold({ steps: many(3, { severity: 'critical', value: 80 }) }), 'steps', 'maxItems'],
    ['an operator', () => threshold({ conditions: [{ ...HOT, op: '~' }] }), 'conditions.0.op', 'enum'],
    ['a text as value', () => threshold({ conditions: [{ ...HOT, value: 'x' }] }), 'conditions.0.value', 'anyOf'],
    [
      'an unknown channel',
      () => threshold({ conditions: [{ ...HOT, channel: 'x' }] }),
      'conditions.0.channel',
      'exists',
    ],
    [
      'a channel of another sensor',
      () => ({ kind: 'threshold', sensorIds: [pump.id], conditions: [HOT] }),
      'conditions.0.channel',
      'exists',
    ],
    [
      'a clear value',
      () => threshold({ conditions: [{ ...HOT, clearValue: 71 }] }),
      'conditions.0.clearValue',
      'clearValue',
    ],
    ['a step', () => threshold({ steps: [{ severity: 'critical', value: 60 }] }), 'steps.0.value', 'farther'],
    ['a contradiction', () => threshold({ conditions: [HOT, { ...HOT, op: '<' }] }), 'conditions', 'contradiction'],
    [
      'a contradiction of whole numbers',
      () => threshold({ conditions: [{ channel: 'count', op: '=', value: 1.5 }] }),
      'conditions',
      'contradiction',
    ],
    [
      'yes or no above',
      () => threshold({ conditions: [{ channel: 'open', op: '>', value: 0 }] }),
      'conditions.0.op',
      'enum',
    ],
    [
      'a change of yes and no',
      () => ({ kind: 'change', all: true, channel: 'open', withinSeconds: 9, by: 1, direction: 'up' }),
      'channel',
      'measurement',
    ],
    ['a silence of 0 s', () => ({ kind: 'silence', all: true, forSeconds: 0 }), 'forSeconds', 'minimum'],
    ['ten years', () => threshold({ forSeconds: 315_360_000 }), 'forSeconds', 'anyOf'],
    ['a part of a second', () => threshold({ keepFiringSeconds: 0.5 }), 'keepFiringSeconds', 'integer'],
    ['a gap of 0 s', () => threshold({ maxGapSeconds: 0 }), 'maxGapSeconds', 'anyOf'],
    [
      'a change by 0',
      () => ({ kind: 'change', all: true, channel: 'count', withinSeconds: 9, by: 0, direction: 'up' }),
      'by',
      'number',
    ],
    ['a dwell without a time', () => zone({ when: 'dwell' }), 'dwellSeconds', 'required'],
    ['a buffer', () => zone({ bufferM: 10_001 }), 'bufferM', 'maximum'],
    ['no reading', () => zone({ minReadings: 0 }), 'minReadings', 'minimum'],
    ['a long note', () => threshold({ note: 'x'.repeat(2_001) }), 'note', 'maxLength'],
    ['an unknown layer', () => threshold({ within: { layerId: 'lay_x', when: 'inside' } }), 'within.layerId', 'exists'],
    ['a side', () => threshold({ within: { layerId, when: 'near' } }), 'within.when', 'enum'],
    ['no window', () => threshold({ schedule: { tz: 'UTC', weekly: [] } }), 'schedule.weekly', 'minItems'],
    [
      'no day',
      () => threshold({ schedule: { tz: 'UTC', weekly: [{ days: [], from: '01:00', to: '02:00' }] } }),
      'schedule.weekly.0.days',
      'minItems',
    ],
    [
      'a window without a length',
      () => threshold({ schedule: { tz: 'UTC', weekly: [{ days: ['mon'], from: '01:00', to: '01:00' }] } }),
      'schedule.weekly.0.to',
      'differs',
    ],
    [
      'a time',
      () => threshold({ schedule: { tz: 'UTC', weekly: [{ days: ['mon'], from: '24:00', to: '25:00' }] } }),
      'schedule.weekly.0.from',
      'pattern',
    ],
    ['a time zone', () => threshold({ schedule: { ...SCHEDULE, tz: 'Mars/Olympus' } }), 'schedule.tz', 'timeZone'],
  ])('%s', async (_, body, field, rule) => {
    const { code, errors } = await send('POST', '', body())
    expect([code, errors?.[0]?.field, errors?.[0]?.rule]).toEqual(['VALIDATION_FAILED', `body.${field}`, rule])
    expect(errors?.[0]?.messageAr).toMatch(/\p{Script=Arabic}/u)
  })

  test('a layer without polygons', async () => {
    const { errors } = await send('POST', '', zone({ layerId: await noPolygons }))
    expect([errors?.[0]?.field, errors?.[0]?.rule]).toEqual(['body.layerId', 'polygons'])
  })

  test('another kind, and a severity that leaves no step worse', async () => {
    const rule = await made(threshold({ steps: [{ severity: 'critical', value: 80 }] }))
    const refused = async (body: object) => (await send('PATCH', `/${rule.id}`, body)).errors?.[0]?.field
    expect(await refused({ kind: 'silence' })).toBe('body.kind')
    expect(await refused({ severity: 'critical' })).toBe('body.steps.0.severity')
    expect(await refused({ layerId })).toBe('body.layerId')
    expect((await send('PATCH', `/${rule.id}`, { kind: 'threshold', severity: 'info' })).code).toBe('SUCCESS')
  })
})

test('a tag that no sensor has is accepted with a warning, and its channels are not checked', async () => {
  const unknown = { kind: 'threshold', tags: ['nowhere'], conditions: [{ ...HOT, channel: 'unheard of' }] }
  const rule = await made(unknown)
  expect(rule.warnings).toEqual(['tags: no sensor has the tag nowhere'])
  expect(rule.warningsAr?.[0]).toMatch(/\p{Script=Arabic}/u)
  expect((await made({ ...unknown, tags: ['hot'], conditions: [HOT] })).warnings).toBeUndefined()
  const { code } = await send('PATCH', `/${rule.id}`, { tags: ['hot', 'nowhere'] })
  expect(code).toBe('VALIDATION_FAILED')
})

test('rules are filtered by kind, state, tag, and by a sensor that they watch', async () => {
  const own = await instance.organization('scale')
  const channels = [{ name: 'a', measurement: 'number' as const }]
  const [tags, named] = [await instance.sensor(own.id, channels), await instance.sensor(own.id, channels)]
  await tagged(tags, ['x', 'y'])
  const make = async (body: object) =>
    (await call<Rule>(instance, own, 'POST', '/rules', { kind: 'silence', ...body })).data.id
  const all = await make({ all: true })
  const byTag = await make({ tags: ['y', 'z'], enabled: false })
  const byId = await make({ sensorIds: [named.id] })
  const change = await make({ kind: 'change', channel: 'a', withinSeconds: 1, by: 1, direction: 'up', tags: ['y'] })
  const found = async (query: string) =>
    (await instance.query<{ items: Rule[] }>(own, `/rules?${query}`)).data.items.map(({ id }) => id)
  expect(await found('kind=silence')).toEqual([all, byTag, byId])
  expect(await found('enabled=false')).toEqual([byTag])
  expect(await found('kind=silence&enabled=true')).toEqual([all, byId])
  expect(await found('tag=y')).toEqual([byTag, change])
  expect(await found(`sensor=${tags.id}`)).toEqual([all, byTag, change])
  expect(await found(`sensor=${named.id}`)).toEqual([all, byId])
  expect(await found(`sensor=${boiler.id}`)).toEqual([])
  expect((await instance.query(own, '/rules?kind=storm')).code).toBe('VALIDATION_FAILED')
})

describe('ends of alerts', () => {
  let alerts = 0
  /** Stores a firing alert of each sensor. */
  async function firing(rule: Rule, sensors: MadeSensor[]): Promise<void> {
    for (const { id } of sensors)
      await db.execute(sql`
        INSERT INTO alerts (id, enterprise_id, rule_id, sensor_id, severity, started_at, fired_at)
        VALUES (${`alr_${rule.id}_${alerts++}`}, ${organization.id}, ${rule.id}, ${id}, 'warning', now(), now())`)
  }
  /** Sensors, each with the end of its newest alert. */
  const endsOf = async ({ id }: Rule): Promise<Record<string, string | null>> => {
    const rows = rowsOf<{ sensor_id: string; resolved_by: string | null }>(
      await db.execute(sql`SELECT sensor_id, resolved_by FROM alerts WHERE rule_id = ${id} ORDER BY detected_at`),
    )
    return Object.fromEntries(rows.map((row) => [row.sensor_id, row.resolved_by]))
  }
  const sinceOf = async ({ id }: Rule): Promise<string> =>
    String(
      rowsOf<{ since: string }>(await db.execute(sql`SELECT since::text FROM zone_rules WHERE id = ${id}`))[0]?.since,
    )

  test.each<[string, object, end: string | null]>([
    ['the name', { name: 'Other' }, null],
    ['the note', { note: 'Other' }, null],
    ['the severity', { severity: 'critical' }, null],
    ['the schedule', { schedule: SCHEDULE }, null],
    ['the same meaning', { conditions: [HOT], forSeconds: null, enabled: true }, null],
    ['conditions', { conditions: [{ ...HOT, value: 71 }] }, 'rule-changed'],
    ['a time', { forSeconds: 5 }, 'rule-changed'],
    ['a place', { within: { layerId, when: 'inside' } }, 'rule-changed'],
  ])('a change of %s', async (_, change, end) => {
    const rule = await made(threshold())
    await firing(rule, [boiler])
    const before = await sinceOf(rule)
    expect((await send('PATCH', `/${rule.id}`, change)).code).toBe('SUCCESS')
    expect(await endsOf(rule)).toEqual({ [boiler.id]: end })
    // only a rule that starts again has another start
    expect((await sinceOf(rule)) === before).toBe(end === null)
  })

  test('switching off ends alerts, switching on starts again', async () => {
    const rule = await made(threshold())
    await firing(rule, [boiler])
    const before = await sinceOf(rule)
    await send('PATCH', `/${rule.id}`, { enabled: false })
    expect(await endsOf(rule)).toEqual({ [boiler.id]: 'rule-changed' })
    expect(await sinceOf(rule)).toBe(before)
    await send('PATCH', `/${rule.id}`, { enabled: true })
    expect(await sinceOf(rule)).not.toBe(before)
  })

  test('other targets end alerts of the sensors that are out', async () => {
    const rule = await made(threshold())
    await firing(rule, [boiler, pump])
    const before = await sinceOf(rule)
    await send('PATCH', `/${rule.id}`, { tags: ['hot'] })
    expect(await endsOf(rule)).toEqual({ [boiler.id]: null, [pump.id]: 'rule-changed' })
    await send('PATCH', `/${rule.id}`, { sensorIds: [boiler.id], tags: [] })
    expect(await endsOf(rule)).toEqual({ [boiler.id]: null, [pump.id]: 'rule-changed' })
    expect(await sinceOf(rule)).toBe(before)
  })

  test('a deleted rule ends its alerts, and a change of its layer starts it again', async () => {
    const [deleted, own] = [await made(threshold()), await newLayer([BOX])]
    const onLayer = [
      await made(zone({ layerId: own })),
      await made(threshold({ within: { layerId: own, when: 'inside' } })),
    ]
    for (const rule of [deleted, ...onLayer]) await firing(rule, [boiler])
    await send('DELETE', `/${deleted.id}`)
    expect(await endsOf(deleted)).toEqual({ [boiler.id]: 'rule-deleted' })
    const path = `/owners/${organization.id}/layers/${own}`
    const uses = await instance.manage<{ items: { id: string }[] }>('GET', `${path}/uses`)
    expect(uses.items.map(({ id }) => id).sort()).toEqual(onLayer.map(({ id }) => id).sort())
    await instance.manage('PUT', `${path}/features`, collectionOf([{ ...BOX, east: 20 }]))
    for (const rule of onLayer) expect(await endsOf(rule)).toEqual({ [boiler.id]: 'rule-changed' })
    for (const rule of onLayer) await firing(rule, [boiler])
    await instance.manage('DELETE', path)
    for (const rule of onLayer) expect(await endsOf(rule)).toEqual({ [boiler.id]: 'rule-changed' })
  })

  test('a removed channel ends the alerts of its sensor alone, and the rule can still be renamed', async () => {
    const other = await instance.sensor(organization.id, [
      { name: 'temperature', measurement: 'number' },
      { name: 'level', measurement: 'number' },
    ])
    const rule = await made({ kind: 'threshold', sensorIds: [boiler.id, other.id], conditions: [HOT] })
    await firing(rule, [boiler, other])
    const channels = [{ name: 'level', measurement: 'number' }]
    await instance.manage('PATCH', `/sensors/${other.id}`, { channels })
    expect(await endsOf(rule)).toEqual({ [boiler.id]: null, [other.id]: 'rule-changed' })
    const level = await made({ kind: 'silence', sensorIds: [other.id], channel: 'level' })
    await instance.manage('PATCH', `/sensors/${other.id}`, { channels: [] })
    expect((await send('PATCH', `/${level.id}`, { name: 'Renamed', enabled: false })).code).toBe('SUCCESS')
    expect((await send('PATCH', `/${level.id}`, { channel: 'level' })).code).toBe('VALIDATION_FAILED')
  })
})
