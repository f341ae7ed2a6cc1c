/** Steps that the server chooses for a chart. */
import { expect, test } from 'bun:test'
import { niceStep, parseStep, type Step, stepText } from '../../../src/analytics/step.ts'
import { seeded } from '../../support/random.ts'

const lengthMs = (step: Step): number => (step.kind === 'seconds' ? step.seconds : step.count * 86_400) * 1000

test('a step for n − 1 buckets gives at most n, wherever the range begins', () => {
  const random = seeded(31)
  for (let i = 0; i < 5000; i++) {
    const points = 2 + Math.floor(random() * 3000)
    const rangeMs = Math.floor(10 ** (3 + random() * 8))
    const fromMs = Math.floor(random() * 1e12)
    const step = lengthMs(niceStep(rangeMs, points - 1))
    const first = Math.floor(fromMs / step)
    const last = Math.floor((fromMs + rangeMs - 1) / step)
    expect(last - first + 1).toBeLessThanOrEqual(points)
  }
})

test('the text of a step reads as the same step', () => {
  for (const text of ['1s', '45s', '5m', '90m', '12h', '1d', '3d', '2w', '1mo', '14mo'])
    expect(parseStep('step', stepText(parseStep('step', text)))).toEqual(parseStep('step', text))
  expect(['60s', 'PT3600S', 'PT90M', '1y'].map((text) => stepText(parseStep('step', text)))).toEqual([
    '1m',
    '1h',
    '90m',
    '12mo',
  ])
})
