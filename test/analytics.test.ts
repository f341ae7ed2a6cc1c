/** Series and exports of /enterprise/v1/assets, compared with plain loops over the sent readings. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { zstdDecompressSync } from 'node:zlib'
import { type Envelope, fromNow, type Instance, type MadeSensor, type Organization } from './support/instance.ts'
import { HOURS, iso, recordReadings, type SentReading, START } from './support/recorded-readings.ts'

type Point = [at: string, value: number | null]
type Series = { resolution: string; series: { sensorId: string; channel: string; agg: string; points: Point[] }[] }

let instance: Instance
let organization: Organization
let other: Organization
let sensors: MadeSensor[]
let sent: SentReading[][]

beforeAll(async () => {
  ;({ instance, organization, other, sensors, sent } = await recordReadings())
}, 120_000)
afterAll(() => instance.remove())

const ask = async <T>(path: string, who = organization): Promise<Envelope<T> & { statusCode: number }> =>
  instance.query<T>(who, path)
const id = (s: number): string => (sensors[s] as MadeSensor).id

const quantile = (values: number[], share: number): number => {
  const sorted = values.toSorted((a, b) => a - b)
  const at = (sorted.length - 1) * share
  const below = sorted[Math.floor(at)] as number
  return below + ((sorted[Math.ceil(at)] as number) - below) * (at - Math.floor(at))
}
const AGGREGATES: Record<string, (values: number[]) => number> = {
  avg: (values) => values.reduce((a, b) => a + b, 0) / values.length,
  min: (values) => Math.min(...values),
  max: (values) => Math.max(...values),
  sum: (values) => values.reduce((a, b) => a + b, 0),
  count: (values) => values.length,
  first: (values) => values[0] as number,
  last: (values) => values.at(-1) as number,
  p50: (values) => quantile(values, 0.5),
  p95: (values) => quantile(values, 0.95),
  p99: (values) => quantile(values, 0.99),
}

/** Groups the sent readings into buckets and aggregates each, with a plain loop. */
function expected(s: number, agg: string, from: number, to: number, startOf: (ms: number) => number): Point[] {
  const inRange = (sent[s] as SentReading[]).filter(({ ms }) => ms >= from && ms < to)
  const groups = Map.groupBy(inRange, ({ ms }) => startOf(ms))
  return [...groups].map(([start, group]) => [
    iso(start),
    (AGGREGATES[agg] as (values: number[]) => number)(group.map(({ values }) => values.temperature as number)),
  ])
}
function expectPoints(points: Point[] | undefined, wanted: Point[]): void {
  expect(points?.map(([at]) => at)).toEqual(wanted.map(([at]) => at))
  for (const [i, [, value]] of points?.entries() ?? []) expect(value).toBeCloseTo(wanted[i]?.[1] as number, 6)
}

const STEPS: [string, number][] = [
  ['10s', 10],
  ['5m', 300],
  ['PT5M', 300],
  ['7h', 25_200],
  ['P1DT12H', 129_600],
]
test.each(STEPS)('every aggregate with step %s', async (step, seconds) => {
  const [from, to] = seconds < 300 ? [START, START + 3_600_000] : [START + 1234, START + HOURS * 3_600_000 - 777]
  const aggs = Object.keys(AGGREGATES).join(',')
  const narrow = seconds < 3600 ? START + 30 * 3_600_000 : to
  const { data } = await ask<Series>(
    `/sensors/${id(0)}/series?channel=temperature&from=${iso(from)}&to=${iso(narrow)}&step=${step}&agg=${aggs}`,
  )
  expect(data.resolution).toBe('raw')
  expect(data.series.map(({ agg }) => agg)).toEqual(Object.keys(AGGREGATES))
  for (const { agg, points, sensorId, channel } of data.series) {
    expect([sensorId, channel]).toEqual([id(0), 'temperature'])
    expectPoints(
      points,
      expected(0, agg, from, narrow, (ms) => Math.floor(ms / seconds / 1000) * seconds * 1000),
    )
  }
})

test('days and months start at midnight of their time zone, also when clocks go back; gaps are returned on request', async () => {
  const berlin = (ms: number): string => new Date(ms).toLocaleDateString('sv-SE', { timeZone: 'Europe/Berlin' })
  const [from, to] = [START, START + HOURS * 3_600_000]
  const range = `from=${iso(from)}&to=${iso(to)}`
  const days = await ask<Series>(
    `/sensors/${id(1)}/series?channel=temperature&${range}&step=1d&agg=sum&tz=Europe/Berlin`,
  )
  // midnight is at 22:00 UTC before the 25th, at 23:00 after it
  const midnight = (ms: number): number =>
    Date.parse(`${berlin(ms)}T00:00:00${berlin(ms) <= '2026-10-25' ? '+02:00' : '+01:00'}`)
  expectPoints(days.data.series[0]?.points, expected(1, 'sum', from, to, midnight))
  const months = await ask<Series>(
    `/sensors/${id(1)}/series?channel=temperature&from=2026-08-01T00:00:00Z&to=2027-01-01T00:00:00Z&step=P1M&agg=count&gaps=null`,
  )
  expect(months.data.series[0]?.points).toEqual([
    ['2026-08-01T00:00:00.000Z', null],
    ['2026-09-01T00:00:00.000Z', null],
    ['2026-10-01T00:00:00.000Z', 2000],
    ['2026-11-01T00:00:00.000Z', null],
    ['2026-12-01T00:00:00.000Z', null],
  ])
  const weeks = await ask<Series>(`/sensors/${id(1)}/series?channel=temperature&${range}&step=1w&agg=count`)
  // Mondays
  expect(weeks.data.series[0]?.points.map(([at]) => at)).toEqual([
    '2026-10-19T00:00:00.000Z',
    '2026-10-26T00:00:00.000Z',
  ])
  const gaps = await ask<Series>(
    `/sensors/${id(1)}/series?channel=temperature&from=${iso(from - 7_200_000)}&to=${iso(from + 3_600_001)}&step=30m&gaps=null`,
  )
  const points = gaps.data.series[0]?.points ?? []
  expect(points.map(([at]) => at)).toEqual([-4, -3, -2, -1, 0, 1, 2].map((i) => iso(from + i * 1_800_000)))
  expect(points.slice(0, 4).map(([, value]) => value)).toEqual([null, null, null, null])
  expectPoints(
    points.filter(([, value]) => value !== null),
    expected(1, 'avg', from - 7_200_000, from + 3_600_001, (ms) => Math.floor(ms / 1_800_000) * 1_800_000),
  )
})

test('several sensors and channels give one series for each sensor that has the channel', async () => {
  const range = `from=${iso(START)}&to=${iso(START + HOURS * 3_600_000)}&step=1d&agg=avg,p95`
  const startOf = (ms: number): number => Math.floor(ms / 86_400_000) * 86_400_000
  const all = await ask<Series>(`/series?sensors=all&channel=temperature,open&${range}`)
  expect(all.data.series.map(({ sensorId, channel, agg }) => [sensorId, channel, agg])).toEqual([
    ...[0, 1, 2].flatMap((s) => ['avg', 'p95'].map((agg) => [id(s), 'temperature', agg])),
    ...['avg', 'p95'].map((agg) => [id(0), 'open', agg]),
  ])
  for (const { sensorId, channel, agg, points } of all.data.series)
    if (channel === 'temperature') {
      const s = sensors.findIndex((sensor) => sensor.id === sensorId)
      expectPoints(points, expected(s, agg, START, START + HOURS * 3_600_000, startOf))
    } else for (const [, value] of points) expect(value).toBeWithin(0, 1.0001)
  const two = await ask<Series>(`/series?sensors=${id(2)},${id(1)}&channel=temperature&${range}`)
  expect(two.data.series.map(({ sensorId }) => sensorId)).toEqual([id(1), id(1), id(2), id(2)])
  expect(two.data.series[0]?.points).toEqual(all.data.series.find(({ sensorId }) => sensorId === id(1))?.points ?? [])
})

const exported = (query: string, who = organization): Promise<Response> =>
  fetch(`${instance.url()}/enterprise/v1/assets/export?${query}`, {
    headers: { 'x-api-key': who.publicKey, 'x-api-secret': who.secretKey },
  })

type Row = [
  sensorId: string,
  at: string,
  channel: string | null,
  value: number | null,
  longitude: number | null,
  latitude: number | null,
]
/** One row for each value of each reading. */
const rowsSent = (): Row[] =>
  sensors
    .flatMap(({ id, number }, s) => (sent[s] as SentReading[]).map((reading) => ({ id, number, ...reading })))
    .sort((a, b) => a.number - b.number || a.ms - b.ms)
    .flatMap(({ id, ms, values, location }) =>
      Object.entries(values).map(
        ([channel, value]): Row => [id, iso(ms), channel, Number(value), location?.[0] ?? null, location?.[1] ?? null],
      ),
    )
const keyOf = (rows: Row[]): string[] => rows.map((row) => JSON.stringify(row)).sort()

describe('exports', () => {
  test('CSV and JSON Lines contain every value exactly', async () => {
    const csv = await exported('format=csv')
    expect(csv.headers.get('content-type')).toBe('text/csv; charset=utf-8')
    expect(csv.headers.get('content-disposition')).toContain('readings.csv')
    const [head, ...lines] = (await csv.text()).trim().split(/\r?\n/)
    expect(head).toBe('sensor_id,at,channel,value,longitude,latitude')
    const number = (text: string | undefined) => (text === '\\N' || text === undefined ? null : Number(text))
    const rows = lines.map((line): Row => {
      const [sensor, at, channel, ...numbers] = line.split(',').map((part) => part.replace(/^"(.*)"$/, '$1'))
      return [sensor as string, at as string, channel as string, ...(numbers.map(number) as [number, null, null])]
    })
    expect(keyOf(rows)).toEqual(keyOf(rowsSent()))
    const jsonl = (await (await exported('format=jsonl')).text()).trim().split('\n')
    const objects = jsonl.map((line) => Object.values(JSON.parse(line) as object) as Row)
    expect(keyOf(objects)).toEqual(keyOf(rowsSent()))
  })

  test('Parquet is readable by an independent reader', async () => {
    const response = await exported(`format=parquet&sensors=${id(0)}&channel=open`)
    const { parquetReadObjects } = await import('hyparquet')
    const file = await response.arrayBuffer()
    const compressors = { ZSTD: (input: Uint8Array) => zstdDecompressSync(input) }
    const rows = await parquetReadObjects({ file, compressors })
    const decoded = rows.map(
      (row): Row => [
        row.sensor_id,
        (row.at as Date).toISOString(),
        row.channel,
        row.value,
        row.longitude,
        row.latitude,
      ],
    )
    expect(keyOf(decoded)).toEqual(
      keyOf(rowsSent().filter(([sensor, , channel]) => sensor === id(0) && channel === 'open')),
    )
  })

  test('Arrow is a complete stream for an independent reader', async () => {
    const { RecordBatchReader } = await import('apache-arrow')
    const reader = RecordBatchReader.from(new Uint8Array(await (await exported('format=arrow')).arrayBuffer()))
    const rows: Row[] = []
    for (const batch of reader)
      for (const { sensor_id, at, channel, value, longitude, latitude } of batch)
        rows.push([sensor_id, new Date(Number(at)).toISOString(), channel, value, longitude, latitude])
    expect(keyOf(rows)).toEqual(keyOf(rowsSent()))
  })

  test('channel names that a spreadsheet would run are escaped on request', async () => {
    const third = await instance.organization('scale')
    const names = ['=1+1', '-1', '@x', 'plain']
    const sensor = await instance.sensor(
      third.id,
      names.map((name) => ({ name, measurement: 'number' as const })),
    )
    const values = Object.fromEntries(names.map((name) => [name, -2]))
    expect((await instance.send(sensor, { readings: [{ at: fromNow(-60_000), values }] })).status).toBe(200)
    const cells = async (query: string): Promise<string[]> => {
      const rows = (await (await exported(query, third)).text()).trim().split('\n').slice(1)
      return rows.map((row) => row.split(',').slice(2, 4).join(' ').replaceAll('"', ''))
    }
    while ((await cells('format=csv')).length < names.length) await Bun.sleep(50)
    expect((await cells('format=csv')).sort()).toEqual(names.map((name) => `${name} -2`).sort())
    const escaped = await cells('format=csv&escapeFormulas=true')
    expect(escaped.sort()).toEqual(["'=1+1 -2", "'-1 -2", "'@x -2", 'plain -2'].sort())
  })

  test('exports honour range, sensor and channel; another enterprise gets nothing', async () => {
    const [from, to] = [START + 3_600_000, START + 86_400_000]
    const lines = (
      await (await exported(`format=csv&sensors=${id(1)}&channel=temperature&from=${iso(from)}&to=${iso(to)}`)).text()
    )
      .trim()
      .split('\n')
    expect(lines.length - 1).toBe((sent[1] as SentReading[]).filter(({ ms }) => ms >= from && ms < to).length)
    expect((await exported(`format=csv&sensors=${id(1)}`, other)).status).toBe(404)
    expect(await (await exported('format=csv', await instance.organization())).text()).toBe(
      'sensor_id,at,channel,value,longitude,latitude\r\n',
    )
  })
})

test('invalid queries are rejected with the field name', async () => {
  const one = `/sensors/${id(0)}/series?channel=temperature`
  const bad: [string, string, string][] = [
    [`${one}&from=2026-02-02T00:00:00Z&to=2026-02-01T00:00:00Z`, 'query.from', 'order'],
    [`${one}&from=yesterday+afternoon+at+five`, 'query.from', 'date-time'],
    [`${one}&step=0s`, 'query.step', 'notZero'],
    [`${one}&step=PT0S`, 'query.step', 'notZero'],
    [`${one}&step=1x`, 'query.step', 'duration'],
    [`${one}&step=P1M2D`, 'query.step', 'duration'],
    [`${one}&step=P`, 'query.step', 'duration'],
    [`${one}&step=-5m`, 'query.step', 'duration'],
    [`${one}&step=1s&from=2026-01-01T00:00:00Z&to=2026-01-02T00:00:00Z`, 'query.step', 'maxPoints'],
    [`${one}&step=1m;DROP TABLE readings`, 'query.step', 'duration'],
    [`${one}&agg=median`, 'query.agg', 'enum'],
    [`${one}&agg=avg,toString(1)`, 'query.agg', 'enum'],
    [`${one}&agg=constructor`, 'query.agg', 'enum'],
    [`${one}&gaps=zero`, 'query.gaps', 'enum'],
    [`${one}&step=1d&tz=Mars/Olympus`, 'query.tz', 'timeZone'],
    [`${one}&step=1d&tz=%2B01:00`, 'query.tz', 'timeZone'],
    [`${one}&step=1d&tz=UTC')--`, 'query.tz', 'timeZone'],
    [`${one}&step=1h&tz=Europe/Berlin`, 'query.tz', 'forbidden'],
    [`/sensors/${id(0)}/series?channel=temperature' OR 1`, 'query.channel', 'enum'],
    [`/sensors/${id(0)}/series?channel=`, 'query.channel', 'minLength'],
    ['/series?channel=nothing', 'query.channel', 'enum'],
    [
      `/series?channel=temperature&sensors=${Array(1001)
        .fill(0)
        .map((_, i) => `sen_${i}`)
        .join(',')}`,
      'query.sensors',
      'maxItems',
    ],
    ['/live?bbox=1,2,3', 'query.bbox', 'bbox'],
    ['/live?bbox=a,b,c,d', 'query.bbox', 'bbox'],
    ['/live?bbox=0,10,10,5', 'query.bbox', 'order'],
    ['/live?bbox=0,0,190,5', 'query.bbox', 'range'],
    [`/tracks/${id(0)}?cursor=1e9`, 'query.cursor', 'cursor'],
    [`/tracks/${id(0)}?cursor=99999999999999`, 'query.cursor', 'cursor'],
    [`/tracks/${id(0)}?limit=0`, 'query.limit', 'minimum'],
    ['/export?format=xlsx', 'query.format', 'enum'],
    ['/export?format=csv&channel=nothing', 'query.channel', 'enum'],
    ['/export?format=csv&surprise=1', 'query.surprise', 'additionalProperties'],
  ]
  for (const [path, field, rule] of bad) {
    const { statusCode, code, errors } = await ask(path)
    expect({ path, statusCode, code, field: errors?.[0]?.field, rule: errors?.[0]?.rule }).toEqual({
      ...{ path, statusCode: 422, code: 'VALIDATION_FAILED', field, rule },
    })
  }
  for (const path of [
    `/sensors/${id(0)}/series?channel=temperature`,
    `/tracks/${id(0)}`,
    `/series?channel=temperature&sensors=${id(0)}`,
  ])
    expect(await ask(path, other)).toMatchObject({ statusCode: 404, code: 'NOT_FOUND' })
})
