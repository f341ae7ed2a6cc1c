/** Imports of sensors over HTTP: rows that create, change and are refused; long imports; a server that is killed. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { gzipSync } from 'node:zlib'
import { killRandom, whole } from '../../support/random.ts'
import { createInstance, type MadeSensor, type Organization } from '../../support/server/instance.ts'
import { withSql } from '../../support/stores/with-sql.ts'
import { until } from '../../support/until.ts'

const instance = await createInstance()
let home: Organization
let other: Organization
beforeAll(async () => {
  home = await instance.organization('scale')
  other = await instance.organization('scale')
}, 120_000)
afterAll(instance.remove)

type RowError = { line: number; field: string; rule: string; message: string; messageAr: string }
type Counts = { created: number; updated: number; refused: number; errors: RowError[] }
type Answer<T> = { status: number; data: T; code: string; errors?: Omit<RowError, 'line'>[]; location: string }
type Sensor = {
  id: string
  externalId: string | null
  name: string
  assetName: string
  tags: string[]
  enabled: boolean
  channels: { name: string; measurement: string; unit: string | null; active: boolean }[]
  keys: unknown[]
}

async function send<T = Counts>(
  body: string | Uint8Array<ArrayBuffer>,
  type = 'application/x-ndjson',
  {
    query = '',
    headers = {},
    owner = home.id,
  }: { query?: string; headers?: Record<string, string>; owner?: string } = {},
): Promise<Answer<T>> {
  const response = await fetch(`${instance.url()}/manage/v1/enterprises/${owner}/sensors/import${query}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${instance.operatorToken()}`, 'content-type': type, ...headers },
    body,
  })
  const answer = (await response.json()) as Omit<Answer<T>, 'status' | 'location'>
  return { ...answer, status: response.status, location: response.headers.get('location') ?? '' }
}

const ndjson = (...rows: unknown[]): string => rows.map((row) => JSON.stringify(row)).join('\n')
const channels = [{ name: 'temperature', measurement: 'number', unit: '°C' }]
const sensorOf = async (externalId: string): Promise<Sensor | undefined> => {
  const path = `/enterprises/${home.id}/sensors?externalId=${encodeURIComponent(externalId)}`
  return (await instance.manage<{ items: Sensor[] }>('GET', path)).items[0]
}
const shortOf = ({ errors, ...counts }: Counts) => ({
  ...counts,
  errors: errors.map(({ line, field, rule }) => [line, field, rule]),
})

test('rows create sensors, change the sensors that they name, and leave what they do not name', async () => {
  const first = await send(
    `\uFEFF${ndjson({ externalId: 'pump-1', name: 'Pump 1', asset: 'Pier', tags: ['north'], channels })}\r\n\n`,
  )
  expect([first.status, shortOf(first.data)]).toEqual([200, { created: 1, updated: 0, refused: 0, errors: [] }])
  const made = (await sensorOf('pump-1')) as Sensor
  expect(made).toMatchObject({ name: 'Pump 1', assetName: 'Pier', tags: ['north'], keys: [] })
  expect(made.channels).toMatchObject([{ ...channels[0], active: true }])

  const second = await send(
    ndjson(
      { externalId: 'pump-1', name: 'Pump one' },
      { id: made.id, externalId: 'pump-1b', tags: [] },
      { externalId: 'pump-1b', assetName: 'Quay', channels: [...channels, { name: 'open', measurement: 'boolean' }] },
      { externalId: 'pump-1b' },
    ),
  )
  expect(shortOf(second.data)).toEqual({ created: 0, updated: 4, refused: 0, errors: [] })
  const changed = (await sensorOf('pump-1b')) as Sensor
  expect(changed).toMatchObject({ id: made.id, name: 'Pump one', assetName: 'Quay', tags: [] })
  expect(changed.channels.map(({ name }) => name)).toEqual(['temperature', 'open'])
  expect(await sensorOf('pump-1')).toBeUndefined()
})

test('a faulty row is refused by itself, with its line and field', async () => {
  const foreign = await instance.sensor(other.id, [], 'Foreign')
  await send(ndjson({ externalId: 'taken', channels }, { externalId: 'mine', channels }))
  const mine = (await sensorOf('mine')) as Sensor
  const body = [
    ndjson({ externalId: 'good-1', channels }),
    '{broken',
    '',
    ndjson({ externalId: 'new-without-channels' }),
    ndjson({ id: foreign.id, name: 'Stolen' }),
    ndjson({ id: mine.id, externalId: 'taken' }),
    ndjson({ externalId: 'x', channels: [{ name: 'a', measurement: 'text' }] }),
    ndjson({ externalId: 'x', channels: [...channels, ...channels] }),
    ndjson({ externalId: 'x', channels, colour: 'red' }),
    ndjson({ externalId: 'x', channels, asset: 'A', assetName: 'B' }),
    ndjson({ externalId: 'x\u0000', channels }),
    '{"externalId":"x","\\ud800":1}',
    ndjson({ externalId: 'x', channels, ['n'.repeat(1_000)]: 1 }),
    `{"externalId":"${'x'.repeat(300_000)}"}`,
    ndjson({ id: 'sen_none' }),
    '[]',
    ndjson({ externalId: 'good-2', channels }),
  ].join('\n')
  const { status, data } = await send(body)
  expect([status, shortOf(data)]).toEqual([
    200,
    {
      created: 2,
      updated: 0,
      refused: 14,
      errors: [
        [2, '', 'json'],
        [4, 'channels', 'required'],
        [5, 'id', 'exists'],
        [6, 'externalId', 'unique'],
        [7, 'channels.0.measurement', 'enum'],
        [8, 'channels.1.name', 'unique'],
        [9, 'colour', 'additionalProperties'],
        [10, 'asset', 'combination'],
        [11, '', 'encoding'],
        [12, '', 'encoding'],
        [13, 'n'.repeat(200), 'additionalProperties'],
        [14, '', 'maxBytes'],
        [15, 'id', 'exists'],
        [16, '', 'object'],
      ],
    },
  ])
  for (const { message, messageAr } of data.errors) expect([message, messageAr]).not.toContain('')
  expect([(await sensorOf('good-1'))?.name, (await sensorOf('good-2'))?.name]).not.toContain(undefined)
  const kept = await instance.manage<{ name: string }>('GET', `/sensors/${foreign.id}`)
  expect(kept.name).toBe('Foreign')
  expect((await sensorOf('mine'))?.id).toBe(mine.id)
})

test('CSV has the columns of the portal, and empty cells change nothing', async () => {
  const csv = [
    '\uFEFFexternalId, Name,asset,tags,channels,enabled',
    'csv-1,"Roof, ""west""",Roof,roof; north،شمال,temperature:number:°C; door:BOOLEAN; count; level:whole:m:s,',
    'csv-2,Short',
    'csv-3,"open',
    '',
    'csv-4,مضخة,,,a:text,',
    'csv-5,مضخة,,,a,FALSE',
    'csv-6,مضخة,,,a,no',
    "csv-7,'=1+1,,,a,true",
    'csv-8,مضخة,,,a,,more',
  ].join('\r\n')
  for (const body of [csv, gzipSync(csv)]) {
    const headers: Record<string, string> = typeof body === 'string' ? {} : { 'content-encoding': 'gzip' }
    const { status, data } = await send(body, 'text/csv; charset=utf-8', { headers })
    const count = typeof body === 'string' ? { created: 3, updated: 0 } : { created: 0, updated: 3 }
    expect([status, shortOf(data)]).toEqual([
      200,
      {
        ...count,
        refused: 5,
        errors: [
          [3, '', 'cells'],
          [4, '', 'cells'],
          [6, 'channels.0.measurement', 'enum'],
          [8, 'enabled', 'boolean'],
          [10, '', 'cells'],
        ],
      },
    ])
  }
  const made = (await sensorOf('csv-1')) as Sensor
  expect(made).toMatchObject({
    name: 'Roof, "west"',
    assetName: 'Roof',
    tags: ['roof', 'north', 'شمال'],
    enabled: true,
  })
  expect(made.channels.map(({ name, measurement, unit }) => [name, measurement, unit])).toEqual([
    ['temperature', 'number', '°C'],
    ['door', 'boolean', null],
    ['count', 'number', null],
    ['level', 'whole', 'm:s'],
  ])
  expect(await sensorOf('csv-5')).toMatchObject({ name: 'مضخة', assetName: 'مضخة', enabled: false })
  expect(await sensorOf('csv-7')).toMatchObject({ name: '=1+1', enabled: true })
  const again = await send(`id,name,tags\n${made.id},,south\n`, 'text/csv')
  expect(shortOf(again.data)).toEqual({ created: 0, updated: 1, refused: 0, errors: [] })
  expect(await sensorOf('csv-1')).toMatchObject({ name: 'Roof, "west"', tags: ['south'] })
})

test('with keys=true, new sensors have a key that opens; without, they have none', async () => {
  type WithKeys = Counts & { keys: { line: number; id: string; externalId: string; key: string }[] }
  const { data } = await send<WithKeys>(ndjson({ externalId: 'keyed', channels }), undefined, { query: '?keys=true' })
  const [given] = data.keys
  expect(data.keys).toMatchObject([{ line: 1, externalId: 'keyed' }])
  const response = await fetch(`${instance.url()}/sensors/${given?.id}/readings`, {
    method: 'POST',
    headers: { authorization: `Bearer ${given?.key}` },
    body: JSON.stringify({ readings: [{ at: new Date().toISOString(), values: { temperature: 1 } }] }),
  })
  expect(response.status).toBe(200)
  expect((await send(ndjson({ externalId: 'keyless', channels }))).data).not.toHaveProperty('keys')
  expect((await sensorOf('keyless'))?.keys).toEqual([])
})

test('a repeated call with its Idempotency-Key is answered as before, and another file with the key is refused', async () => {
  const headers = { 'idempotency-key': 'import-1' }
  const body = ndjson({ name: 'Without ids', channels })
  const [first, again] = [await send(body, undefined, { headers }), await send(body, undefined, { headers })]
  expect(again.data).toEqual(first.data)
  const { items } = await instance.manage<{ items: Sensor[] }>('GET', `/enterprises/${home.id}/sensors?q=Without+ids`)
  expect(items).toHaveLength(1)
  expect((await send(`${body}\n`, undefined, { headers })).code).toBe('IDEMPOTENCY_KEY_REUSED')
})

test('bodies that are no import are refused', async () => {
  const faults: [body: string, type: string, status: number, field: string | undefined][] = [
    ['', 'application/x-ndjson', 422, 'body'],
    ['\n \n', 'application/x-ndjson', 422, 'body'],
    ['{}', 'application/json', 415, 'Content-Type'],
    ['name,colour\na,b\n', 'text/csv', 422, 'body.1'],
    ['name,Name\na,b\n', 'text/csv', 422, 'body.1'],
    ['name\n', 'text/csv', 422, 'body'],
    ['name,"channels\na,b\n', 'text/csv', 422, 'body'],
    ['name;channels\na;b\n', 'text/csv', 422, 'body.0'],
    ['{}\n'.repeat(100_001), 'application/x-ndjson', 422, 'body'],
  ]
  for (const [body, type, status, field] of faults) {
    const answer = await send(body, type)
    expect([type, answer.status, answer.errors?.[0]?.field]).toEqual([type, status, field])
  }
  expect((await send('{}', 'application/json')).errors?.[0]?.message).toBe('must be application/x-ndjson or text/csv')
  const many = ndjson(...Array.from({ length: 501 }, (_, i) => ({ externalId: `k${i}`, channels })))
  const { status, errors } = await send(many, undefined, { query: '?keys=true' })
  expect([status, errors?.[0]?.field]).toEqual([422, 'query.keys'])
})

test('a long import continues after each of five kills: every row is stored once, and sensors keep their keys', async () => {
  const [ROWS, KNOWN, KILLS] = [5_000, 200, 5]
  const owner = (await instance.organization('scale')).id
  const idOf = (i: number): string => `long-${i}`
  const known = await Promise.all(
    Array.from({ length: KNOWN }, (_, i) =>
      instance.manage<MadeSensor>('POST', `/enterprises/${owner}/sensors`, { externalId: idOf(i * 25), channels }),
    ),
  )
  const rows = Array.from({ length: ROWS }, (_, i) => ({ externalId: idOf(i), name: `Long ${i}`, channels }))
  const body = ndjson(...rows.slice(0, 10), { externalId: 'long-x' }, ...rows.slice(10))
  const { status, location, data } = await send<Counts & { id: string; status: string }>(body, undefined, { owner })
  expect([status, data.status]).toEqual([202, 'waiting'])
  const progress = () => instance.manage<Counts & { status: string }>('GET', location.replace('/manage/v1', ''))
  const random = killRandom('imports of sensors')('kills')
  const doneOf = ({ created, updated }: Counts): number => created + updated
  for (let kills = 0, done = 0; kills < KILLS; kills++) {
    await until(async () => doneOf(await progress()) > done, 'the next part')
    await Bun.sleep(whole(random, 500))
    await instance.kill('SIGKILL')
    await instance.restart()
    const { status, ...counts } = await progress()
    expect([kills, status]).toEqual([kills, 'running'])
    done = doneOf(counts)
  }
  await until(async () => (await progress()).status === 'done', 'the import')
  expect(shortOf(await progress())).toMatchObject({
    created: ROWS - KNOWN,
    updated: KNOWN,
    refused: 1,
    errors: [[11, 'channels', 'required']],
  })
  const [stored] = await withSql(
    instance,
    (sql) => sql`
      SELECT count(*)::integer AS rows, count(DISTINCT external_id)::integer AS ids,
        count(*) FILTER (WHERE name = replace(external_id, 'long-', 'Long '))::integer AS names,
        (SELECT count(*)::integer FROM channels JOIN sensors ON sensors.id = sensor_id WHERE enterprise_id = ${owner}) AS channels,
        (SELECT count(*)::integer FROM audit WHERE owner_id = ${owner} AND action = 'create' AND subject_kind = 'sensor') AS creations,
        (SELECT count(*)::integer FROM audit WHERE owner_id = ${owner} AND action = 'update' AND subject_kind = 'sensor') AS changes,
        (SELECT count(*)::integer FROM sensor_import_parts) AS waiting
      FROM sensors WHERE enterprise_id = ${owner}`,
  )
  expect(stored).toEqual({
    rows: ROWS,
    ids: ROWS,
    names: ROWS,
    channels: ROWS,
    creations: ROWS,
    changes: KNOWN,
    waiting: 0,
  })
  const reading = { readings: [{ at: new Date().toISOString(), values: { temperature: 1 } }] }
  expect((await instance.send(known[0] as MadeSensor, reading)).status).toBe(200)
}, 300_000)

test('an enterprise has five unfinished imports at most, and is deleted with them', async () => {
  const owner = (await instance.organization('scale')).id
  const body = ndjson(...Array.from({ length: 2_000 }, (_, i) => ({ externalId: `gone-${i}`, channels })))
  const answers = await Promise.all(Array.from({ length: 7 }, () => send(body, undefined, { owner })))
  const refused = answers.filter(({ status }) => status === 422)
  expect(answers.filter(({ status }) => status === 202)).toHaveLength(7 - refused.length)
  expect(refused.map(({ errors }) => errors?.[0])).toMatchObject(
    refused.map(() => ({ field: 'body', rule: 'maxItems' })),
  )
  expect(refused.length).toBeWithin(1, 3)
  await instance.manage('DELETE', `/enterprises/${owner}`)
  const left = await withSql(
    instance,
    (sql) => sql`
      SELECT (SELECT count(*)::integer FROM sensors WHERE enterprise_id = ${owner}) AS sensors,
        (SELECT count(*)::integer FROM sensor_imports WHERE enterprise_id = ${owner}) AS imports`,
  )
  expect(left[0]).toEqual({ sensors: 0, imports: 0 })
  expect(instance.log()).not.toContain('sensors could not be imported')
}, 120_000)

test('two imports that change the same sensors in another order both succeed', async () => {
  const ids = Array.from({ length: 60 }, (_, i) => `both-${i}`)
  await send(ndjson(...ids.map((externalId) => ({ externalId, channels }))))
  const named = (times: number, list: string[]) =>
    ndjson(...Array.from({ length: times }, (_, n) => list.map((externalId) => ({ externalId, name: `N${n}` }))).flat())
  const long = await send(named(10, ids))
  expect(long.status).toBe(202)
  const short = await send(named(5, ids.toReversed()))
  expect([short.status, short.data.updated]).toEqual([200, 300])
  const progress = () => instance.manage<Counts & { status: string }>('GET', long.location.replace('/manage/v1', ''))
  await until(async () => (await progress()).status === 'done', 'the import')
  expect(shortOf(await progress())).toMatchObject({ updated: 600, refused: 0 })
  expect(instance.log()).not.toContain('sensors could not be imported')
}, 120_000)
