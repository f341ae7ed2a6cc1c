/** Series and exports of /enterprise/v1/assets, compared with plain loops over the sent readings. */
import { describe, expect, test } from 'bun:test'
import { type Envelope, type MadeSensor, outcomeOf, untilStored } from '../../support/server/instance.ts'
import { HOURS, iso, recordReadings, type SentReading, START } from '../../support/server/recorded-readings.ts'
import { EMBEDDED_AND_CLUSTER } from '../../support/stores/reading-stores.ts'

type Point = [at: string, value: number | null]
type Series = { resolution: string; series: { sensorId: string; channel: string; agg: string; points: Point[] }[] }

const recorded = { embedded: await recordReadings('embedded'), cluster: await recordReadings('cluster') }

describe.each(EMBEDDED_AND_CLUSTER)('on %s ClickHouse', (kind) => {
  const { instance, organization, other, sensors, sent } = recorded[kind]

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
    // midnight is at 22:00 UTC before the 25th, and at 23:00 afterwards
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

  test('steps below a day follow the clock of a time zone, also when clocks go back', async () => {
    const [from, to] = [START, START + HOURS * 3_600_000]
    const path = `/sensors/${id(1)}/series?channel=temperature&from=${iso(from)}&to=${iso(to)}&agg=sum,count`
    const clock = new Intl.DateTimeFormat('sv-SE', {
      timeZone: 'Europe/Berlin',
      dateStyle: 'short',
      timeStyle: 'short',
    })
    // "2026-10-25 02:59": a date and the quarter of its day
    const quarter = (ms: number): string => {
      const shown = clock.format(ms)
      return `${shown.slice(0, 10)} ${String(Math.floor(Number(shown.slice(11, 13)) / 6) * 6).padStart(2, '0')}:00`
    }
    const { data } = await ask<Series>(`${path}&step=6h&tz=Europe/Berlin`)
    expect(data.resolution).toBe('hour')
    const groups = Map.groupBy(sent[1] as SentReading[], ({ ms }) => quarter(ms))
    const [sums, counts] = data.series
    // each bucket is labelled with the moment at which the clock showed its start
    expect(sums?.points.map(([at]) => clock.format(Date.parse(at)))).toEqual([...groups.keys()])
    expect(counts?.points.map(([, count]) => count)).toEqual([...groups.values()].map((group) => group.length))
    for (const [i, group] of [...groups.values()].entries())
      expect(sums?.points[i]?.[1]).toBeCloseTo(
        group.reduce((sum, { values }) => sum + Number(values.temperature), 0),
        6,
      )

    // offsets with half an hour: the clock of Kolkata is 5 h 30 min ahead of UTC all year
    const indian = await ask<Series>(`${path}&step=1h&tz=Asia/Kolkata`)
    const startOf = (ms: number): number => Math.floor((ms + 1_800_000) / 3_600_000) * 3_600_000 - 1_800_000
    expectPoints(indian.data.series[0]?.points, expected(1, 'sum', from, to, startOf))
    // 25 October has 25 hours in Berlin, two of them from 2 to 3 o'clock
    const day = await ask<Series>(
      `/sensors/${id(1)}/series?channel=temperature&from=2026-10-24T22:00:00Z&to=2026-10-25T23:00:00Z&step=1h&tz=Europe/Berlin&gaps=null`,
    )
    const hours = day.data.series[0]?.points.map(([at]) => clock.format(Date.parse(at)).slice(11, 13))
    expect(hours).toEqual([
      '00',
      '01',
      '02',
      '02',
      ...Array.from({ length: 21 }, (_, i) => String(i + 3).padStart(2, '0')),
    ])
  })

  test('a sum beyond the range of a double differs from a gap', async () => {
    const third = await instance.organization('scale')
    const channels = [{ name: 'huge', measurement: 'number' as const }]
    const sensor = await instance.sensor(third.id, channels)
    const startMs = Math.floor(Date.now() / 3_600_000) * 3_600_000 - 10 * 3_600_000
    const at = (hour: number, second: number): string => iso(startMs + hour * 3_600_000 + second * 1000)
    const huge = [1.5e308, 1e308, -1.5e308, -1e308, 1.5e308]
    const hours = [0, 0, 2, 2, 4]
    const readings = huge.map((value, i) => ({ at: at(hours[i] as number, i), values: { huge: value } }))
    await outcomeOf(await instance.send(sensor, { readings }))
    await untilStored(() => instance, third, sensor, huge.length)
    const path = `/sensors/${sensor.id}/series?channel=huge&from=${at(0, 0)}&to=${at(5, 0)}&step=1h&gaps=null&agg=sum,max`
    const { data } = await ask<Series>(path, third)
    expect(data.series.map(({ points }) => points.map(([, value]) => value) as unknown[])).toEqual([
      ['Infinity', null, '-Infinity', null, 1.5e308],
      [1.5e308, null, -1e308, null, 1.5e308],
    ])
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
      [`${one}&step=1h&tz=Mars/Olympus`, 'query.tz', 'timeZone'],
      [`${one}&channel=`, 'query.channel', 'minLength'],
      [`${one}&channel=${'x'.repeat(4001)}`, 'query.channel', 'maxLength'],
      [`/sensors/${id(0)}/series?channel=open,,temperature`, 'query.channel', 'list'],
      [`/sensors/${id(0)}/series`, 'query.channel', 'required'],
      ['/export?format=csv&layout=tall', 'query.layout', 'enum'],
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
        path,
        statusCode: 422,
        code: 'VALIDATION_FAILED',
        field,
        rule,
      })
    }
    for (const path of [
      `/sensors/${id(0)}/series?channel=temperature`,
      `/tracks/${id(0)}`,
      `/series?channel=temperature&sensors=${id(0)}`,
    ])
      expect(await ask(path, other)).toMatchObject({ statusCode: 404, code: 'NOT_FOUND' })
  })
})
