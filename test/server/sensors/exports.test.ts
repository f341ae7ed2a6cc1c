/** Exports of /enterprise/v1/assets, read back by independent programs and compared with the sent readings. */
import { beforeAll, describe, expect, test } from 'bun:test'
import { arrowRows, parquetRows, parseCsv, type Row } from '../../support/export-rows.ts'
import { fromNow, type MadeSensor, type Organization, outcomeOf, untilStored } from '../../support/server/instance.ts'
import { iso, recordReadings, type SentReading, START } from '../../support/server/recorded-readings.ts'
import { EMBEDDED_AND_CLUSTER } from '../../support/stores/reading-stores.ts'

const recorded = { embedded: await recordReadings('embedded'), cluster: await recordReadings('cluster') }

describe.each(EMBEDDED_AND_CLUSTER)('on %s ClickHouse', (kind) => {
  const { instance, organization, other, sensors, sent } = recorded[kind]

  const id = (s: number): string => (sensors[s] as MadeSensor).id
  const exported = (query: string, who = organization): Promise<Response> =>
    fetch(`${instance.url()}/enterprise/v1/assets/export?${query}`, {
      headers: { 'x-api-key': who.publicKey, 'x-api-secret': who.secretKey },
    })

  /** One row for each value of each reading. */
  const rowsSent = (): Row[] =>
    sensors
      .flatMap(({ id, number }, s) => (sent[s] as SentReading[]).map((reading) => ({ id, number, ...reading })))
      .sort((a, b) => a.number - b.number || a.ms - b.ms)
      .flatMap(({ id, ms, values, location }) =>
        Object.entries(values).map(([channel, value]) => ({
          sensorId: id,
          at: iso(ms),
          channel,
          measurement: typeof value,
          value,
          longitude: location?.[0] ?? null,
          latitude: location?.[1] ?? null,
        })),
      )
  const inOrder = (rows: readonly Row[]): string[] => rows.map((row) => JSON.stringify(row)).sort()

  const numbersIn = (row: Row): Row =>
    Object.fromEntries(
      Object.entries(row).map(([name, text]) => {
        if (text === '') return [name, null]
        if (text === 'true' || text === 'false') return [name, text === 'true']
        return [name, ['value', 'longitude', 'latitude'].includes(name) ? Number(text) : text]
      }),
    )

  /** Rows of the typed formats, which have numbers and booleans in two columns, as rows of the others. */
  const inOneColumn = ({ sensorId, at, channel, measurement, value, booleanValue, longitude, latitude }: Row): Row =>
    ({ sensorId, at, channel, measurement, value: booleanValue ?? value, longitude, latitude }) as Row

  describe('a row for each value', () => {
    test('CSV', async () => {
      const response = await exported('format=csv')
      expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-8')
      expect(response.headers.get('content-disposition')).toContain('readings.csv')
      const text = await response.text()
      expect(text.slice(0, text.indexOf('\r\n'))).toBe('sensorId,at,channel,measurement,value,longitude,latitude')
      expect(text).not.toContain('\\N')
      expect(inOrder(parseCsv(text).map(numbersIn))).toEqual(inOrder(rowsSent()))
    })

    test('JSON Lines', async () => {
      const lines = (await (await exported('format=jsonl')).text()).trim().split('\n')
      expect(inOrder(lines.map((line) => JSON.parse(line)))).toEqual(inOrder(rowsSent()))
    })

    test('Parquet', async () => {
      const { rows, types } = await parquetRows(await exported('format=parquet'))
      expect(types).toMatchObject({ at: 'INT64', value: 'DOUBLE', booleanValue: 'BOOLEAN', longitude: 'DOUBLE' })
      expect(inOrder(rows.map(inOneColumn))).toEqual(inOrder(rowsSent()))
    })

    test('Arrow', async () => {
      const { rows, types } = await arrowRows(await exported('format=arrow'))
      expect(types).toMatchObject({ sensorId: 'Utf8', value: 'Float64', booleanValue: 'Bool', measurement: 'Utf8' })
      expect(inOrder(rows.map(inOneColumn))).toEqual(inOrder(rowsSent()))
    })

    test('a single channel in every format', async () => {
      for (const channel of ['temperature', 'open']) {
        const query = `sensors=${id(0)}&channel=${channel}`
        const wanted = inOrder(rowsSent().filter((row) => row.sensorId === id(0) && row.channel === channel))
        expect(wanted.length).toBeGreaterThan(0)
        expect(inOrder(parseCsv(await (await exported(`format=csv&${query}`)).text()).map(numbersIn))).toEqual(wanted)
        const lines = (await (await exported(`format=jsonl&${query}`)).text()).trim().split('\n')
        expect(inOrder(lines.map((line) => JSON.parse(line)))).toEqual(wanted)
        const parquet = await parquetRows(await exported(`format=parquet&${query}`))
        expect(inOrder(parquet.rows.map(inOneColumn))).toEqual(wanted)
        const arrow = await arrowRows(await exported(`format=arrow&${query}`))
        expect(inOrder(arrow.rows.map(inOneColumn))).toEqual(wanted)
        expect(arrow.types).toMatchObject({ channel: 'Utf8', value: 'Float64', booleanValue: 'Bool' })
      }
    })

    test('a sensor with a single channel, whose readings have a value, a location or both', async () => {
      const owner = await instance.organization('scale')
      const sensor = await instance.sensor(owner.id, [{ name: 'level', measurement: 'number' }])
      const readings = [
        { at: fromNow(-60_000), values: { level: 1.5 } },
        { at: fromNow(-50_000), values: {}, location: [12.5, -3.25] },
        { at: fromNow(-40_000), values: { level: -2 }, location: [13, 4] },
      ]
      await outcomeOf(await instance.send(sensor, { readings }))
      await untilStored(() => instance, owner, sensor, 3)
      const wanted = readings.map(({ at, values, location }) => ({
        sensorId: sensor.id,
        at: new Date(at).toISOString(),
        channel: values.level === undefined ? null : 'level',
        measurement: values.level === undefined ? null : 'number',
        value: values.level ?? null,
        longitude: location?.[0] ?? null,
        latitude: location?.[1] ?? null,
      }))
      const lines = (await (await exported('format=jsonl', owner)).text()).trim().split('\n')
      expect(lines.map((line) => JSON.parse(line))).toEqual(wanted)
      const arrow = await arrowRows(await exported('format=arrow', owner))
      expect(arrow.rows.map(inOneColumn)).toEqual(wanted)
      const named = (await (await exported('format=jsonl&channel=level', owner)).text()).trim().split('\n')
      expect(named.map((line) => JSON.parse(line))).toEqual(wanted.filter(({ channel }) => channel !== null))
    })

    test('range, sensor and channel are honoured; another enterprise gets nothing', async () => {
      const [from, to] = [START + 3_600_000, START + 86_400_000]
      const range = `from=${iso(from)}&to=${iso(to)}`
      const text = await (await exported(`format=csv&sensors=${id(1)}&channel=temperature&${range}`)).text()
      expect(parseCsv(text).length).toBe((sent[1] as SentReading[]).filter(({ ms }) => ms >= from && ms < to).length)
      expect((await exported(`format=csv&sensors=${id(1)}`, other)).status).toBe(404)
      expect(await (await exported('format=csv', await instance.organization())).text()).toBe(
        'sensorId,at,channel,measurement,value,longitude,latitude\r\n',
      )
    })
  })

  describe('a row for each reading', () => {
    /** The readings sent, with null for missing values. */
    const wideSent = (): Row[] =>
      sensors.flatMap(({ id }, s) =>
        (sent[s] as SentReading[]).map(({ ms, values, location }) => ({
          sensorId: id,
          at: iso(ms),
          longitude: location?.[0] ?? null,
          latitude: location?.[1] ?? null,
          temperature: values.temperature ?? null,
          open: values.open ?? null,
        })),
      )
    test('CSV and JSON Lines', async () => {
      const csv = parseCsv(await (await exported('format=csv&layout=wide')).text())
      const rows = csv.map((row) => {
        const { temperature, ...rest } = numbersIn(row)
        return { ...rest, temperature: Number(temperature), open: rest.open ?? null }
      })
      expect(inOrder(rows)).toEqual(
        inOrder(wideSent().map(({ temperature, open, ...rest }) => ({ ...rest, open, temperature }) as Row)),
      )
      const lines = (await (await exported('format=jsonl&layout=wide')).text()).trim().split('\n')
      expect(inOrder(lines.map((line) => JSON.parse(line)))).toEqual(inOrder(wideSent()))
    })
    test('Parquet and Arrow with typed columns', async () => {
      const parquet = await parquetRows(await exported('format=parquet&layout=wide'))
      expect(parquet.types).toMatchObject({ temperature: 'DOUBLE', open: 'BOOLEAN' })
      expect(inOrder(parquet.rows)).toEqual(inOrder(wideSent()))
      const arrow = await arrowRows(await exported('format=arrow&layout=wide'))
      expect(arrow.types).toMatchObject({ temperature: 'Float64', open: 'Bool' })
      expect(inOrder(arrow.rows)).toEqual(inOrder(wideSent()))
    })
  })

  describe('names and values that need care', () => {
    const NAMES = [
      'a,b',
      'say "x"',
      'two\r\nlines',
      '`back`\\tick',
      'at',
      'channel:at',
      '=1+1',
      "it's {x:String}",
      'عداد',
    ]
    const BIG = Number.MAX_SAFE_INTEGER
    let owner: Organization
    let first: MadeSensor
    let second: MadeSensor
    const at = fromNow(-60_000)
    beforeAll(async () => {
      owner = await instance.organization('scale')
      const channels = NAMES.map((name) => ({ name, measurement: 'whole' as const }))
      first = await instance.sensor(owner.id, [...channels, { name: 'mixed', measurement: 'boolean' }])
      second = await instance.sensor(owner.id, [
        { name: 'other', measurement: 'number' },
        { name: 'mixed', measurement: 'number' },
        { name: 'a,b', measurement: 'number' },
      ])
      const values = Object.fromEntries(NAMES.map((name, i) => [name, i === 0 ? BIG : -i]))
      await outcomeOf(await instance.send(first, { readings: [{ at, values: { ...values, mixed: false } }] }))
      await outcomeOf(
        await instance.send(second, {
          readings: [
            { at, values: { other: 1e300, mixed: 0.1, 'a,b': 1.5 } },
            { at: fromNow(-50_000), values: {}, location: [-1e-7, 5e-324] },
          ],
        }),
      )
      await untilStored(() => instance, owner, first, 1)
      await untilStored(() => instance, owner, second, 2)
    })
    const column = (name: string): string =>
      name === 'at' ? 'channel:at' : name === 'channel:at' ? 'channel:channel:at' : name

    test('come back unchanged from CSV and JSON Lines', async () => {
      const rows = parseCsv(await (await exported('format=csv', owner)).text())
      const ofFirst = rows.filter(({ sensorId }) => sensorId === first.id)
      expect(ofFirst.map(({ channel, measurement, value }) => [channel, measurement, value])).toEqual([
        ...NAMES.map((name, i) => [name, 'whole', i === 0 ? String(BIG) : String(-i)]),
        ['mixed', 'boolean', 'false'],
      ])
      expect(rows.at(-1)).toMatchObject({
        channel: '',
        measurement: '',
        value: '',
        longitude: '-1e-7',
        latitude: '5e-324',
      })
      const lines = (await (await exported('format=jsonl', owner)).text())
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line))
      expect(lines.slice(0, NAMES.length).map(({ channel, value }) => [channel, value])).toEqual(
        NAMES.map((name, i) => [name, i === 0 ? BIG : -i]),
      )
      expect(lines.find(({ channel }) => channel === 'other')).toMatchObject({ value: 1e300, measurement: 'number' })
      expect(lines.at(-1)).toMatchObject({ channel: null, measurement: null, value: null, latitude: 5e-324 })
    })

    test('become columns with a type that fits all sensors', async () => {
      const { rows, types } = await parquetRows(await exported('format=parquet&layout=wide', owner))
      const expected = {
        ...Object.fromEntries(NAMES.map((name, i) => [column(name), i === 0 ? 'DOUBLE' : 'INT64'])),
        mixed: 'BYTE_ARRAY',
        other: 'DOUBLE',
      }
      expect(types).toMatchObject(expected)
      expect(rows[0]).toMatchObject({ [column('at')]: -4, 'a,b': BIG, mixed: 'false', other: null })
      expect(rows[1]).toMatchObject({ [column('at')]: null, 'a,b': 1.5, mixed: '0.1', other: 1e300 })
      const csv = parseCsv(await (await exported('format=csv&layout=wide', owner)).text())
      expect(Object.keys(csv[0] ?? {})).toEqual([
        'sensorId',
        'at',
        'longitude',
        'latitude',
        ...NAMES.map(column),
        'mixed',
        'other',
      ])
      expect(csv.map(({ mixed }) => mixed)).toEqual(['false', '0.1', ''])
      const [line = ''] = (await (await exported('format=jsonl&layout=wide', owner)).text()).split('\n')
      expect(JSON.parse(line)).toMatchObject({ 'two\r\nlines': -2, mixed: false, other: null })
    })

    test('repeated channel parameters name channels with commas; one parameter is a list, or such a name', async () => {
      const channelsOf = async (query: string): Promise<unknown[]> => {
        const rows = parseCsv(await (await exported(`format=csv&sensors=${first.id}&${query}`, owner)).text())
        return rows.map(({ channel }) => channel)
      }
      expect(await channelsOf('channel=a%2Cb&channel=mixed')).toEqual(['a,b', 'mixed'])
      expect(await channelsOf('channel=a%2Cb')).toEqual(['a,b'])
      expect(await channelsOf('channel=at,%20mixed')).toEqual(['at', 'mixed'])
      expect((await exported('format=csv&channel=at%2Cmixed&channel=at', owner)).status).toBe(422)
      const page = await instance.query<{ items: { values: object }[] }>(
        owner,
        `/sensors/${first.id}/readings?channel=a%2Cb&channel=two%0D%0Alines`,
      )
      expect(page.data.items[0]?.values).toEqual({ 'a,b': BIG, 'two\r\nlines': -2 })
      const series = await instance.query<{ series: { channel: string; points: unknown[][] }[] }>(
        owner,
        `/series?channel=a%2Cb&channel=other&agg=last&step=1d`,
      )
      expect(series.data.series.map(({ channel, points }) => [channel, points[0]?.[1]])).toEqual([
        ['a,b', BIG],
        ['a,b', 1.5],
        ['other', 1e300],
      ])
    })

    test('names that a spreadsheet would run are escaped on request', async () => {
      const third = await instance.organization('scale')
      const names = ['=1+1', '-1', '@x', 'plain']
      const channels = names.map((name) => ({ name, measurement: 'number' as const }))
      const sensor = await instance.sensor(third.id, channels)
      const values = Object.fromEntries(names.map((name) => [name, -2]))
      await outcomeOf(await instance.send(sensor, { readings: [{ at, values }] }))
      await untilStored(() => instance, third, sensor, 1)
      const rows = async (query: string) => parseCsv(await (await exported(query, third)).text())
      const cells = async (query: string) => (await rows(query)).map(({ channel, value }) => `${channel} ${value}`)
      expect(await cells('format=csv')).toEqual(names.map((name) => `${name} -2`))
      expect(await cells('format=csv&escapeFormulas=true')).toEqual(["'=1+1 -2", "'-1 -2", "'@x -2", 'plain -2'])
      const [wide = {}] = await rows('format=csv&layout=wide&escapeFormulas=true')
      expect(Object.keys(wide).slice(4)).toEqual(["'=1+1", "'-1", "'@x", 'plain'])
    })

    test('a table of more than a thousand columns is rejected', async () => {
      const many = await instance.organization('scale')
      for (let s = 0; s < 4; s++) {
        const channels = Array.from({ length: 256 }, (_, i) => ({
          name: `c${s * 256 + i}`,
          measurement: 'number' as const,
        }))
        await instance.sensor(many.id, channels)
      }
      const { status } = await exported('format=csv&layout=wide', many)
      expect(status).toBe(422)
      expect((await exported('format=parquet&layout=wide&channel=c1', many)).status).toBe(200)
    })
  })
})
