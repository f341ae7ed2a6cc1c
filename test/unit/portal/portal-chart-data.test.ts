/** Gaps of a chart's lines, the ends of its axis, and what its points are. */
import { expect, test } from 'bun:test'
import { align, type ChartData, kindOf, type Points } from '../../../src/portal/ui/chart/chart-data.ts'
import { valueRange } from '../../../src/portal/ui/chart/value-range.ts'
import { seeded } from '../../support/random.ts'

/** Points at seconds after a start. */
function pointsAt(seconds: readonly number[], readings = 1): Points {
  const values = seconds.map((_, i) => i)
  return { at: seconds.map((s) => s * 1000), avg: values, min: values, max: values, count: values.map(() => readings) }
}
const every = (from: number, to: number, step: number): number[] =>
  Array.from({ length: Math.floor((to - from) / step) }, (_, i) => from + i * step)

function chartOf(stepSeconds: number, points: Points): ChartData {
  return { stepMs: stepSeconds * 1000, fromMs: 0, toMs: points.at.at(-1) ?? 0, channels: new Map([['a', points]]) }
}
/** The seconds of points after which the line ends. */
function endsOf(stepSeconds: number, seconds: readonly number[], readings = 1): number[] {
  const { x, columns } = align(chartOf(stepSeconds, pointsAt(seconds, readings)))
  const ends = x.filter((_, i) => columns.get('a')?.avg[i] === null)
  return ends.map((ms) => ms / 1000 - stepSeconds)
}

test('a stretch in which the sensor was slower is a line, and a silence in either stretch is a gap', () => {
  const [slow, fast] = [every(0, 18_000, 900), every(18_000, 21_600, 30)]
  expect(endsOf(30, [...slow, ...fast])).toEqual([])
  expect(endsOf(30, [...fast, ...slow.map((s) => s + 21_600)])).toEqual([])
  const withSilences = [...slow.filter((s) => s < 3_600 || s > 9_000), ...fast.filter((s) => s < 19_000 || s > 20_000)]
  expect(endsOf(30, withSilences)).toEqual([2_700, 18_990])
})

test('a missing step is a gap where each step has several readings, and not where the readings have the length of a step', () => {
  const steps = every(0, 600, 30).filter((s) => s !== 300)
  expect(endsOf(30, steps, 3)).toEqual([270])
  expect(endsOf(30, steps, 1)).toEqual([])
})

test('points are readings as long as no point has two', () => {
  expect(kindOf(chartOf(30, pointsAt([0, 300, 600])))).toBe('readings')
  const points = pointsAt([0, 300, 600])
  points.count[1] = 2
  expect(kindOf(chartOf(30, points))).toBe('means')
})

test('an axis covers its values, and its ends have at most three digits below the span', () => {
  const next = seeded(7)
  for (let i = 0; i < 2_000; i++) {
    const middle = (next() - 0.5) * 10 ** Math.floor(next() * 9 - 2)
    const half = Math.abs(middle) * 10 ** -Math.floor(next() * 4)
    const [min, max] = [middle - half, middle + half]
    const [from, to] = valueRange(min, max)
    expect(from).toBeLessThanOrEqual(min)
    expect(to).toBeGreaterThanOrEqual(max)
    const unit = 10 ** (Math.floor(Math.log10(max - min)) - 2)
    for (const end of [from, to]) expect(Math.abs(end / unit - Math.round(end / unit))).toBeLessThan(1e-3)
  }
  expect(valueRange(1_010, 1_017)).toEqual([1_009.5, 1_017.5])
})
