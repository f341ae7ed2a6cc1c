/** A long row of digits that is no number after all takes as long to refuse as it is, not the square of it. */
import { expect, test } from 'bun:test'
import { csvOptions } from '../../../src/lib/geo/formats/csv/csv-write.ts'
import { decimalOf, guessedType } from '../../../src/lib/number-text.ts'
import { operationsOf } from '../../../src/lib/pdf/structure/content-stream.ts'

const DIGITS = '9'.repeat(30_000)
const formula = csvOptions(true).escapeFormulae
const CASES: [string, () => unknown, unknown][] = [
  ['a decimal', () => decimalOf(`${DIGITS}x`), undefined],
  ['the type of a column', () => guessedType(`1.${DIGITS}x`), 'string'],
  ['a formula', () => formula?.test(`-${DIGITS}x`), true],
  ['an operand of a PDF', () => [...operationsOf(Buffer.from(`${DIGITS}x `))].length, 1],
]
test.each(CASES)('%s', (_, read, expected) => {
  const { user } = process.cpuUsage()
  expect(read()).toEqual(expected)
  expect(process.cpuUsage({ user, system: 0 }).user / 1e6).toBeLessThan(1)
})

test('numbers with and without digits on both sides of the point are numbers', () => {
  expect(['1', '1.', '.5', '-1.5e3', '+2E-1', '.', '1.2.3', '1e'].map(decimalOf)).toEqual([
    1,
    1,
    0.5,
    -1500,
    0.2,
    undefined,
    undefined,
    undefined,
  ])
})
