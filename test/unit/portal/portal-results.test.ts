/** Classes of values on a map, and the names of the files in an archive of results. */
import { expect, test } from 'bun:test'
import { uniqueNames } from '../../../src/portal/features/tools/batch/unique-names.ts'
import { classify } from '../../../src/portal/features/tools/result/classes.ts'

test('classes have about as many values each, equal values are together, and NaN has no class', () => {
  const values = Float64Array.from([5, 1, 2, 3, 4, Number.NaN, 6, 7, 8, 9, 10])
  const { classes, classOf } = classify(values, 5)
  expect(classes).toEqual([1, 3, 5, 7, 9].map((from) => ({ from, to: from + 1, count: 2 })))
  expect([...classOf]).toEqual([3, 1, 1, 2, 2, 0, 3, 4, 4, 5, 5])
})

test('every value has one class whose bounds contain it, for any values', () => {
  for (let round = 0; round < 200; round++) {
    const values = Float64Array.from({ length: round }, (_, i) =>
      Math.floor(Math.abs(Math.sin(i * 7 + round)) * (round % 13)),
    )
    const { classes, classOf } = classify(values, 5)
    expect(classes.length).toBeLessThanOrEqual(5)
    expect(classes.reduce((sum, { count }) => sum + count, 0)).toBe(round)
    for (const [i, value] of values.entries()) {
      const { from, to } = classes[(classOf[i] as number) - 1] as (typeof classes)[number]
      expect(value >= from && value <= to).toBe(true)
    }
    for (let i = 1; i < classes.length; i++) expect(classes[i - 1]?.to).toBeLessThan(classes[i]?.from as number)
  }
})

test('files of the same name are numbered', () => {
  expect(uniqueNames(['a.geojson', 'a.geojson', 'A.GEOJSON', 'b', 'b', '.hidden'])).toEqual([
    'a.geojson',
    'a (2).geojson',
    'A (3).GEOJSON',
    'b',
    'b (2)',
    '.hidden',
  ])
})
