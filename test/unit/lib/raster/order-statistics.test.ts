/** Median, majority, minority and variety compared with sorting all values, in memory or in ranges. */
import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { OrderStatistics, orderStatisticsByRanges, type Scan } from '../../../../src/lib/raster/order-statistics.ts'
import { runs } from '../../../support/fuzz.ts'

/** By definition: every value is counted. Of equally frequent values the smallest wins. */
function expected(values: readonly number[]) {
  const sorted = values.toSorted((a, b) => a - b)
  const counts = new Map<number, number>()
  // 0 and -0 are one value
  for (const value of sorted) counts.set(value + 0, (counts.get(value + 0) ?? 0) + 1)
  const of = (count: number): number | undefined => [...counts].find(([, occurs]) => occurs === count)?.[0]
  const middle = (sorted.length - 1) / 2
  const [low, high] = [sorted[Math.floor(middle)] as number, sorted[Math.ceil(middle)] as number]
  return {
    variety: counts.size,
    majority: of(Math.max(...counts.values())),
    minority: of(Math.min(...counts.values())),
    // divided before adding, because the sum of two large numbers is infinite
    median: (Math.abs(low + high) === Infinity ? low / 2 + high / 2 : (low + high) / 2) + 0,
  }
}

const statisticsOf = ({ variety, majority, minority, median }: OrderStatistics) => ({
  variety,
  majority: majority + 0,
  minority: minority + 0,
  median: median + 0,
})

const cells = fc.oneof(
  // as in rasters: few values that occur often, many that occur once, and a few outliers
  fc.array(fc.integer({ min: -3, max: 9 }), { minLength: 1, maxLength: 200 }),
  fc.array(fc.double({ min: -1e3, max: 1e3, noNaN: true }), { minLength: 1, maxLength: 200 }),
  fc.array(fc.oneof(fc.integer({ min: 0, max: 5 }), fc.double({ noNaN: true, noDefaultInfinity: true })), {
    minLength: 1,
    maxLength: 200,
  }),
  // neighbours, as close as numbers can be
  fc
    .tuple(
      fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e300, max: 1e300 }),
      fc.array(fc.nat({ max: 3 }), { minLength: 1 }),
    )
    .map(([start, steps]) => steps.map((step) => nextAfter(start, step))),
)

function nextAfter(value: number, steps: number): number {
  const view = new DataView(new ArrayBuffer(8))
  view.setFloat64(0, value)
  view.setBigInt64(0, view.getBigInt64(0) + BigInt(steps))
  return view.getFloat64(0)
}

test('values in memory', () => {
  fc.assert(
    fc.property(cells, (values) => {
      const statistics = new OrderStatistics(values.length)
      statistics.addAll(Float64Array.from(values))
      expect(statisticsOf(statistics)).toEqual(expected(values) as never)
    }),
    runs(1_000),
  )
})

test('values that are processed in ranges, a few at a time', async () => {
  await fc.assert(
    fc.asyncProperty(cells, fc.integer({ min: 1, max: 50 }), async (values, maxHeld) => {
      let scans = 0
      const scan: Scan = async (take) => {
        // only as many scans as are needed to separate different values
        if (++scans > 20 * values.length + 100) throw new Error('it goes over them again and again')
        for (const value of values) take(value)
      }
      const statistics = new OrderStatistics(values.length)
      await orderStatisticsByRanges(statistics, scan, Math.min(...values), Math.max(...values), values.length, maxHeld)
      expect(statisticsOf(statistics)).toEqual(expected(values) as never)
    }),
    runs(150),
  )
})

test.each<[string, number[]]>([
  ['as far apart as numbers can be', [-Number.MAX_VALUE, Number.MAX_VALUE, 5, 5, 7]],
  ['as close as numbers can be', [0, Number.MIN_VALUE, 2 * Number.MIN_VALUE, Number.MIN_VALUE]],
  ['one far from many', [1e300, ...Array.from({ length: 40 }, (_, i) => i / 8)]],
])('values %s', async (_, values) => {
  for (const maxHeld of [1, 2, 100]) {
    let scans = 0
    const scan: Scan = async (take) => {
      if (++scans > 2_000) throw new Error('it goes over them again and again')
      for (const value of values) take(value)
    }
    const statistics = new OrderStatistics(values.length)
    await orderStatisticsByRanges(statistics, scan, Math.min(...values), Math.max(...values), values.length, maxHeld)
    expect(statisticsOf(statistics)).toEqual(expected(values) as never)
  }
})
