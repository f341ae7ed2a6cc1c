/** Content streams in every notation, and broken ones. */
import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { operationsOf } from '../../../../src/lib/pdf/structure/content-stream.ts'
import { contents } from '../../../support/formats/content-streams.ts'
import { mutated, runs, succeedsOrRejects } from '../../../support/fuzz.ts'

const read = (text: string) => [...operationsOf(new Uint8Array(Buffer.from(text, 'latin1')))]

test('reads operators in every notation', () => {
  fc.assert(
    fc.property(contents, ({ bytes, operations }) => {
      expect([...operationsOf(bytes)]).toStrictEqual(operations)
    }),
    runs(3_000),
  )
})

test.each<[string, string, unknown[]]>([
  [
    'a dictionary that ends in a string of hexadecimal digits',
    '/Span <</ActualText <FEFF0041>>> BDC',
    [{ operator: 'BDC', operands: ['/Span', undefined] }],
  ],
  [
    'a comment with brackets in a dictionary',
    '/A <</B 1 % (\n>> BDC',
    [{ operator: 'BDC', operands: ['/A', undefined] }],
  ],
  [
    'a word that JavaScript reads as a number',
    'Infinity 1 gs',
    [
      { operator: 'Infinity', operands: [] },
      { operator: 'gs', operands: [1] },
    ],
  ],
  ['a list that is not closed in a dictionary', '<</A [1 2 >> 3 gs', [{ operator: 'gs', operands: [undefined, 3] }]],
  ['brackets that close nothing', ') ] >> } 3 ] gs', [{ operator: 'gs', operands: [3] }]],
  ['a string that ends in a backslash', '(a) Tj (b\\', [{ operator: 'Tj', operands: [Buffer.from('a')] }]],
])('%s', (_, text, operations) => {
  const plain = (value: unknown): unknown =>
    value instanceof Uint8Array ? Buffer.from(value) : Array.isArray(value) ? value.map(plain) : value
  expect(read(text).map(({ operator, operands }) => ({ operator, operands: plain(operands) }))).toStrictEqual(
    operations as never,
  )
})

test('a hundred thousand nested brackets are read as a list', () => {
  const depth = 100_000
  expect(read(`${'['.repeat(depth)}${'>>'.repeat(depth)}${'<< ['.repeat(depth)} ${'>>'.repeat(depth)}`)).toEqual([])
  expect(read(`${'['.repeat(depth)}1${']'.repeat(depth)} TJ 1 Tj`).at(-1)).toEqual({ operator: 'Tj', operands: [1] })
  expect(read(`${'['.repeat(depth)} TJ`)).toEqual([])
  expect(read(`${'<<'.repeat(depth)} ${'>>'.repeat(depth)} 1 Tj`)).toHaveLength(1)
  expect(read(`${'('.repeat(depth)}${')'.repeat(depth)} Tj`)).toHaveLength(1)
})

test('any bytes are quickly read as operations', async () => {
  const seeds = fc.sample(contents, { numRuns: 100, seed: 1 }).map(({ bytes }) => bytes)
  await fc.assert(
    fc.asyncProperty(fc.oneof(mutated(...seeds), fc.uint8Array({ maxLength: 300 })), async (bytes) => {
      const operations = await succeedsOrRejects(() => [...operationsOf(bytes)])
      for (const { operator, operands } of operations ?? []) {
        expect(operator).not.toBe('')
        for (const operand of operands)
          expect(typeof operand === 'number' ? Number.isFinite(operand) : typeof operand !== 'symbol').toBe(true)
      }
    }),
    runs(4_000),
  )
})
