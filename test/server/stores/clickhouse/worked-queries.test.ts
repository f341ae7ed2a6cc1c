/** The queries of sql/clickhouse/queries on chDB, compared with plain loops over the readings. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import geodesic from 'geographiclib-geodesic'
import type { ClickHouse } from '../../../../src/stores/clickhouse/client.ts'
import { startRollups } from '../../../../src/stores/clickhouse/maintenance/rollups.ts'
import { ROOT } from '../../../support/processes.ts'
import { seeded } from '../../../support/random.ts'
import { openReadingStore, type ReadingStore, STORE_KINDS } from '../../../support/stores/reading-stores.ts'

const QUERIES = join(ROOT, 'sql/clickhouse/queries')
const START = Date.UTC(2026, 2, 1)
const HOURS = 60
describe.each(STORE_KINDS)('on %s ClickHouse', (kind) => {
  let opened: ReadingStore
  let clickhouse: ClickHouse
  /** Readings of two sensors: temperature `a`, pressure `b` and position. */
  const readings: { ms: number; a: number; b: number; place: [number, number] }[][] = []

  beforeAll(async () => {
    opened = await openReadingStore(kind)
    clickhouse = opened.clickhouse
    const random = seeded(4)
    for (const sensor of [1, 2]) {
      let ms = START
      let [x, y] = [10, 50]
      const own = Array.from({ length: 400 }, () => {
        ms += 1000 * (1 + Math.floor(random() * 900))
        x += (random() - 0.5) / 50
        y += (random() - 0.5) / 50
        const a = Math.round(random() * 1e4) / 100
        return { ms, a, b: a * 2 + Math.round(random() * 1e4) / 100, place: [x, y] as [number, number] }
      }).filter(({ ms }) => ms < START + HOURS * 3_600_000)
      readings.push(own)
      await clickhouse.write(
        `INSERT INTO readings SELECT 1, ${sensor}, fromUnixTimestamp64Milli(t.1, 'UTC'), [1, 2], [t.2, t.3], t.4, t.5, now64(3), 3650
       FROM (SELECT arrayJoin(arrayZip({times:Array(Int64)}, {a:Array(Float64)}, {b:Array(Float64)}, {x:Array(Float64)}, {y:Array(Float64)})) AS t)`,
        {
          times: own.map((r) => r.ms),
          a: own.map((r) => r.a),
          b: own.map((r) => r.b),
          x: own.map((r) => r.place[0]),
          y: own.map((r) => r.place[1]),
        },
      )
      await clickhouse.write(
        `INSERT INTO sensors VALUES (${sensor}, 'sen_${sensor}', 1, 'ent', 'ass_${sensor}', 'Asset ${sensor}', 1)`,
      )
      await clickhouse.write(
        `INSERT INTO channels VALUES (1, ${sensor}, 1, 'temperature', 'number', '°C', 1), (1, ${sensor}, 2, 'pressure', 'number', 'hPa', 1)`,
      )
    }
  }, 120_000)
  afterAll(async () => {
    await opened.remove()
  })

  const text = (ms: number): string => new Date(ms).toISOString().replace('T', ' ').replace('Z', '')
  const END = START + HOURS * 3_600_000
  const PARAMETERS = {
    channel: 'temperature',
    other: 'pressure',
    from: text(START),
    to: text(END),
    threshold: 50,
    seconds: 800,
  }
  type Row = Record<string, unknown>
  async function run(name: string): Promise<Row[]> {
    const file = readdirSync(QUERIES).find((file) => file.includes(name)) as string
    return clickhouse.rows<Row>(readFileSync(join(QUERIES, file), 'utf8').replace(/^--.*$/gm, ''), PARAMETERS)
  }
  const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10)
  const mean = (values: number[]): number => values.reduce((a, b) => a + b, 0) / values.length
  const pairs = <T>(list: T[]): [T, T][] => list.slice(1).map((item, i) => [list[i] as T, item])

  test('there are ten, each starting with a description', () => {
    const files = readdirSync(QUERIES).sort()
    expect(files.length).toBe(10)
    for (const file of files) expect(readFileSync(join(QUERIES, file), 'utf8')).toMatch(/^-- [A-Z].+\.\n/)
  })

  test('daily figures, last values, silence', async () => {
    const days = readings.flatMap((own, s) =>
      [...Map.groupBy(own, ({ ms }) => dayOf(ms))].map(([day, group]) => {
        const values = group.map(({ a }) => a)
        return {
          asset_name: `Asset ${s + 1}`,
          day,
          lowest: Math.min(...values),
          mean: expect.closeTo(mean(values), 9),
          highest: Math.max(...values),
        }
      }),
    )
    expect(await run('daily-figures')).toEqual(days as never)
    const newest = readings.flatMap((own, s) => {
      const { a, b, ms } = own.at(-1) as (typeof own)[number]
      const age = Math.floor((END - ms) / 1000)
      return [
        { asset_name: `Asset ${s + 1}`, channel: 'pressure', newest: b, unit: 'hPa', age },
        { asset_name: `Asset ${s + 1}`, channel: 'temperature', newest: a, unit: '°C', age },
      ]
    })
    expect(await run('latest-values')).toEqual(newest as never)
    const silent = readings
      .map((own, s) => ({ name: `Asset ${s + 1}`, ms: own.at(-1)?.ms ?? 0 }))
      .filter(({ ms }) => ms < END - 3_600_000)
    expect((await run('silent-sensors')).map(({ asset_name }) => asset_name)).toEqual(
      silent.sort((a, b) => a.ms - b.ms).map(({ name }) => name) as never,
    )
  })

  test('percentiles, moving average, fastest changes, time above a threshold', async () => {
    const hours = Map.groupBy(
      readings.flat().sort((a, b) => a.ms - b.ms),
      ({ ms }) => Math.floor(ms / 3_600_000),
    )
    const found = await run('hourly-percentiles')
    expect(found.length).toBe(hours.size)
    for (const [i, group] of [...hours.values()].entries()) {
      const sorted = group.map(({ a }) => a).sort((a, b) => a - b)
      const at = (sorted.length - 1) / 2
      const median = ((sorted[Math.floor(at)] as number) + (sorted[Math.ceil(at)] as number)) / 2
      expect((found[i]?.percentiles as number[] | undefined)?.[0]).toBeCloseTo(median, 9)
    }
    const smooth = readings.flatMap((own) =>
      own.map((_, i) => mean(own.slice(Math.max(0, i - 11), i + 1).map(({ a }) => a))),
    )
    for (const [i, row] of (await run('moving-average')).entries())
      expect(row.smooth as number).toBeCloseTo(smooth[i] as number, 9)
    const steps = readings.flatMap((own) => pairs(own).map(([a, b]) => ((b.a - a.a) * 1000) / (b.ms - a.ms)))
    const steepest = steps.sort((a, b) => Math.abs(b) - Math.abs(a)).slice(0, 10)
    for (const [i, row] of (await run('fastest-changes')).entries())
      expect(row.a_second as number).toBeCloseTo(steepest[i] as number, 9)
    const above = readings.flatMap((own, s) =>
      [
        ...Map.groupBy(
          pairs(own).filter(([now]) => now.a > 50),
          ([now]) => dayOf(now.ms),
        ),
      ].map(([day, group]) => ({
        sensor_id: `sen_${s + 1}`,
        day,
        seconds_above: expect.closeTo(
          group.reduce((sum, [now, next]) => sum + (next.ms - now.ms) / 1000, 0),
          6,
        ),
      })),
    )
    expect(await run('time-above')).toEqual(above as never)
  })

  test('distances, gaps, correlation', async () => {
    const { Geodesic } = geodesic as unknown as {
      Geodesic: { WGS84: { Inverse(a: number, b: number, c: number, d: number): { s12: number } } }
    }
    const travelled = await run('distance-travelled')
    for (const [s, own] of readings.entries()) {
      const metres = pairs(own).reduce(
        (sum, [a, b]) => sum + Geodesic.WGS84.Inverse(a.place[1], a.place[0], b.place[1], b.place[0]).s12,
        0,
      )
      // geoDistance is an approximation, accurate to a few per mille
      expect(Math.abs(((travelled[s]?.kilometres as number) * 1000) / metres - 1)).toBeLessThan(0.005)
    }
    const gaps = readings.flatMap((own, s) =>
      pairs(own)
        .filter(([a, b]) => b.ms - a.ms > 800_000)
        .map(([a, b]) => [s + 1, (b.ms - a.ms) / 1000]),
    )
    expect((await run('gaps')).map(({ sensor, seconds }) => [sensor, seconds])).toEqual(gaps as never)
    for (const [s, row] of (await run('correlation')).entries()) {
      const minutes = [...Map.groupBy(readings[s] ?? [], ({ ms }) => Math.floor(ms / 60_000)).values()].map((group) => [
        mean(group.map(({ a }) => a)),
        mean(group.map(({ b }) => b)),
      ]) as [number, number][]
      const [meanA, meanB] = [mean(minutes.map(([a]) => a)), mean(minutes.map(([, b]) => b))]
      const sum = (of: (a: number, b: number) => number): number =>
        minutes.reduce((total, [a, b]) => total + of(a - meanA, b - meanB), 0)
      expect(row.correlation as number).toBeCloseTo(
        sum((a, b) => a * b) / Math.sqrt(sum((a) => a * a) * sum((_, b) => b * b)),
        9,
      )
      expect(row.minutes as number).toBe(minutes.length)
    }
  })

  type Panel = { type: string; title: string; targets: { rawSql: string; format: number; queryType: string }[] }
  type Dashboard = { panels: Panel[]; templating: { list: { name: string; type: string; query: string }[] } }

  /** Expands the macros of the ClickHouse plugin and the variables of Grafana, for a range and an interval. */
  function expanded(sql: string, variables: Record<string, string[]>, intervalS: number): string {
    const list = (name: string): string => (variables[name] ?? []).map((value) => `'${value}'`).join(',')
    return sql
      .replace(
        /\$__timeFilter\((\w+(?:\.\w+)?)\)/g,
        `$1 >= toDateTime(${START / 1000}) AND $1 <= toDateTime(${END / 1000})`,
      )
      .replace(
        /\$__timeFilter_ms\((\w+(?:\.\w+)?)\)/g,
        `$1 >= fromUnixTimestamp64Milli(${START}) AND $1 <= fromUnixTimestamp64Milli(${END})`,
      )
      .replace(
        /\$__timeInterval_ms\((\w+(?:\.\w+)?)\)/g,
        `toStartOfInterval(toDateTime64($1, 3), INTERVAL ${intervalS * 1000} millisecond)`,
      )
      .replace(/\$\{(\w+):singlequote\}/g, (_, name: string) => list(name))
  }

  describe('the Grafana dashboard', () => {
    const dashboard = JSON.parse(readFileSync(join(ROOT, 'sql/clickhouse/grafana/fleet.json'), 'utf8')) as Dashboard
    const variables = { asset: ['Asset 1', 'Asset 2'], channel: ['temperature'] }
    const run = <T>(title: string, only: Partial<typeof variables> = {}): Promise<T[]> => {
      const panel = dashboard.panels.find((candidate) => candidate.title.startsWith(title)) as Panel
      const sql = expanded(panel.targets[0]?.rawSql ?? '', { ...variables, ...only }, 3600)
      expect(sql).not.toContain('$')
      return clickhouse.rows<T>(sql)
    }
    const inHour = (sensor: number, hour: number): number[] =>
      (readings[sensor] as (typeof readings)[0])
        .filter(({ ms }) => Math.floor((ms - START) / 3_600_000) === hour)
        .map(({ a }) => a)
    const mean = (values: number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length

    test('its variables list assets and channels', async () => {
      const lists = dashboard.templating.list.filter(({ type }) => type === 'query')
      const found = await Promise.all(lists.map(({ query }) => clickhouse.rows<Record<string, string>>(query)))
      expect(found.map((rows) => rows.flatMap((row) => Object.values(row)))).toEqual([
        ['Asset 1', 'Asset 2'],
        ['pressure', 'temperature'],
      ])
    })

    test('its charts show means of readings and hourly figures', async () => {
      const rollups = startRollups(clickhouse, (error) => {
        throw error
      })
      await rollups.refresh()
      await rollups.stop()
      const chart = await run<{ time: string; asset: string; value: number }>('Readings of')
      const expected = [0, 1].flatMap((sensor) =>
        Array.from({ length: HOURS }, (_, hour) => inHour(sensor, hour)).filter((values) => values.length > 0),
      )
      expect(chart).toHaveLength(expected.length)
      for (const { time, asset, value } of chart) {
        const hour = (Date.parse(`${time.replace(' ', 'T')}Z`) - START) / 3_600_000
        expect(value).toBeCloseTo(mean(inHour(asset === 'Asset 1' ? 0 : 1, hour)), 9)
      }
      const hours = await run<{ time: string; lowest: number; mean: number; highest: number }>('Hourly ', {
        asset: ['Asset 2'],
      })
      for (const row of hours) {
        const values = inHour(1, (Date.parse(`${row.time.replace(' ', 'T')}Z`) - START) / 3_600_000)
        expect([row.lowest, row.highest]).toEqual([Math.min(...values), Math.max(...values)])
        expect(row.mean).toBeCloseTo(mean(values), 9)
      }
      const counts = await run<{ values: number }>('Values per hour')
      // two channels each
      expect(counts.reduce((sum, { values }) => sum + Number(values), 0)).toBe(2 * readings.flat().length)
    })

    test('its tables and map show the last values and positions', async () => {
      const last = readings.map((own) => own.at(-1) as (typeof own)[0])
      const latest = await run<{ asset: string; channel: string; value: number }>('Last values')
      expect(latest.map(({ asset, channel, value }) => [asset, channel, value])).toEqual(
        last.flatMap(({ a, b }, i) => [
          [`Asset ${i + 1}`, 'pressure', b],
          [`Asset ${i + 1}`, 'temperature', a],
        ]),
      )
      const live = await run<{ asset: string; longitude: number; latitude: number }>('Positions of assets')
      expect(live.map(({ longitude, latitude }) => [longitude, latitude])).toEqual(last.map(({ place }) => place))
      const silent = await run<{ asset: string }>('Longest silence')
      expect(silent).toHaveLength(2)
      await clickhouse.write(
        `INSERT INTO zone_events VALUES (1, 'rul_1', 2, fromUnixTimestamp64Milli(${START + 5}), 'enter', 1, 2, ['A'], 'lay_1', 1, now64(3), 3650)`,
      )
      const events = await run<{ asset: string; event: string; zones: string[] }>('Zone events')
      expect(events.map(({ asset, event, zones }) => [asset, event, zones])).toEqual([['Asset 2', 'enter', ['A']]])
    })
  })
})
