/** Names of columns that formats can hold, also of hostile files with very long names or very many of one name. */
import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { shortNames, withFormatNames } from '../../../../src/lib/geo/formats/column-names.ts'
import type { Layer } from '../../../../src/lib/geo/layers/layer.ts'
import { runs } from '../../../support/fuzz.ts'

const lower = (names: readonly string[]): string[] => names.map((name) => name.toLowerCase())

test('short names have at most ten bytes, differ in more than case, and are whole characters', () => {
  const name = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 14 })
  fc.assert(
    fc.property(
      fc.array(fc.oneof(name, fc.constantFrom('population', 'Population_total', 'مجموع السكان')), { maxLength: 30 }),
      (names) => {
        const short = shortNames(names)
        expect(Math.max(0, ...short.map((one) => Buffer.byteLength(one)))).toBeLessThanOrEqual(10)
        expect(new Set(lower(short)).size).toBe(names.length)
        for (const one of short) expect(one.isWellFormed()).toBe(true)
      },
    ),
    runs(300),
  )
})

const layerOf = (names: readonly string[]): Layer =>
  ({ fields: names.map((name) => ({ name, type: 'string' })), features: [] }) as unknown as Layer

test.each(['shp', 'gml', 'gpkg'] as const)(
  '%s: a hundred thousand names, or one of a million letters, take little time',
  (format) => {
    const startedMs = performance.now()
    const many = withFormatNames(layerOf(Array.from({ length: 100_000 }, () => 'the same name')), format, [])
    expect(new Set(lower(many.fields.map(({ name }) => name))).size).toBe(100_000)
    const [long] = withFormatNames(layerOf(['é'.repeat(1_000_000)]), format, []).fields
    expect(long?.name.startsWith('ééééé')).toBe(true)
    expect(performance.now() - startedMs).toBeLessThan(5_000)
  },
)
