/** Series as JSON text. */
import { expect, test } from 'bun:test'
import { seriesText } from '../../../src/analytics/series-text.ts'

const AGGREGATES = ['avg', 'max', 'p95']
const heads = (members: number) =>
  Array.from({ length: members }, (_, i) => AGGREGATES.map((agg) => ({ sensorId: `sen_${i}`, channel: 'c "x"', agg })))

const read = async (pieces: Promise<Buffer[]>): Promise<unknown> => JSON.parse(Buffer.concat(await pieces).toString())

/** JSON has no names for infinite numbers. */
const named = (value: number | undefined) => (Number.isFinite(value) ? value : String(value))

test('the text equals the serialized objects, with and without empty buckets', async () => {
  const starts = [0, 60_000, 120_000, 180_000]
  const points = [
    {
      starts: [60_000, 180_000],
      values: [
        [1.5, Number.POSITIVE_INFINITY],
        [Number.NEGATIVE_INFINITY, Number.NaN],
        [-1e-9, 1e21],
      ],
    },
    { starts: [], values: [[], [], []] },
  ]
  const at = (ms: number): string => new Date(ms).toISOString()
  const expected = (all: readonly number[] | undefined) => ({
    step: '1s',
    resolution: 'hour',
    series: heads(2).flatMap((own, member) =>
      own.map((head, i) => {
        const found = points[member] as (typeof points)[number]
        const values = new Map(found.starts.map((start, row) => [start, named(found.values[i]?.[row])]))
        return { ...head, points: (all ?? found.starts).map((start) => [at(start), values.get(start) ?? null]) }
      }),
    ),
  })
  for (const all of [undefined, starts])
    expect(
      await read(seriesText(heads(2), { step: { kind: 'seconds', seconds: 1 }, resolution: 'hour', points }, all)),
    ).toEqual(expected(all))
})
