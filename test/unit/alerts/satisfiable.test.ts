/** Whether one value meets all conditions, compared with trying every value of a grid. */
import { expect, test } from 'bun:test'
import { OPERATORS, type Operator } from '../../../src/alerts/rule.ts'
import { type Domain, isSatisfiable } from '../../../src/alerts/satisfiable.ts'
import { seeded, testSeed } from '../../support/random.ts'

const TESTS: Record<Operator, (a: number, b: number) => boolean> = {
  '>': (a, b) => a > b,
  '>=': (a, b) => a >= b,
  '<': (a, b) => a < b,
  '<=': (a, b) => a <= b,
  '=': (a, b) => a === b,
  '!=': (a, b) => a !== b,
}
/** Quarters, so that a value lies between any two neighbouring halves. */
const GRID: Record<Domain, number[]> = {
  number: Array.from({ length: 400 }, (_, i) => (i - 200) / 4),
  whole: Array.from({ length: 101 }, (_, i) => i - 50),
  boolean: [0, 1],
}

test(`random conditions, seed ${testSeed}`, () => {
  const random = seeded(testSeed)
  const answers: [no: number, yes: number] = [0, 0]
  for (let i = 0; i < 20_000; i++) {
    const domain = (['number', 'whole', 'boolean'] as const)[Math.floor(random() * 3)] as Domain
    const conditions = Array.from({ length: 1 + Math.floor(random() * 8) }, () => ({
      op: OPERATORS[Math.floor(random() * OPERATORS.length)] as Operator,
      value: Math.floor(random() * 9 - 4) / 2,
    }))
    const expected = GRID[domain].some((one) => conditions.every(({ op, value }) => TESTS[op](one, value)))
    expect([domain, conditions, isSatisfiable(conditions, domain)]).toEqual([domain, conditions, expected])
    answers[expected ? 1 : 0]++
  }
  expect(Math.min(...answers)).toBeGreaterThan(1_000)
})

test.each<[string, Domain, [Operator, number][], boolean]>([
  [
    'whole numbers between neighbours',
    'whole',
    [
      ['>', 1],
      ['<', 2],
    ],
    false,
  ],
  [
    'numbers between neighbours',
    'number',
    [
      ['>', 1],
      ['<', 2],
    ],
    true,
  ],
  [
    'doubles between neighbouring doubles',
    'number',
    [
      ['>', 1],
      ['<', 1 + Number.EPSILON],
    ],
    false,
  ],
  ['values beyond the largest double', 'number', [['>', Number.MAX_VALUE]], false],
  ['large whole numbers', 'whole', [['>', 1e300]], false],
  [
    'more exclusions than values',
    'whole',
    [
      ['>=', 1],
      ['<=', 3],
      ['!=', 1],
      ['!=', 2],
      ['!=', 3],
    ],
    false,
  ],
  [
    'neither yes nor no',
    'boolean',
    [
      ['!=', 0],
      ['!=', 1],
    ],
    false,
  ],
])('%s', (_, domain, given, expected) => {
  expect(
    isSatisfiable(
      given.map(([op, value]) => ({ op, value })),
      domain,
    ),
  ).toBe(expected)
})

test('any finite number is a value, and a whole one is exact', () => {
  expect(isSatisfiable([{ op: '>', value: 1.5e308 }], 'number')).toBe(true)
  expect(isSatisfiable([{ op: '<', value: -1.5e308 }], 'number')).toBe(true)
  expect(isSatisfiable([{ op: '>', value: Number.MAX_VALUE }], 'number')).toBe(false)
  expect(isSatisfiable([{ op: '>', value: Number.MAX_SAFE_INTEGER - 1 }], 'whole')).toBe(true)
  expect(isSatisfiable([{ op: '>', value: Number.MAX_SAFE_INTEGER }], 'whole')).toBe(false)
})
